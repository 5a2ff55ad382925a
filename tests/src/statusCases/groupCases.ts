import { succeeded, unique } from '../api.js';
import { by, withBody, type Prepare, type Refusals, type World } from './statusCase.js';

/** A group of the ADMIN's making, with one member. */
async function group({ api, admin, orgViewer }: World) {
  const { id, name } = await api.createGroup([orgViewer.id]);
  return { session: admin, path: { id }, name };
}

const plain: Prepare = async (world) => {
  const { session, path } = await group(world);
  return { session, path };
};
const create = (fields: (world: World) => Record<string, unknown>): Prepare => {
  return (world) => ({
    session: world.admin,
    body: { name: unique('Made'), type: 'ORG_GROUP', ...fields(world) },
  });
};
const update = withBody(plain, () => ({ name: unique('Renamed') }));
const addMembers = withBody(plain, ({ author, powerUser }) => ({ userIds: [author.id, powerUser.id] }));
const removeMembers = withBody(plain, ({ orgViewer }) => ({ userIds: [orgViewer.id] }));
const removeMember: Prepare = async (world) => {
  const { session, path } = await group(world);
  const { members } = succeeded(
    await session.get<{ members: { id: string }[] }>(`/groups/${path.id}/members`),
  );
  return { session, path: { ...path, memberId: members[0]?.id ?? '' } };
};

export const groupSpecimens = {
  listGroups: ({ admin }: World) => ({ session: admin, query: { includeMembers: 'true', sort: 'members' } }),
  createGroup: create(({ tenantId }) => ({ type: 'TENANT_GROUP', tenantId })),
  getGroup: plain,
  updateGroup: update,
  updateGroupByPut: update,
  deleteGroup: plain,
  listGroupPermissions: plain,
  listGroupMembers: plain,
  addGroupMembers: addMembers,
  removeGroupMembers: removeMembers,
  removeGroupMember: removeMember,
};

/** A group of the other tenant, requested by a user of the one. */
const ofOtherTenant: Prepare = async ({ api, otherTenantId, powerUser: { session } }) => {
  const { id } = await api.createGroup([], otherTenantId);
  return { session, path: { id } };
};

const updateRefusals = [
  ['FORBIDDEN', 'an org VIEWER', by('orgViewer', update)],
  ['FORBIDDEN', 'a tenant user', by('powerUser', update)],
  ['INVALID_REQUEST', 'a name of 101 characters', withBody(plain, () => ({ name: 'x'.repeat(101) })), 'name'],
  [
    'CONFLICT',
    'another group has the name',
    withBody(plain, async (world) => ({ name: (await group(world)).name })),
    'name',
  ],
] as const;

export const groupRefusals: Refusals = {
  listGroups: [
    [
      'INVALID_REQUEST',
      'a page before the first',
      ({ admin }) => ({ session: admin, query: { page: '0' } }),
      'page',
    ],
  ],
  createGroup: [
    ['FORBIDDEN', 'an org VIEWER', by('orgViewer', groupSpecimens.createGroup)],
    ['FORBIDDEN', 'a tenant user', by('powerUser', groupSpecimens.createGroup)],
    ['FORBIDDEN', 'a caller without a role', by('service', groupSpecimens.createGroup)],
    [
      'INVALID_REQUEST',
      'a TENANT_GROUP without a tenant',
      create(() => ({ type: 'TENANT_GROUP' })),
      'tenantId',
    ],
    ['INVALID_REQUEST', 'an ORG_GROUP with a tenant', create(({ tenantId }) => ({ tenantId })), 'tenantId'],
    [
      'INVALID_REQUEST',
      'a tenant that is none',
      create(() => ({ type: 'TENANT_GROUP', tenantId: 'none' })),
      'tenantId',
    ],
    [
      'CONFLICT',
      'another group has the name',
      async (world) => ({
        session: world.admin,
        body: { name: (await group(world)).name, type: 'ORG_GROUP' },
      }),
      'name',
    ],
  ],
  getGroup: [['NOT_FOUND', 'a group of another tenant', ofOtherTenant]],
  updateGroup: updateRefusals,
  updateGroupByPut: updateRefusals,
  deleteGroup: [
    ['FORBIDDEN', 'an org VIEWER', by('orgViewer', plain)],
    ['FORBIDDEN', 'a tenant user', by('powerUser', plain)],
    [
      'CONFLICT',
      'a dashboard is shared with it',
      async (world) => {
        const { api, author } = world;
        const request = await plain(world);
        const { id } = await api.createDashboard(author.session);
        await api.share(author.session, id, [
          { scope: 'group', groupId: request.path?.['id'], role: 'VIEWER' },
        ]);
        return request;
      },
    ],
  ],
  listGroupPermissions: [
    ['NOT_FOUND', 'a group of another tenant', ofOtherTenant],
    ['FORBIDDEN', 'a caller without a role', by('service', plain)],
  ],
  listGroupMembers: [['NOT_FOUND', 'a group of another tenant', ofOtherTenant]],
  addGroupMembers: [
    ['FORBIDDEN', 'an org VIEWER', by('orgViewer', addMembers)],
    ['FORBIDDEN', 'a tenant user', by('powerUser', addMembers)],
    ['INVALID_REQUEST', 'nobody', withBody(plain, () => ({ userIds: [] })), 'userIds'],
    [
      'INVALID_REQUEST',
      '101 users',
      withBody(plain, ({ author }) => ({ userIds: Array(101).fill(author.id) })),
      'userIds',
    ],
    [
      'INVALID_REQUEST',
      'one user who does not exist',
      withBody(plain, ({ author }) => ({ userIds: [author.id, 'ou_none'] })),
      'userIds[1]',
    ],
    [
      'INVALID_REQUEST',
      'a user of another tenant in a TENANT_GROUP',
      async ({ api, admin, tenantId, powerUser: { id }, otherPowerUser }) => ({
        session: admin,
        path: { id: (await api.createGroup([], tenantId)).id },
        body: { userIds: [id, otherPowerUser.id] },
      }),
      'userIds[1]',
    ],
  ],
  removeGroupMembers: [
    ['FORBIDDEN', 'an org VIEWER', by('orgViewer', removeMembers)],
    ['INVALID_REQUEST', 'nobody', withBody(plain, () => ({ userIds: [] })), 'userIds'],
  ],
  removeGroupMember: [
    ['FORBIDDEN', 'an org VIEWER', by('orgViewer', removeMember)],
    [
      'NOT_FOUND',
      'a user who is no member',
      async (world) => {
        const { session, path } = await plain(world);
        return { ...(session && { session }), path: { ...path, memberId: world.author.id } };
      },
    ],
  ],
};
