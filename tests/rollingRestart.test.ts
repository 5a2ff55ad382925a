import { startNats } from '@gatehouse/testing';
import { describe, expect, it, vi } from 'vitest';
import { createApi } from './src/api.js';
import { followEvents } from './src/faults/eventLog.js';
import { Parts } from './src/faults/parts.js';
import { LOAD_SETTINGS, readTitles, startLoad } from './src/faults/steadyLoad.js';
import { APPS, startFleet } from './src/fleet.js';

const WORKERS = 4;

describe('a rolling restart of every process, under reads and changes', () => {
  it('fails no request, loses no change and no event', async () => {
    await using parts = new Parts();
    const nats = parts.add(await startNats());
    const fleet = await startFleet(parts, {
      ...LOAD_SETTINGS,
      NATS_URL: nats.url,
    });
    const processes = await fleet.addEach(APPS);
    const api = await createApi(fleet.credentials);
    const events = parts.add(await followEvents(nats.url));
    const load = parts.add(await startLoad(api, WORKERS));
    const { outcome, pace } = load;
    await vi.waitUntil(() => outcome.changes.length + outcome.failures.length > 20, { timeout: 600_000 });
    expect(outcome.failures).toEqual([]);
    // As with Deployments: the successors first.
    await pace.calmWhile(() => fleet.addEach(APPS));
    for (const old of processes) {
      const before = outcome.changes.length;
      expect([old.app, await fleet.retire(old)]).toEqual([old.app, 0]);
      // Its successor serves.
      await vi.waitUntil(() => outcome.changes.length > before || outcome.failures.length > 0, {
        timeout: 600_000,
      });
      expect([old.app, ...outcome.failures]).toEqual([old.app]);
    }
    await load.stop();
    const { failures, changes, titles } = outcome;
    expect(failures).toEqual([]);
    const stored = await readTitles(api);
    expect([...titles].filter(([id, title]) => stored.get(id) !== title)).toEqual([]);
    await expect.poll(() => events.missing(changes)).toEqual([]);
  });
});
