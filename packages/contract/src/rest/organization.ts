import { defineRoute, defineUpdates } from './define.js';
import { TOKEN_BODY_LIMIT_BYTES } from './route.js';

const BASE = '/api/management/v1';
const changesPrincipals = true;
/** A key that was withdrawn is trusted for so much longer. */
const KEYS_CACHE_SECONDS = 60;
const CONFLICT = ['CONFLICT'] as const;

export const tokenRoutes = [
  defineRoute(
    ['POST', '/api/v1/token'],
    {
      operationId: 'issueToken',
      summary: 'Exchange a project or dashboard secret for an access token',
      tag: 'Tokens',
      procedure: 'directory.tokens.issue',
    },
    { area: 'token', tokens: 'none', errors: ['UNAUTHENTICATED'], bodyLimit: TOKEN_BODY_LIMIT_BYTES },
  ),
  defineRoute(
    ['POST', '/api/v1/sign-in-codes'],
    {
      operationId: 'createSignInCode',
      summary: 'Exchange a project secret for a code that signs a user in once',
      tag: 'Tokens',
      procedure: 'directory.tokens.createSignInCode',
    },
    {
      area: 'token',
      tokens: 'none',
      errors: ['UNAUTHENTICATED'],
      bodyLimit: TOKEN_BODY_LIMIT_BYTES,
    },
  ),
  defineRoute(
    ['POST', '/api/v1/invalidate-token'],
    {
      operationId: 'invalidateToken',
      summary: 'Revoke the token in the Authorization header',
      tag: 'Tokens',
      procedure: 'directory.tokens.invalidate',
    },
    { area: 'token', tokens: 'any', changesPrincipals },
  ),
  defineRoute(
    ['GET', '/.well-known/jwks.json'],
    {
      operationId: 'getSigningKeys',
      summary: 'The public keys that access tokens are verified with',
      tag: 'Tokens',
      procedure: 'directory.tokens.keys',
    },
    { area: 'service', tokens: 'none', cacheSeconds: KEYS_CACHE_SECONDS },
  ),
];

const sessions = '/api/v1/sessions';
export const sessionRoutes = [
  defineRoute(['GET', sessions], {
    operationId: 'listSessions',
    summary: 'List the browsers that are signed in to the console',
    tag: 'Sessions',
    procedure: 'directory.sessions.list',
  }),
  defineRoute(
    ['DELETE', `${sessions}/{id}`],
    {
      operationId: 'revokeSession',
      summary: 'Sign a browser out',
      tag: 'Sessions',
      procedure: 'directory.sessions.revoke',
    },
    { record: 'deletedSession', changesPrincipals },
  ),
];

const projects = `${BASE}/projects`;
export const projectRoutes = [
  defineRoute(['GET', projects], {
    operationId: 'listProjects',
    summary: "List the organization's projects",
    tag: 'Projects',
    procedure: 'directory.projects.list',
  }),
  defineRoute(
    ['POST', projects],
    {
      operationId: 'createProject',
      summary: 'Create a project; its secret is shown this once',
      tag: 'Projects',
      procedure: 'directory.projects.create',
    },
    { success: 201, record: 'project', errors: CONFLICT },
  ),
  defineRoute(
    ['GET', `${projects}/{id}`],
    {
      operationId: 'getProject',
      summary: 'Read a project',
      tag: 'Projects',
      procedure: 'directory.projects.get',
    },
    { record: 'project' },
  ),
  ...defineUpdates(
    `${projects}/{id}`,
    {
      operationId: 'updateProject',
      summary: 'Rename a project',
      tag: 'Projects',
      procedure: 'directory.projects.update',
    },
    { record: 'project', errors: CONFLICT },
  ),
  defineRoute(
    ['POST', `${projects}/{id}/rotate-secret`],
    {
      operationId: 'rotateProjectSecret',
      summary: 'Give a project a new secret, shown this once; the former one ends at once',
      tag: 'Projects',
      procedure: 'directory.projects.rotateSecret',
    },
    { record: 'project' },
  ),
];

const tenants = `${BASE}/tenants`;
export const tenantRoutes = [
  defineRoute(['GET', tenants], {
    operationId: 'listTenants',
    summary: 'List the tenants of the organization; a tenant user sees its own',
    tag: 'Tenants',
    procedure: 'directory.tenants.list',
  }),
  defineRoute(
    ['POST', tenants],
    {
      operationId: 'createTenant',
      summary: 'Create a tenant',
      tag: 'Tenants',
      procedure: 'directory.tenants.create',
    },
    { success: 201, record: 'tenant', errors: CONFLICT },
  ),
  defineRoute(
    ['GET', `${tenants}/{id}`],
    {
      operationId: 'getTenant',
      summary: 'Read a tenant',
      tag: 'Tenants',
      procedure: 'directory.tenants.get',
    },
    { record: 'tenant' },
  ),
  ...defineUpdates(
    `${tenants}/{id}`,
    {
      operationId: 'updateTenant',
      summary: 'Change a tenant',
      tag: 'Tenants',
      procedure: 'directory.tenants.update',
    },
    { record: 'tenant', errors: CONFLICT },
  ),
  defineRoute(
    ['DELETE', `${tenants}/{id}`],
    {
      operationId: 'deleteTenant',
      summary: 'Delete a tenant that has no users',
      tag: 'Tenants',
      procedure: 'directory.tenants.delete',
    },
    { record: 'deletedTenant', errors: CONFLICT, changesPrincipals },
  ),
];
