import { performance } from 'node:perf_hooks';
import {
  AppError,
  Id,
  type InputOf,
  type OutputOf,
  type Services,
  type ValidationResult,
} from '@gatehouse/contract';
import {
  runInSlices,
  decodeCursor,
  encodeCursor,
  type CallContext,
  type ServiceClients,
} from '@gatehouse/service';
import { z } from 'zod';
import { LIMITS } from './logic/report.js';
import { validateTemplate } from './logic/template.js';
import { linkedVisualIds, readableVisuals, type ValidationFacts } from './logic/visuals.js';
import { loadSchemaFacts, loadVisuals, type FactSources } from './loadFacts.js';
import { requireProjectToken, resultOf, type Subject } from './validateOne.js';

type ValidateAll = Services['lifecycle']['procedures']['validation']['validateAll'];
type Input = InputOf<ValidateAll>;
type Page = OutputOf<ValidateAll>;
type Result = Page['results'][number];
type ContentQuery = Parameters<ServiceClients['access']['contents']['dashboards']['query']>[0];
interface Dashboard extends Subject {
  id: string;
  isReadable: boolean;
}

/** A page ends at the first of these limits, well within the time limit of a call. */
const PAGE = { milliseconds: 2000, resultBytes: 4 * 1024 * 1024, visuals: 200 };

/** The position of the next page of a batch. */
interface BatchPosition {
  /** The last dashboard of the previous page. */
  afterId: string;
  /** The number of dashboards in the batch, as counted by the first page. */
  total: number;
}

/** The cursor of a position. */
export function encodePosition({ afterId, total }: BatchPosition): string {
  return encodeCursor([afterId, total]);
}

const PageEnd = z.tuple([Id, z.number().int().nonnegative()]);

function positionOf(cursor: string): BatchPosition {
  const [afterId, total] = decodeCursor(cursor, PageEnd);
  return { afterId, total };
}

/** The query of a filter. A tenant user's batch covers only its own tenant, so it may be empty: null. */
function queryOf({ type, tenantId, ids }: Input['filter'], { principal }: CallContext): ContentQuery | null {
  const byType = {
    organization: { ownerType: 'organization' },
    tenant: { ownerType: 'tenant', tenantId },
    'all-tenants': { ownerType: 'tenant' },
    all: {},
  } as const satisfies Record<typeof type, ContentQuery>;
  const query = { ...byType[type], ...(ids === undefined ? {} : { ids }) };
  if (principal.kind !== 'tenantUser') return query;
  if (tenantId !== undefined && tenantId !== principal.tenantId) throw new AppError('FORBIDDEN');
  return type === 'organization' ? null : { ...query, tenantId: principal.tenantId };
}

/** Takes dashboards until they link too many visuals together, but at least one. */
function takePart(dashboards: readonly Dashboard[]): { part: Dashboard[]; visualIds: Set<string> } {
  const visualIds = new Set<string>();
  const part: Dashboard[] = [];
  for (const dashboard of dashboards) {
    const linked = linkedVisualIds(dashboard.template).filter((id) => !visualIds.has(id));
    if (part.length > 0 && visualIds.size + linked.length > PAGE.visuals) break;
    part.push(dashboard);
    // A dashboard with too many links is rejected, so that none of its visuals is needed.
    if (linked.length > LIMITS.linkedVisuals) continue;
    for (const id of linked) visualIds.add(id);
  }
  return { part, visualIds };
}

/** The inputs that all validations of a page share. */
interface PageInputs {
  /** Includes all linked visuals, for dashboards that an ADMIN may list but not read. */
  facts: ValidationFacts;
  /** Includes only the visuals that the caller may read. */
  readableFacts: ValidationFacts;
  input: Input;
  context: CallContext;
}

/** Keeps only the verdict and the counts, which disclose nothing about the template. */
function withoutTemplate(result: ValidationResult): ValidationResult {
  const resources = Object.keys(result.resourceResults).map((kind) => [kind, []]);
  const resourceResults = Object.fromEntries(resources) as unknown as ValidationResult['resourceResults'];
  return { ...result, cardResults: [], filterResults: [], joinResults: [], resourceResults, issues: [] };
}

/**
 * Validates one dashboard; null for one that refers to no changed table. A failure affects only this
 * dashboard.
 */
function* validateDashboard(
  dashboard: Dashboard,
  { facts, readableFacts, input, context }: PageInputs,
): Generator<void, Result | null> {
  const { options, filter } = input;
  const { id: dashboardId, isReadable } = dashboard;
  try {
    const known = isReadable ? readableFacts : facts;
    const outcome = yield* validateTemplate(dashboard.template, known, { options });
    if (outcome.kind === 'tooLarge') {
      if (!isReadable) return { dashboardId, error: 'The template is too large' };
      const { path, message } = outcome;
      return { dashboardId, error: `The template ${message}${path === '' ? '' : `, at ${path}`}` };
    }
    if (filter.changedSince !== undefined && !outcome.hasChangedTable) return null;
    const result = resultOf(dashboard, outcome.report, context);
    return isReadable ? result : withoutTemplate(result);
  } catch (error) {
    context.log.error({ err: error, dashboardId }, 'a dashboard could not be validated');
    return { dashboardId, error: 'The dashboard could not be validated' };
  }
}

/**
 * Validates dashboards in order until the page is full. Returns the results and the last validated dashboard.
 */
function* validatePart(
  part: readonly Dashboard[],
  inputs: PageInputs,
): Generator<void, { results: Result[]; lastId: string | null }> {
  const startedAt = performance.now();
  let bytes = 0;
  let lastId: string | null = null;
  const results: Result[] = [];
  for (const dashboard of part) {
    const now = performance.now();
    if (lastId !== null && (bytes > PAGE.resultBytes || now - startedAt > PAGE.milliseconds)) break;
    const result = yield* validateDashboard(dashboard, inputs);
    yield;
    lastId = dashboard.id;
    if (result === null) continue;
    results.push(result);
    bytes += JSON.stringify(result).length;
  }
  return { results, lastId };
}

function isResult(result: Result): result is ValidationResult {
  return 'isValid' in result;
}

function pageOf(projectId: string, { results, total }: { results: Result[]; total: number }): Page {
  const validated = results.filter(isResult);
  const valid = validated.filter(({ isValid }) => isValid);
  return {
    projectId,
    totalDashboards: total,
    validDashboards: valid.length,
    invalidDashboards: validated.length - valid.length,
    failedDashboards: results.length - validated.length,
    results,
    nextCursor: null,
  };
}

/**
 * Validates one page of many dashboards. Makes one call for the dashboards, one for the facts, and one for
 * each level of linked visuals. Throws FORBIDDEN for another project, and for a tenant user that names
 * another tenant.
 */
export async function validateAll(sources: FactSources, input: Input, context: CallContext): Promise<Page> {
  requireProjectToken(context);
  const { projectId } = context.principal;
  if (input.projectId !== undefined && input.projectId !== projectId) throw new AppError('FORBIDDEN');
  const position = input.cursor === undefined ? null : positionOf(input.cursor);
  const query = queryOf(input.filter, context);
  if (query === null) return pageOf(projectId, { results: [], total: 0 });
  const after = position === null ? {} : { afterId: position.afterId };
  const [found, schema] = await Promise.all([
    sources.access.contents.dashboards.query({ ...query, ...after }, { context }),
    loadSchemaFacts(sources, { changedSince: input.filter.changedSince }, context),
  ]);
  const { options } = input;
  const { part, visualIds } = takePart(found.dashboards);
  const visuals = await loadVisuals(sources, { ids: visualIds, facts: schema, options }, context);
  const facts = { ...schema, visuals };
  const readableFacts = { ...schema, visuals: readableVisuals(visuals) };
  const { results, lastId } = await runInSlices(validatePart(part, { facts, readableFacts, input, context }));
  const total = position?.total ?? found.total ?? 0;
  const isWhole = lastId === (found.dashboards.at(-1)?.id ?? null);
  const afterId = isWhole ? found.nextAfterId : lastId;
  const nextCursor = afterId === null ? null : encodePosition({ afterId, total });
  return { ...pageOf(projectId, { results, total }), nextCursor };
}
