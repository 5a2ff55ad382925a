import { unique } from '../api.js';
import { createResource, DASHBOARDS, shareResource, VISUALS, type Kind } from '../resourceKinds.js';
import { linking } from '../scopeWorld.js';
import {
  by,
  type Prepare,
  type Refusal,
  type Refusals,
  type RouteRequest,
  type World,
} from './statusCase.js';

/** A resource of the author's, and the path that names it. */
async function owned(kind: Kind, { author }: World, fields: Record<string, unknown> = {}) {
  const { id } = await createResource(kind, author.session, fields);
  return { session: author.session, path: { id } };
}

/** A request to a resource by another author, who has a grant of a level. */
async function granted(
  kind: Kind,
  world: World,
  role: string,
): Promise<RouteRequest & { path: { id: string } }> {
  const { session, path } = await owned(kind, world);
  const shares = [{ scope: 'specific_org_user', orgUserId: world.otherAuthor.id, role }];
  await shareResource(kind, path.id, { by: session, shares });
  return { session: world.otherAuthor.session, path };
}

const toTenant = ({ tenantViewer }: World, role = 'VIEWER') => [
  { scope: 'specific_tenant_user', tenantUserId: tenantViewer.id, role },
];

/** The requests that succeed, by verb. */
function specimensOf(kind: Kind) {
  const plain: Prepare = (world) => owned(kind, world);
  return {
    list: ({ author }: World) => ({ session: author.session, query: { limit: '1', includeTotal: 'true' } }),
    create: ({ author }: World) => ({
      session: author.session,
      body: { title: unique('Made'), [kind.bodyField]: { anything: [1, 'two'] } },
    }),
    get: plain,
    update: async (world: World) => ({ ...(await owned(kind, world)), body: { title: unique('Edited') } }),
    delete: plain,
    duplicate: plain,
    takeOwnership: async (world: World) => ({ ...(await owned(kind, world)), session: world.admin }),
    rotateSecret: plain,
    share: async (world: World) => ({ ...(await owned(kind, world)), body: { shares: toTenant(world) } }),
    revoke: async (world: World) => {
      const request = await owned(kind, world);
      await shareResource(kind, request.path.id, { by: request.session, shares: toTenant(world) });
      return { ...request, body: { shares: toTenant(world) } };
    },
    listShares: async (world: World) => {
      const request = await owned(kind, world);
      const audiences = ['all_org_users', 'all_tenants_only'].map((scope) => ({ scope, role: 'VIEWER' }));
      const shares = [...toTenant(world), ...audiences];
      await shareResource(kind, request.path.id, { by: request.session, shares });
      return request;
    },
    explain: async (world: World) => ({
      ...(await owned(kind, world)),
      query: { userId: world.orgViewer.id },
    }),
    listViewers: plain,
  };
}

const dashboards = specimensOf(DASHBOARDS);
const visuals = specimensOf(VISUALS);
export const resourceSpecimens = {
  listDashboards: dashboards.list,
  createDashboard: dashboards.create,
  getDashboard: dashboards.get,
  updateDashboard: dashboards.update,
  deleteDashboard: dashboards.delete,
  duplicateDashboard: dashboards.duplicate,
  takeDashboardOwnership: dashboards.takeOwnership,
  rotateDashboardSecret: dashboards.rotateSecret,
  shareDashboard: dashboards.share,
  revokeDashboardShares: dashboards.revoke,
  listDashboardShares: dashboards.listShares,
  explainDashboardAccess: dashboards.explain,
  listDashboardViewers: dashboards.listViewers,
  listVisuals: visuals.list,
  createVisual: visuals.create,
  getVisual: visuals.get,
  updateVisual: visuals.update,
  deleteVisual: visuals.delete,
  duplicateVisual: visuals.duplicate,
  takeVisualOwnership: visuals.takeOwnership,
  shareVisual: visuals.share,
  revokeVisualShares: visuals.revoke,
  listVisualShares: visuals.listShares,
  explainVisualAccess: visuals.explain,
  listVisualViewers: visuals.listViewers,
};

/** What is refused beside what every route refuses, by verb. */
function refusalsOf(kind: Kind) {
  const specimens = specimensOf(kind);
  const body = (fields: Record<string, unknown>): Prepare => {
    return async (world) => ({ ...(await owned(kind, world)), body: fields });
  };
  const hidden = (fields?: Record<string, unknown>): Prepare => {
    return ({ author, hidden: ids }) => ({
      session: author.session,
      path: { id: ids[kind.type] },
      ...(fields && { body: fields }),
    });
  };
  const withLevel = (role: string, fields?: (world: World) => Record<string, unknown>): Prepare => {
    return async (world) => ({
      ...(await granted(kind, world, role)),
      ...(fields && { body: fields(world) }),
    });
  };
  const shares = (world: World) => ({ shares: toTenant(world) });
  return {
    list: [
      [
        'INVALID_REQUEST',
        'a limit out of range',
        ({ admin }) => ({ session: admin, query: { limit: '501' } }),
        'limit',
      ],
      [
        'INVALID_REQUEST',
        'a cursor of no list',
        ({ admin }) => ({ session: admin, query: { cursor: 'x' } }),
        'cursor',
      ],
      [
        'FORBIDDEN',
        'everything, requested by an AUTHOR',
        ({ author }) => ({ session: author.session, query: { scope: 'organization' } }),
      ],
      ['FORBIDDEN', 'a caller without a role', by('service', specimens.list)],
    ],
    create: [
      ['INVALID_REQUEST', 'no title', ({ author }) => ({ session: author.session, body: {} }), 'title'],
      [
        'INVALID_REQUEST',
        'a blank title',
        ({ author }) => ({ session: author.session, body: { title: ' ' } }),
        'title',
      ],
      ['FORBIDDEN', 'an org VIEWER', by('orgViewer', specimens.create)],
      ['FORBIDDEN', 'a tenant VIEWER', by('tenantViewer', specimens.create)],
    ],
    get: [
      ['NOT_FOUND', 'what the caller may not see', hidden()],
      ['FORBIDDEN', 'a caller without a role', by('service', specimens.get)],
    ],
    update: [
      ['INVALID_REQUEST', 'no field to change', body({})],
      ['INVALID_REQUEST', 'a title that is no text', body({ title: 7 }), 'title'],
      ['FORBIDDEN', 'a caller who may only view', withLevel('VIEWER', () => ({ title: 'Mine' }))],
      ['NOT_FOUND', 'what the caller may not see', hidden({ title: 'Mine' })],
    ],
    delete: [
      ['FORBIDDEN', 'a CONTRIBUTOR', withLevel('CONTRIBUTOR')],
      ['NOT_FOUND', 'what the caller may not see', hidden()],
    ],
    duplicate: [
      ['NOT_FOUND', 'what the caller may not see', hidden()],
      [
        'FORBIDDEN',
        'a caller who may view it but not create',
        async (world) => {
          const { session, path } = await owned(kind, world);
          await shareResource(kind, path.id, { by: session, shares: toTenant(world) });
          return { session: world.tenantViewer.session, path };
        },
      ],
    ],
    takeOwnership: [['FORBIDDEN', 'its very owner, who is no ADMIN', specimens.get]],
    rotateSecret: [['FORBIDDEN', 'a CONTRIBUTOR', withLevel('CONTRIBUTOR')]],
    share: [
      ['INVALID_REQUEST', 'no entry', body({ shares: [] }), 'shares'],
      ['FORBIDDEN', 'an EDITOR', withLevel('EDITOR', shares)],
      [
        'NOT_FOUND',
        'what the caller may not see',
        hidden({ shares: [{ scope: 'all_org_users', role: 'VIEWER' }] }),
      ],
    ],
    revoke: [
      [
        'INVALID_REQUEST',
        'a scope without its target',
        body({ shares: [{ scope: 'group' }] }),
        'shares[0].groupId',
      ],
      ['FORBIDDEN', 'an EDITOR', withLevel('EDITOR', shares)],
      ['NOT_FOUND', 'what the caller may not see', hidden({ shares: [{ scope: 'all_org_users' }] })],
    ],
    listShares: [
      ['NOT_FOUND', 'what the caller may not see', hidden()],
      [
        'FORBIDDEN',
        'those of any record, requested by its owner, who is no ADMIN',
        async (world) => ({ ...(await owned(kind, world)), query: { scope: 'organization' } }),
      ],
      [
        'NOT_FOUND',
        'those of no record, requested by an ADMIN',
        ({ admin }) => ({ session: admin, path: { id: 'd_none' }, query: { scope: 'organization' } }),
      ],
    ],
    explain: [
      [
        'FORBIDDEN',
        'an EDITOR who queries another user',
        async (world) => ({
          ...(await granted(kind, world, 'EDITOR')),
          query: { userId: world.author.id },
        }),
      ],
      [
        'NOT_FOUND',
        'a user who does not exist',
        async (world) => ({ ...(await owned(kind, world)), query: { userId: 'ou_none' } }),
      ],
      ['NOT_FOUND', 'what the caller may not see', hidden()],
    ],
    listViewers: [
      ['FORBIDDEN', 'an EDITOR', withLevel('EDITOR')],
      [
        'INVALID_REQUEST',
        'a cursor of no list',
        async (world) => ({ ...(await owned(kind, world)), query: { cursor: 'x' } }),
        'cursor',
      ],
      ['NOT_FOUND', 'what the caller may not see', hidden()],
    ],
  } satisfies Record<keyof typeof specimens, readonly Refusal[]>;
}

const ofDashboards = refusalsOf(DASHBOARDS);
const ofVisuals = refusalsOf(VISUALS);
export const resourceRefusals: Refusals = {
  listDashboards: ofDashboards.list,
  createDashboard: ofDashboards.create,
  getDashboard: ofDashboards.get,
  updateDashboard: ofDashboards.update,
  deleteDashboard: ofDashboards.delete,
  duplicateDashboard: ofDashboards.duplicate,
  takeDashboardOwnership: ofDashboards.takeOwnership,
  rotateDashboardSecret: ofDashboards.rotateSecret,
  shareDashboard: ofDashboards.share,
  revokeDashboardShares: ofDashboards.revoke,
  listDashboardShares: ofDashboards.listShares,
  explainDashboardAccess: ofDashboards.explain,
  listDashboardViewers: ofDashboards.listViewers,
  listVisuals: ofVisuals.list,
  createVisual: ofVisuals.create,
  getVisual: ofVisuals.get,
  updateVisual: ofVisuals.update,
  deleteVisual: [
    ...ofVisuals.delete,
    [
      'CONFLICT',
      'a dashboard links it',
      async (world) => {
        const request = await owned(VISUALS, world);
        await createResource(DASHBOARDS, request.session, { template: linking(request.path.id) });
        return request;
      },
    ],
  ],
  duplicateVisual: ofVisuals.duplicate,
  takeVisualOwnership: ofVisuals.takeOwnership,
  shareVisual: ofVisuals.share,
  revokeVisualShares: ofVisuals.revoke,
  listVisualShares: ofVisuals.listShares,
  explainVisualAccess: ofVisuals.explain,
  listVisualViewers: ofVisuals.listViewers,
};
