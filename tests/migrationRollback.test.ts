import { AppError, type OrgUserPrincipal } from '@gatehouse/contract';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findNewest, readProject } from './src/migration/migratable.js';
import { startMigrationPlatform, type MigrationPlatform } from './src/migration/platform.mjs';
import { addAuthor, makers, makeWorld, type MigrationWorld } from './src/migration/world.js';

let mongo: TestMongo;
let platform: MigrationPlatform;
/** Runs at each point of a migration. */
let atPoint: (point: string) => Promise<void>;
beforeAll(async () => {
  mongo = await startTestMongo();
  const settings = { leaseMs: 60_000, afterStep: (point: string) => atPoint(point) };
  platform = await startMigrationPlatform({ databases: mongo.databases, settings });
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

let world: MigrationWorld;
/** A dashboard with a visual, and the dashboard of the target project that it replaces. */
let ids: { source: string; visual: string; replaced: string; linked: string };
beforeEach(async () => {
  atPoint = async () => {};
  world = await makeWorld(platform);
  const [from, to] = [makers(platform, world.source), makers(platform, world.target)];
  const linking = (id: string) => ({ sheets: [{ frames: [{ visualId: id }] }] });
  const [visual, linked] = [await from.visual(null), await to.visual(null)];
  const source = await from.dashboard(linking(visual), { title: 'New' });
  ids = { source, visual, linked, replaced: await to.dashboard(linking(linked), { title: 'Former' }) };
});
afterEach(() => {
  atPoint = async () => {};
});

/** Copies the visual, unless a visual of the target project is given. */
const migrate = async (person: OrgUserPrincipal = world.source, visual: string | null = null) => {
  const migrated = await platform.call('lifecycle.migrations.migrate', person, {
    id: ids.source,
    targetProjectId: world.target.projectId,
    connectionMapping: {},
    visualMapping: { [ids.visual]: visual },
    replaceExistingId: ids.replaced,
  });
  if (!('migrationId' in migrated)) throw new Error('Nothing was migrated');
  return { id: migrated.migrationId, copy: migrated.createdResources.visuals[0]?.newId ?? '' };
};
const rollBack = (id: string, person: OrgUserPrincipal = world.source) =>
  platform.call('lifecycle.migrations.rollback', person, { id });
const readTitle = async () =>
  (await platform.call('access.dashboards.get', world.target, { id: ids.replaced })).dashboard.title;
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );

/** Runs a change once, when the next migration comes to a point. */
function changeAt(wanted: string, change: () => Promise<unknown>): void {
  atPoint = async (point) => {
    if (point !== wanted) return;
    atPoint = async () => {};
    await change();
  };
}

describe('the rollback of a migration that replaced a dashboard', () => {
  it('restores the content after the rollback of a later migration that changed nothing', async () => {
    const first = await migrate();
    const second = await migrate(world.source, first.copy);
    await rollBack(second.id);
    expect(await readTitle()).toBe('New');
    await rollBack(first.id);
    expect(await readTitle()).toBe('Former');
  });

  it('restores the content after a later migration that failed', async () => {
    const first = await migrate();
    changeAt('running', () =>
      platform.call('access.dashboards.update', world.source, { id: ids.source, title: 'Changed' }),
    );
    expect(await codeOf(migrate())).toBe('CONFLICT');
    await rollBack(first.id);
    expect(await readTitle()).toBe('Former');
  });

  it('is rejected if new readers would see a visual that only the former content links', async () => {
    const [author, reader] = [await addAuthor(world), await addAuthor(world)];
    await makers(platform, world.source).share(ids.source, author.userId, 'EDITOR');
    await makers(platform, world.target).share(ids.replaced, author.userId, 'EDITOR');
    const { id } = await migrate(author);
    await makers(platform, world.target).share(ids.replaced, reader.userId, 'VIEWER');
    const refused: unknown = await rollBack(id, author).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'CONFLICT', blockedBy: [{ id: ids.replaced }] });
    const { projectId } = world.target;
    const reading = platform.call('access.visuals.get', { ...reader, projectId }, { id: ids.linked });
    expect(await codeOf(reading)).toBe('NOT_FOUND');
    expect(await readTitle()).toBe('New');
  });

  it('undoes nothing if a new reader is added after the check', async () => {
    const reader = await addAuthor(world);
    const { id } = await migrate();
    changeAt('rollback', () => makers(platform, world.target).share(ids.replaced, reader.userId, 'VIEWER'));
    const before = await readProject(mongo.databases, world.target.projectId);
    const refused: unknown = await rollBack(id).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'CONFLICT', blockedBy: [{ id: ids.replaced }] });
    const migration = await findNewest(platform, world.source);
    expect(migration).toMatchObject({ id, status: 'completed' });
    expect(migration?.steps.map(({ state }) => state)).toEqual(['done', 'done', 'done']);
    const after = await readProject(mongo.databases, world.target.projectId);
    expect([...after.keys()]).toEqual([...before.keys()]);
    expect(await readTitle()).toBe('New');
  });

  it('is possible after a grant if the former content links no other visual', async () => {
    const reader = await addAuthor(world);
    const template = { sheets: [] };
    await platform.call('access.dashboards.update', world.target, { id: ids.replaced, template });
    const { id } = await migrate();
    await makers(platform, world.target).share(ids.replaced, reader.userId, 'VIEWER');
    await rollBack(id);
    expect(await readTitle()).toBe('Former');
  });
});

describe('a migration whose target dashboard is deleted', () => {
  const POINTS = ['running', 'recorded done verify', 'done replaceDashboard'];

  it.each(POINTS)('at %s fails or is completed, and does not block the next one', async (point) => {
    const { source, target } = world;
    changeAt(point, () => platform.call('access.dashboards.delete', target, { id: ids.replaced }));
    const isWritten = point === 'done replaceDashboard';
    expect(await codeOf(migrate())).toBe(isWritten ? null : 'CONFLICT');
    const migration = await findNewest(platform, source);
    expect(migration).toMatchObject({ status: isWritten ? 'completed' : 'failed' });
    const left = [...(await readProject(mongo.databases, target.projectId)).keys()];
    const copies = isWritten ? migration?.createdResources.visuals.map(({ newId }) => newId) : [];
    expect(left.toSorted()).toEqual([ids.linked, ...(copies ?? [])].toSorted());
    expect(await codeOf(migrate())).toBe('REPLACE_TARGET_NOT_FOUND');
  });
});

describe('a migration that reuses a visual', () => {
  it('fails if the visual is deleted after the plan was verified', async () => {
    const { source, target } = world;
    const reused = await makers(platform, target).visual(null);
    changeAt('recorded done verify', () => platform.call('access.visuals.delete', target, { id: reused }));
    expect(await codeOf(migrate(source, reused))).toBe('CONFLICT');
    expect(await findNewest(platform, source)).toMatchObject({ status: 'failed' });
    expect(await readTitle()).toBe('Former');
  });
});
