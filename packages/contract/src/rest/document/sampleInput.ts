import { z } from 'zod';
import { findProcedure } from '../../services/index.js';
import type { Example } from '../examples/index.js';
import { ROUTE_OPTIONS } from '../options.js';
import type { Route } from '../route.js';

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
export function sampleInputOf(
  route: Route,
  { parameters = {}, body }: Pick<Example, 'parameters' | 'body'>,
): SampleInput {
  const shape: Record<string, unknown> = { ...findProcedure(route.procedure).input.shape, ...ROUTE_OPTIONS };
  const values = Object.entries(parameters).map(
    ([name, text]) => [name, readParameter(shape[name], String(withIds(text)))] as const,
  );
  return {
    parameters: Object.fromEntries(values),
    ...(body && { body: withIds(body) as Record<string, unknown> }),
  };
}
