import { unique } from '../api.js';
import { signIn } from '../sessions/consoleBrowser.js';
import { by, withBody, type Prepare, type Refusals, type World } from './statusCase.js';

const project: Prepare = async ({ api, admin }) => ({
  session: admin,
  path: { id: (await api.createProject()).projectId },
});
const createProject: Prepare = ({ admin }) => ({ session: admin, body: { name: unique('Project') } });
const updateProject: Prepare = withBody(project, () => ({ name: unique('Project') }));

const tenant: Prepare = async ({ api, admin }) => ({
  session: admin,
  path: { id: (await api.createTenant()).id },
});
const createTenant: Prepare = ({ admin }) => ({
  session: admin,
  body: { id: unique('t'), name: unique('Tenant') },
});
const updateTenant: Prepare = withBody(tenant, () => ({ name: unique('Tenant') }));

/** With credentials of the project, and the given fields. */
const token = (fields: (world: World) => Record<string, unknown>): Prepare => {
  return (world) => ({ body: { ...world.api.project, ...fields(world) } });
};

/** A session of the author. */
const sessionOfAuthor: Prepare = async ({ api, admin, author: { id: orgUserId } }) => {
  const browser = await signIn(api, { orgUserId });
  const { session: opened } = (await browser.session()) as { session: { id: string } };
  return { session: admin, path: { id: opened.id } };
};

const signInCode = token(({ author: { id } }) => ({ orgUserId: id }));

export const organizationSpecimens = {
  issueToken: token(({ author: { id } }) => ({ orgUserId: id })),
  createSignInCode: signInCode,
  invalidateToken: async ({ api, author: { id } }: World) => ({
    session: await api.openSession({ orgUserId: id }),
  }),
  getSigningKeys: () => ({}),
  listSessions: ({ admin }: World) => ({ session: admin, query: { limit: '1' } }),
  revokeSession: sessionOfAuthor,
  listProjects: ({ admin }: World) => ({ session: admin }),
  createProject,
  getProject: project,
  updateProject,
  updateProjectByPut: updateProject,
  rotateProjectSecret: project,
  listTenants: ({ admin }: World) => ({ session: admin, query: { limit: '1' } }),
  createTenant,
  getTenant: tenant,
  updateTenant,
  updateTenantByPut: updateTenant,
  deleteTenant: tenant,
};

const nameOfAnother = async ({ admin }: World, path: string): Promise<string> => {
  const name = unique('Taken');
  await admin.post(path, { name });
  return name;
};

const updateProjectRefusals = [
  ['FORBIDDEN', 'an AUTHOR', by('author', updateProject)],
  ['INVALID_REQUEST', 'a blank name', withBody(project, () => ({ name: '' })), 'name'],
  [
    'CONFLICT',
    'another project has the name',
    withBody(project, async (world) => ({ name: await nameOfAnother(world, '/projects') })),
    'name',
  ],
] as const satisfies Refusals[keyof Refusals];

const updateTenantRefusals = [
  ['FORBIDDEN', 'an AUTHOR', by('author', updateTenant)],
  ['FORBIDDEN', 'a tenant user', by('powerUser', updateTenant)],
  [
    'INVALID_REQUEST',
    'a default owner of another tenant',
    withBody(tenant, ({ powerUser }) => ({ defaultOwnerId: powerUser.id })),
    'defaultOwnerId',
  ],
  [
    'CONFLICT',
    'another tenant has the name',
    withBody(tenant, async (world) => ({ name: await nameOfAnother(world, '/tenants') })),
    'name',
  ],
] as const satisfies Refusals[keyof Refusals];

/** A request for a token with a dashboard's secret that is not its own. */
const foreignDashboardSecret: Prepare = async ({ api, author: { session } }) => {
  const { id } = await api.createDashboard(session);
  const { secret } = await api.createDashboard(session);
  return { body: { dashboardId: id, dashboardSecret: secret } };
};

export const organizationRefusals: Refusals = {
  listSessions: [
    ['FORBIDDEN', 'the project itself', ({ service }) => ({ session: service })],
    [
      'INVALID_REQUEST',
      'no such cursor',
      ({ admin }) => ({ session: admin, query: { cursor: 'x' } }),
      'cursor',
    ],
  ],
  revokeSession: [
    ['FORBIDDEN', 'the project itself', by('service', sessionOfAuthor)],
    ['NOT_FOUND', 'the session of another user', by('orgViewer', sessionOfAuthor)],
    ['NOT_FOUND', 'the session of an org user, for a tenant user', by('powerUser', sessionOfAuthor)],
  ],
  issueToken: [
    ['INVALID_REQUEST', 'nothing', () => ({ body: {} }), 'projectId'],
    [
      'INVALID_REQUEST',
      'no secret',
      ({ api }) => ({ body: { projectId: api.project.projectId } }),
      'projectSecret',
    ],
    [
      'INVALID_REQUEST',
      'two identities',
      token(({ author: { id } }) => ({ orgUserId: id, endUserId: 'x' })),
      'endUserId',
    ],
    [
      'INVALID_REQUEST',
      'an org user who does not exist',
      token(() => ({ orgUserId: 'ou_none' })),
      'orgUserId',
    ],
    ['INVALID_REQUEST', 'an end user who does not exist', token(() => ({ endUserId: 'none' })), 'endUserId'],
    [
      'INVALID_REQUEST',
      'an e-mail without a tenant',
      token(() => ({ endUserEmail: 'a@example.com' })),
      'tenantId',
    ],
    ['INVALID_REQUEST', 'an expiry out of range', token(() => ({ tokenExpiry: 59 })), 'tokenExpiry'],
    [
      'INVALID_REQUEST',
      'a semantic domain that does not exist',
      token(() => ({ semanticDomainAccess: { mode: 'include', domains: ['none'] } })),
      'semanticDomainAccess.domains',
    ],
    [
      'INVALID_REQUEST',
      'a sign-in code beside a user',
      () => ({ body: { signInCode: 'x', orgUserId: 'ou_1' } }),
      'orgUserId',
    ],
    ['UNAUTHENTICATED', 'an unknown sign-in code', () => ({ body: { signInCode: 'x' } })],
    ['UNAUTHENTICATED', 'a wrong secret', token(() => ({ projectSecret: 'wrong' }))],
    ['UNAUTHENTICATED', 'a project that does not exist', token(() => ({ projectId: 'p_none' }))],
    ['UNAUTHENTICATED', 'the secret of another dashboard', foreignDashboardSecret],
    [
      'UNAUTHENTICATED',
      'a deactivated user',
      async ({ api }) => {
        const { id } = await api.createOrgUser('AUTHOR', { isActive: false });
        return { body: { ...api.project, orgUserId: id } };
      },
    ],
  ],
  createSignInCode: [
    ['INVALID_REQUEST', 'no user', token(() => ({})), 'orgUserId'],
    ['INVALID_REQUEST', 'a scope', token(() => ({ scope: 'sql:compile' })), 'scope'],
    [
      'UNAUTHENTICATED',
      'a wrong secret',
      token(({ author: { id } }) => ({ orgUserId: id, projectSecret: 'wrong' })),
    ],
  ],
  invalidateToken: [
    [
      'UNAUTHENTICATED',
      'a token that was invalidated before',
      async ({ api }) => {
        const session = await api.openSession({});
        await session.post('/api/v1/invalidate-token');
        return { session };
      },
    ],
  ],
  listProjects: [
    ['FORBIDDEN', 'an AUTHOR', ({ author: { session } }) => ({ session })],
    ['FORBIDDEN', 'a caller without a role', ({ service: session }) => ({ session })],
  ],
  createProject: [
    ['FORBIDDEN', 'an AUTHOR', by('author', createProject)],
    [
      'CONFLICT',
      'another project has the name',
      async (world) => ({ session: world.admin, body: { name: await nameOfAnother(world, '/projects') } }),
      'name',
    ],
  ],
  getProject: [['FORBIDDEN', 'an AUTHOR', by('author', project)]],
  updateProject: updateProjectRefusals,
  updateProjectByPut: updateProjectRefusals,
  rotateProjectSecret: [['FORBIDDEN', 'an AUTHOR', by('author', project)]],
  createTenant: [
    ['FORBIDDEN', 'an AUTHOR', by('author', createTenant)],
    ['FORBIDDEN', 'a caller without a role', by('service', createTenant)],
    [
      'INVALID_REQUEST',
      'an id of other characters',
      ({ admin }) => ({ session: admin, body: { id: 'a b', name: 'A' } }),
      'id',
    ],
    [
      'CONFLICT',
      'another tenant has the name',
      async (world) => ({ session: world.admin, body: { name: await nameOfAnother(world, '/tenants') } }),
      'name',
    ],
    [
      'CONFLICT',
      'another tenant has the id',
      ({ admin, tenantId: id }) => ({ session: admin, body: { id, name: unique('Tenant') } }),
      'id',
    ],
  ],
  getTenant: [
    [
      'NOT_FOUND',
      'another tenant than the own',
      ({ powerUser: { session }, otherTenantId: id }) => ({ session, path: { id } }),
    ],
  ],
  updateTenant: updateTenantRefusals,
  updateTenantByPut: updateTenantRefusals,
  deleteTenant: [
    ['FORBIDDEN', 'an AUTHOR', by('author', tenant)],
    ['CONFLICT', 'a tenant that has users', ({ admin, tenantId: id }) => ({ session: admin, path: { id } })],
  ],
};
