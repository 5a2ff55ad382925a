import type { LintWarning } from '@gatehouse/contract';
import { isBuiltInName, isSecretName, placeholdersOf } from '@gatehouse/contract/placeholders';
import { SECRETS_ARE_FOR_CONNECTIONS } from '../../preview/logic/renderTemplate.js';
import type { LintAssignment, LintDefinition } from './request.js';
import type { Work } from './work.js';

/** A template and the params next to it. */
interface LintTemplate {
  path: string;
  template: string;
  params: Record<string, unknown>;
  /** Whether the template may use secrets. */
  takesSecrets: boolean;
}

function templatesOf({ clsConfig, slsConfig, rlsConfig }: LintDefinition): LintTemplate[] {
  const connection = clsConfig?.connectionTemplate;
  const schema = slsConfig?.schemaTemplate;
  const ofCls = { params: clsConfig?.params ?? {}, takesSecrets: true };
  return [
    ...(connection ? [{ path: 'clsConfig.connectionTemplate', template: connection, ...ofCls }] : []),
    ...Object.entries(clsConfig?.filePathTemplates ?? {}).map(([name, template]) => ({
      path: `clsConfig.filePathTemplates.${name}`,
      template,
      ...ofCls,
    })),
    ...(schema
      ? [{ path: 'slsConfig.schemaTemplate', template: schema, params: {}, takesSecrets: false }]
      : []),
    ...(rlsConfig?.rules ?? []).flatMap(({ expression, params = {}, enabled }, index) => {
      const path = `rlsConfig.rules[${index}].expression`;
      return enabled ? [{ path, template: expression, params, takesSecrets: false }] : [];
    }),
  ];
}

/** The assignments of a definition. */
interface OwnAssignments {
  assignments: readonly LintAssignment[];
  /** Whether there are no others. */
  isComplete: boolean;
}

/** Whether some actors of an assignment have the built-in value. */
function isBuiltInFor(name: string, { scopeType }: LintAssignment): boolean {
  return isBuiltInName(name) && !(name === 'actor.tenantId' && scopeType === 'ORG_USER');
}

/**
 * Warns about placeholders that a definition's assignments leave without a value, and about secrets where
 * they are not allowed. A definition without assignments is skipped: its values may still be added.
 */
export function* lintPlaceholders(
  definition: LintDefinition,
  own: OwnAssignments,
  work: Work,
): Generator<LintWarning[], void> {
  for (const template of templatesOf(definition)) {
    for (const name of placeholdersOf(template.template)) {
      if (!work.spend(1 + own.assignments.length)) return;
      const found = lintPlaceholder(name, template, own);
      const { path } = template;
      const base = { code: 'UNFILLED_PLACEHOLDER' as const, path, definitionId: definition.id };
      yield found === null ? [] : [{ ...base, ...found }];
    }
  }
}

/** Returns what is wrong with a placeholder; null if nothing is. */
function lintPlaceholder(
  name: string,
  { params, takesSecrets }: LintTemplate,
  { assignments, isComplete }: OwnAssignments,
): Pick<LintWarning, 'message' | 'assignmentId'> | null {
  if (isSecretName(name) && !takesSecrets)
    return { message: `It uses {{ ${name} }}, and ${SECRETS_ARE_FOR_CONNECTIONS}`, assignmentId: null };
  if (Object.hasOwn(params, name) && !isBuiltInName(name)) return null;
  const lacking = assignments.filter(
    (assignment) => !isBuiltInFor(name, assignment) && !isGivenBy(assignment, name),
  );
  const [first] = lacking;
  if (first === undefined) return null;
  const count = countOf(lacking.length, isComplete ? assignments.length : null);
  const message = `Neither the params beside it nor ${count} to ${name}: ${CONSEQUENCE}`;
  return { message, assignmentId: isComplete && lacking.length === 1 ? first.id : null };
}

function isGivenBy({ params }: LintAssignment, name: string): boolean {
  return !isBuiltInName(name) && Object.hasOwn(params, name);
}

const CONSEQUENCE = 'unless a token or a request brings a value, what depends on it is denied.';

/** @param total null if there are more assignments than were read */
function countOf(lacking: number, total: number | null): string {
  if (total === 1) return 'the assignment give a value';
  const number = total === null ? `at least ${lacking} of the` : `${lacking} of ${total}`;
  return `${number} assignments give a value`;
}
