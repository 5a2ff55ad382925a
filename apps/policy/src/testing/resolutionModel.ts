import type { ClsConfig, Params, ParamValue, SlsConfig } from '@gatehouse/contract';
import type { ActorFacts, AssignmentFacts, ResolutionRequest } from '../preview/logic/facts.js';

/** The result of the model. A level is `refused` if it denies everything. */
interface ModelledResolution {
  isUnassigned: boolean;
  cls: { connection: string | null; file: string | null } | null | 'refused';
  sls: { schema: string | null; allowed: string[] | null } | null | 'refused';
  rules: { expression: string; values: Record<string, ParamValue>; missing: string[] }[];
}
type ValueOf = (name: string, own: Params, params: Params) => ParamValue | null;

/**
 * A slow and plain implementation of the specified resolution for the templates of `resolutionRequests`. It
 * shares no code with the tested one.
 */
export function modelResolution(request: ResolutionRequest): ModelledResolution {
  const { isGoverned, tokenParams, runtimeParams, tokenPolicies: token, actor } = request;
  const applies = request.onlyTokenPolicies ? [] : request.assignments.filter((each) => isFor(each, actor));
  const isAssigned = applies.length > 0 || (request.onlyTokenPolicies && Object.keys(token ?? {}).length > 0);
  const valueOf: ValueOf = (name, own, params) => {
    if (name === 'actor.id') return actor.id; // built in and not overridable
    if (name === 'actor.tenantId') return actor.tenantId;
    return runtimeParams[name] ?? tokenParams[name] ?? params[name] ?? own[name] ?? null; // later wins
  };
  return {
    isUnassigned: isGoverned && !isAssigned && request.connection.unassignedActors === 'deny',
    cls: orRefused(() => modelCls(mostSpecific(applies, 'clsConfig'), token?.cls, valueOf)),
    sls: orRefused(() => modelSls(applies, token?.sls, valueOf)),
    // All enabled rules of all applicable assignments and of the token apply together.
    rules: [...applies, { definition: { rlsConfig: token?.rls }, params: {} }].flatMap(
      ({ definition, params }) =>
        (definition.rlsConfig?.rules ?? []).flatMap(({ expression, params: own = {}, enabled }) => {
          const names = [...expression.matchAll(/\{\{ (\S+) \}\}/g)].map(([, name = '']) => name);
          const values = names.flatMap((name) => [[name, valueOf(name, own, params)] as const]);
          const filled = values.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
          const missing = values.flatMap(([name, value]) => (value === null ? name : []));
          return enabled ? { expression, values: Object.fromEntries(filled), missing } : [];
        }),
    ),
  };
}

function isFor({ scopeType, actorKey }: AssignmentFacts, { kind, key, tenantKey }: ActorFacts): boolean {
  if (kind === 'ORG_USER') return scopeType === 'ORG_USER' && actorKey === key;
  if (scopeType === 'ALL_TENANTS') return true;
  if (kind === 'TENANT') return scopeType === 'TENANT' && actorKey === key;
  if (kind === 'ALL_TENANTS') return false;
  return (
    (scopeType === 'TENANT_USER' && actorKey === key) || (scopeType === 'TENANT' && actorKey === tenantKey)
  );
}

function mostSpecific(applies: AssignmentFacts[], level: 'clsConfig' | 'slsConfig'): AssignmentFacts[] {
  const ofScope = (scope: string) =>
    applies.filter((each) => each.definition[level] && each.scopeType === scope);
  return (
    ['ORG_USER', 'TENANT_USER', 'TENANT', 'ALL_TENANTS'].map(ofScope).find(({ length }) => length > 0) ?? []
  );
}

class Refused extends Error {}
function orRefused<T>(resolve: () => T): T | 'refused' {
  try {
    return resolve();
  } catch (error) {
    if (error instanceof Refused) return 'refused';
    throw error;
  }
}

function unlessDiffering<T>(values: T[]): T | null {
  if (new Set(values.map((value) => JSON.stringify(value))).size > 1) throw new Refused();
  return values[0] ?? null;
}

function fill(template: string, unfit: RegExp, valueOf: (name: string) => ParamValue | null): string {
  return template.replaceAll(/\{\{ (\S+) \}\}/g, (_, name: string) => {
    const value = valueOf(name);
    if (value === null || Array.isArray(value) || unfit.test(String(value))) throw new Refused();
    return template.includes('://') ? encodeURIComponent(String(value)) : String(value);
  });
}

function modelCls(winners: AssignmentFacts[], token: ClsConfig | undefined, valueOf: ValueOf) {
  const made = ({ connectionTemplate, filePathTemplates, params: own = {} }: ClsConfig, params: Params) => {
    const texts = [connectionTemplate ?? null, filePathTemplates?.['f'] ?? null];
    const value = (name: string) => valueOf(name, own, params);
    const used = [/\{\{ (\S+) \}\}/.exec(texts.join(''))?.[1] ?? 'actor.id', ...Object.keys(own)];
    const [connection = null] = texts.map((text) => text && fill(text, /^$|^\.\.$/, value));
    const file = texts[1] ? fill(texts[1], /^$|\.\.|\//, value) : null;
    return { connection, file, values: [...new Set(used)].toSorted().map((name) => [name, value(name)]) };
  };
  const stored = winners.map(({ definition, params }) => made(definition.clsConfig ?? {}, params));
  const level = unlessDiffering([...stored, ...(token ? [made(token, {})] : [])]);
  return level && { connection: level.connection, file: level.file };
}

function modelSls(applies: AssignmentFacts[], token: SlsConfig | undefined, valueOf: ValueOf) {
  const made = (
    { schema, schemaTemplate, allowedSchemas, defaultSchema = null }: SlsConfig,
    params: Params,
  ) => {
    const value = (name: string) => valueOf(name, {}, params);
    const fixed = schema ?? (schemaTemplate ? fill(schemaTemplate, /^$|[^\w-]/, value) : null);
    return { fixed, defaultSchema, allowed: allowedSchemas?.toSorted() ?? (fixed === null ? null : [fixed]) };
  };
  const winners = mostSpecific(applies, 'slsConfig');
  const winner = unlessDiffering(
    winners.map(({ definition, params }) => made(definition.slsConfig ?? {}, params)),
  );
  const levels = [winner, token ? made(token, {}) : null].filter((level) => level !== null);
  if (levels.length === 0) return null;
  const wider = applies.map(({ definition }) => definition.slsConfig?.allowedSchemas ?? null);
  const own = [winner?.allowed ?? null, ...wider].filter((list) => list !== null);
  const start = winner ? (winner.fixed ?? winner.defaultSchema) : null;
  if (start !== null && !own.every((list) => list.includes(start))) throw new Refused();
  const lists = [...levels.map(({ allowed }) => allowed), ...wider].filter((list) => list !== null);
  const allowed = lists[0]?.filter((schema) => lists.every((list) => list.includes(schema))) ?? null;
  const fixed = unlessDiffering(levels.flatMap((level) => level.fixed ?? []));
  const schema = fixed ?? levels.flatMap((level) => level.defaultSchema ?? [])[0] ?? null;
  if (allowed && (allowed.length === 0 || (schema !== null && !allowed.includes(schema))))
    throw new Refused();
  return { schema, allowed: allowed && [...new Set(allowed.toSorted())] };
}
