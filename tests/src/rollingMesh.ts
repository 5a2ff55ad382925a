import type { MeshApp } from '@gatehouse/testing';
import { expect, vi } from 'vitest';
import { createApi, type Api } from './api.js';
import { followEvents, type EventLog } from './faults/eventLog.js';
import type { Parts } from './faults/parts.js';
import type { LoadOutcome, SteadyLoad } from './faults/steadyLoad.js';
import { APPS, type Fleet } from './fleet.js';

/** What a process is given besides what all have. */
type EnvironmentOf = (app: MeshApp) => Readonly<Record<string, string>>;

/** A whole mesh of which every process is replaced, again and again, under load. */
export interface RollingMesh {
  api: Api;
  events: EventLog;
  /** Whether a process reports that it serves. */
  isReady(app: MeshApp): Promise<boolean>;
  /**
   * A rolling restart with other settings. Returns the exit codes of the former processes, in the order of
   * `APPS`.
   */
  replaceAll(environmentOf: EnvironmentOf, load: SteadyLoad): Promise<(number | null)[]>;
  /** Ends a load. Each change that was answered was heard of, on the bus and by the log. */
  expectNothingLost(load: SteadyLoad): Promise<void>;
}

const CAUGHT_UP = { timeout: 120_000, interval: 250 };

/** Starts one process of each kind, and follows their events on `natsUrl`. */
export async function startRollingMesh(
  parts: Parts,
  fleet: Fleet,
  { natsUrl, environmentOf }: { natsUrl: string; environmentOf: EnvironmentOf },
): Promise<RollingMesh> {
  let running = await fleet.addEach(APPS, environmentOf);
  const events = parts.add(await followEvents(natsUrl));
  return {
    events,
    async isReady(app) {
      const port = running.find((each) => each.app === app)?.port;
      return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
    },
    api: await createApi(fleet.credentials),
    async replaceAll(next, { pace }) {
      const former = running;
      running = await pace.calmWhile(() => fleet.addEach(APPS, next));
      const codes: (number | null)[] = [];
      for (const old of former) codes.push(await fleet.retire(old));
      return codes;
    },
    async expectNothingLost(load) {
      await load.stop();
      const { changes } = load.outcome;
      await expect.poll(() => events.missing(changes), CAUGHT_UP).toEqual([]);
      const log = fleet.mongo.databases.of('audit').collection('auditEvents');
      const findUnrecorded = async () => {
        const recorded = new Set<unknown>(await log.distinct('requestId'));
        return changes.filter((id) => !recorded.has(id));
      };
      await expect.poll(findUnrecorded, CAUGHT_UP).toEqual([]);
    },
  };
}

/** Waits until so many more changes of a load were answered. */
export async function untilFurther({ changes }: LoadOutcome, count: number): Promise<void> {
  const before = changes.length;
  await vi.waitUntil(() => changes.length >= before + count, { timeout: 120_000, interval: 100 });
}
