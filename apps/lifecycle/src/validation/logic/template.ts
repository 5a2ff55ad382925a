import type {
  JsonObject,
  TemplateFix,
  ValidationOptions,
  ValidationResult,
  ValidationSummary,
} from '@gatehouse/contract';
import { validateAiContext } from './aiContext.js';
import { emptyFindings, validateCard, validateFilters, type CardFindings } from './card.js';
import type { ValidationState } from './dataSource.js';
import { TemplateNode } from './templateNode.js';
import { LIMITS, Report, TooLarge, type LookupBudget } from './report.js';
import { Resources } from './resources.js';
import { BROKEN_ENTITY, type PhysicalReference, type SchemaFacts } from './schema.js';
import { createDashboardScope, scopeOf, type Scope } from './selection.js';
import { reachableVisuals, type ValidationFacts } from './visuals.js';

/** The report of a template, without the dashboard and the time. */
export type TemplateReport = Omit<
  ValidationResult,
  'dashboardId' | 'dashboardTitle' | 'isValid' | 'validatedAt'
>;

export type TemplateOutcome =
  | {
      kind: 'report';
      report: TemplateReport;
      fixes: readonly TemplateFix[];
      /** Whether the template refers to a table that changed by the facts. */
      hasChangedTable: boolean;
    }
  /** Not validated: the part that is too large, and why. */
  | { kind: 'tooLarge'; path: string; message: string };

export interface TemplateSettings {
  options: ValidationOptions;
  collectsFixes?: boolean;
  /** Those left for several validations together; by default, of this one alone. */
  lookups?: LookupBudget;
}

type TemplateValidationState = ValidationState & { facts: ValidationFacts };

interface SheetFindings extends CardFindings {
  /** The scopes of linked visuals, which the dashboard's filters reach. */
  linkedScopes: Scope[];
  links: Map<string, Link>;
}

/** A linked visual. */
interface Link {
  title: string | null;
  /** Why it is invalid; null when it is valid. */
  fault: string | null;
}

/**
 * Inspects a linked visual and the visuals that it links, directly or indirectly; null when they are too
 * many.
 */
function inspectLink(id: string, visuals: ValidationFacts['visuals'], findings: SheetFindings): Link | null {
  const reachable = reachableVisuals(id, visuals);
  if (reachable === null) return null;
  let fault: string | null = null;
  for (const { id: reachedId, visual } of reachable) {
    findings.linkedScopes.push(...(visual?.scopes ?? [scopeOf(BROKEN_ENTITY)]));
    for (const connectionId of visual?.sqlConnectionIds ?? []) findings.sqlConnectionIds.add(connectionId);
    const own = visual === undefined ? 'it does not exist' : visual.fault;
    if (own !== null) fault ??= reachedId === id ? own : `it links ${reachedId}: ${own}`;
  }
  return { title: visuals.get(id)?.title ?? null, fault };
}

/** Validates the visual that a frame links. */
function validateLink(
  node: TemplateNode,
  { facts, report, resources }: TemplateValidationState,
  findings: SheetFindings,
): void {
  const id = node.text();
  if (id === null) return;
  const link = findings.links.get(id) ?? inspectLink(id, facts.visuals, findings);
  if (link !== null) findings.links.set(id, link);
  if (link === null || findings.links.size > LIMITS.linkedVisuals)
    throw new TooLarge(node.path, `links more than ${LIMITS.linkedVisuals} visuals`);
  if (!report.options.validateLinkedVisuals) return;
  const { title, fault } = link;
  resources.add('visuals', id, { name: title, isValid: fault === null });
  if (title === null) report.add('VISUAL_NOT_FOUND', node.path, { message: `There is no visual ${id}` });
  else if (fault !== null)
    report.add('VISUAL_INVALID', node.path, { message: `The visual ${id} is invalid: ${fault}` });
}

function* validateFrame(
  frame: TemplateNode,
  state: TemplateValidationState,
  findings: SheetFindings,
): Generator<void, void> {
  if (!frame.isEntry()) return;
  for (const card of frame.at('cards').items()) {
    yield* validateCard(card, state, findings);
    yield;
  }
  validateLink(frame.at('visualId'), state, findings);
}

function* validateSheets(
  template: TemplateNode,
  state: TemplateValidationState,
): Generator<void, SheetFindings> {
  const findings: SheetFindings = { ...emptyFindings(), linkedScopes: [], links: new Map() };
  for (const sheet of template.at('sheets').items()) {
    yield;
    if (!sheet.isEntry()) continue;
    for (const frame of sheet.at('frames').items()) {
      yield* validateFrame(frame, state, findings);
      yield;
    }
  }
  return findings;
}

function refersToChange(
  { scopes, linkedScopes, sqlConnectionIds }: SheetFindings,
  { connections }: SchemaFacts,
): boolean {
  // Without changes, the references need not be resolved.
  if ([...connections.values()].every(({ changed }) => changed === null)) return false;
  const isChanged = ({ connectionId, ...table }: PhysicalReference) =>
    (connections.get(connectionId)?.changed?.findTable(table) ?? null) !== null;
  // A SQL statement may read any table of its connection.
  const hasChanges = (id: string) => (connections.get(id)?.changed ?? null) !== null;
  return (
    [...sqlConnectionIds].some(hasChanges) ||
    [...scopes, ...linkedScopes].some((scope) => scope.references().some(isChanged))
  );
}

function* validateParts(
  template: TemplateNode,
  state: TemplateValidationState,
): Generator<void, SheetFindings> {
  const { report } = state;
  const findings = yield* validateSheets(template, state);
  const scopes = [...findings.scopes, ...findings.linkedScopes];
  const scope = createDashboardScope(scopes);
  if (report.options.validateFilters)
    findings.filters.push(...(yield* validateFilters(report, template.at('filters'), scope)));
  yield;
  yield* validateAiContext(template.at('aiContext'), scopes, state);
  return findings;
}

function countInvalid(outcomes: readonly { isValid: boolean }[]): number {
  return outcomes.filter(({ isValid }) => !isValid).length;
}

/** Counts the results. Each total is the sum of valid and invalid ones. */
function summarize(
  { cards, fields, filters, joins }: CardFindings,
  { connections, datasets, datamodels }: ValidationResult['resourceResults'],
): ValidationSummary {
  const invalid = {
    cards: countInvalid(cards),
    filters: countInvalid(filters),
    joins: countInvalid(joins),
    connections: countInvalid(connections),
    datasets: countInvalid(datasets),
    datamodels: countInvalid(datamodels),
  };
  return {
    totalCards: cards.length,
    validCards: cards.length - invalid.cards,
    invalidCards: invalid.cards,
    totalFields: fields.total,
    validFields: fields.total - fields.invalid,
    invalidFields: fields.invalid,
    totalFilters: filters.length,
    validFilters: filters.length - invalid.filters,
    invalidFilters: invalid.filters,
    totalJoins: joins.length,
    validJoins: joins.length - invalid.joins,
    invalidJoins: invalid.joins,
    totalConnections: connections.length,
    validConnections: connections.length - invalid.connections,
    invalidConnections: invalid.connections,
    totalDatasets: datasets.length,
    validDatasets: datasets.length - invalid.datasets,
    invalidDatasets: invalid.datasets,
    totalDatamodels: datamodels.length,
    validDatamodels: datamodels.length - invalid.datamodels,
    invalidDatamodels: invalid.datamodels,
  };
}

/**
 * Validates a dashboard's template; null stands for a dashboard without one. Any JSON has an outcome. The
 * issues are in the order of the template: its sheets, then its filters, then its assistant's context. Yields
 * after each card, and after each part of one that is looked up.
 */
export function* validateTemplate(
  template: JsonObject | null,
  facts: ValidationFacts,
  { options, ...settings }: TemplateSettings,
): Generator<void, TemplateOutcome> {
  const report = new Report(options, settings);
  const resources = new Resources();
  const state = { facts, report, resources, sources: new Map() };
  const node = TemplateNode.root(report, template);
  if (template === null) report.add('TEMPLATE_MISSING', '', { message: 'The dashboard has no template' });
  try {
    const findings = yield* validateParts(node, state);
    const resourceResults = resources.results();
    return {
      kind: 'report',
      report: {
        summary: summarize(findings, resourceResults),
        cardResults: findings.cards,
        filterResults: findings.filters,
        joinResults: findings.joins,
        resourceResults,
        issues: report.issues,
      },
      fixes: report.fixes ?? [],
      hasChangedTable: refersToChange(findings, facts),
    };
  } catch (error) {
    if (error instanceof TooLarge) return { kind: 'tooLarge', path: error.path, message: error.message };
    throw error;
  }
}
