import { z } from 'zod';
import { findProcedure } from '../../services/index.js';
import type { Example } from '../examples/index.js';
import type { CodeSample } from '../openapiDocument.js';
import { inputFieldsOf, type Route } from '../route.js';

/** Ids in place of the names in angle brackets of examples. */
const IDS: Readonly<Record<string, string>> = {
  anyDashboardId: 'd_sales',
  anyVisualId: 'v_revenue',
  assignmentId: 'usa_orders',
  assistantProfileId: 'ap_sales',
  connectionId: 'c_warehouse',
  dashboardId: 'd_sales',
  datamodelId: 'dm_orders',
  definitionId: 'usd_orders',
  deliveryId: 'whd_1',
  domainId: 'dom_sales',
  exampleOrgUserId: 'ou_ada',
  exampleProjectId: 'p_staging',
  groupId: 'grp_finance',
  groupMemberId: 'gm_ada',
  managedDomainId: 'dom_sales',
  migrationId: 'mig_1',
  orgUserId: 'ou_grace',
  policyTestId: 'ust_orders',
  projectId: 'p_main',
  projectSecret: 'a-secret-of-the-project',
  sha: '3f786850e387550fdab836ed7e6dc881de23001b',
  tenantId: 'harbor',
  tenantUserId: 'tu_maria',
  visualId: 'v_revenue',
  webhookId: 'wh_1',
};

/** The same value with ids in place of names such as `<dashboardId>`. */
function withIds(value: unknown): unknown {
  if (typeof value === 'string') {
    const name = /^<(\w+)>$/.exec(value)?.[1];
    return name === undefined ? value : (IDS[name] ?? name);
  }
  if (Array.isArray(value)) return value.map(withIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withIds(part)]));
}

/** The type of a parameter, which examples have as text. */
function readParameter(schema: unknown, text: string): unknown {
  const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  if (inner instanceof z.ZodNumber) return Number(text);
  return inner instanceof z.ZodBoolean ? text === 'true' : text;
}

/** An example of a request, with the types that its fields have. */
export interface SampleInput {
  parameters: Record<string, unknown>;
  body?: Record<string, unknown>;
}

/** The input of an example, with ids. */
export function sampleInputOf(route: Route, { parameters = {}, body }: Example): SampleInput {
  const { shape } = findProcedure(route.procedure).input;
  const values = Object.entries(parameters).map(
    ([name, text]) => [name, readParameter(shape[name], String(withIds(text)))] as const,
  );
  return {
    parameters: Object.fromEntries(values),
    ...(body && { body: withIds(body) as Record<string, unknown> }),
  };
}

function targetOf(route: Route, { parameters }: SampleInput): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameters[name]));
  const { query } = inputFieldsOf(route);
  const given = Object.entries(parameters).filter(([name]) => query.includes(name));
  const search = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return search === '' ? path : `${path}?${search}`;
}

const indent = (text: string, width: number) => text.replaceAll('\n', `\n${' '.repeat(width)}`);

function writeCurl(route: Route, input: SampleInput): string {
  const lines = [`curl -s "$GATEHOUSE_URL${targetOf(route, input)}"`];
  const isDefault = route.method === (input.body ? 'POST' : 'GET');
  if (!isDefault) lines.push(`-X ${route.method}`);
  if (route.tokens !== 'none') lines.push('-H "Authorization: Bearer $TOKEN"');
  if (input.body) {
    lines.push("-H 'Content-Type: application/json'");
    const json = JSON.stringify(input.body, null, 2).replaceAll("'", String.raw`'\''`);
    lines.push(`-d '${json}'`);
  }
  return lines.join(' \\\n  ');
}

/** A value as a literal of TypeScript. */
function writeLiteral(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
  if (Array.isArray(value)) return `[${value.map(writeLiteral).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(
    ([key, part]) => `${/^\w+$/.test(key) ? key : writeLiteral(key)}: ${indent(writeLiteral(part), 2)},`,
  );
  if (fields.length === 0) return '{}';
  return `{\n  ${fields.join('\n  ')}\n}`;
}

function writeTypeScript(route: Route, { parameters, body }: SampleInput): string {
  const input = { ...parameters, ...body };
  const argument = Object.keys(input).length === 0 ? '' : writeLiteral(input);
  return [
    "import { createClient } from '@gatehouse/client';",
    '',
    'const client = createClient({ baseUrl, credentials });',
    `const result = await client.${route.operationId}(${argument});`,
  ].join('\n');
}

/** The samples of a request, for a shell and for the client. */
export function writeSamples(route: Route, input: SampleInput): CodeSample[] {
  return [
    { lang: 'Shell', label: 'curl', source: writeCurl(route, input) },
    { lang: 'TypeScript', label: '@gatehouse/client', source: writeTypeScript(route, input) },
  ];
}
