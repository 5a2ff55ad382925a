import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import {
  AppError,
  type InputOf,
  type OutputOf,
  type Services,
  type ValidationResult,
} from '@gatehouse/contract';
import type { CallContext, ServiceClients } from '@gatehouse/service';
import { LIMITS } from '../logic/validation/report.js';
import { validateTemplate } from '../logic/validation/template.js';
import { linkedVisualIds, type ValidationFacts } from '../logic/validation/visuals.js';
import { loadSchemaFacts, loadVisuals, type FactSources } from './loadFacts.js';
import { decodePosition, encodePosition } from './pageCursor.js';
import { requireProjectToken, resultOf, type Subject } from './validate.js';

type ValidateAll = Services['lifecycle']['procedures']['validation']['validateAll'];
type Input = InputOf<ValidateAll>;
type Page = OutputOf<ValidateAll>;
type Result = Page['results'][number];
type ContentQuery = Parameters<ServiceClients['access']['contents']['dashboards']>[1];
interface Dashboard extends Subject {
  id: string;
}

/** A page ends when it has come to one of these, so that it stays well below the time that a call may take. */
const PAGE = { milliseconds: 2000, resultBytes: 4 * 1024 * 1024, visuals: 200 };
/** Other calls of the process wait for no longer than this, or for one dashboard. */
const TURN_MS = 10;

/** The dashboards that the filter means. A tenant user's batch covers its own tenant, so that it may be about nothing: null. */
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

/** The first of the dashboards, as many as link so many visuals together; at least one. */
function takePart(dashboards: readonly Dashboard[]): { part: Dashboard[]; visualIds: Set<string> } {
  const visualIds = new Set<string>();
  const part: Dashboard[] = [];
  for (const dashboard of dashboards) {
    const linked = linkedVisualIds(dashboard.template).filter((id) => !visualIds.has(id));
    if (part.length > 0 && visualIds.size + linked.length > PAGE.visuals) break;
    part.push(dashboard);
    // A dashboard that links too many by itself is not validated, so that none of them is needed.
    if (linked.length > LIMITS.linkedVisuals) continue;
    for (const id of linked) visualIds.add(id);
  }
  return { part, visualIds };
}

/** The result of one dashboard; null for one that refers to nothing that changed. One that fails fails alone. */
function validateDashboard(
  dashboard: Dashboard,
  { facts, input, context }: { facts: ValidationFacts; input: Input; context: CallContext },
): Result | null {
  const { options, filter } = input;
  try {
    const outcome = validateTemplate(dashboard.template, facts, { options });
    if (outcome.kind === 'tooLarge') {
      const { path, message } = outcome;
      return {
        dashboardId: dashboard.id,
        error: `The template ${message}${path === '' ? '' : `, at ${path}`}`,
      };
    }
    if (filter.changedSince !== undefined && !outcome.hasChangedTable) return null;
    return resultOf(dashboard, outcome.report, context);
  } catch (error) {
    context.log.error({ err: error, dashboardId: dashboard.id }, 'a dashboard could not be validated');
    return { dashboardId: dashboard.id, error: 'The dashboard could not be validated' };
  }
}

/** Validates dashboards one after the other until the page is full. Answers what it found, and the last one it looked at. */
async function validatePart(
  part: readonly Dashboard[],
  validating: { facts: ValidationFacts; input: Input; context: CallContext },
): Promise<{ results: Result[]; lastId: string | null }> {
  const startedAt = performance.now();
  let turnBegan = startedAt;
  let bytes = 0;
  let lastId: string | null = null;
  const results: Result[] = [];
  for (const dashboard of part) {
    const now = performance.now();
    if (lastId !== null && (bytes > PAGE.resultBytes || now - startedAt > PAGE.milliseconds)) break;
    if (now - turnBegan > TURN_MS) {
      await setImmediate();
      turnBegan = performance.now();
    }
    const result = validateDashboard(dashboard, validating);
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
 * One page of the validation of many dashboards: a round trip for the dashboards, one for what they are validated against,
 * and one for each level of the visuals that they link. Throws FORBIDDEN for another project, and for a tenant user
 * who asks for another tenant.
 */
export async function validateAll(sources: FactSources, input: Input, context: CallContext): Promise<Page> {
  requireProjectToken(context);
  const { projectId } = context.principal;
  if (input.projectId !== undefined && input.projectId !== projectId) throw new AppError('FORBIDDEN');
  const position = input.cursor === undefined ? null : decodePosition(input.cursor);
  const query = queryOf(input.filter, context);
  if (query === null) return pageOf(projectId, { results: [], total: 0 });
  const after = position === null ? {} : { afterId: position.afterId };
  const [found, schema] = await Promise.all([
    sources.access.contents.dashboards(context, { ...query, ...after }),
    loadSchemaFacts(sources, { changedSince: input.filter.changedSince }, context),
  ]);
  const { options } = input;
  const { part, visualIds } = takePart(found.dashboards);
  const visuals = await loadVisuals(sources, { ids: visualIds, facts: schema, options }, context);
  const { results, lastId } = await validatePart(part, { facts: { ...schema, visuals }, input, context });
  const total = position?.total ?? found.total ?? 0;
  const isWhole = lastId === (found.dashboards.at(-1)?.id ?? null);
  const afterId = isWhole ? found.nextAfterId : lastId;
  const nextCursor = afterId === null ? null : encodePosition({ afterId, total });
  return { ...pageOf(projectId, { results, total }), nextCursor };
}
