import type { CloudEvent } from '@gatehouse/contract';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findNewest, makeMigratable, readProject } from './src/migration/migratable.js';
import { startMigrationPlatform, type MigrationPlatform } from './src/migration/platform.mjs';
import { makers, makeWorld, type MigrationWorld } from './src/migration/world.js';

/** Longer than a busy machine delays the renewal of a lease: both processes are the same one here. */
const LEASE_MS = 10_000;

let mongo: TestMongo;
let platform: MigrationPlatform;
/** Pauses a migration at a point that a test inspects. */
let hold: (point: string) => Promise<void> = async () => {};
beforeAll(async () => {
  mongo = await startTestMongo();
  const settings = { leaseMs: LEASE_MS, afterStep: (point: string) => hold(point) };
  platform = await startMigrationPlatform({ databases: mongo.databases, settings });
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

/** Pauses the next migration at a point until it is released. */
function holdAt(wanted: string): { reached: Promise<void>; release(): void } {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const reached = new Promise<void>((resolve) => {
    hold = async (point) => {
      if (point !== wanted) return;
      resolve();
      await released;
    };
  });
  return {
    reached,
    release() {
      hold = async () => {};
      release();
    },
  };
}

const MIGRATE = 'lifecycle.migrations.migrate';
const readTarget = ({ target }: MigrationWorld) => readProject(mongo.databases, target.projectId);

describe('while a migration runs', () => {
  it('another of the same dashboards is rejected, and leaves no records', async () => {
    const world = await makeWorld(platform);
    const { request } = await makeMigratable(world);
    const existing = await makers(platform, world.target).dashboard(null);
    const replacing = { ...request, replaceExistingId: existing };
    const another = await makers(platform, world.source).dashboard(null);
    const held = holdAt('running');
    const first = platform.call(MIGRATE, world.source, replacing);
    await held.reached;
    const contents = mongo.databases.of('lifecycle').collection('migrationContents');
    const before = await contents.countDocuments();
    const code = { code: 'MIGRATION_IN_PROGRESS' };
    await expect(platform.call(MIGRATE, world.source, request)).rejects.toMatchObject(code);
    const bare = { targetProjectId: request.targetProjectId, connectionMapping: {}, id: another };
    const overwriting = platform.call(MIGRATE, world.source, { ...bare, replaceExistingId: existing });
    await expect(overwriting).rejects.toMatchObject(code);
    const running = await findNewest(platform, world.source);
    const rollback = { id: running?.id ?? '' };
    await expect(
      platform.call('lifecycle.migrations.rollback', world.source, rollback),
    ).rejects.toMatchObject(code);
    expect(await contents.countDocuments()).toBe(before);
    held.release();
    expect(await first).toMatchObject({ replaced: true });
    expect(await platform.call(MIGRATE, world.source, bare)).toMatchObject({ success: true });
  });

  it('a second process does not take it over while the first one lives', async () => {
    const world = await makeWorld(platform);
    const { request } = await makeMigratable(world);
    const held = holdAt('recorded done verify');
    const first = platform.call(MIGRATE, world.source, request);
    await held.reached;
    const points: string[] = [];
    await using second = await startMigrationPlatform({
      databases: mongo.databases,
      sweepIntervalMs: 20,
      settings: { leaseMs: LEASE_MS, afterStep: async (point) => void points.push(point) },
    });
    const document = () =>
      mongo.databases.of('lifecycle').collection('migrations').findOne({ status: 'running' });
    const until = async () => Number((await document())?.['lease'].until);
    const leased = await until();
    // The initial lease would have expired by then.
    await expect.poll(until).toBeGreaterThan(leased + LEASE_MS);
    expect(points).toEqual([]);
    held.release();
    expect(await first).toMatchObject({ success: true });
    expect(await findNewest(second, world.source)).toMatchObject({ status: 'completed' });
  });

  it('a process that was presumed dead writes nothing any more', async () => {
    const world = await makeWorld(platform);
    const { request } = await makeMigratable(world);
    const held = holdAt('recorded done verify');
    const first = platform.call(MIGRATE, world.source, request);
    await held.reached;
    const taken = { key: 'another', until: new Date(0) };
    const migrations = mongo.databases.of('lifecycle').collection('migrations');
    await migrations.updateOne({ status: 'running' }, { $set: { lease: taken } });
    await using second = await startMigrationPlatform({ databases: mongo.databases, sweepIntervalMs: 20 });
    await expect.poll(() => findNewest(second, world.source)).toMatchObject({ status: 'completed' });
    const target = await readTarget(world);
    held.release();
    await expect(first).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await readTarget(world)).toEqual(target);
    expect(await findNewest(second, world.source)).toMatchObject({ status: 'completed' });
  });
});

describe('a migration that was interrupted for more than ten minutes', () => {
  it('is undone, because its caller may have lost the rights that were checked', async () => {
    const world = await makeWorld(platform);
    const { request } = await makeMigratable(world);
    const before = await readTarget(world);
    const held = holdAt('recorded done verify');
    const first = platform.call(MIGRATE, world.source, request);
    await held.reached;
    const migrations = mongo.databases.of('lifecycle').collection('migrations');
    const interrupted = {
      createdAt: new Date(Date.now() - 601_000),
      lease: { key: 'dead', until: new Date(0) },
    };
    await migrations.updateOne({ status: 'running' }, { $set: interrupted });
    await using second = await startMigrationPlatform({ databases: mongo.databases, sweepIntervalMs: 20 });
    await expect.poll(() => findNewest(second, world.source)).toMatchObject({ status: 'failed' });
    held.release();
    await expect(first).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await readTarget(world)).toEqual(before);
  });
});

describe('a migration with a step that always fails', () => {
  it('is rolled back, and reports the reason', async () => {
    const world = await makeWorld(platform);
    const { request } = await makeMigratable(world);
    const before = await readTarget(world);
    const [domain = ''] = Object.keys(request.domainMapping);
    const { domain: source } = await platform.call('semantics.domains.get', world.source, {
      domainId: domain,
    });
    const held = holdAt('running');
    const first = platform.call(MIGRATE, world.source, request);
    await held.reached;
    const taken = await makers(platform, world.target).domain(source.name);
    held.release();
    await expect(first).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await findNewest(platform, world.source)).toMatchObject({ status: 'failed' });
    const after = await readTarget(world);
    expect([...after.keys()].toSorted()).toEqual([...before.keys(), taken].toSorted());
  });
});

describe('the events of a migration', () => {
  it('contain the user who requested it, independent of the process that published them', async () => {
    const world = await makeWorld(platform);
    const { request } = await makeMigratable(world);
    const events: CloudEvent[] = [];
    const types = ['management.*.*.v1'];
    const subscription = await platform.bus.consume({
      name: 'test-events',
      types,
      handle: async (event) => void events.push(event),
    });
    const answer = await platform.call(MIGRATE, world.source, request);
    const made = 'createdResources' in answer ? Object.values(answer.createdResources).flat() : [];
    const subjects = [...made.map(({ newId }) => newId), 'dashboard' in answer ? answer.dashboard.id : ''];
    const migrationId = 'migrationId' in answer ? answer.migrationId : '';
    const isOfMigration = ({ subject }: CloudEvent) => subjects.includes(subject) || subject === migrationId;
    await expect.poll(() => events.filter(isOfMigration).length).toBe(subjects.length + 2);
    const own = events.filter(isOfMigration);
    expect(new Set(own.map(({ actorid }) => actorid))).toEqual(new Set([world.source.userId]));
    expect(new Set(own.map(({ requestid }) => requestid)).size).toBe(1);
    expect(new Set(own.map(({ tokenid }) => tokenid))).toEqual(new Set([world.source.tokenId]));
    await subscription.stop();
  });
});
