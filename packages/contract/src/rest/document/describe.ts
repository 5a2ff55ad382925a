import { ENUM_TEXTS, fieldTextOf, nounOf, TAG_TEXTS } from '../descriptions/index.js';
import type { JsonSchema, OpenApiDocument, OpenApiParameter } from '../openapiDocument.js';
import type { RouteRole } from '../roles.js';
import type { Route, RouteTokens } from '../route.js';

const TOKENS_ACCEPTED: Record<RouteTokens, string> = {
  none: 'Takes no access token.',
  project: 'Takes a project token.',
  projectOrOwnDashboard: 'Takes a project token, or the token of the dashboard that the path names.',
  projectOrCompiler: 'Takes a project token, or a token of the scope `sql:compile`.',
  any: 'Takes a project or a dashboard token.',
};

const ROLES: Record<RouteRole, string> = {
  none: 'Required role: none.',
  any: 'Required role: none; every valid token is accepted.',
  project: 'Required role: none; a token without a user is accepted as well.',
  TENANT_READER:
    'Required role: ADMIN. A tenant user reads its own tenant, and a token without a user reads all tenants.',
  COMPILER: 'Required role: any. A token with the scope `sql:compile` is accepted as well.',
  VIEWER: 'Required role: any.',
  POWER_USER: 'Required role: POWER_USER, AUTHOR or ADMIN.',
  AUTHOR: 'Required role: AUTHOR or ADMIN.',
  ADMIN: 'Required role: ADMIN.',
};

/** Tokens, role and level that an operation requires. */
export function describeOperation({ tokens, access: { role, level }, path }: Route): string {
  const record = path.includes('/visuals') ? 'visual' : 'dashboard';
  const sentences = [TOKENS_ACCEPTED[tokens], ROLES[role]];
  if (level) sentences.push(`Required level on the ${record}: ${level} or higher.`);
  return sentences.join('\n');
}

/**
 * Describes a parameter, by its operation.
 * @param owner the component of the request, which the parameters are described with
 */
export function describeParameter(
  owner: string,
  path: string,
  parameter: OpenApiParameter,
): OpenApiParameter {
  if (parameter.description !== undefined) return parameter;
  const { name } = parameter;
  const description =
    parameter.in === 'path' && name === 'id'
      ? `The id of the ${nounInPath(path)}`
      : fieldTextOf(owner, name, false);
  const { name: _name, in: place, required, deprecated, schema } = parameter;
  return {
    name,
    in: place,
    required,
    ...(deprecated && { deprecated }),
    ...(description !== undefined && { description }),
    schema,
  };
}

/** The noun of a path's first id: `dashboard` for `/dashboards/{id}/share`. */
function nounInPath(path: string): string {
  const collection = /([\w-]+)\/\{id\}/.exec(path)?.[1] ?? 'records';
  return nounOf(
    collection
      .split('-')
      .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
      .join(''),
  );
}

function describeEnum(name: string, schema: JsonSchema): JsonSchema {
  const text = ENUM_TEXTS[name];
  if (!text) return schema;
  const values = (schema.enum ?? []).map(String);
  const lines = values.map((value) => `- \`${value}\`: ${text.values[value] ?? ''}`);
  return {
    ...schema,
    description: [text.about, '', ...lines].join('\n'),
    'x-enum-descriptions': Object.fromEntries(values.map((value) => [value, text.values[value] ?? ''])),
  };
}

/** Whether a field may be null, or is a map whose values may be. */
function isNullable(part: JsonSchema): boolean {
  const parts = [part, part.additionalProperties, ...(part.anyOf ?? []), ...(part.oneOf ?? [])];
  return parts.some((one) => {
    if (typeof one !== 'object') return false;
    return [one.type].flat().includes('null') || (one !== part && isNullable(one));
  });
}

function describeFields(name: string, schema: JsonSchema): JsonSchema {
  const fields = Object.entries(schema.properties ?? {}).map(([field, part]) => {
    const description = fieldTextOf(name, field, isNullable(part as JsonSchema));
    return [field, description === undefined ? part : { ...(part as JsonSchema), description }] as const;
  });
  return { ...schema, properties: Object.fromEntries(fields) };
}

/** Describes the fields of components, and the values of enums. */
export function describeComponents(components: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const described = Object.entries(components).map(([name, schema]) => {
    if (schema.enum) return [name, describeEnum(name, schema)] as const;
    return [name, schema.properties ? describeFields(name, schema) : schema] as const;
  });
  return Object.fromEntries(described);
}

/** The tags of a route table, in its order. */
export function describeTags(table: readonly Route[]): OpenApiDocument['tags'] {
  const names = [...new Set(table.map(({ tag }) => tag))];
  return names.map((name) => {
    const description = TAG_TEXTS[name];
    return { name, ...(description !== undefined && { description }) };
  });
}
