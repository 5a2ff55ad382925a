import {
  AppError,
  type FieldError,
  type InlinePolicies,
  type Params,
  type SqlDialect,
} from '@gatehouse/contract';
import type { SqlEngine } from '../logic/model.js';
import type { PolicyConfigs } from '../logic/secretParams.js';
import { paramFaults, templateFaults } from '../logic/templateFaults.js';
import type { Policy } from '../policy.js';

/** Runs a call of the SQL engine. Throws UNAVAILABLE when the engine is gone or takes too long. */
export async function orUnavailable<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause });
  }
}

async function expressionFaults(
  engine: SqlEngine,
  { rlsConfig }: PolicyConfigs,
  dialect: SqlDialect,
): Promise<FieldError[]> {
  const found = (rlsConfig?.rules ?? []).map(async ({ expression }, index) => {
    const fault = await orUnavailable(engine.checkExpression(expression, dialect));
    return fault === null ? [] : [{ field: `rlsConfig.rules[${index}].expression`, message: fault.message }];
  });
  return (await Promise.all(found)).flat();
}

/** Every fault of some configs in the dialect of their connection. Throws UNAVAILABLE. */
export async function findConfigFaults(
  { engineOf }: Pick<Policy, 'engineOf'>,
  configs: PolicyConfigs,
  dialect: SqlDialect,
): Promise<FieldError[]> {
  const templates = templateFaults(configs).map(({ path, message }) => ({ field: path, message }));
  const expressions = await expressionFaults(engineOf(dialect), configs, dialect);
  const known = new Set(templates.map(({ field }) => field));
  return [...templates, ...expressions.filter(({ field }) => !known.has(field))];
}

/** The inline policies of a token as the configs of a definition. */
function inlineConfigs({ cls, sls, rls }: InlinePolicies): PolicyConfigs {
  return { clsConfig: cls ?? null, slsConfig: sls ?? null, rlsConfig: rls ?? null };
}

const INLINE_NAMES: Record<string, string> = { clsConfig: 'cls', slsConfig: 'sls', rlsConfig: 'rls' };

/** Every fault of inline policies, at the paths that they have below `path`. */
export async function findInlineFaults(
  policy: Pick<Policy, 'engineOf'>,
  { policies, path }: { policies: InlinePolicies; path: string },
  dialect: SqlDialect,
): Promise<FieldError[]> {
  const faults = await findConfigFaults(policy, inlineConfigs(policies), dialect);
  return faults.map(({ field, message }) => {
    const inline = field.replace(/^\w+/, (config) => INLINE_NAMES[config] ?? config);
    return { field: `${path}.${inline}`, message };
  });
}

/** Every fault of the values of an assignment. `path` is where they stand. */
export function findParamFaults(params: Params, path: string): FieldError[] {
  return paramFaults(params, [path]).map((fault) => ({ field: fault.path, message: fault.message }));
}
