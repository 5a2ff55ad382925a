import type { AccessExplanation } from '@gatehouse/contract';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Api } from './src/api.js';
import { CATCH_UP, RECEIVER_SETTINGS, watchEvents, type EventWatch } from './src/eventRecords.js';
import { HOUR_MS, MOVABLE_CLOCK, moveClock } from './src/movableClock.js';
import { addOrgUser } from './src/people.js';
import { spawnServer, type SpawnedServer } from './src/servers.js';

describe('events of a machine whose clock is moved by an hour', () => {
  let mongo: TestMongo;
  let server: SpawnedServer;
  let watch: EventWatch;

  beforeAll(async () => {
    mongo = await startTestMongo();
    const place = { MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix };
    server = await spawnServer('standalone', { ...RECEIVER_SETTINGS, ...place, NODE_OPTIONS: MOVABLE_CLOCK });
    watch = await watchEvents(server.credentials, mongo.databases);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await watch.close();
    await mongo[Symbol.asyncDispose]();
  });

  /** The access that a user had at a moment of the machine's clock. */
  async function levelAt({ admin }: Api, { id, userId }: { id: string; userId: string }, at: number) {
    const query = new URLSearchParams({ userId, at: new Date(at).toISOString() });
    const path = `/dashboards/${id}/access?${query.toString()}`;
    return (await admin.get<{ access?: AccessExplanation }>(path)).body.access?.accessLevel;
  }

  it('keep their order, and later events have later times', async () => {
    await moveClock(server);
    const ahead = await createApi(server.credentials);
    const { id: userId } = await addOrgUser(ahead, 'AUTHOR');
    const { id } = await ahead.createDashboard(ahead.admin);
    await ahead.share(ahead.admin, id, [{ scope: 'specific_org_user', orgUserId: userId, role: 'EDITOR' }]);
    await expect
      .poll(() => levelAt(ahead, { id, userId }, Date.now() + HOUR_MS - 1), CATCH_UP)
      .toBe('EDITOR');

    await moveClock(server);
    const back = await createApi(server.credentials);
    const shares = [{ scope: 'specific_org_user', orgUserId: userId }];
    succeeded(await back.admin.delete(`/dashboards/${id}/share`, { shares }));
    const told = mongo.databases
      .of('audit')
      .collection<{ type: string; sequence: number; time: Date }>('auditEvents');
    const types = () =>
      told
        .find({ resourceId: id }, { sort: { sequence: 1 } })
        .map((entry) => entry.type)
        .toArray();
    await expect
      .poll(types, CATCH_UP)
      .toEqual([
        'management.dashboard.created.v1',
        'management.dashboard_share.granted.v1',
        'management.dashboard_share.revoked.v1',
      ]);
    // All of it lies in the future, for the record as for this clock: it had not happened by then.
    expect(await levelAt(back, { id, userId }, Date.now())).toBeUndefined();
    await moveClock(server);
    await moveClock(server);
  });

  it('are recorded and sent once each while it is moved forward and backward', async () => {
    const made = await watch.writeDuring(async (writeMore) => {
      for (let moves = 0; moves < 4; moves += 1) {
        await moveClock(server);
        await writeMore();
      }
    });
    expect(made).toBeGreaterThan(0);
  });
});
