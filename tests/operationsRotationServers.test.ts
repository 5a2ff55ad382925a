import { setTimeout as sleep } from 'node:timers/promises';
import { newSecret } from '@gatehouse/service';
import { startGitServer, type MeshApp, type MeshProcess, type NatsUser } from '@gatehouse/testing';
import { describe, expect, it, vi } from 'vitest';
import { createApi, succeeded } from './src/api.js';
import { followEvents } from './src/faults/eventLog.js';
import { Parts } from './src/faults/parts.js';
import { startLoad, type LoadOutcome } from './src/faults/steadyLoad.js';
import { APPS, startFleet } from './src/fleet.js';
import { startTokenHost } from './src/gitTokens.js';
import { startAccountNats, type AccountNats } from './src/natsAccounts.js';
import { spawnServer } from './src/servers.js';
import { makeVersionedProject, type VersionedProject } from './src/versionControl/world.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

/** A user of this test, who is let in all the time. */
const WATCHER: NatsUser = { user: 'watcher', password: newSecret() };
const LONG = { timeout: 120_000, interval: 50 };

const namesOf = (users: readonly NatsUser[]) => new Set(users.map(({ user }) => user));

/** One that is being connected has no name yet. */
const readNames = async (nats: AccountNats) => new Set((await nats.readConnected()).values());

async function untilFurther({ changes }: LoadOutcome, count: number): Promise<void> {
  const before = changes.length;
  await vi.waitUntil(() => changes.length >= before + count, LONG);
}

/** A whole mesh under load, each process of which is a NATS user of its own. */
async function startMesh(parts: Parts) {
  const nats = parts.add(await startAccountNats());
  await nats.letIn([...nats.made, WATCHER]);
  const settings = { ...WEBHOOK_SETTINGS, DRAIN_MS: '2500', NATS_URL: nats.urlOf(WATCHER) };
  const fleet = await startFleet(parts, settings);
  const running = new Map<MeshApp, MeshProcess>();
  /** A rolling restart, in which each process is given the user that stands for it. Gives how the former ones ended. */
  const give = async (userOf: (app: MeshApp) => NatsUser) => {
    const codes: (number | null)[] = [];
    for (const app of APPS) {
      const former = running.get(app);
      running.set(app, await fleet.add(app, { NATS_URL: nats.urlOf(userOf(app)) }));
      if (former) codes.push(await fleet.retire(former));
    }
    return codes;
  };
  const pick = (users: readonly NatsUser[]) => (app: MeshApp) =>
    users[nats.made.findIndex(({ user }) => user === app)] ?? WATCHER;
  await give(pick(nats.made));
  const api = await createApi(fleet.credentials);
  const events = parts.add(await followEvents(nats.urlOf(WATCHER)));
  const load = parts.add(await startLoad(api, 2));
  await untilFurther(load.outcome, 20);
  await expect.poll(() => readNames(nats), LONG).toEqual(namesOf([...nats.made, WATCHER]));
  /** Ends the load. Nothing failed, and each change was heard of, on the bus and by the log. */
  const expectNothingLost = async () => {
    await load.stop();
    const { failures, changes } = load.outcome;
    expect(failures).toEqual([]);
    await expect.poll(() => events.missing(changes), { timeout: 30_000 }).toEqual([]);
    const log = fleet.mongo.databases.of('audit').collection('auditEvents');
    const findUnrecorded = async () => {
      const recorded = new Set<unknown>(await log.distinct('requestId'));
      return changes.filter((id) => !recorded.has(id));
    };
    await expect.poll(findUnrecorded, { timeout: 30_000 }).toEqual([]);
  };
  return {
    nats,
    events,
    outcome: load.outcome,
    give: (users: readonly NatsUser[]) => give(pick(users)),
    expectNothingLost,
  };
}

describe('a rotation of the NATS user of every process, under reads and changes', () => {
  it(
    'fails no request and loses no event: new users beside the former ones, then without them',
    { timeout: 300_000 },
    async () => {
      await using parts = new Parts();
      const { nats, outcome, give, expectNothingLost } = await startMesh(parts);
      const next = nats.made.map(({ user }) => ({ user: `${user}-next`, password: newSecret() }));
      const before = await nats.readConnected();
      await nats.letIn([...nats.made, ...next, WATCHER]);
      await untilFurther(outcome, 10);
      // Nobody had to connect anew.
      expect(await nats.readConnected()).toEqual(before);
      expect(await give(next)).toEqual(APPS.map(() => 0));
      // One who still has a former password, to see that it is shut out.
      const [left = WATCHER] = nats.made;
      parts.add(await followEvents(nats.urlOf(left)));
      await expect.poll(() => readNames(nats), LONG).toEqual(namesOf([...next, left, WATCHER]));
      await nats.letIn([...next, WATCHER]);
      await untilFurther(outcome, 20);
      await expect.poll(() => readNames(nats), LONG).toEqual(namesOf([...next, WATCHER]));
      await expectNothingLost();
    },
  );

  it(
    'fails no request and loses no event where the former passwords end first, as after a leak',
    { timeout: 300_000 },
    async () => {
      await using parts = new Parts();
      const { nats, events, outcome, give, expectNothingLost } = await startMesh(parts);
      const next = nats.made.map(({ user }) => ({ user, password: newSecret() }));
      await nats.letIn([...next, WATCHER]);
      await expect.poll(() => readNames(nats), LONG).toEqual(namesOf([WATCHER]));
      const cutOff = outcome.changes.length;
      await untilFurther(outcome, 40);
      // What is changed meanwhile waits in the documents.
      const latest = outcome.changes.slice(cutOff + 20);
      expect(events.missing(latest)).toEqual(latest);
      expect(await give(next)).toEqual(APPS.map(() => 0));
      await untilFurther(outcome, 20);
      await expect.poll(() => readNames(nats), LONG).toEqual(namesOf([...next, WATCHER]));
      await expectNothingLost();
    },
  );
});

const FORMER = 'f0rmer-token';
const NEXT = 'n3xt-token';

/** Saves that are committed, over and over. */
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
    /** Waits for those that have begun by now. */
    settle: () => Promise.all(underWay),
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}

describe('a rotation of the token of a git remote', () => {
  async function startProject(parts: Parts) {
    const settings = { REPOSITORY_HOSTS: '127.0.0.1', SWEEP_INTERVAL_MS: '300', REQUEST_TIMEOUT_MS: '20000' };
    const server = parts.add(await spawnServer('standalone', settings));
    const project = await makeVersionedProject(server, await createApi(server.credentials));
    const repository = parts.add(await startGitServer());
    const host = parts.add(await startTokenHost(repository));
    const put = (token: string) => project.put({ remote: { url: host.url, username: 'ada', token } });
    host.tokens.add(FORMER);
    succeeded(await put(FORMER));
    const readSubjects = async () =>
      (await repository.git('log', '--format=%s', 'main')).trim().split('\n').toSorted();
    return { project, host, put, readSubjects };
  }

  it('fails no save where the new token is given before the former one is taken away', async () => {
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

  it('keeps what is saved while the remote knows no token, and pushes it with the new one', async () => {
    await using parts = new Parts();
    const { project, host, put, readSubjects } = await startProject(parts);
    succeeded(await project.create({ commitMessage: 'Before' }));
    host.tokens.clear();
    const failed = await project.create({ commitMessage: 'Between' });
    expect(failed).toMatchObject({ status: 502, body: { code: 'COMMIT_FAILED', dashboardSaved: true } });
    expect(await put(NEXT)).toMatchObject({ status: 400, body: { fieldErrors: [{ field: 'remote.url' }] } });
    host.tokens.add(NEXT);
    succeeded(await put(NEXT));
    await expect.poll(readSubjects, { timeout: 60_000 }).toEqual(['Before', 'Between']);
  });
});
