import type { CommitResult, Dashboard } from '@gatehouse/contract';
import { succeeded, unique, type Session } from '../api.js';
import {
  by,
  type Prepare,
  type Refusal,
  type Refusals,
  type RouteRequest,
  type World,
} from './statusCase.js';

/** What the cases need beside the default settings: a remote that is allowed, and not there. */
export const VERSION_CONTROL_SETTINGS = { REPOSITORY_HOSTS: '127.0.0.1' };
const ABSENT_REMOTE = { url: 'https://127.0.0.1:9/x.git' };

/** The ADMIN in a project of its own, with version control as given. */
async function adminOf({ api, adminId }: World, settings?: Record<string, unknown>): Promise<Session> {
  const admin = await api.openSession({ orgUserId: adminId }, await api.createProject());
  if (settings !== undefined) succeeded(await admin.put('/version-control', settings));
  return admin;
}

interface Committed {
  session: Session;
  path: { id: string; sha: string };
}

async function commitIn(session: Session): Promise<Committed> {
  const body = { title: unique('Committed'), commitMessage: unique('Make') };
  const { dashboard, versionControl } = succeeded(
    await session.post<{ dashboard: Dashboard; versionControl: CommitResult }>('/dashboards', body),
  );
  return { session, path: { id: dashboard.id, sha: String(versionControl.commitSha) } };
}

const committed = async (world: World): Promise<Committed> => commitIn(await adminOf(world, {}));

// A request that is repeated has to be by the same caller, in the same project.
const shared = new WeakMap<World, Promise<Committed>>();
const sharedCommitted = (world: World): Promise<Committed> => {
  const known = shared.get(world) ?? committed(world);
  shared.set(world, known);
  return known;
};

const unset: Prepare = async (world) => ({ session: await adminOf(world) });
const set: Prepare = async (world) => ({ session: await adminOf(world, {}) });
const putting: Prepare = async (world) => ({
  session: await adminOf(world),
  body: { commitOnSave: 'optional', branch: 'trunk', remote: null },
});
const restoring = async (world: World): Promise<RouteRequest> => ({
  ...(await sharedCommitted(world)),
  body: { commitMessage: unique('Restore') },
});
const listing: Prepare = async (world) => {
  const { session, path } = await committed(world);
  return { session, path: { id: path.id }, query: { limit: '1' } };
};

export const versionControlSpecimens = {
  getVersionControl: set,
  putVersionControl: putting,
  deleteVersionControl: set,
  listDashboardVersions: listing,
  getDashboardVersion: committed,
  diffDashboardVersions: committed,
  restoreDashboardVersion: restoring,
};

const toOthers = (prepare: Prepare): Refusal[] => [
  ['FORBIDDEN', 'an AUTHOR', by('author', prepare)],
  ['FORBIDDEN', 'a tenant user', by('powerUser', prepare)],
  ['FORBIDDEN', 'a caller without a role', by('service', prepare)],
];
const without: Refusal = ['NOT_FOUND', 'a project without version control', unset];
const putRefusal = (because: string, body: Record<string, unknown>, field: string): Refusal => [
  'INVALID_REQUEST',
  because,
  async (world) => ({ ...(await unset(world)), body }),
  field,
];
const toViewers = (prepare: Prepare): Refusal[] => [
  [
    'NOT_FOUND',
    'a dashboard that the caller may not see',
    async (world) => {
      const { path } = await prepare(world);
      return { session: world.author.session, path: { ...path, id: world.hidden.dashboard } };
    },
  ],
  [
    'FORBIDDEN',
    'a caller who may only view it',
    async (world) => {
      const request = await prepare(world);
      const { id } = await world.api.createDashboard(world.author.session);
      await world.api.share(world.author.session, id, [
        { scope: 'specific_org_user', orgUserId: world.otherAuthor.id, role: 'VIEWER' },
      ]);
      return { session: world.otherAuthor.session, path: { ...request.path, id } };
    },
  ],
];

export const versionControlRefusals: Refusals = {
  getVersionControl: [...toOthers(set), without],
  putVersionControl: [
    ...toOthers(putting),
    putRefusal('a branch that is none', { branch: '-x' }, 'branch'),
    putRefusal('a remote over ssh', { remote: { url: 'ssh://git@example.com/a.git' } }, 'remote.url'),
    putRefusal('a remote elsewhere', { remote: { url: 'https://example.com/a.git' } }, 'remote.url'),
    putRefusal('a remote that does not answer', { remote: ABSENT_REMOTE }, 'remote.url'),
  ],
  deleteVersionControl: [...toOthers(set), without],
  listDashboardVersions: [
    ...toViewers(listing),
    [
      'INVALID_REQUEST',
      'a cursor of no list',
      async (world) => ({ ...(await listing(world)), query: { cursor: 'x' } }),
      'cursor',
    ],
  ],
  getDashboardVersion: toViewers(committed),
  diffDashboardVersions: [
    ...toViewers(committed),
    [
      'NOT_FOUND',
      'no such version to compare with',
      async (world) => ({ ...(await committed(world)), query: { to: 'none' } }),
    ],
  ],
  restoreDashboardVersion: [
    ...toViewers(committed),
    [
      'COMMIT_MESSAGE_REQUIRED',
      'no message where one is required',
      async (world) => commitIn(await adminOf(world, { commitOnSave: 'required' })),
    ],
  ],
};

/** A project whose commits cannot be pushed. */
const adminWithoutRemote = (world: World) => adminOf(world, { remote: ABSENT_REMOTE, verify: false });

/** A dashboard in it, with the commit that could not be pushed. */
async function unpushed(world: World): Promise<Committed> {
  const session = await adminWithoutRemote(world);
  const body = { title: unique('Unpushed'), commitMessage: unique('Make') };
  const { dashboard } = (await session.post<{ dashboard: Dashboard }>('/dashboards', body)).body;
  const path = `/dashboards/${dashboard.id}/versions`;
  const { versions } = succeeded(await session.get<{ versions: { sha: string }[] }>(path));
  return { session, path: { id: dashboard.id, sha: String(versions[0]?.sha) } };
}

const failure = (prepare: Prepare): Refusal[] => [['COMMIT_FAILED', 'a remote that is not there', prepare]];
const commitMessage = 'To a remote that is not there';

/** The dashboard is saved, and its commit fails: these write. */
export const versionControlFailures: Refusals = {
  createDashboard: failure(async (world) => ({
    session: await adminWithoutRemote(world),
    body: { title: unique('Unpushed'), commitMessage },
  })),
  updateDashboard: failure(async (world) => {
    const { session, path } = await unpushed(world);
    return { session, path: { id: path.id }, body: { title: unique('Changed'), commitMessage } };
  }),
  duplicateDashboard: failure(async (world) => {
    const { session, path } = await unpushed(world);
    return { session, path: { id: path.id }, body: { commitMessage } };
  }),
  restoreDashboardVersion: failure(async (world) => ({
    ...(await unpushed(world)),
    body: { commitMessage },
  })),
};
