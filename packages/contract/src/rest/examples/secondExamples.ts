import { routes } from '../index.js';
import { findSelectable } from '../options.js';
import type { Route } from '../route.js';
import type { Example, OperationId } from './example.js';
import { examples } from './index.js';

/**
 * Another request for a route: an option, another scope, or a refusal that callers meet. It changes nothing,
 * so it can be sent before the first example.
 */
export interface SecondExample extends Pick<Example, 'parameters' | 'body'> {
  /** What it shows. */
  summary: string;
  headers?: Readonly<Record<string, string>>;
  /** The status of its response. */
  status: number;
}

const UNKNOWN = {
  dashboard: 'd_unknown',
  webhook: 'wh_unknown',
  migration: 'mig_unknown',
  user: 'tu_unknown',
};
const notFound = (parameters: SecondExample['parameters']): SecondExample => ({
  summary: 'A record that does not exist, or that you may not see',
  ...(parameters && { parameters }),
  status: 404,
});
const secured = { projectId: '<projectId>' };
const forActor = { connectionId: '<connectionId>', actor: { kind: 'TENANT', tenantId: '<tenantId>' } };

/** For operations that neither read a record or a list, nor have `validateOnly`. */
const OWN: Partial<Record<OperationId, SecondExample>> = {
  issueToken: {
    summary: 'A wrong secret',
    body: { projectId: '<projectId>', projectSecret: 'wrong', orgUserId: '<orgUserId>' },
    status: 401,
  },
  createSignInCode: {
    summary: 'An unknown field',
    body: { projectId: '<projectId>', projectSecret: '<projectSecret>', role: 'ADMIN' },
    status: 400,
  },
  invalidateToken: {
    summary: 'A malformed token',
    headers: { Authorization: 'Bearer expired' },
    status: 401,
  },
  getSigningKeys: { summary: 'An unknown parameter', parameters: { kid: 'one' }, status: 400 },
  getUserContext: notFound({ id: UNKNOWN.user }),
  revokeSession: notFound({ id: 'ses_unknown' }),
  checkAccess: {
    summary: 'A dashboard that does not exist',
    body: { checks: [{ resourceType: 'dashboard', resourceId: UNKNOWN.dashboard, level: 'VIEWER' }] },
    status: 200,
  },
  listAccess: { summary: 'A missing kind of resource', body: {}, status: 400 },
  listAccessSubjects: {
    summary: 'A missing dashboard',
    body: { resourceType: 'dashboard' },
    status: 400,
  },
  validateDashboard: {
    summary: 'A dashboard that does not exist',
    body: { dashboardId: UNKNOWN.dashboard },
    status: 404,
  },
  validateAllDashboards: {
    summary: 'The dashboards of one tenant',
    body: { filter: { type: 'tenant', tenantId: '<tenantId>' } },
    status: 200,
  },
  fixDashboard: {
    summary: 'A dashboard that does not exist',
    body: { dashboardId: UNKNOWN.dashboard },
    status: 404,
  },
  previewPolicies: {
    summary: 'A statement that cannot be restricted',
    parameters: secured,
    body: { ...forActor, sql: 'DELETE FROM sales.orders' },
    status: 200,
  },
  comparePolicyPreviews: {
    summary: 'A missing statement and a missing actor',
    parameters: secured,
    body: { connectionId: '<connectionId>' },
    status: 400,
  },
  lintPolicies: {
    summary: 'All definitions of a connection',
    parameters: secured,
    body: { connectionId: '<connectionId>' },
    status: 200,
  },
  compileSql: {
    summary: 'A connection that does not exist',
    body: { connectionId: 'c_unknown', statements: [{ sql: 'SELECT 1' }] },
    status: 400,
  },
  runPolicyTests: notFound({ projectId: '<projectId>', definitionId: 'usd_unknown' }),
  migrateDashboard: {
    summary: 'The plan alone',
    parameters: { id: '<dashboardId>' },
    body: { targetProjectId: '<exampleProjectId>', connectionMapping: {}, dryRun: true },
    status: 200,
  },
  analyzeMigration: {
    summary: 'A project that does not exist',
    parameters: { id: '<dashboardId>', targetProjectId: 'p_unknown' },
    status: 404,
  },
  rollBackMigration: notFound({ id: UNKNOWN.migration }),
  putVersionControl: {
    summary: 'An unknown field',
    body: { commitOnSave: 'sometimes' },
    status: 400,
  },
  restoreDashboardVersion: notFound({ id: UNKNOWN.dashboard, sha: '<sha>' }),
  exportAuditEvents: {
    summary: 'An outcome that there is not',
    parameters: { outcome: 'failed' },
    status: 400,
  },
  testWebhook: notFound({ id: UNKNOWN.webhook }),
  replayWebhookDelivery: notFound({ id: '<webhookId>', deliveryId: 'whd_unknown' }),
  replayFailedWebhookDeliveries: {
    summary: 'A missing time',
    parameters: { id: '<webhookId>' },
    body: {},
    status: 400,
  },
};

/** A tag that Gatehouse never issued. */
const OUTDATED = '"0"';

function ofChange(route: Route, example: Example): SecondExample {
  if (route.method === 'PATCH' || route.method === 'DELETE')
    return {
      summary: 'The record has changed since you read it',
      ...example,
      headers: { 'If-Match': OUTDATED },
      status: 412,
    };
  return {
    summary: 'Every check of the request, and no change',
    ...example,
    parameters: { ...example.parameters, validateOnly: 'true' },
    status: route.success,
  };
}

function ofRead(route: Route, example: Example): SecondExample {
  const names = Object.keys(findSelectable(route)?.names ?? {}).filter((name) => name !== 'id');
  const chosen: Record<string, string> = names.length === 0 ? {} : { fields: names.slice(0, 2).join(',') };
  const isList = route.query.includes('limit');
  return {
    summary: isList ? 'One record, with some of its fields' : 'Some fields of the record',
    ...example,
    parameters: { ...example.parameters, ...(isList && { limit: '1' }), ...chosen },
    status: 200,
  };
}

/** The second example of a route. */
function secondExampleOf(route: Route): SecondExample {
  const { operationId } = route;
  const own = OWN[operationId as OperationId];
  if (own) return own;
  const { note: _note, step: _step, ...example } = examples[operationId as OperationId];
  if (route.method === 'GET') return ofRead(route, example);
  return ofChange(route, example);
}

export const secondExamples: ReadonlyMap<OperationId, SecondExample> = new Map(
  routes.map((route) => [route.operationId as OperationId, secondExampleOf(route)]),
);
