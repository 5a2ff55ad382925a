import type { LintWarning, SlsConfig } from '@gatehouse/contract';
import type { Party } from './competition.js';
import type { LintDefinition } from './request.js';
import type { Work } from './work.js';

/**
 * The schema of unqualified tables that the config fixes by itself, and its field; null if none is fixed or a
 * template decides it.
 */
function schemaOf({
  schema,
  schemaTemplate,
  defaultSchema,
}: SlsConfig): { field: string; schema: string } | null {
  if (schema) return { field: 'schema', schema };
  return defaultSchema && !schemaTemplate ? { field: 'defaultSchema', schema: defaultSchema } : null;
}

/** Warns about a definition whose allowlist does not contain its own schema. */
export function lintOwnSchema({ id, slsConfig }: LintDefinition): LintWarning[] {
  const named = slsConfig && schemaOf(slsConfig);
  if (!named || !slsConfig.allowedSchemas || slsConfig.allowedSchemas.includes(named.schema)) return [];
  const message = `${named.schema} is not one of its allowedSchemas, so everything is denied.`;
  const path = `slsConfig.${named.field}`;
  return [{ code: 'DEFAULT_SCHEMA_NOT_ALLOWED', path, message, definitionId: id, assignmentId: null }];
}

/**
 * Checks the schemas of each tenant's assignments against the allowlists for all tenants, which also apply to
 * each tenant.
 */
export function* lintAllowlists(parties: readonly Party[], work: Work): Generator<LintWarning[], void> {
  const lists = parties.flatMap(({ assignment, definition }) => {
    const list = assignment.scopeType === 'ALL_TENANTS' ? definition.slsConfig?.allowedSchemas : undefined;
    return list ? [list] : [];
  });
  const [first, ...others] = lists;
  if (first === undefined) return;
  let allowed = new Set(first);
  for (const list of others) {
    if (!work.spend(list.length)) return;
    allowed = new Set(list.filter((schema) => allowed.has(schema)));
    yield [];
  }
  for (const party of parties) {
    const { scopeType } = party.assignment;
    if (!work.spend(1 + (party.definition.slsConfig?.allowedSchemas?.length ?? 0))) return;
    yield scopeType === 'TENANT' || scopeType === 'TENANT_USER' ? lintAgainst(party, allowed) : [];
  }
}

function lintAgainst({ assignment, definition }: Party, allowed: ReadonlySet<string>): LintWarning[] {
  const { slsConfig } = definition;
  if (slsConfig === null) return [];
  const isAllowed = (schema: string) => allowed.has(schema);
  const at = { definitionId: definition.id, assignmentId: assignment.id };
  if (slsConfig.allowedSchemas && !slsConfig.allowedSchemas.some(isAllowed)) {
    const message =
      'None of them is allowed by the assignments for all tenants too, so everything is denied.';
    return [{ ...at, code: 'CONTRADICTION', path: 'slsConfig.allowedSchemas', message }];
  }
  const named = schemaOf(slsConfig);
  if (named === null || isAllowed(named.schema)) return [];
  const message = `${named.schema} is not allowed by the assignments for all tenants, so everything is denied.`;
  return [{ ...at, code: 'DEFAULT_SCHEMA_NOT_ALLOWED', path: `slsConfig.${named.field}`, message }];
}
