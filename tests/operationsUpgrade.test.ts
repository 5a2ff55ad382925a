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

/** What makes of a program what a later release may be. */
const NEXT_RELEASE = {
  NODE_OPTIONS: `--import=${new URL('../packages/testing/nextRelease.mjs', import.meta.url).href}`,
};

const ADDED = { addedLater: { $exists: true } };

/** A checkout of an earlier commit that is installed and built: docs/operations.md says how to make one. */
const FORMER_RELEASE = process.env['FORMER_RELEASE'] ?? '';
const REPLICAS = 2;

/** Prints what processes may ask each other for, and in which way, as `policy.previews.preview: query`; and the types of events. */
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

/** Asks over and over, until it is told to end, and notes what is not answered with success. */
async function keepAsking(ask: () => Promise<Answer>, failures: string[], isOver: () => boolean) {
  while (!isOver()) {
    await ask()
      .then(succeeded)
      .catch((error: unknown) => failures.push(String(error)));
    await sleep(50);
  }
}

const hasSome = async ({ mongo }: Fleet, service: ServiceName, name: string, filter: object) =>
  (await mongo.databases.of(service).collection(name).countDocuments(filter)) > 5;

describe('a release and a later one, side by side', () => {
  it(
    'serve together, whoever answers: what the one adds the other lets be',
    { timeout: 300_000 },
    async () => {
      await using parts = new Parts();
      const nats = parts.add(await startNats());
      const fleet = await startFleet(parts, { ...LOAD_SETTINGS, DRAIN_MS: '2500', NATS_URL: nats.url });
      // A connection stays with its process: both are there before anybody calls, so that each has its share.
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
      // Of the events both have told some. A dashboard is written several times, and so hardly ever by the one release alone.
      const isMixed = async () =>
        (await hasSome(fleet, 'access', 'dashboards', ADDED)) &&
        (await hasSome(fleet, 'audit', 'auditEvents', { data: /addedLater/ })) &&
        (await hasSome(fleet, 'audit', 'auditEvents', { data: { $not: /addedLater/ } }));
      await vi.waitUntil(isMixed, { timeout: 120_000, interval: 250 });
      expect(outcome.failures).toEqual([]);
      // The way back: the release that never heard of those fields is alone with them.
      const codes: (number | null)[] = [];
      for (const process of later) codes.push(await fleet.retire(process));
      expect(codes.filter((code) => code !== 0)).toEqual([]);
      const before = outcome.changes.length;
      await vi.waitUntil(() => outcome.changes.length > before + 20, { timeout: 120_000 });
      await load.stop();
      expect(outcome.failures).toEqual([]);
      const stored = await readTitles(api);
      expect([...outcome.titles].filter(([id, title]) => stored.get(id) !== title)).toEqual([]);
      await expect.poll(() => events.missing(outcome.changes), { timeout: 20_000 }).toEqual([]);
    },
  );
});

describe.skipIf(FORMER_RELEASE === '')(
  `the build of an earlier commit and this one${FORMER_RELEASE === '' ? ', skipped: FORMER_RELEASE names none' : ''}`,
  () => {
    it('have in common all that the earlier one may ask for, in the way in which it asks', async () => {
      const former = await readPromises(resolve(FORMER_RELEASE));
      expect(former.length).toBeGreaterThan(100);
      const present = new Set(await readPromises(repository));
      expect(former.filter((promise) => !present.has(promise))).toEqual([]);
    });

    it('follow each other, and go back, under reads and changes', { timeout: 1_200_000 }, async () => {
      await using parts = new Parts();
      const former = resolve(FORMER_RELEASE);
      const nats = parts.add(await startNats());
      const sealingKeys = randomBytes(32).toString('base64');
      const settings = {
        ...LOAD_SETTINGS,
        DRAIN_MS: '2500',
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
      // A preview asks three services, and opens what is sealed.
      const { preview } = await makeSealedRecords(api, fleet.credentials.adminOrgUserId);
      let isOver = false;
      const asking = keepAsking(preview, outcome.failures, () => isOver);
      const expectService = async (when: string) => {
        const enough = outcome.changes.length + 10;
        const isDecided = () => outcome.changes.length >= enough || outcome.failures.length > 0;
        await vi.waitUntil(isDecided, { timeout: 120_000 });
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
        // It has to be set; nobody calls who makes indexes.
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
      await expect.poll(() => events.missing(outcome.changes), { timeout: 20_000 }).toEqual([]);
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
