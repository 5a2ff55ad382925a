import { policySpecimens } from './policyCases.js';
import { resourceSpecimens } from './resourceCases.js';
import { by, type Prepare, type Refusals, type RouteRequest } from './statusCase.js';
import { userSpecimens } from './userCases.js';

type Operation = Record<string, unknown>;

/** The same request with these operations. */
const withOperations = (request: RouteRequest, operations: readonly Operation[]): RouteRequest => ({
  ...request,
  body: { operations },
});

/** A batch whose only operation is that of a single request. */
const ofSingle =
  (op: 'create' | 'update' | 'delete', prepare: Prepare): Prepare =>
  async (world) => {
    const { body, ...request } = await prepare(world);
    return withOperations(request, [{ op, ...body }]);
  };

/** A batch whose only operation grants the share of a single request. */
const ofShares =
  (prepare: Prepare): Prepare =>
  async (world) => {
    const { body, ...request } = await prepare(world);
    const [share] = (body?.['shares'] ?? []) as Operation[];
    return withOperations(request, [{ op: 'create', ...share }]);
  };

const users = ofSingle('create', userSpecimens.createTenantUser);
const dashboards = ofSingle('create', resourceSpecimens.createDashboard);
const dashboardShares = ofShares(resourceSpecimens.shareDashboard);
const visualShares = ofShares(resourceSpecimens.shareVisual);
const assignments = ofSingle('create', policySpecimens.createPolicyAssignment);

export const batchSpecimens = {
  batchTenantUsers: users,
  batchDashboards: dashboards,
  batchDashboardShares: dashboardShares,
  batchVisualShares: visualShares,
  batchPolicyAssignments: assignments,
};

/** The request of a specimen with another operation behind the first. */
const and =
  (prepare: Prepare, operation: Operation): Prepare =>
  async (world) => {
    const { body, ...request } = await prepare(world);
    return withOperations(request, [...((body?.['operations'] ?? []) as Operation[]), operation]);
  };

const twice =
  (prepare: Prepare): Prepare =>
  async (world) => {
    const { body, ...request } = await prepare(world);
    const operations = (body?.['operations'] ?? []) as Operation[];
    return withOperations(request, [...operations, ...operations]);
  };

const emptied =
  (prepare: Prepare): Prepare =>
  async (world) =>
    withOperations(await prepare(world), []);

const invalid = (prepare: Prepare) =>
  [
    ['INVALID_REQUEST', 'no operations', emptied(prepare), 'operations'],
    ['INVALID_REQUEST', 'an unknown operation', and(prepare, { op: 'replace' }), 'operations[1].op'],
  ] as const;

const sharesRefusals = (prepare: Prepare) =>
  [
    ...invalid(prepare),
    ['NOT_FOUND', 'a caller without access', by('orgViewer', prepare)],
    [
      'INVALID_REQUEST',
      'an unknown target',
      and(prepare, { op: 'create', scope: 'group', groupId: 'grp_none', role: 'VIEWER' }),
      'operations[1].groupId',
    ],
  ] as const;

export const batchRefusals: Refusals = {
  batchTenantUsers: [
    ...invalid(users),
    ['FORBIDDEN', 'an AUTHOR', by('author', users), 'operations[0]'],
    ['NOT_FOUND', 'no such user', and(users, { op: 'delete', id: 'tu_none' }), 'operations[1]'],
    ['CONFLICT', 'two users of one id', twice(users), 'operations[1].id'],
  ],
  batchDashboards: [
    ...invalid(dashboards),
    ['FORBIDDEN', 'a VIEWER', by('orgViewer', dashboards)],
    ['NOT_FOUND', 'no such dashboard', and(dashboards, { op: 'delete', id: 'd_none' }), 'operations[1]'],
    [
      'NOT_FOUND',
      'a dashboard that is hidden from the caller',
      async (world) => {
        const request = await dashboards(world);
        const operation = { op: 'delete', id: world.hidden.dashboard };
        return { ...request, body: { operations: [operation] } };
      },
      'operations[0]',
    ],
  ],
  batchDashboardShares: sharesRefusals(dashboardShares),
  batchVisualShares: sharesRefusals(visualShares),
  batchPolicyAssignments: [
    ...invalid(assignments),
    [
      'NOT_FOUND',
      'no such assignment',
      and(assignments, { op: 'delete', assignmentId: 'usa_none' }),
      'operations[1]',
    ],
    ['CONFLICT', 'two assignments to one actor', twice(assignments)],
    ['FORBIDDEN', 'an AUTHOR', by('author', assignments)],
  ],
};
