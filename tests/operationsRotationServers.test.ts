import { setTimeout as sleep } from 'node:timers/promises';
import { connectNatsBus, createLog, newSecret } from '@gatehouse/service';
import { startGitServer, type MeshApp, type NatsUser } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createApi, succeeded, type Api } from './src/api.js';
import { Parts } from './src/faults/parts.js';
import { LOAD_SETTINGS, startLoad, type SteadyLoad } from './src/faults/steadyLoad.js';
import { APPS, startFleet } from './src/fleet.js';
import { startTokenHost } from './src/gitTokens.js';
import { startAccountNats, type AccountNats, type AccountUser } from './src/natsAccounts.js';
import { startRollingMesh, untilFurther } from './src/rollingMesh.js';
import { spawnServer, type SpawnedServer } from './src/servers.js';
import { makeVersionedProject, type VersionedProject } from './src/versionControl/world.js';

/** A user of this test, whose credentials stay valid. */
const WATCHER: NatsUser = { user: 'watcher', password: newSecret() };
const LONG = { timeout: 600_000, interval: 100 };

const namesOf = (users: readonly AccountUser[]) => new Set(users.map(({ user }) => user));

/** A connection that is being opened has no name yet. */
const readNames = async (nats: AccountNats) => new Set((await nats.readConnected()).values());

/** Keeps a connection with a password open, without sending requests on it. */
async function stayConnected(url: string): Promise<AsyncDisposable> {
  const bus = await connectNatsBus({ url, name: 'left', log: createLog('test', { LOG_LEVEL: 'silent' }) });
  return { [Symbol.asyncDispose]: () => bus.close() };
}

/** A mesh with a NATS user for each process. */
async function startMesh(parts: Parts) {
  const nats = parts.add(await startAccountNats());
  await nats.letIn([...nats.made, WATCHER]);
  const natsUrl = nats.urlOf(WATCHER);
  const fleet = await startFleet(parts, { ...LOAD_SETTINGS, NATS_URL: natsUrl });
  const urlsOf = (users: readonly AccountUser[]) => (app: MeshApp) => {
    const user = users[nats.made.findIndex((made) => made.user === app)] ?? WATCHER;
    return { NATS_URL: nats.urlOf(user) };
  };
  let users = nats.made;
  const mesh = await startRollingMesh(parts, fleet, { natsUrl, environmentOf: urlsOf(users) });
  return {
    ...mesh,
    nats,
    /** In the order of `npm run secrets`. */
    users: () => users,
    /** A rolling restart, in which each process receives its user. Returns how the former ones ended. */
    async give(next: readonly AccountUser[], load: SteadyLoad) {
      const codes = await mesh.replaceAll(urlsOf(next), load);
      users = next;
      return codes;
    },
  };
}

describe('a rotation of the NATS user of every process, under reads and changes', () => {
  const parts = new Parts();
  let mesh: Awaited<ReturnType<typeof startMesh>>;
  beforeAll(async () => {
    mesh = await startMesh(parts);
  });
  afterAll(() => parts[Symbol.asyncDispose]());

  async function untilConnected(users: readonly AccountUser[]): Promise<void> {
    await expect.poll(() => readNames(mesh.nats), LONG).toEqual(namesOf([...users, WATCHER]));
  }

  /** A load that succeeds completely without a fault. */
  async function startQuietly(): Promise<SteadyLoad> {
    const load = await startLoad(mesh.api, 2);
    await untilFurther(load.outcome, 20);
    await untilConnected(mesh.users());
    return load;
  }

  it('fails no request and loses no event: new users beside the old ones, then without them', async () => {
    const { nats, give, expectNothingLost } = mesh;
    await using load = await startQuietly();
    const former = mesh.users();
    const next = former.map((each) => ({ ...each, user: `${each.user}-next`, password: newSecret() }));
    const before = await nats.readConnected();
    await nats.letIn([...former, ...next, WATCHER]);
    await untilFurther(load.outcome, 10);
    // No process had to reconnect.
    expect(await nats.readConnected()).toEqual(before);
    expect(await give(next, load)).toEqual(APPS.map(() => 0));
    // A connection with an old password, to test that it is rejected.
    const [left = WATCHER] = former;
    await using parting = new Parts();
    parting.add(await stayConnected(nats.urlOf(left)));
    await untilConnected([...next, left]);
    await nats.letIn([...next, WATCHER]);
    await untilFurther(load.outcome, 20);
    await untilConnected(next);
    await expectNothingLost(load);
    expect(load.outcome.failures).toEqual([]);
  });

  it('fails no request and loses no event if the old passwords are removed first', async () => {
    const { nats, events, give, expectNothingLost } = mesh;
    await using load = await startQuietly();
    const { outcome } = load;
    const next = mesh.users().map((each) => ({ ...each, password: newSecret() }));
    await nats.letIn([...next, WATCHER]);
    await untilConnected([]);
    const cutOff = outcome.changes.length;
    await untilFurther(outcome, 30);
    // Changes in the meantime wait in the documents.
    const latest = outcome.changes.slice(cutOff + 15);
    expect(events.missing(latest)).toEqual(latest);
    expect(await give(next, load)).toEqual(APPS.map(() => 0));
    await untilFurther(outcome, 20);
    await untilConnected(next);
    await expectNothingLost(load);
    expect(load.outcome.failures).toEqual([]);
  });
});

const FORMER = 'f0rmer-token';
const NEXT = 'n3xt-token';

/** Repeated saves with commits. */
function startSaves(project: VersionedProject, workers: number) {
  const outcomes: (string | undefined)[] = [];
  const messages: string[] = [];
  const underWay = new Set<Promise<unknown>>();
  let isOver = false;
  const save = async () => {
    const commitMessage = `Save ${messages.length}`;
    messages.push(commitMessage);
    const { body } = await project.create({ commitMessage });
    outcomes.push(body.versionControl?.status ?? body.code);
  };
  const work = async () => {
    while (!isOver) {
      const saving = save();
      underWay.add(saving);
      await saving.finally(() => underWay.delete(saving));
      await sleep(20);
    }
  };
  const running = Array.from({ length: workers }, work);
  return {
    outcomes,
    messages,
    untilFurther: (count: number) => {
      const before = outcomes.length;
      return vi.waitUntil(() => outcomes.length >= before + count, LONG);
    },
    /** Waits for the ones in flight. */
    settle: () => Promise.all(underWay),
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}

describe('a rotation of the token of a git remote', () => {
  let server: SpawnedServer;
  let api: Api;
  beforeAll(async () => {
    const settings = { REPOSITORY_HOSTS: '127.0.0.1', SWEEP_INTERVAL_MS: '300', REQUEST_TIMEOUT_MS: '20000' };
    server = await spawnServer('standalone', settings);
    api = await createApi(server.credentials);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function startProject(parts: Parts) {
    const project = await makeVersionedProject(server, api);
    const repository = parts.add(await startGitServer());
    const host = parts.add(await startTokenHost(repository));
    const put = (token: string) => project.put({ remote: { url: host.url, username: 'ada', token } });
    host.tokens.add(FORMER);
    succeeded(await put(FORMER));
    const readSubjects = async () =>
      (await repository.git('log', '--format=%s', 'main')).trim().split('\n').toSorted();
    return { project, host, put, readSubjects };
  }

  it('fails no save if the new token is set before the old one is removed', async () => {
    await using parts = new Parts();
    const { project, host, put, readSubjects } = await startProject(parts);
    const saves = startSaves(project, 2);
    await saves.untilFurther(6);
    host.tokens.add(NEXT);
    succeeded(await put(NEXT));
    await saves.settle();
    const used = host.received.length;
    host.tokens.delete(FORMER);
    await saves.untilFurther(6);
    await saves.stop();
    expect(saves.outcomes.filter((outcome) => outcome !== 'committed')).toEqual([]);
    expect(new Set(host.received.slice(0, used))).toEqual(new Set([FORMER, NEXT]));
    expect(new Set(host.received.slice(used))).toEqual(new Set([NEXT]));
    expect(await readSubjects()).toEqual(saves.messages.toSorted());
  });

  it('keeps saves while the remote accepts no token, and pushes them with the new one', async () => {
    await using parts = new Parts();
    const { project, host, put, readSubjects } = await startProject(parts);
    succeeded(await project.create({ commitMessage: 'Before' }));
    host.tokens.clear();
    const failed = await project.create({ commitMessage: 'Between' });
    expect(failed).toMatchObject({ status: 502, body: { code: 'COMMIT_FAILED', dashboardSaved: true } });
    expect(await put(NEXT)).toMatchObject({ status: 400, body: { fieldErrors: [{ field: 'remote.url' }] } });
    host.tokens.add(NEXT);
    succeeded(await put(NEXT));
    await expect.poll(readSubjects, { interval: 250 }).toEqual(['Before', 'Between']);
  });
});
