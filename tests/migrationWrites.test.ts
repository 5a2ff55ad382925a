import type { CloudEvent } from '@gatehouse/contract';
import { newId } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startMigrationPlatform, type MigrationPlatform } from './src/migration/platform.mjs';
import { makers, makeWorld, type MigrationWorld } from './src/migration/world.js';

/** Repeats and undoes single steps, as a lifecycle service does after a crash. */
const LIFECYCLE = { kind: 'system', name: 'lifecycle' } as const;

let mongo: TestMongo;
let platform: MigrationPlatform;
let world: MigrationWorld;
let connectionId: string;
const events: CloudEvent[] = [];
beforeAll(async () => {
  mongo = await startTestMongo();
  platform = await startMigrationPlatform({ databases: mongo.databases });
  const handle = (event: CloudEvent) => events.push(event);
  await platform.bus.watch(['management.*.*.v1'], handle);
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});
beforeEach(async () => {
  world = await makeWorld(platform);
  connectionId = await makers(platform, world.target).connection();
});

/** A write of a migration that the ADMIN has started. */
function writeOf(id: string, migrationId = 'mig_one') {
  const { organizationId, projectId, userId, userKey, tokenId } = world.target;
  return { organizationId, projectId, id, migrationId, actor: { userId, userKey, tokenId, requestId: 'r1' } };
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: { code?: string }) => error.code,
  );
const EMPTY = { datasets: [], relationships: [], calculatedFields: [] };

/** Each kind of copy: how a migration creates and undoes it, and how a request changes and reads it. */
const KINDS = {
  visual: {
    create: (id: string, migrationId?: string) =>
      platform.call('access.copies.createVisual', LIFECYCLE, {
        ...writeOf(id, migrationId),
        title: 'Chart',
        description: '',
        tags: [],
        frameObject: null,
      }),
    remove: (id: string) =>
      platform.call('access.copies.remove', LIFECYCLE, { ...writeOf(id), type: 'visual' }),
    change: (id: string) => platform.call('access.visuals.update', world.target, { id, title: 'Mine' }),
    read: async (id: string) => (await platform.call('access.visuals.get', world.target, { id })).visual,
  },
  dashboard: {
    create: (id: string, migrationId?: string) =>
      platform.call('access.copies.createDashboard', LIFECYCLE, {
        ...writeOf(id, migrationId),
        ...contentOf('Copy'),
        tags: [],
        secretHash: 'hash',
      }),
    remove: (id: string) =>
      platform.call('access.copies.remove', LIFECYCLE, { ...writeOf(id), type: 'dashboard' }),
    change: (id: string) => platform.call('access.dashboards.update', world.target, { id, title: 'Mine' }),
    read: (id: string) => readDashboard(id),
  },
  domain: {
    create: (id: string, migrationId?: string) =>
      platform.call('semantics.copies.createDomain', LIFECYCLE, {
        ...writeOf(id, migrationId),
        name: 'sales',
        label: 'Sales',
        description: '',
        template: EMPTY,
      }),
    remove: (id: string) =>
      platform.call('semantics.copies.remove', LIFECYCLE, { ...writeOf(id), type: 'domain' }),
    change: (domainId: string) =>
      platform.call('semantics.domains.update', world.target, { domainId, label: 'Mine' }),
    read: async (domainId: string) =>
      (await platform.call('semantics.domains.get', world.target, { domainId })).domain,
  },
  datamodel: {
    create: (id: string, migrationId?: string) =>
      platform.call('semantics.copies.createDatamodel', LIFECYCLE, {
        ...writeOf(id, migrationId),
        name: 'Sales',
        description: '',
        connectionId,
        template: EMPTY,
      }),
    remove: (id: string) =>
      platform.call('semantics.copies.remove', LIFECYCLE, { ...writeOf(id), type: 'datamodel' }),
    change: (id: string) =>
      platform.call('semantics.datamodels.update', world.target, { id, description: 'Mine' }),
    read: async (id: string) =>
      (await platform.call('semantics.datamodels.get', world.target, { id })).datamodel,
  },
};
const SERVICES = {
  visual: 'access',
  dashboard: 'access',
  domain: 'semantics',
  datamodel: 'semantics',
} as const;
const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];

const contentOf = (title: string) => ({
  title,
  description: '',
  template: { title },
  linkedVisualIds: null,
});
const readDashboard = async (id: string) =>
  (await platform.call('access.dashboards.get', world.target, { id })).dashboard;

describe.each(kinds)('the copy of a %s', (type) => {
  const { create, remove, change, read } = KINDS[type];
  const documents = () => mongo.databases.of(SERVICES[type]).collection(`${type}s`);
  const eventsOf = (id: string) => events.filter(({ subject }) => subject === id);

  it('is created once, with one event, however often the step is repeated', async () => {
    const id = newId(type);
    expect(await create(id)).toEqual({ version: 1 });
    expect(await create(id)).toEqual({ version: 1 });
    expect(await read(id)).toMatchObject({ version: 1, createdBy: world.target.userId });
    expect(await remove(id)).toEqual({ outcome: 'undone' });
    const expected = { actorid: world.target.userId, tokenid: world.target.tokenId, requestid: 'r1' };
    await expect
      .poll(() => eventsOf(id))
      .toMatchObject([
        { ...expected, type: `management.${type}.created.v1` },
        { ...expected, type: `management.${type}.deleted.v1` },
      ]);
  });

  it('does not take the id that a copy of another migration has', async () => {
    const id = newId(type);
    await create(id);
    expect(await codeOf(create(id, 'mig_two'))).toBe('CONFLICT');
  });

  it('is not created by a call that arrives after its undo', async () => {
    const [created, never] = [newId(type), newId(type)];
    await create(created);
    for (const id of [created, never]) {
      expect(await remove(id)).toEqual({ outcome: 'undone' });
      const unpublished = { _id: id as never, 'outbox.0': { $exists: true } };
      await expect.poll(() => documents().countDocuments(unpublished)).toBe(0);
      expect(await codeOf(create(id))).toBe('CONFLICT');
      expect(await remove(id)).toEqual({ outcome: 'undone' });
      expect(await codeOf(read(id))).toBe('NOT_FOUND');
    }
  });

  it('stays when it was changed, and its step can still be repeated', async () => {
    const id = newId(type);
    await create(id);
    await change(id);
    expect(await remove(id)).toEqual({ outcome: 'changed' });
    expect(await create(id)).toEqual({ version: 1 });
    expect(await read(id)).toMatchObject({ version: 2 });
  });

  it('counts toward the quota until it is undone', async () => {
    const id = newId(type);
    await create(id);
    const sized = { projectId: world.target.projectId, quotaBytes: { $gt: 0 } };
    expect(await documents().countDocuments(sized)).toBe(1);
    await remove(id);
    expect(await documents().countDocuments(sized)).toBe(0);
  });
});

it('the copy of a visual stays when a dashboard links it', async () => {
  const id = newId('visual');
  await KINDS.visual.create(id);
  await makers(platform, world.target).dashboard({ sheets: [{ frames: [{ visualId: id }] }] });
  expect(await KINDS.visual.remove(id)).toEqual({ outcome: 'used' });
  expect(await KINDS.visual.read(id)).toMatchObject({ version: 1 });
});

it('the copy of a data model is not created with a connection of another project', async () => {
  connectionId = await makers(platform, world.source).connection();
  expect(await codeOf(KINDS.datamodel.create(newId('datamodel')))).toBe('INVALID_REQUEST');
});

describe('the content of a dashboard', () => {
  const create = () => makers(platform, world.target).dashboard({ title: 'Former' }, { title: 'Former' });
  const replace = (id: string, expectedVersion: number, title = 'Replaced') =>
    platform.call('access.copies.replaceDashboard', LIFECYCLE, {
      ...writeOf(id),
      ...contentOf(title),
      expectedVersion,
    });
  const restore = (id: string, writtenVersion?: number) =>
    platform.call('access.copies.restoreDashboard', LIFECYCLE, {
      ...writeOf(id),
      ...contentOf('Former'),
      writtenVersion,
    });

  it('is replaced once, and restored as the next version', async () => {
    const id = await create();
    expect(await replace(id, 1)).toEqual({ version: 2, isChanged: true });
    expect(await replace(id, 1)).toEqual({ version: 2, isChanged: true });
    const replaced = { title: 'Replaced', template: { title: 'Replaced' }, version: 2 };
    expect(await readDashboard(id)).toMatchObject(replaced);
    expect([await restore(id), await restore(id)]).toEqual([{ outcome: 'undone' }, { outcome: 'undone' }]);
    const former = { title: 'Former', template: { title: 'Former' }, version: 3 };
    expect(await readDashboard(id)).toMatchObject(former);
    expect([await codeOf(replace(id, 1)), await codeOf(replace(id, 3))]).toEqual(['CONFLICT', 'CONFLICT']);
  });

  it('is not replaced in another version than the planned one', async () => {
    const id = await create();
    expect(await codeOf(replace(id, 2))).toBe('CONFLICT');
    expect(await readDashboard(id)).toMatchObject({ title: 'Former', version: 1 });
  });

  it('stays when it was changed after its replacement', async () => {
    const id = await create();
    await replace(id, 1);
    await platform.call('access.dashboards.update', world.target, { id, title: 'Mine' });
    expect(await replace(id, 1)).toEqual({ version: 2, isChanged: true });
    expect(await restore(id)).toEqual({ outcome: 'changed' });
    expect(await readDashboard(id)).toMatchObject({ title: 'Mine', version: 3 });
  });

  it('stays when another migration has replaced it since', async () => {
    const id = await create();
    await replace(id, 1);
    await platform.call('access.copies.replaceDashboard', LIFECYCLE, {
      ...writeOf(id, 'mig_two'),
      ...contentOf('Second'),
      expectedVersion: 2,
    });
    expect(await restore(id, 2)).toEqual({ outcome: 'changed' });
    expect(await restore(id, 2)).toEqual({ outcome: 'changed' });
    expect(await readDashboard(id)).toMatchObject({ title: 'Second', version: 3 });
  });

  it('is not replaced by a call that arrives after its undo', async () => {
    const id = await create();
    expect(await restore(id)).toEqual({ outcome: 'undone' });
    expect(await codeOf(replace(id, 1))).toBe('CONFLICT');
    expect(await readDashboard(id)).toMatchObject({ title: 'Former', version: 1 });
  });

  it('is not written again when it is the same', async () => {
    const id = await create();
    expect(await replace(id, 1, 'Former')).toEqual({ version: 1, isChanged: false });
    expect(await readDashboard(id)).toMatchObject({ version: 1 });
  });
});
