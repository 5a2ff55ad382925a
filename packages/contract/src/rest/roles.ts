import type { AccessLevel } from '../vocabulary.js';
import type { ProcedurePath } from '../services/index.js';

/**
 * The callers that an operation accepts:
 * - `none`: no token
 * - `any`: every token
 * - `project`: every project token, also one without a user
 * - `COMPILER`: every user, and a token with the scope `sql:compile`
 * - `TENANT_READER`: an ADMIN, a tenant user for its own tenant, and the project itself
 * - the others name the lowest role: `POWER_USER` includes AUTHOR and ADMIN, and `AUTHOR` includes ADMIN
 */
export type RouteRole =
  | 'none'
  | 'any'
  | 'project'
  | 'COMPILER'
  | 'TENANT_READER'
  | 'VIEWER'
  | 'POWER_USER'
  | 'AUTHOR'
  | 'ADMIN';

/** What a caller needs for an operation. */
export interface RouteAccess {
  role: RouteRole;
  /** The level on the dashboard or visual that the request names. */
  level?: AccessLevel;
}

/** The operations on dashboards and visuals alike. */
const records = {
  list: { role: 'VIEWER' },
  create: { role: 'POWER_USER' },
  get: { role: 'VIEWER', level: 'VIEWER' },
  update: { role: 'POWER_USER', level: 'EDITOR' },
  delete: { role: 'POWER_USER', level: 'OWNER' },
  duplicate: { role: 'POWER_USER', level: 'VIEWER' },
  takeOwnership: { role: 'ADMIN' },
} as const;
const shares = {
  grant: { role: 'POWER_USER', level: 'CONTRIBUTOR' },
  revoke: { role: 'POWER_USER', level: 'CONTRIBUTOR' },
  batch: { role: 'POWER_USER', level: 'CONTRIBUTOR' },
  list: { role: 'VIEWER', level: 'VIEWER' },
} as const;
const decisions = {
  explain: { role: 'VIEWER', level: 'VIEWER' },
  viewers: { role: 'POWER_USER', level: 'CONTRIBUTOR' },
} as const;

const project = { role: 'project' } as const;
const author = { role: 'AUTHOR' } as const;
const admin = { role: 'ADMIN' } as const;
const tenantReader = { role: 'TENANT_READER' } as const;
const editor = { role: 'POWER_USER', level: 'EDITOR' } as const;
const byAdmins = { list: admin, create: admin, get: admin, update: admin, delete: admin };
const byAuthors = { list: author, create: author, get: author, update: author, delete: author };

/** By service, noun and verb, as the procedures are. */
const ACCESS: Readonly<Record<string, Readonly<Record<string, RouteAccess>>>> = {
  'directory.tokens': {
    issue: { role: 'none' },
    createSignInCode: { role: 'none' },
    keys: { role: 'none' },
    invalidate: { role: 'any' },
  },
  'directory.sessions': { list: { role: 'VIEWER' }, revoke: { role: 'VIEWER' } },
  'directory.projects': { ...byAdmins, rotateSecret: admin },
  'directory.tenants': { ...byAdmins, list: project, get: project },
  'directory.orgUsers': byAdmins,
  'directory.tenantUsers': { ...byAdmins, list: tenantReader, get: tenantReader, batch: admin },
  'directory.unifiedUsers': { list: project, get: project },
  'directory.groups': {
    ...byAuthors,
    list: project,
    get: project,
    members: project,
    addMembers: author,
    removeMembers: author,
    removeMember: author,
  },
  'access.dashboards': {
    ...records,
    rotateSecret: { role: 'POWER_USER', level: 'OWNER' },
    /** Each operation needs its own level. */
    batch: { role: 'POWER_USER' },
  },
  'access.visuals': records,
  'access.dashboardShares': shares,
  'access.visualShares': shares,
  'access.checks': { check: { role: 'VIEWER' }, list: { role: 'VIEWER' }, subjects: decisions.viewers },
  'access.dashboardDecisions': decisions,
  'access.visualDecisions': decisions,
  'access.groups': { permissions: { role: 'VIEWER' } },
  'semantics.domains': { ...byAdmins, list: project, get: project, getTemplate: project, putTemplate: admin },
  'semantics.connections': { ...byAdmins, list: author, get: author, introspect: admin, changes: author },
  'semantics.datamodels': byAuthors,
  'semantics.assistantProfiles': byAuthors,
  'policy.definitions': byAdmins,
  'policy.assignments': { ...byAdmins, batch: admin },
  'policy.previews': { preview: admin, diff: admin, lint: admin, coverage: admin },
  'policy.statements': { compile: { role: 'COMPILER' } },
  'policy.tests': { ...byAdmins, run: admin },
  'lifecycle.validation': { validate: project, validateAll: project, fix: project },
  'lifecycle.migrations': {
    migrate: { role: 'AUTHOR', level: 'EDITOR' },
    analyze: { role: 'AUTHOR', level: 'EDITOR' },
    list: author,
    get: author,
    rollback: author,
  },
  'lifecycle.versionControl': {
    get: admin,
    put: admin,
    remove: admin,
    listVersions: editor,
    getVersion: editor,
    diff: editor,
    restore: editor,
  },
  'audit.events': { list: admin, export: admin },
  'audit.webhooks': {
    ...byAdmins,
    rotateSecret: admin,
    test: admin,
    listDeliveries: admin,
    getDelivery: admin,
    replayDelivery: admin,
    replayFailed: admin,
  },
};

/**
 * What a caller needs for the procedure of a route.
 * @throws for a procedure without an entry, which is a fault of the program
 */
export function accessOf(procedure: ProcedurePath): RouteAccess {
  const [service, noun, verb = ''] = procedure.split('.');
  const access = ACCESS[`${service}.${noun}`]?.[verb];
  if (!access) throw new Error(`${procedure} has no role: add it to rest/roles.ts`);
  return access;
}
