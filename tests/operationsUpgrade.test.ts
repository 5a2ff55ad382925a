import type { ServiceName } from '@gatehouse/contract';
import { startNats, type MeshProcess } from '@gatehouse/testing';
import { describe, expect, it, vi } from 'vitest';
import { createApi } from './src/api.js';
import { followEvents } from './src/faults/eventLog.js';
import { Parts } from './src/faults/parts.js';
import { readTitles, startLoad } from './src/faults/steadyLoad.js';
import { APPS, startFleet, type Fleet } from './src/fleet.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

/** What makes of a program what a later release may be. */
const NEXT_RELEASE = {
  NODE_OPTIONS: `--import=${new URL('../packages/testing/nextRelease.mjs', import.meta.url).href}`,
};

const ADDED = { addedLater: { $exists: true } };

const hasSome = async ({ mongo }: Fleet, service: ServiceName, name: string, filter: object) =>
  (await mongo.databases.of(service).collection(name).countDocuments(filter)) > 5;

describe('a release and a later one, side by side', () => {
  it(
    'serve together, whoever answers: what the one adds the other lets be',
    { timeout: 300_000 },
    async () => {
      await using parts = new Parts();
      const nats = parts.add(await startNats());
      const fleet = await startFleet(parts, { ...WEBHOOK_SETTINGS, DRAIN_MS: '2500', NATS_URL: nats.url });
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
      const isMixed = async () =>
        (await hasSome(fleet, 'access', 'dashboards', ADDED)) &&
        (await hasSome(fleet, 'access', 'dashboards', { addedLater: { $exists: false } })) &&
        (await hasSome(fleet, 'audit', 'auditEvents', { data: /addedLater/ }));
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
