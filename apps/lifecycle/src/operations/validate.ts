import {
  AppError,
  invalidField,
  type InputOf,
  type JsonObject,
  type OutputOf,
  type Services,
  type ValidationResult,
} from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { fixTemplate } from '../logic/validation/fix.js';
import { LIMITS } from '../logic/validation/report.js';
import { validateTemplate, type TemplateReport } from '../logic/validation/template.js';
import { linkedVisualIds, type ValidationFacts } from '../logic/validation/visuals.js';
import { loadSchemaFacts, loadVisuals, type FactSources } from './loadFacts.js';

type Procedures = Services['lifecycle']['procedures']['validation'];
type OneTemplate = InputOf<Procedures['validate']>;

/** What is validated: a saved dashboard, or a template that has no id yet. */
export interface Subject {
  id: string | null;
  title: string | null;
  template: JsonObject | null;
}

/** The saved dashboard. Throws NOT_FOUND for one that does not exist or that is none of the caller's business. */
async function getDashboard({ access }: FactSources, id: string, context: CallContext): Promise<Subject> {
  const { dashboards } = await access.contents.dashboards(context, { ids: [id] });
  const [dashboard] = dashboards;
  if (dashboard === undefined) throw new AppError('NOT_FOUND');
  return dashboard;
}

async function loadSubject(
  sources: FactSources,
  { dashboardId, template, options }: OneTemplate,
  context: CallContext,
): Promise<{ subject: Subject; facts: ValidationFacts }> {
  const [subject, facts] = await Promise.all([
    dashboardId === undefined
      ? { id: null, title: null, template: template ?? null }
      : getDashboard(sources, dashboardId, context),
    loadSchemaFacts(sources, {}, context),
  ]);
  const linked = linkedVisualIds(subject.template);
  // A template that links too many is not validated, so that none of them is needed.
  const ids = linked.length > LIMITS.linkedVisuals ? [] : linked;
  return {
    subject,
    facts: { ...facts, visuals: await loadVisuals(sources, { ids, facts, options }, context) },
  };
}

/** A result as it is answered. */
export function resultOf(
  { id, title }: Subject,
  report: TemplateReport,
  { now }: CallContext,
): ValidationResult {
  return {
    dashboardId: id,
    dashboardTitle: title,
    isValid: report.issues.every(({ severity }) => severity !== 'error'),
    validatedAt: now.toISOString(),
    ...report,
  };
}

/** The INVALID_REQUEST for a template that is too large to be validated, naming the part that is. */
function refuseTooLarge({ path, message }: { path: string; message: string }): AppError {
  return invalidField('template', `${message}${path === '' ? '' : `, at ${path}`}`);
}

/** Validates one template. Throws NOT_FOUND for an unknown dashboard, INVALID_REQUEST for too large a template. */
export async function validateOne(
  sources: FactSources,
  input: OneTemplate,
  context: CallContext,
): Promise<ValidationResult> {
  requireProjectToken(context);
  const { subject, facts } = await loadSubject(sources, input, context);
  const outcome = validateTemplate(subject.template, facts, { options: input.options });
  if (outcome.kind === 'tooLarge') throw refuseTooLarge(outcome);
  return resultOf(subject, outcome.report, context);
}

/** Applies the sure renames to one template, and saves nothing. Throws as {@link validateOne} does. */
export async function fixOne(
  sources: FactSources,
  input: OneTemplate,
  context: CallContext,
): Promise<OutputOf<Procedures['fix']>> {
  requireProjectToken(context);
  const { subject, facts } = await loadSubject(sources, input, context);
  const outcome = fixTemplate(subject.template, facts, input.options);
  if (outcome.kind === 'tooLarge') throw refuseTooLarge(outcome);
  const { fixes, patch, template, report } = outcome;
  return { dashboardId: subject.id, patch, fixes, template, result: resultOf(subject, report, context) };
}

/** Throws FORBIDDEN for the token of a dashboard: it validates nothing, not even its own. */
export function requireProjectToken({ principal }: CallContext): void {
  if (principal.tokenType !== 'project' || principal.kind === 'anonymous') throw new AppError('FORBIDDEN');
}
