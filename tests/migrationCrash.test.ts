import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Migration } from '@gatehouse/contract';
import { newKey } from '@gatehouse/service';
import { removeDataDir, runGit, startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleProgram, KillablePlatforms } from './src/migration/killing.js';
import { findNewest, makeMigratable, readProject, type Migratable } from './src/migration/migratable.js';
import { startMigrationPlatform, type MigrationPlatform } from './src/migration/platform.mjs';
import { makers, makeWorld, type MigrationWorld } from './src/migration/world.js';

const LEASE_MS = 1000;
/** Several processes start, work and end one after the other. */
const KILLING_MS = 900_000;
const LOOKS_MAX = 2000;
const STEPS = ['createDomain', 'createDatamodel', 'createVisual 1', 'createVisual 2'];
const around = (state: string, steps: string[]) =>
  steps.flatMap((step) => [`${state} ${step}`, `recorded ${state} ${step}`]);
/** Every point of a migration at which a process may end, in their order. */
const pointsOf = (dashboardStep: string) => [
  'contents',
  'planned',
  'running',
  ...around('done', ['verify', ...STEPS, dashboardStep]),
  'completed',
];
const undoPointsOf = (dashboardStep: string) => [
  'rollback',
  ...around('undone', [dashboardStep, ...STEPS.toReversed()]),
  'undone',
];
const KINDS = { new: 'createDashboard', existing: 'replaceDashboard' } as const;
type Kind = keyof typeof KINDS;
const kinds = Object.keys(KINDS) as Kind[];

let mongo: TestMongo;
let folder: string;
let repositoryDir: string;
let platform: MigrationPlatform;
let killable: KillablePlatforms;
beforeAll(async () => {
  mongo = await startTestMongo();
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-migrations-'));
  repositoryDir = join(folder, 'repositories');
  const program = join(folder, 'killed.mjs');
  await bundleProgram(program);
  // It never sweeps: a migration continues only when a test starts a process for that.
  platform = await startMigrationPlatform({ databases: mongo.databases, repositoryDir });
  killable = new KillablePlatforms({ ...mongo, program, leaseMs: LEASE_MS, repositoryDir });
});
afterAll(async () => {
  await killable[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
  await removeDataDir(folder);
});

interface Case {
  world: MigrationWorld;
  migratable: Migratable;
  request: Migratable['request'] & { replaceExistingId?: string; commitMessage?: string };
  /** The target and the source project before the migration. */
  target: Map<string, object>;
  source: Map<string, object>;
}

async function prepare(kind: Kind): Promise<Case> {
  const world = await makeWorld(platform);
  const migratable = await makeMigratable(world);
  const existing = await makers(platform, world.target).dashboard({ sheets: [], own: 1 }, { tags: ['kept'] });
  const request = { ...migratable.request, ...(kind === 'existing' && { replaceExistingId: existing }) };
  const read = (projectId: string) => readProject(mongo.databases, projectId);
  const source = await read(world.source.projectId);
  return { world, migratable, request, target: await read(world.target.projectId), source };
}

/** The ids by which a run names the step, from the request: visuals are copied in dependency order. */
function pointOf(
  point: string,
  { domainMapping, datamodelMapping, visualMapping }: Migratable['request'],
): string {
  const [outer = '', inner = ''] = Object.keys(visualMapping);
  return point
    .replace('createDomain', `createDomain ${Object.keys(domainMapping)[0]}`)
    .replace('createDatamodel', `createDatamodel ${Object.keys(datamodelMapping)[0]}`)
    .replace('createVisual 1', `createVisual ${inner}`)
    .replace('createVisual 2', `createVisual ${outer}`);
}

/** Starts a process that continues the migrations of others, until none is left. */
async function restart(cases: Iterable<Case>): Promise<void> {
  await using restarted = await startMigrationPlatform({
    databases: mongo.databases,
    repositoryDir,
    settings: { leaseMs: LEASE_MS },
    sweepIntervalMs: 50,
  });
  const isEnded = async ({ world }: Case) => {
    const migration = await findNewest(restarted, world.source);
    return migration === null || migration.endedAt !== null;
  };
  for (const each of cases) {
    for (let looks = 0; !(await isEnded(each)); looks += 1) {
      if (looks > LOOKS_MAX) throw new Error('A migration is not carried to its end');
      await sleep(50);
    }
  }
}

/** Prepares a case for each point and kills a process there; then one new process finds them all. */
async function killAtEach(
  points: readonly string[],
  kill: (point: string) => Promise<Case>,
): Promise<Map<string, Case>> {
  const cases = new Map<string, Case>();
  for (const point of points) cases.set(point, await kill(point));
  await restart(cases.values());
  return cases;
}

/** The case of a point, and the result of its migration. */
async function endOf(cases: Map<string, Case>, point: string) {
  const prepared = cases.get(point);
  if (prepared === undefined) throw new Error(`Nothing was killed at ${point}`);
  return { prepared, migration: await findNewest(platform, prepared.world.source) };
}

async function expectMigrated({ world, request, target: before, source }: Case, migration: Migration | null) {
  expect(migration).toMatchObject({ status: 'completed', reason: null });
  if (migration === null) return;
  expect(migration.steps.map(({ state }) => state)).toEqual(migration.steps.map(() => 'done'));
  expect(await readProject(mongo.databases, world.source.projectId)).toEqual(source);
  const after = await readProject(mongo.databases, world.target.projectId);
  const { domains, datamodels, visuals } = migration.createdResources;
  const made = [...domains, ...datamodels, ...visuals].map(({ newId }) => newId);
  const isNew = request.replaceExistingId === undefined;
  expect(made).toHaveLength(4);
  const expected = [...before.keys(), ...made, ...(isNew ? [migration.targetDashboardId] : [])];
  expect([...after.keys()].toSorted()).toEqual(expected.toSorted());
  const read = { id: migration.targetDashboardId };
  const { dashboard } = await platform.call('access.dashboards.get', world.target, read);
  const text = JSON.stringify(dashboard.template);
  expect(text).toContain(
    String(visuals.find(({ sourceId }) => sourceId === Object.keys(request.visualMapping)[0])?.newId),
  );
  expect(dashboard).toMatchObject({ version: isNew ? 1 : 2, tags: isNew ? ['one'] : ['kept'] });
}

/** The metadata of a restored dashboard: when, and by what, it was written. */
const PAST = ['version', 'updatedAt', 'replacedBy', 'abandonedBy', 'eventCount'];
const withoutPast = (project: Map<string, object>) =>
  [...project].map(([id, fields]) => [
    id,
    Object.fromEntries(Object.entries(fields).filter(([key]) => !PAST.includes(key))),
  ]);

async function expectNothingLeft({ world, target }: Case) {
  const { databases } = mongo;
  expect(withoutPast(await readProject(databases, world.target.projectId))).toEqual(withoutPast(target));
}

describe.each(kinds)('a migration to %s dashboard', (kind) => {
  const step = KINDS[kind];

  it('passes every point that is tested below', async () => {
    const prepared = await prepare(kind);
    const { world, request } = prepared;
    const call = { caller: world.source, killAt: null };
    const migrated = await killable.call({ ...call, path: 'lifecycle.migrations.migrate', input: request });
    const named = (points: string[]) => points.map((point) => pointOf(point, request));
    expect(migrated.points).toEqual(named(pointsOf(step)));
    const id = String(migrated.answer?.['migrationId']);
    await expectMigrated(prepared, await findNewest(platform, world.source));
    const back = await killable.call({ ...call, path: 'lifecycle.migrations.rollback', input: { id } });
    expect(back.points).toEqual(named(undoPointsOf(step)));
    await expectNothingLeft(prepared);
  });

  /** Kills a process at a point of a migration. */
  async function killMigration(point: string): Promise<Case> {
    const prepared = await prepare(kind);
    const { world, request } = prepared;
    const call = { path: 'lifecycle.migrations.migrate', caller: world.source, input: request } as const;
    const { wasKilled } = await killable.call({ ...call, killAt: pointOf(point, request) });
    if (!wasKilled) throw new Error(`Nothing came by ${point}`);
    return prepared;
  }

  describe('killed at', () => {
    let cases: Map<string, Case>;
    beforeAll(async () => {
      cases = await killAtEach(pointsOf(step), killMigration);
    }, KILLING_MS);

    it.each(pointsOf(step))('%s is completed, or leaves nothing', async (point) => {
      const { prepared, migration } = await endOf(cases, point);
      // A migration that is not stored has not begun.
      if (point !== 'contents') return expectMigrated(prepared, migration);
      expect(migration).toBeNull();
      await expectNothingLeft(prepared);
    });
  });

  describe('whose source has changed since it was killed at', () => {
    // If the kinds do not differ, one is enough.
    const tried = kind === 'new' ? /^(planned|running|done)/ : /^(planned|done .*Dashboard)/;
    const points = pointsOf(step).filter((point) => tried.test(point));
    let cases: Map<string, Case>;
    beforeAll(async () => {
      cases = await killAtEach(points, async (point) => {
        const prepared = await killMigration(point);
        const { world, migratable } = prepared;
        const change = { id: migratable.id, title: `New ${newKey()}` };
        await platform.call('access.dashboards.update', world.source, change);
        return prepared;
      });
    }, KILLING_MS);

    it.each(points)('%s leaves nothing', async (point) => {
      const { prepared, migration } = await endOf(cases, point);
      expect(migration).toMatchObject({ status: 'failed' });
      await expectNothingLeft(prepared);
    });
  });

  describe('whose rollback is killed at', () => {
    let cases: Map<string, Case>;
    beforeAll(async () => {
      cases = await killAtEach(undoPointsOf(step), async (point) => {
        const prepared = await prepare(kind);
        const { world, request } = prepared;
        const answer = await platform.call('lifecycle.migrations.migrate', world.source, request);
        const id = 'migrationId' in answer ? answer.migrationId : '';
        const call = { path: 'lifecycle.migrations.rollback', caller: world.source, input: { id } } as const;
        const { wasKilled } = await killable.call({ ...call, killAt: pointOf(point, request) });
        if (!wasKilled) throw new Error(`Nothing came by ${point}`);
        return prepared;
      });
    }, KILLING_MS);

    it.each(undoPointsOf(step))('%s is rolled back', async (point) => {
      const { prepared, migration } = await endOf(cases, point);
      expect(migration).toMatchObject({ status: 'rolled_back' });
      await expectNothingLeft(prepared);
    });
  });
});

describe('a migration whose dashboard is committed', () => {
  const points = [...around('done', ['createDashboard', 'commit']), 'completed'];

  async function prepareCommitted(): Promise<Case> {
    const prepared = await prepare('new');
    await platform.call('lifecycle.versionControl.put', prepared.world.target, { commitOnSave: 'optional' });
    return { ...prepared, request: { ...prepared.request, commitMessage: 'Moved here' } };
  }

  const git = ({ world: { target } }: Case, ...told: string[]) =>
    runGit(join(repositoryDir, target.organizationId, `${target.projectId}.git`), ...told);

  let cases: Map<string, Case>;
  beforeAll(async () => {
    cases = await killAtEach(points, async (point) => {
      const prepared = await prepareCommitted();
      const { world, request } = prepared;
      const call = { path: 'lifecycle.migrations.migrate', caller: world.source, input: request } as const;
      const { wasKilled } = await killable.call({ ...call, killAt: point });
      if (!wasKilled) throw new Error(`Nothing came by ${point}`);
      return prepared;
    });
  }, KILLING_MS);

  it.each(points)('and that is killed at %s is completed, with one commit', async (point) => {
    const { prepared, migration } = await endOf(cases, point);
    await expectMigrated(prepared, migration);
    const head = (await git(prepared, 'rev-parse', 'main')).trim();
    expect(migration?.versionControl).toMatchObject({ status: 'committed', commitSha: head });
    expect((await git(prepared, 'log', '--format=%s', 'main')).trim()).toBe('Moved here');
    expect((await git(prepared, 'fsck', '--strict', '--no-dangling')).trim()).toBe('');
  });
});
