import type { JsonObject, TemplateFix, ValidationOptions, ValidationResult } from '@gatehouse/contract';
import { validateAiContext } from './aiContext.js';
import { emptyFindings, validateCard, validateFilters, type CardFindings } from './card.js';
import type { Validating } from './dataSource.js';
import { BROKEN_ENTITY, type PhysicalReference, type SchemaFacts } from './facts.js';
import { createDashboardScope } from './dashboardScope.js';
import { Place } from './place.js';
import { LIMITS, Report, TooLarge } from './report.js';
import { Resources } from './resources.js';
import { scopeOf, type Scope } from './selection.js';
import { summarize } from './summary.js';
import { reachableVisuals, type ValidationFacts } from './visuals.js';

/** What is said of a template, apart from whose it is and when. */
export type TemplateReport = Omit<
  ValidationResult,
  'dashboardId' | 'dashboardTitle' | 'isValid' | 'validatedAt'
>;

export type TemplateOutcome =
  | {
      kind: 'report';
      report: TemplateReport;
      fixes: readonly TemplateFix[];
      /** Whether it refers to a table that changed, as far as the facts say what did. */
      hasChangedTable: boolean;
    }
  /** Not validated: the part of the template that is too large, and why. */
  | { kind: 'tooLarge'; path: string; message: string };

type TemplateValidating = Validating & { facts: ValidationFacts };

interface SheetFindings extends CardFindings {
  /** What the dashboard's filters reach in linked visuals. */
  linkedScopes: Scope[];
  links: Map<string, Link>;
}

/** A visual that some frame links. */
interface Link {
  title: string | null;
  /** Why it is invalid; null when it is not. */
  fault: string | null;
}

/** Looks at a linked visual and at all that it links in turn. */
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

/** Checks the visual that a frame links. */
function validateLink(
  place: Place,
  { facts, report, resources }: TemplateValidating,
  findings: SheetFindings,
): void {
  const id = place.text();
  if (id === null) return;
  const link = findings.links.get(id) ?? inspectLink(id, facts.visuals, findings);
  if (link !== null) findings.links.set(id, link);
  if (link === null || findings.links.size > LIMITS.linkedVisuals)
    throw new TooLarge(place.path, `links more than ${LIMITS.linkedVisuals} visuals`);
  if (!report.options.validateLinkedVisuals) return;
  const { title, fault } = link;
  resources.note('visuals', id, { name: title, isValid: fault === null });
  if (title === null) report.add('VISUAL_NOT_FOUND', place.path, { message: `There is no visual ${id}` });
  else if (fault !== null)
    report.add('VISUAL_INVALID', place.path, { message: `The visual ${id} is invalid: ${fault}` });
}

function validateFrame(frame: Place, validating: TemplateValidating, findings: SheetFindings): void {
  if (!frame.isEntry()) return;
  for (const card of frame.at('cards').items()) validateCard(card, validating, findings);
  validateLink(frame.at('visualId'), validating, findings);
}

function validateSheets(template: Place, validating: TemplateValidating): SheetFindings {
  const findings: SheetFindings = { ...emptyFindings(), linkedScopes: [], links: new Map() };
  for (const sheet of template.at('sheets').items()) {
    if (!sheet.isEntry()) continue;
    for (const frame of sheet.at('frames').items()) validateFrame(frame, validating, findings);
  }
  return findings;
}

function refersToChange(
  { scopes, linkedScopes, sqlConnectionIds }: SheetFindings,
  { connections }: SchemaFacts,
): boolean {
  const isChanged = ({ connectionId, ...table }: PhysicalReference) =>
    (connections.get(connectionId)?.changed?.findTable(table) ?? null) !== null;
  // What a statement reads is not known: it may be any table of its connection.
  const hasChanges = (id: string) => (connections.get(id)?.changed ?? null) !== null;
  return (
    [...sqlConnectionIds].some(hasChanges) ||
    [...scopes, ...linkedScopes].some((scope) => scope.references().some(isChanged))
  );
}

function validateParts(template: Place, validating: TemplateValidating): SheetFindings {
  const { report } = validating;
  const findings = validateSheets(template, validating);
  const scopes = [...findings.scopes, ...findings.linkedScopes];
  const scope = createDashboardScope(scopes);
  if (report.options.validateFilters)
    findings.filters.push(...validateFilters(report, template.at('filters'), scope));
  validateAiContext(template.at('aiContext'), scopes, validating);
  return findings;
}

/**
 * Validates a dashboard's template; null stands for a dashboard without one. Any JSON gives an outcome. The issues come
 * in the order of the template: its sheets, then its filters, then its assistant's context.
 */
export function validateTemplate(
  template: JsonObject | null,
  facts: ValidationFacts,
  { options, collectsFixes = false }: { options: ValidationOptions; collectsFixes?: boolean },
): TemplateOutcome {
  const report = new Report(options, { collectsFixes });
  const resources = new Resources();
  const validating = { facts, report, resources, sources: new Map() };
  const place = Place.root(report, template);
  if (template === null) report.add('TEMPLATE_MISSING', '', { message: 'The dashboard has no template' });
  try {
    const findings = validateParts(place, validating);
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
