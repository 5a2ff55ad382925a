import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createLogStores, verifyLogs } from '@gatehouse/audit/verification';
import { services, type ChainReport, type ServiceName } from '@gatehouse/contract';
import { createSealer, generateInternalKeys } from '@gatehouse/service';
import { startNats, type MeshApp, type MeshProcess } from '@gatehouse/testing';
import { describe, expect, it, vi } from 'vitest';
import { createApi, succeeded, type Answer } from './src/api.js';
import { repository } from './src/docCommands.js';
import { followEvents } from './src/faults/eventLog.js';
import { Parts } from './src/faults/parts.js';
import { LOAD_SETTINGS, readTitles, startLoad } from './src/faults/steadyLoad.js';
import { APPS, startFleet, type Fleet } from './src/fleet.js';
import { makeSealedRecords } from './src/sealedRecords.js';
import { runTask } from './src/serviceTask.js';

/** Turns a program into a simulated later release. */
const NEXT_RELEASE = {
  NODE_OPTIONS: `--import=${new URL('../packages/testing/nextRelease.mjs', import.meta.url).href}`,
};

const ADDED = { addedLater: { $exists: true } };

/**
 * A checkout of an earlier commit that is installed and built: docs/operations.md describes how to create
 * one.
 */
const FORMER_RELEASE = process.env['FORMER_RELEASE'] ?? '';
const REPLICAS = 2;
/** A limit that only a load without progress reaches, even on a busy machine. */
const PROGRESS_TIMEOUT_MS = 10 * 60_000;

/**
 * Prints the calls between processes with their kind, as `policy.previews.preview: query`; and the types of
 * events.
 */
const PRINT_PROMISES = `
  import { EVENT_CATALOGUE, services } from '@gatehouse/contract';
  const entriesOf = (parts) => Object.entries(parts);
  const procedures = entriesOf(services).flatMap(([service, { procedures }]) =>
    entriesOf(procedures).flatMap(([noun, verbs]) =>
      entriesOf(verbs).map(([verb, { kind }]) => service + '.' + noun + '.' + verb + ': ' + kind)));
  console.log(JSON.stringify([...procedures, ...Object.keys(EVENT_CATALOGUE)]));
`;

async function readPromises(checkout: string): Promise<string[]> {
  const args = ['--input-type=module', '--eval', PRINT_PROMISES];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: join(checkout, 'tests') });
  return JSON.parse(stdout) as string[];
}

/** Sends requests repeatedly, until it is stopped, and records the failed responses. */
async function sendContinuously(send: () => Promise<Answer>, failures: string[], isOver: () => boolean) {
  while (!isOver()) {
    await send()
      .then(succeeded)
      .catch((error: unknown) => failures.push(String(error)));
    await sleep(50);
  }
}

const hasSome = async ({ mongo }: Fleet, service: ServiceName, name: string, filter: object) =>
  (await mongo.databases.of(service).collection(name).countDocuments(filter)) > 5;

describe('a release and a later one, side by side', () => {
  it('serve together: each ignores the additions of the other', async () => {
    await using parts = new Parts();
    const nats = parts.add(await startNats());
    const fleet = await startFleet(parts, { ...LOAD_SETTINGS, NATS_URL: nats.url });
    // A connection stays with its process: both exist before the first call, so that each serves a share.
    const later: MeshProcess[] = [];
    for (const app of APPS) {
      later.push(await fleet.add(app, NEXT_RELEASE));
      await fleet.add(app, {});
    }
    later.push(await fleet.add('gateway', NEXT_RELEASE));
    await fleet.add('gateway', {});
    const api = await createApi(fleet.credentials);
    const events = parts.add(await followEvents(nats.url));
    const load = parts.add(await startLoad(api, 2));
    const { outcome } = load;
    // Both have published some of the events. A dashboard is written several times, so rarely by only one
    // release.
    const isMixed = async () =>
      (await hasSome(fleet, 'access', 'dashboards', ADDED)) &&
      (await hasSome(fleet, 'audit', 'auditEvents', { data: /addedLater/ })) &&
      (await hasSome(fleet, 'audit', 'auditEvents', { data: { $not: /addedLater/ } }));
    await vi.waitUntil(isMixed, { timeout: PROGRESS_TIMEOUT_MS, interval: 250 });
    expect(outcome.failures).toEqual([]);
    // The rollback: the release that does not know those fields runs alone with them.
    const codes: (number | null)[] = [];
    for (const process of later) codes.push(await fleet.retire(process));
    expect(codes.filter((code) => code !== 0)).toEqual([]);
    const before = outcome.changes.length;
    await vi.waitUntil(() => outcome.changes.length > before + 20, { timeout: PROGRESS_TIMEOUT_MS });
    await load.stop();
    expect(outcome.failures).toEqual([]);
    const stored = await readTitles(api);
    expect([...outcome.titles].filter(([id, title]) => stored.get(id) !== title)).toEqual([]);
    await expect.poll(() => events.missing(outcome.changes)).toEqual([]);
  });
});

describe.skipIf(FORMER_RELEASE === '')(
  `the build of an earlier commit and this one${FORMER_RELEASE === '' ? ', skipped: FORMER_RELEASE names none' : ''}`,
  () => {
    it('share all calls of the earlier one, with the same kind of call', async () => {
      const former = await readPromises(resolve(FORMER_RELEASE));
      expect(former.length).toBeGreaterThan(100);
      const present = new Set(await readPromises(repository));
      expect(former.filter((promise) => !present.has(promise))).toEqual([]);
    });

    it('can be upgraded and rolled back under reads and changes', async () => {
      await using parts = new Parts();
      const former = resolve(FORMER_RELEASE);
      const nats = parts.add(await startNats());
      const sealingKeys = randomBytes(32).toString('base64');
      const settings = {
        ...LOAD_SETTINGS,
        NATS_URL: nats.url,
        SEALING_KEYS: sealingKeys,
      };
      const fleet = await startFleet(parts, settings, former);
      const running = new Map<MeshApp, MeshProcess[]>();
      for (const app of APPS) {
        const replicas = Array.from({ length: REPLICAS }, () => fleet.add(app, {}, former));
        running.set(app, await Promise.all(replicas));
      }
      const api = await createApi(fleet.credentials);
      const events = parts.add(await followEvents(nats.url));
      const load = parts.add(await startLoad(api, 2));
      const { outcome } = load;
      // A preview calls three services, and opens sealed values.
      const { preview } = await makeSealedRecords(api, fleet.credentials.adminOrgUserId);
      let isOver = false;
      const asking = sendContinuously(preview, outcome.failures, () => isOver);
      const expectService = async (when: string) => {
        const enough = outcome.changes.length + 10;
        const isDecided = () => outcome.changes.length >= enough || outcome.failures.length > 0;
        await vi.waitUntil(isDecided, { timeout: PROGRESS_TIMEOUT_MS });
        expect([when, ...outcome.failures]).toEqual([when]);
      };
      /** Replaces one process after the other, as a Deployment does. */
      const replaceAll = async (apps: readonly MeshApp[], checkout?: string) => {
        for (const app of apps) {
          const successors: MeshProcess[] = [];
          for (const old of running.get(app) ?? []) {
            successors.push(await load.pace.calmWhile(() => fleet.add(app, {}, checkout)));
            await expectService(`beside another ${app}`);
            expect([app, await fleet.retire(old)]).toEqual([app, 0]);
            await expectService(`after another ${app}`);
          }
          running.set(app, successors);
        }
      };
      await expectService('before the upgrade');
      const task = {
        MONGODB_URL: fleet.mongo.url,
        MONGODB_PREFIX: fleet.mongo.prefix,
        // It is required, but processes that create indexes receive no calls.
        INTERNAL_VERIFY_KEY: (await generateInternalKeys()).verifyKey,
      };
      for (const name of Object.keys(services) as ServiceName[]) {
        const { code } = await runTask(name, 'indexes', { ...settings, ...task });
        expect([name, code]).toEqual([name, 0]);
      }
      await replaceAll(APPS);
      await replaceAll(APPS.toReversed(), former);
      isOver = true;
      await asking;
      await load.stop();
      expect(outcome.failures).toEqual([]);
      const stored = await readTitles(api);
      expect([...outcome.titles].filter(([id, title]) => stored.get(id) !== title)).toEqual([]);
      await expect.poll(() => events.missing(outcome.changes)).toEqual([]);
      // Both have written it.
      const logs = createLogStores(fleet.mongo.databases.of('audit'));
      const { organizationId } = fleet.credentials;
      const reports: ChainReport[] = [];
      for await (const report of verifyLogs(logs, organizationId, { sealer: createSealer(sealingKeys) }))
        reports.push(report);
      expect(reports).toMatchObject([{ organizationId, outcome: 'intact' }]);
      expect(reports[0]?.entryCount).toBeGreaterThan(outcome.changes.length);
    });
  },
);
