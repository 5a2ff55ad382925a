import { startNats, type MeshProcess } from '@gatehouse/testing';
import { describe, expect, it, vi } from 'vitest';
import { createApi } from './src/api.js';
import { followEvents } from './src/faults/eventLog.js';
import { Parts } from './src/faults/parts.js';
import { readTitles, startLoad } from './src/faults/steadyLoad.js';
import { APPS, startFleet } from './src/fleet.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

const WORKERS = 4;

describe('a rolling restart of every process, under reads and changes', () => {
  it('fails no request, loses no change and no event', { timeout: 300_000 }, async () => {
    await using parts = new Parts();
    const nats = parts.add(await startNats());
    const fleet = await startFleet(parts, {
      ...WEBHOOK_SETTINGS,
      NATS_URL: nats.url,
      // Longer than the client of these tests keeps a connection that it does not use.
      DRAIN_MS: '2500',
    });
    const processes: MeshProcess[] = [];
    for (const app of APPS) processes.push(await fleet.add(app, {}));
    const api = await createApi(fleet.credentials);
    const events = parts.add(await followEvents(nats.url));
    const load = parts.add(await startLoad(api, WORKERS));
    const { outcome } = load;
    await vi.waitUntil(() => outcome.changes.length + outcome.failures.length > 20, { timeout: 60_000 });
    expect(outcome.failures).toEqual([]);
    for (const old of processes) {
      const before = outcome.changes.length;
      // As a Deployment does it: a successor first.
      await fleet.add(old.app, {});
      expect([old.app, await fleet.retire(old)]).toEqual([old.app, 0]);
      expect([old.app, ...outcome.failures]).toEqual([old.app]);
      expect(outcome.changes.length).toBeGreaterThan(before);
    }
    await load.stop();
    const { failures, changes, titles } = outcome;
    expect(failures).toEqual([]);
    const stored = await readTitles(api);
    expect([...titles].filter(([id, title]) => stored.get(id) !== title)).toEqual([]);
    await expect.poll(() => events.missing(changes), { timeout: 20_000 }).toEqual([]);
  });
});
