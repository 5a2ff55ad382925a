import { services } from '@gatehouse/contract';
import type { Databases } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApi, succeeded, unique, type Answer, type Api, type Session } from './src/api.js';
import { startObserved, type ObservedServer } from './src/observedServer.js';
import { createDefinition, definitionBody, securityPath, testBody } from './src/policyRecords.js';
import { createConnection, uniqueDomainName } from './src/semanticRecords.js';
import { forms, startTestMesh, type TestMesh } from './src/servers.js';
import { rowsOf } from './src/turns.js';
import { createWebhook, DEAF_URL, WEBHOOK_SETTINGS } from './src/webhookRecords.js';

type Body = Record<string, unknown>;
/** A POST that can be sent any number of times. */
interface Post {
  session: Session;
  path: string;
  body: Body;
}
type Prepare = (api: Api) => Promise<Post>;

const post = (session: Session, path: string, body: Body = {}): Post => ({ session, path, body });
const send = ({ session, path, body }: Post, key: string): Promise<Answer<Body>> =>
  session.post(path, body, { 'idempotency-key': key });
const email = () => `${unique('person').toLowerCase()}@example.com`;

/** An event that none of these requests publishes: its deliveries would be writes when there must be none. */
const UNHEARD_OF = 'management.organization.created.v1';

const SOON = { interval: 5 };

const UNREAD = ['idempotency', 'catalogs', 'tenantUserMarks'];

/**
 * Every record by its content. A record that refers to another one counts as a write of that, which changes
 * nothing; a catalog that no connection took over is deleted. A mark means only that a tenant user may have
 * been written.
 */
async function readRecords(databases: Databases): Promise<string[]> {
  const collections = Object.keys(services).map(async (service) => {
    const database = databases.of(service);
    const found = await database.listCollections({}, { nameOnly: true }).toArray();
    const names = found.map(({ name }) => name).filter((name) => !UNREAD.includes(name));
    return Promise.all(names.map((name) => database.collection(name).find().toArray()));
  });
  const documents = (await Promise.all(collections)).flat(2);
  return documents.map(({ revision: _count, ...record }) => JSON.stringify(record)).toSorted();
}

/**
 * Leaves every claim in the state after a gateway that died between the change and the storing of the
 * response.
 */
async function forgetAnswers(databases: Databases): Promise<void> {
  const unanswered = { $unset: { answer: '' }, $set: { leaseUntil: new Date(0) } } as const;
  await databases.of('directory').collection('idempotency').updateMany({}, unanswered);
}

/** Every POST that creates a record, by its kind. */
const CREATIONS: Record<string, Prepare> = {
  'a dashboard': async ({ admin }) => post(admin, '/dashboards', { title: unique('Dashboard') }),
  'a copy of a dashboard': async (api) => {
    const { id } = await api.createDashboard(api.admin, { template: { sheets: [] } });
    return post(api.admin, `/dashboards/${id}/duplicate`);
  },
  'a visual': async ({ admin }) =>
    post(admin, '/visuals', { title: unique('Visual'), frameObject: { id: 'f' } }),
  'a copy of a visual': async (api) => {
    const { id } = await api.createVisual(api.admin);
    return post(api.admin, `/visuals/${id}/duplicate`);
  },
  'a project': async ({ admin }) => post(admin, '/projects', { name: unique('Project') }),
  'a tenant': async ({ admin }) => post(admin, '/tenants', { name: unique('Tenant') }),
  'a tenant with an id of its own': async ({ admin }) =>
    post(admin, '/tenants', { id: unique('own'), name: unique('Tenant') }),
  'an org user': async ({ admin }) =>
    post(admin, '/org-users', { email: email(), name: 'Ann', role: 'VIEWER' }),
  'a tenant user': async (api) => {
    const { id: tenantId } = await api.createTenant();
    return post(api.admin, '/tenant-users', { tenantId, email: email(), role: 'VIEWER' });
  },
  'a tenant user with an id of its own': async (api) => {
    const { id: tenantId } = await api.createTenant();
    return post(api.admin, '/tenant-users', { id: unique('own'), tenantId, email: email(), role: 'VIEWER' });
  },
  'a group': async ({ admin }) => post(admin, '/groups', { name: unique('Group'), type: 'ORG_GROUP' }),
  'a group of a tenant': async (api) => {
    const { id: tenantId } = await api.createTenant();
    return post(api.admin, '/groups', { name: unique('Group'), type: 'TENANT_GROUP', tenantId });
  },
  'a semantic domain': async ({ admin }) => post(admin, '/api/v1/domains', { name: uniqueDomainName() }),
  'a connection': async ({ admin }) => {
    const { name, type, config, catalog } = await createConnection(admin);
    return post(admin, '/api/v1/connections', { name: `${name} 2`, type, config, catalog });
  },
  'a data model': async ({ admin }) => {
    const { id: connectionId } = await createConnection(admin);
    return post(admin, '/api/v1/datamodels', { name: unique('Model'), connectionId });
  },
  'an assistant profile': async ({ admin }) =>
    post(admin, '/api/v1/assistant-profiles', { name: unique('Profile') }),
  'a policy definition': async (api) => {
    const { id } = await createConnection(api.admin);
    return post(api.admin, `${securityPath(api)}/definitions`, definitionBody(id));
  },
  'the assignment of a policy': async (api) => {
    const { id: definitionId } = await createDefinition(api, (await createConnection(api.admin)).id);
    const { id: tenantId } = await api.createTenant();
    return post(api.admin, `${securityPath(api)}/assignments`, {
      definitionId,
      scopeType: 'TENANT',
      tenantId,
      params: { 'key@secret': 'hidden' },
    });
  },
  'the test of a policy': async (api) => {
    const { id } = await createDefinition(api, (await createConnection(api.admin)).id);
    const { id: tenantId } = await api.createTenant();
    return post(api.admin, `${securityPath(api)}/definitions/${id}/tests`, testBody(tenantId));
  },
  'a webhook': async ({ admin }) => post(admin, '/webhooks', { url: DEAF_URL, eventTypes: [UNHEARD_OF] }),
};

/** Every other POST whose change a second run finds done. */
const CHANGES: Record<string, Prepare> = {
  'the sharing of a dashboard': async (api) => {
    const { id } = await api.createDashboard(api.admin);
    const { id: userId } = await api.createOrgUser('VIEWER');
    const shares = [
      { scope: 'all_org_users', role: 'VIEWER' },
      { scope: 'specific_org_user', orgUserId: userId, role: 'EDITOR' },
    ];
    return post(api.admin, `/dashboards/${id}/share`, { shares });
  },
  'the members of a group': async (api) => {
    const before = await api.createOrgUser('VIEWER');
    const { id } = await api.createGroup([before.id]);
    const users = [await api.createOrgUser('VIEWER'), before, await api.createOrgUser('AUTHOR')];
    return post(api.admin, `/groups/${id}/members`, { userIds: users.map((user) => user.id) });
  },
  'a new owner': async (api) => {
    const { id: orgUserId } = await api.createOrgUser('AUTHOR');
    const { id } = await api.createDashboard(await api.openSession({ orgUserId }));
    return post(api.admin, `/dashboards/${id}/take-ownership`);
  },
  'a new secret of a project': async (api) => {
    const { projectId } = await api.createProject();
    return post(api.admin, `/projects/${projectId}/rotate-secret`);
  },
  'a new secret of a webhook': async ({ admin }) => {
    const { id } = await createWebhook(admin, { eventTypes: [UNHEARD_OF] });
    return post(admin, `/webhooks/${id}/rotate-secret`);
  },
};

describe.each(forms)('a POST that died before its response was stored ($form)', ({ form, start }) => {
  let observed: ObservedServer;
  beforeAll(async () => {
    observed = await startObserved(start, WEBHOOK_SETTINGS);
  });
  afterAll(() => observed[Symbol.asyncDispose]());

  /** Runs a request, interrupts it, and runs it again. */
  async function runTwice(prepare: Prepare) {
    const request = await prepare(observed.api);
    const key = unique('key');
    const first = await send(request, key);
    succeeded(first);
    await observed.readSettled();
    const before = await readRecords(observed.databases);
    await forgetAnswers(observed.databases);
    const second = await send(request, key);
    expect(second.headers.has('idempotency-replayed')).toBe(false);
    return { first, second, before, again: await send(request, key) };
  }
  const contentOf = ({ status, body, headers }: Answer<Body>) => ({
    status,
    body,
    etag: headers.get('etag'),
  });

  it.each(rowsOf(form, Object.entries({ ...CREATIONS, ...CHANGES })))(
    'answers the first answer again, and writes nothing: %s',
    async (_, prepare) => {
      const { first, second, before, again } = await runTwice(prepare);
      expect(contentOf(second)).toEqual(contentOf(first));
      expect(await readRecords(observed.databases)).toEqual(before);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    },
  );

  it('sets the same new secret of a dashboard again', async () => {
    const { first, second } = await runTwice(async (api) => {
      const { id } = await api.createDashboard(api.admin);
      return post(api.admin, `/dashboards/${id}/rotate-secret`);
    });
    expect(contentOf(second)).toEqual(contentOf(first));
    const { id, secret } = second.body['dashboard'] as { id: string; secret: string };
    const { status } = await observed.api.requestToken({ dashboardId: id, dashboardSecret: secret });
    expect(status).toBe(200);
  });

  it('issues another token, which is also valid', async () => {
    const { body } = await observed.api.requestToken({ ...observed.api.project });
    expect(body.accessToken).toBeTruthy();
    const request = () =>
      fetch(`${observed.baseUrl}/api/v1/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(observed.api.project),
      });
    const key = unique('key');
    expect((await request()).status).toBe(200);
    await forgetAnswers(observed.databases);
    const again = await request();
    expect(again.status).toBe(200);
    expect(again.headers.has('idempotency-replayed')).toBe(false);
  });

  it('is separate from that of another caller with the same key and body', async () => {
    const { id: orgUserId } = await observed.api.createOrgUser('AUTHOR');
    const other = await observed.api.openSession({ orgUserId });
    const key = unique('key');
    const body = { title: unique('Dashboard') };
    const first = await send(post(observed.api.admin, '/dashboards', body), key);
    await forgetAnswers(observed.databases);
    const second = await send(post(other, '/dashboards', body), key);
    const idOf = ({ body: answered }: Answer<Body>) => (answered['dashboard'] as { id: string }).id;
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(idOf(second)).not.toBe(idOf(first));
  });

  it('is carried out again if the key is used after its expiry', async () => {
    const key = unique('key');
    const request = post(observed.api.admin, '/dashboards', { title: unique('Dashboard') });
    const first = await send(request, key);
    await observed.databases
      .of('directory')
      .collection('idempotency')
      .updateMany({}, { $set: { expiresAt: new Date(0) } });
    const second = await send(request, key);
    expect(second.status).toBe(201);
    expect(second.body).not.toEqual(first.body);
  });
});

describe('the mesh, killed after the change and before the response', () => {
  let mongo: TestMongo;
  let mesh: TestMesh;
  let api: Api;
  beforeAll(async () => {
    mongo = await startTestMongo();
    mesh = await startTestMesh({ MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix });
  });
  afterAll(async () => {
    await mesh[Symbol.asyncDispose]();
    await mongo[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    api = await createApi(mesh.credentials);
  });

  afterEach(() => {
    for (const name of ['access', 'directory'] as const) if (mesh.pids()[name]) signal(name, 'SIGCONT');
  });

  const signal = (name: string, what: NodeJS.Signals) => process.kill(mesh.pids()[name] ?? 0, what);
  const claims = () => mongo.databases.of('directory').collection('idempotency');
  const countClaims = () =>
    claims().countDocuments({ answer: { $exists: false }, isReleased: { $exists: false } });
  const dashboards = () => mongo.databases.of('access').collection('dashboards');

  /**
   * Sends a request to the access service, which waits until the directory is stopped: the request is
   * claimed, then carried out, and its response can be neither stored nor sent. Then kills the processes.
   */
  async function sendAndKill(request: Post, key: string, isDone: () => Promise<boolean>, victims: string[]) {
    signal('access', 'SIGSTOP');
    const sent = send(request, key).then(
      ({ status }) => status,
      () => 'no answer',
    );
    await expect.poll(countClaims, SOON).toBe(1);
    // Its response arrives on the same socket, after that to the claim: so the gateway has called the access
    // service.
    await api.createTenant();
    signal('directory', 'SIGSTOP');
    signal('access', 'SIGCONT');
    await expect.poll(isDone, SOON).toBe(true);
    const before = mesh.pids();
    for (const victim of victims) signal(victim, 'SIGKILL');
    if (!victims.includes('directory')) signal('directory', 'SIGCONT');
    expect(await sent).toBe('no answer');
    const isBack = (name: string) => mesh.pids()[name] !== undefined && mesh.pids()[name] !== before[name];
    await expect.poll(() => victims.every(isBack), SOON).toBe(true);
    const isServing = () =>
      fetch(`${mesh.baseUrl}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isServing, SOON).toBe(true);
    // The claim of the dead attempt has expired after a minute.
    await claims().updateMany({ answer: { $exists: false } }, { $set: { leaseUntil: new Date(0) } });
    api = await createApi(mesh.credentials);
  }

  it.each([[['gateway']], [['gateway', 'directory']], [['gateway', 'directory', 'access']]])(
    'of %s, has made one dashboard, and shows its secret',
    async (victims) => {
      const title = unique('Dashboard');
      const key = unique('key');
      const count = () => dashboards().countDocuments({ title });
      const request = post(api.admin, '/dashboards', { title });
      await sendAndKill(request, key, async () => (await count()) === 1, victims);
      const again = await send({ ...request, session: api.admin }, key);
      expect(again.status).toBe(201);
      expect(await count()).toBe(1);
      const { id, secret } = again.body['dashboard'] as { id: string; secret: string };
      expect(await dashboards().countDocuments({ title, _id: id as never })).toBe(1);
      const token = await api.requestToken({ dashboardId: id, dashboardSecret: secret });
      expect(token.status).toBe(200);
      const replayed = await send({ ...request, session: api.admin }, key);
      expect([replayed.headers.get('idempotency-replayed'), replayed.body]).toEqual(['true', again.body]);
    },
  );

  it('has created one share', async () => {
    const { id } = await api.createDashboard(api.admin);
    const shares = [{ scope: 'all_org_users', role: 'VIEWER' }];
    const key = unique('key');
    const readShares = async () =>
      ((await dashboards().findOne({ _id: id as never }))?.['shares'] ?? []) as { id: string }[];
    const request = post(api.admin, `/dashboards/${id}/share`, { shares });
    await sendAndKill(request, key, async () => (await readShares()).length === 1, ['gateway']);
    const [made] = await readShares();
    const again = succeeded(await send({ ...request, session: api.admin }, key));
    expect(again['shares']).toMatchObject([{ id: made?.id }]);
    expect(await readShares()).toEqual([made]);
  });
});
