import { routes, type Route } from '@gatehouse/contract';
import { hashSecret, newSecret } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, sendRequest, type Api } from './src/api.js';
import { readStoredDocuments } from './src/badInput/storedDocuments.js';
import { Oracle, type Caller, type Leak } from './src/canaries/oracle.js';
import { foundOrganization, type CanaryOrganization } from './src/canaries/organization.js';
import { startReceiver } from './src/canaries/receiver.js';
import { Canaries } from './src/canaries/registry.js';
import { requestsTo, sharedReads, type WalkRequest } from './src/canaries/requests.js';
import { forms, spawnServer, type SpawnedServer } from './src/servers.js';
import { mapSideBySide } from './src/sideBySide.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

const isFull = process.env['FUZZ_FULL'] === '1';
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_101);
/** Requests to each route by each caller: with all ids of one organization, or a sample of them. */
const REQUESTS = isFull ? Number.POSITIVE_INFINITY : 1;
const WALK_TIMEOUT_MS = isFull ? 3_600_000 : 300_000;
const ORGANIZATIONS = { here: 'o_here', there: 'o_there' };
const chosen = isFull ? forms : forms.slice(0, 1);

/** The organization of the bootstrap is copied: the platform creates one, and supports any number. */
async function addOrganization(mongo: TestMongo, api: Api) {
  const directory = mongo.databases.of('directory');
  const copy = async (name: string, change: Record<string, unknown>, from: Record<string, unknown>) => {
    const found = await directory.collection(name).findOne(from);
    await directory.collection<{ _id: string }>(name).insertOne({ ...found, outbox: [], ...change } as never);
  };
  const organizationId = ORGANIZATIONS.there;
  const secret = newSecret();
  const first = await directory.collection('organizations').findOne({});
  await copy('organizations', { _id: organizationId }, { _id: first?._id });
  await copy(
    'projects',
    { _id: 'p_there', organizationId, secretHash: hashSecret(secret) },
    { _id: api.project.projectId },
  );
  await copy('orgUsers', { _id: 'u:there', id: 'ou_there', organizationId }, { role: 'ADMIN' });
  return { project: { projectId: 'p_there', projectSecret: secret }, adminId: 'ou_there' };
}

describe.each(chosen)('canaries ($form)', ({ form }) => {
  const canaries = new Canaries();
  let mongo: TestMongo;
  let server: SpawnedServer;
  let receivers: Awaited<ReturnType<typeof startReceiver>>[];
  let worlds: CanaryOrganization[];
  let oracle: Oracle;
  let callers: Caller[];

  beforeAll(async () => {
    mongo = await startTestMongo();
    const settings = {
      MONGODB_URL: mongo.url,
      MONGODB_PREFIX: mongo.prefix,
      LOG_LEVEL: 'debug',
      ...WEBHOOK_SETTINGS,
    };
    server = await spawnServer(form, { ...settings, MAX_IN_FLIGHT: '0' });
    const api = await createApi(server.credentials);
    const other = await addOrganization(mongo, api);
    receivers = [await startReceiver(), await startReceiver()];
    const found = (name: string, by: { project: Api['project']; adminId: string }, n: number) =>
      foundOrganization({ name, api, canaries, webhookUrl: receivers[n]?.url ?? '', ...by });
    const adminId = server.credentials.adminOrgUserId;
    worlds = [
      await found(ORGANIZATIONS.here, { project: api.project, adminId }, 0),
      await found(ORGANIZATIONS.there, other, 1),
    ];
    const [here, there] = worlds;
    callers = [
      { name: 'nobody', token: null },
      ...Object.entries(here?.tokens ?? {}).map(([name, token]) => ({ name, token })),
      ...['admin', 'service'].map((name) => ({ name: `${name} there`, token: there?.tokens[name] ?? '' })),
      { name: 'deactivated', token: await deactivated(api, here) },
    ];
    oracle = new Oracle(server.baseUrl, canaries);
  }, WALK_TIMEOUT_MS);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    for (const receiver of receivers) await receiver[Symbol.asyncDispose]();
    await mongo[Symbol.asyncDispose]();
  });

  /** A token of a user who was an ADMIN, and has no rights any more. */
  async function deactivated(api: Api, world: CanaryOrganization | undefined): Promise<string> {
    const { id } = await api.createOrgUser('ADMIN');
    const { token } = await api.openSession({ orgUserId: id }, world?.project);
    await api.admin.patch(`/org-users/${id}`, { isActive: false });
    return token;
  }

  async function findLeaks(caller: Caller, { method, path, body }: WalkRequest): Promise<Leak[]> {
    if (method === 'DELETE') await oracle.readBefore(caller, path);
    const {
      status,
      headers,
      body: response,
    } = await sendRequest<unknown>(server.baseUrl, [method, path], {
      ...(body === '' ? {} : { rawBody: body }),
      headers: {
        ...(body === '' ? {} : { 'content-type': 'application/json' }),
        ...(caller.token === null ? {} : { authorization: `Bearer ${caller.token}` }),
      },
    });
    expect(status, `${method} ${path}`).toBeLessThan(500);
    const received = JSON.stringify([[...headers], response]);
    return oracle.findLeaks(caller, { request: `${method} ${path} ${body}`, sent: path + body, received });
  }

  /** Secrets of a new token or a rotation that their caller may see: shown once, and so no leak. */
  const isOwnSecret = (route: Route) => /rotate-secret|\/token$/.test(route.path);
  const isRead = ({ method, procedure }: Route) =>
    method === 'GET' || /validation|previews|tests\.run/.test(procedure);
  /** Reads first; deletions last, after everything that they could hide. */
  const rankOf = (route: Route) => (isRead(route) ? 0 : route.method === 'DELETE' ? 2 : 1);

  /**
   * The project's own token validates everything, as documented: a result names the references of a template.
   * The shares of a dashboard name users of the tenant to a token that reaches nothing else of it.
   */
  const isDocumented = ({ procedure }: Route, { name }: Caller) =>
    name.startsWith('service')
      ? procedure.startsWith('lifecycle.validation.')
      : name === 'knownBearer' && /^access\.dashboard(Shares\.list|Decisions\.explain)$/.test(procedure);

  async function walk(selected: readonly Route[]): Promise<Leak[]> {
    const plan = selected.flatMap((route) =>
      callers.flatMap((caller, n) => {
        if (isDocumented(route, caller)) return [];
        const all = worlds.flatMap((world) => requestsTo(route, world));
        const always = worlds.slice(0, 1).flatMap((world) => sharedReads(route, world));
        const [picked] = fc.sample(fc.shuffledSubarray(all, { minLength: all.length }), {
          numRuns: 1,
          seed: SEED + n,
        });
        return [...always, ...(picked ?? []).slice(0, REQUESTS)].map((request) => ({ caller, request }));
      }),
    );
    const leaks = await mapSideBySide(plan, ({ caller, request }) => findLeaks(caller, request));
    return leaks.flat();
  }

  it('are found in a response that contains data that its caller may not read', async () => {
    const hidden = [...canaries.byText].find(
      ([, { field, organization }]) => field === 'dashboard.title' && organization === ORGANIZATIONS.there,
    );
    const secret = [...canaries.byText].find(([, { isSecret }]) => isSecret);
    const admin = callers.find(({ name }) => name === 'admin');
    if (!hidden || !secret || !admin) throw new Error('The world is not whole');
    for (const [text] of [hidden, secret]) {
      const received = `{"title":"x${text}"}`;
      expect(await oracle.findLeaks(admin, { request: 'planted', sent: '', received })).toHaveLength(1);
      expect(await oracle.findLeaks(admin, { request: 'planted', sent: text, received })).toEqual([]);
    }
  });

  it('need candidates for each id of each route', () => {
    const [first] = worlds;
    const route = routes.find(({ path }) => path.endsWith('/dashboards/{id}'));
    if (!first || !route) throw new Error('The world is not whole');
    const planted = { ...route, path: '/api/management/v1/novelties/{noveltyId}' };
    expect(() => requestsTo(planted, first)).toThrow('noveltyId');
    for (const each of routes) expect(requestsTo(each, first).length).toBeGreaterThan(0);
  });

  it.each([
    ['reads', 0],
    ['changes', 1],
    ['deletions', 2],
  ])(
    'stand in no response to %s that their caller may not read',
    async (_, rank) => {
      const leaks = await walk(routes.filter((route) => rankOf(route) === rank && !isOwnSecret(route)));
      const told = leaks.map(({ caller, request, field }) => `${field} to ${caller} by ${request}`);
      expect([...new Set(told)].slice(0, 200)).toEqual([]);
    },
    WALK_TIMEOUT_MS,
  );

  it('are in no log line; those of another organization in no webhook; secrets nowhere', async () => {
    const log = server.errors();
    expect(log.length).toBeGreaterThan(0);
    expect(canaries.findIn(log).map(({ canary }) => canary.field)).toEqual([]);
    for (const [n, { received }] of receivers.entries()) {
      const own = worlds[n]?.name;
      expect(received.length).toBeGreaterThan(0);
      const foreign = canaries
        .findIn(received.join('\n'))
        .filter(({ canary }) => canary.isSecret || canary.organization !== own);
      expect(foreign.map(({ canary }) => canary.field)).toEqual([]);
    }
    const stored = JSON.stringify(await readStoredDocuments(mongo.databases));
    const audited = JSON.stringify(
      await mongo.databases.of('audit').collection('auditEvents').find().toArray(),
    );
    const secrets = canaries.findIn(stored + audited).filter(({ canary }) => canary.isSecret);
    expect(secrets.map(({ canary }) => canary.field)).toEqual([]);
  });
});
