import {
  AppError,
  invalidField,
  type InputOf,
  type JsonObject,
  type OutputOf,
  type Services,
  type ValidationResult,
} from '@gatehouse/contract';
import { runInSlices, type CallContext } from '@gatehouse/service';
import { fixTemplate } from './logic/fix.js';
import { LIMITS } from './logic/report.js';
import { validateTemplate, type TemplateReport } from './logic/template.js';
import { linkedVisualIds, readableVisuals, type ValidationFacts } from './logic/visuals.js';
import { loadSchemaFacts, loadVisuals, type FactSources } from './loadFacts.js';

type Procedures = Services['lifecycle']['procedures']['validation'];
type OneTemplate = InputOf<Procedures['validate']>;

/** The subject of a validation: a saved dashboard, or a template without an id. */
export interface Subject {
  id: string | null;
  title: string | null;
  template: JsonObject | null;
}

/** Reads a saved dashboard. Throws NOT_FOUND unless it exists and the caller may read it. */
async function getDashboard({ access }: FactSources, id: string, context: CallContext): Promise<Subject> {
  const { dashboards } = await access.contents.dashboards.query({ ids: [id] }, { context });
  const [dashboard] = dashboards;
  if (dashboard?.isReadable !== true) throw new AppError('NOT_FOUND');
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
  // A template with too many links is rejected, so that none of its visuals is needed.
  const ids = linked.length > LIMITS.linkedVisuals ? [] : linked;
  return {
    subject,
    facts: {
      ...facts,
      visuals: readableVisuals(await loadVisuals(sources, { ids, facts, options }, context)),
    },
  };
}

/** The result in a response. */
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

/** An INVALID_REQUEST that names the part of the template that is too large. */
function tooLargeError({ path, message }: { path: string; message: string }): AppError {
  return invalidField('template', `${message}${path === '' ? '' : `, at ${path}`}`);
}

/**
 * Validates one template. Throws NOT_FOUND for an unknown dashboard and INVALID_REQUEST for a template that
 * is too large.
 */
export async function validateOne(
  sources: FactSources,
  input: OneTemplate,
  context: CallContext,
): Promise<ValidationResult> {
  requireProjectToken(context);
  const { subject, facts } = await loadSubject(sources, input, context);
  const steps = validateTemplate(subject.template, facts, { options: input.options });
  const outcome = await runInSlices(steps);
  if (outcome.kind === 'tooLarge') throw tooLargeError(outcome);
  return resultOf(subject, outcome.report, context);
}

/**
 * Applies unambiguous renames to one template and saves nothing. Throws as {@link validateOne}, and FORBIDDEN
 * when the service identity names a dashboard, because it may not read templates.
 */
export async function fixOne(
  sources: FactSources,
  input: OneTemplate,
  context: CallContext,
): Promise<OutputOf<Procedures['fix']>> {
  requireProjectToken(context);
  const isService = context.principal.kind === 'service';
  if (isService && input.dashboardId !== undefined) throw new AppError('FORBIDDEN');
  const { subject, facts } = await loadSubject(sources, input, context);
  const outcome = await runInSlices(fixTemplate(subject.template, facts, input.options));
  if (outcome.kind === 'tooLarge') throw tooLargeError(outcome);
  const { fixes, patch, template, report } = outcome;
  return { dashboardId: subject.id, patch, fixes, template, result: resultOf(subject, report, context) };
}

/**
 * Throws FORBIDDEN unless the token is a project token of an identified caller. A dashboard token may not
 * validate.
 */
export function requireProjectToken({ principal }: CallContext): void {
  if (principal.tokenType !== 'project' || principal.kind === 'anonymous') throw new AppError('FORBIDDEN');
}
