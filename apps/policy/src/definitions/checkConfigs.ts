import type { FieldError, InlinePolicies, Params, SqlDialect } from '@gatehouse/contract';
import type { SqlEngine } from '../sql/logic/restriction.js';
import type { PolicyConfigs } from '../secrets/logic/secretParams.js';
import { paramFaults, templateFaults } from './logic/templateFaults.js';
import type { Dependencies } from '../dependencies.js';
import type { DescribedConnection } from '../connections/findConnections.js';

async function expressionFaults(
  engine: SqlEngine,
  { rlsConfig }: PolicyConfigs,
  dialect: SqlDialect,
): Promise<FieldError[]> {
  const found = (rlsConfig?.rules ?? []).map(async ({ expression }, index) => {
    const fault = await engine.checkExpression(expression, dialect);
    return fault === null ? [] : [{ field: `rlsConfig.rules[${index}].expression`, message: fault.message }];
  });
  return (await Promise.all(found)).flat();
}

/**
 * All faults of the configs in the dialect of their connection.
 * @throws UNAVAILABLE or RATE_LIMITED from the SQL engine
 */
export async function findConfigFaults(
  { engineOf }: Pick<Dependencies, 'engineOf'>,
  configs: PolicyConfigs,
  { organizationId, connection: { dialect } }: DescribedConnection,
): Promise<FieldError[]> {
  const templates = templateFaults(configs).map(({ path, message }) => ({ field: path, message }));
  const expressions = await expressionFaults(engineOf(organizationId), configs, dialect);
  const known = new Set(templates.map(({ field }) => field));
  return [...templates, ...expressions.filter(({ field }) => !known.has(field))];
}

/** The inline policies of a token as the configs of a definition. */
function inlineConfigs({ cls, sls, rls }: InlinePolicies): PolicyConfigs {
  return { clsConfig: cls ?? null, slsConfig: sls ?? null, rlsConfig: rls ?? null };
}

const INLINE_NAMES: Record<string, string> = { clsConfig: 'cls', slsConfig: 'sls', rlsConfig: 'rls' };

/** All faults of inline policies, with their paths below `path`. */
export async function findInlineFaults(
  deps: Pick<Dependencies, 'engineOf'>,
  { policies, path }: { policies: InlinePolicies; path: string },
  described: DescribedConnection,
): Promise<FieldError[]> {
  const faults = await findConfigFaults(deps, inlineConfigs(policies), described);
  return faults.map(({ field, message }) => {
    const inline = field.replace(/^\w+/, (config) => INLINE_NAMES[config] ?? config);
    return { field: `${path}.${inline}`, message };
  });
}

/** All faults of the values of an assignment, with their paths below `path`. */
export function findParamFaults(params: Params, path: string): FieldError[] {
  return paramFaults(params, [path]).map((fault) => ({ field: fault.path, message: fault.message }));
}
