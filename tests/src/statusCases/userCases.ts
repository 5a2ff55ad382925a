import { unique } from '../api.js';
import { by, withBody, type Prepare, type Refusals } from './statusCase.js';

const email = () => `${unique('mail').toLowerCase()}@example.com`;
const list = (query: Record<string, string>): Prepare => {
  return ({ admin }) => ({ session: admin, query });
};

const orgUser: Prepare = async ({ api, admin }) => ({
  session: admin,
  path: { id: (await api.createOrgUser('AUTHOR')).id },
});
const createOrgUser: Prepare = ({ admin }) => ({
  session: admin,
  body: { email: email(), name: unique('Org user'), role: 'VIEWER', department: 'Sales' },
});
const updateOrgUser: Prepare = withBody(orgUser, () => ({ department: unique('Sales') }));

const tenantUser: Prepare = async ({ api, admin, tenantId }) => ({
  session: admin,
  path: { id: (await api.createTenantUser(tenantId)).id },
});
const createTenantUser: Prepare = ({ admin, tenantId }) => ({
  session: admin,
  body: { id: unique('own'), tenantId, email: email(), role: 'POWER_USER' },
});
const updateTenantUser: Prepare = withBody(tenantUser, () => ({ name: unique('Name') }));

export const userSpecimens = {
  listOrgUsers: list({ limit: '1' }),
  createOrgUser,
  getOrgUser: orgUser,
  updateOrgUser,
  updateOrgUserByPut: updateOrgUser,
  deleteOrgUser: orgUser,
  listTenantUsers: list({ page: '0', pageSize: '10', active: 'true' }),
  createTenantUser,
  getTenantUser: tenantUser,
  updateTenantUser,
  updateTenantUserByPut: updateTenantUser,
  deleteTenantUser: tenantUser,
  listUnifiedUsers: list({ type: 'tenant' }),
  getUserContext: tenantUser,
};

const lastAdmin = (change?: Record<string, unknown>): Prepare => {
  return ({ admin, adminId }) => ({ session: admin, path: { id: adminId }, ...(change && { body: change }) });
};

const updateOrgUserRefusals = [
  ['FORBIDDEN', 'an AUTHOR', by('author', updateOrgUser)],
  ['FORBIDDEN', 'a caller without a role', by('service', updateOrgUser)],
  ['INVALID_REQUEST', 'a role of tenant users', withBody(orgUser, () => ({ role: 'POWER_USER' })), 'role'],
  [
    'CONFLICT',
    'another org user has the e-mail',
    withBody(orgUser, async ({ api }) => ({
      email: (await api.createOrgUser('VIEWER')).email.toUpperCase(),
    })),
    'email',
  ],
  ['CONFLICT', 'the last ADMIN would be demoted', lastAdmin({ role: 'AUTHOR' })],
  ['CONFLICT', 'the last ADMIN would be deactivated', lastAdmin({ isActive: false })],
] as const satisfies Refusals[keyof Refusals];

const updateTenantUserRefusals = [
  ['FORBIDDEN', 'an AUTHOR', by('author', updateTenantUser)],
  ['FORBIDDEN', 'a tenant user', by('powerUser', updateTenantUser)],
  ['INVALID_REQUEST', 'a role of org users', withBody(tenantUser, () => ({ role: 'ADMIN' })), 'role'],
  [
    'CONFLICT',
    'another user of the tenant has the e-mail',
    withBody(tenantUser, async ({ api, tenantId }) => ({
      email: (await api.createTenantUser(tenantId)).email,
    })),
    'email',
  ],
] as const satisfies Refusals[keyof Refusals];

export const userRefusals: Refusals = {
  listOrgUsers: [
    ['FORBIDDEN', 'an AUTHOR', by('author', list({ limit: '1' }))],
    ['INVALID_REQUEST', 'a flag that is none', list({ active: 'yes' }), 'active'],
  ],
  createOrgUser: [
    ['FORBIDDEN', 'an AUTHOR', by('author', createOrgUser)],
    ['FORBIDDEN', 'a tenant user', by('powerUser', createOrgUser)],
    [
      'INVALID_REQUEST',
      'no e-mail',
      ({ admin }) => ({ session: admin, body: { name: 'A', role: 'VIEWER' } }),
      'email',
    ],
    [
      'CONFLICT',
      'another org user has the e-mail',
      async ({ api, admin }) => ({
        session: admin,
        body: { email: (await api.createOrgUser('VIEWER')).email, name: 'Double', role: 'VIEWER' },
      }),
      'email',
    ],
  ],
  getOrgUser: [['FORBIDDEN', 'an AUTHOR', by('author', orgUser)]],
  updateOrgUser: updateOrgUserRefusals,
  updateOrgUserByPut: updateOrgUserRefusals,
  deleteOrgUser: [
    ['FORBIDDEN', 'an AUTHOR', by('author', orgUser)],
    ['CONFLICT', 'the last ADMIN', lastAdmin()],
  ],
  listTenantUsers: [
    ['FORBIDDEN', 'an AUTHOR', by('author', list({ limit: '1' }))],
    ['INVALID_REQUEST', 'a limit out of range', list({ limit: '1001' }), 'limit'],
    ['INVALID_REQUEST', 'half a pair', list({ page: '0' }), 'pageSize'],
    ['INVALID_REQUEST', 'the other half', list({ pageSize: '5' }), 'page'],
    ['INVALID_REQUEST', 'both ways of paging', list({ page: '0', pageSize: '5', limit: '5' }), 'limit'],
    ['INVALID_REQUEST', 'an offset below zero', list({ offset: '-1' }), 'offset'],
  ],
  createTenantUser: [
    ['FORBIDDEN', 'an AUTHOR', by('author', createTenantUser)],
    ['FORBIDDEN', 'a caller without a role', by('service', createTenantUser)],
    [
      'INVALID_REQUEST',
      'a tenant that is none',
      ({ admin }) => ({ session: admin, body: { tenantId: 'none', email: email() } }),
      'tenantId',
    ],
    [
      'INVALID_REQUEST',
      'an id like that of an org user',
      ({ admin, tenantId }) => ({ session: admin, body: { id: 'ou_mine', tenantId, email: email() } }),
      'id',
    ],
    [
      'CONFLICT',
      'another user of the tenant has the e-mail',
      async ({ api, admin, tenantId }) => ({
        session: admin,
        body: { tenantId, email: (await api.createTenantUser(tenantId)).email },
      }),
      'email',
    ],
    [
      'CONFLICT',
      'a user of another tenant has the id',
      async ({ api, admin, tenantId, otherTenantId }) => ({
        session: admin,
        body: { id: (await api.createTenantUser(otherTenantId)).id, tenantId, email: email() },
      }),
      'id',
    ],
  ],
  getTenantUser: [
    ['FORBIDDEN', 'an AUTHOR', by('author', tenantUser)],
    [
      'NOT_FOUND',
      'a user of another tenant',
      ({ powerUser: { session }, otherPowerUser: { id } }) => ({ session, path: { id } }),
    ],
  ],
  updateTenantUser: updateTenantUserRefusals,
  updateTenantUserByPut: updateTenantUserRefusals,
  deleteTenantUser: [
    ['FORBIDDEN', 'an AUTHOR', by('author', tenantUser)],
    [
      'CONFLICT',
      'the default owner of a tenant',
      async ({ api, admin }) => {
        const { id: tenantId } = await api.createTenant();
        const { id } = await api.createTenantUser(tenantId);
        await admin.patch(`/tenants/${tenantId}`, { defaultOwnerId: id });
        return { session: admin, path: { id } };
      },
    ],
  ],
  listUnifiedUsers: [['INVALID_REQUEST', 'a type that is none', list({ type: 'robot' }), 'type']],
  getUserContext: [
    [
      'NOT_FOUND',
      'a user of another tenant',
      ({ powerUser: { session }, otherPowerUser: { id } }) => ({ session, path: { id } }),
    ],
    [
      'NOT_FOUND',
      'an org user, to a tenant user',
      ({ powerUser: { session }, author: { id } }) => ({ session, path: { id } }),
    ],
  ],
};
