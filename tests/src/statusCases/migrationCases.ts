import type { MigrationResult } from '@gatehouse/contract';
import { succeeded, unique, type Project, type Session } from '../api.js';
import { createResource, DASHBOARDS, shareResource } from '../resourceKinds.js';
import { createConnection } from '../semanticRecords.js';
import { by, withBody, type Prepare, type Refusals, type RouteRequest, type World } from './statusCase.js';

interface MigrationRequest extends RouteRequest {
  session: Session;
  path: { id: string };
  body: Record<string, unknown>;
}

/** A dashboard of the author's that is to be copied into another project. */
async function migration(
  { api, author }: World,
  { fields = {}, project }: { fields?: Record<string, unknown>; project?: Project } = {},
): Promise<MigrationRequest> {
  const { id } = await createResource(DASHBOARDS, author.session, fields);
  const { projectId: targetProjectId } = project ?? (await api.createProject());
  return { session: author.session, path: { id }, body: { targetProjectId, connectionMapping: {} } };
}

const plain: Prepare = (world) => migration(world);

/** A migration that was made. */
async function migrated(world: World): Promise<MigrationResult> {
  const { session, path, body } = await migration(world);
  return succeeded(await session.post<MigrationResult>(`/dashboards/${path.id}/migrate`, body));
}

const made: Prepare = async (world) => {
  const { migrationId } = await migrated(world);
  return { session: world.author.session, path: { id: migrationId } };
};

const analysis: Prepare = async (world) => {
  const { session, path, body } = await migration(world);
  return { session, path, query: { targetProjectId: String(body['targetProjectId']) } };
};

export const migrationSpecimens = {
  migrateDashboard: plain,
  analyzeMigration: analysis,
  listMigrations: ({ author }: World) => ({ session: author.session, query: { limit: '1' } }),
  getMigration: made,
  rollBackMigration: made,
};

/** The same request for a dashboard on a connection, with the mapping of the connection that is given. */
const withConnection =
  (mapping: (id: string) => Record<string, string>): Prepare =>
  async (world) => {
    const { id } = await createConnection(world.admin);
    const template = { sheets: [{ frames: [{ cards: [{ dataSource: { connectionId: id } }] }] }] };
    const request = await migration(world, { fields: { template } });
    return { ...request, body: { ...request.body, connectionMapping: mapping(id) } };
  };

/** Into a project that commits what is saved; with `remote`, to a place that cannot be reached. */
const intoCommitting =
  (commitOnSave: string, remote: { url: string } | null): Prepare =>
  async (world) => {
    const project = await world.api.createProject();
    const admin = await world.api.openSession({ orgUserId: world.adminId }, project);
    succeeded(await admin.put('/version-control', { commitOnSave, remote, verify: false }));
    const request = await migration(world, { project });
    const message = commitOnSave === 'required' ? {} : { commitMessage: unique('Migrate') };
    return { ...request, body: { ...request.body, ...message } };
  };

/** A dashboard that another has shared with the author. */
const shared =
  (role: string): Prepare =>
  async (world) => {
    const { otherAuthor, author } = world;
    const { id } = await createResource(DASHBOARDS, otherAuthor.session);
    const shares = [{ scope: 'specific_org_user', orgUserId: author.id, role }];
    await shareResource(DASHBOARDS, id, { by: otherAuthor.session, shares });
    return { ...(await migration(world)), path: { id } };
  };

const changed = (prepare: Prepare, change: Record<string, unknown>) =>
  withBody(prepare, async (world) => ({ ...(await migration(world)).body, ...change }));

const ofDashboard = (prepare: Prepare) =>
  [
    [
      'NOT_FOUND',
      'a dashboard that the author may not see',
      async (world) => ({ ...(await prepare(world)), path: { id: world.hidden.dashboard } }),
    ],
    ['FORBIDDEN', 'a viewer', by('orgViewer', prepare)],
    ['FORBIDDEN', 'a user of a tenant', by('powerUser', prepare)],
    ['FORBIDDEN', 'the project itself', by('service', prepare)],
  ] satisfies Refusals['migrateDashboard'];

export const migrationRefusals: Refusals = {
  migrateDashboard: [
    ...ofDashboard(plain),
    ['FORBIDDEN', 'VIEWER access', shared('VIEWER')],
    ['DATA_APP_NOT_SUPPORTED', 'a Data App', (world) => migration(world, { fields: { isDataApp: true } })],
    ['TARGET_PROJECT_NOT_FOUND', 'no such project', changed(plain, { targetProjectId: 'p_none' })],
    [
      'INVALID_REQUEST',
      'the project of the dashboard',
      (world) => migration(world, { project: world.api.project }),
      'targetProjectId',
    ],
    ['MISSING_MAPPING', 'a connection without a mapping', withConnection(() => ({}))],
    [
      'TARGET_RESOURCE_NOT_FOUND',
      'a connection that is not there',
      withConnection((id) => ({ [id]: 'c_none' })),
    ],
    [
      'REPLACE_TARGET_NOT_FOUND',
      'no such dashboard',
      changed(plain, { replaceExistingId: 'd_none' }),
      'replaceExistingId',
    ],
    ['COMMIT_MESSAGE_REQUIRED', 'no message', intoCommitting('required', null), 'commitMessage'],
  ],
  analyzeMigration: [
    ...ofDashboard(analysis),
    [
      'TARGET_PROJECT_NOT_FOUND',
      'no such project',
      async (world) => ({ ...(await analysis(world)), query: { targetProjectId: 'p_none' } }),
    ],
    [
      'DATA_APP_NOT_SUPPORTED',
      'a Data App',
      async (world) => {
        const { session, path, body } = await migration(world, { fields: { isDataApp: true } });
        return { session, path, query: { targetProjectId: String(body.targetProjectId) } };
      },
    ],
  ],
  listMigrations: [
    ['FORBIDDEN', 'a viewer', ({ orgViewer }) => ({ session: orgViewer.session })],
    [
      'INVALID_REQUEST',
      'a cursor of no list',
      ({ author }) => ({ session: author.session, query: { cursor: 'x' } }),
      'cursor',
    ],
  ],
  getMigration: [
    ['FORBIDDEN', 'a viewer', by('orgViewer', made)],
    [
      'NOT_FOUND',
      "another author's",
      async (world) => ({ ...(await made(world)), session: world.otherAuthor.session }),
    ],
  ],
  rollBackMigration: [
    ['FORBIDDEN', 'a viewer', by('orgViewer', made)],
    [
      'NOT_FOUND',
      "another author's",
      async (world) => ({ ...(await made(world)), session: world.otherAuthor.session }),
    ],
    [
      'CONFLICT',
      'a dashboard that was changed since',
      async (world) => {
        const { migrationId, dashboard } = await migrated(world);
        const { id: orgUserId } = world.author;
        const { projectId } = dashboard;
        const { project } = succeeded(
          await world.admin.post<{ project: { secret: string } }>(`/projects/${projectId}/rotate-secret`),
        );
        const inTarget = await world.api.openSession(
          { orgUserId },
          { projectId, projectSecret: project.secret },
        );
        succeeded(await inTarget.patch(`/dashboards/${dashboard.id}`, { title: unique('Changed') }));
        return { session: world.author.session, path: { id: migrationId } };
      },
    ],
  ],
};

/** The dashboard is saved, and its commit fails: these write. */
export const migrationFailures: Refusals = {
  migrateDashboard: [
    [
      'COMMIT_FAILED',
      'a remote that cannot be reached',
      intoCommitting('optional', { url: 'https://127.0.0.1:9/x.git' }),
    ],
  ],
};
