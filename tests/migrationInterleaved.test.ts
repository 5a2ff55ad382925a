import type { MigrationResult } from '@gatehouse/contract';
import { findAnomalies, sampleOf, startTestMongo } from '@gatehouse/testing';
import { afterAll, expect, it } from 'vitest';
import {
  CHANGES,
  createInterleavedWorld,
  migrateTo,
  rollBack,
  type InterleavedWorld,
  type Operation,
} from './src/migration/interleavedWorld.js';
import { readProject } from './src/migration/migratable.js';
import { startMigrationPlatform } from './src/migration/platform.mjs';

const mongo = await startTestMongo();
const variables = { QUOTA_PROJECTS: '100000', QUOTA_ORG_USERS: '100000' };
const platform = await startMigrationPlatform({ databases: mongo.databases, variables });
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

/** The operations that run in many steps, and what has to be there before. */
const STEPWISE: Record<string, { run: Operation; isMigrated: boolean }> = {
  'a copy': { run: migrateTo('new', 'source'), isMigrated: false },
  'a replacement': { run: migrateTo('replaced', 'source'), isMigrated: false },
  'a replacement by an AUTHOR': { run: migrateTo('replaced', 'author'), isMigrated: false },
  'a rollback': { run: rollBack, isMigrated: true },
};

async function createWorld(isMigrated: boolean): Promise<InterleavedWorld> {
  const world = await createInterleavedWorld(platform);
  if (!isMigrated) return world;
  const { migrationId, createdResources } = (await migrateTo('replaced', 'source')(world)) as MigrationResult;
  const copied = createdResources.datamodels[0]?.newId ?? '';
  return { ...world, migrationId, ids: { ...world.ids, copied } };
}

/** The content of a record and its readers. Its version and times depend on how often it was written. */
function contentOf(fields: object): unknown {
  const { name, title, label, description, tags, isPrivate, ownerKey, shares, ...rest } = fields as Record<
    string,
    unknown
  >;
  const { body, template, linkedVisualIds, connectionId, connectionIds } = rest;
  const named = { name, title, label, description, tags, isPrivate, ownerKey, shares };
  return { ...named, body, template, linkedVisualIds, connectionId, connectionIds };
}

/** The records of both projects, and what the AUTHOR sees in the target. */
async function stateOf(world: InterleavedWorld): Promise<unknown> {
  const { source, target, author } = world;
  const projects = await Promise.all(
    [source, target].map(({ projectId }) => readProject(mongo.databases, projectId)),
  );
  const records = projects.map((each) =>
    [...each.values()].map((fields) => textOf(contentOf(fields), world)).toSorted(),
  );
  const inTarget = { ...author, projectId: target.projectId };
  const { dashboards } = await platform.call('access.dashboards.list', inTarget, { sort: 'title' });
  const { visuals } = await platform.call('access.visuals.list', inTarget, { sort: 'title' });
  return { records, seen: [dashboards, visuals].map((each) => each.map(({ title }) => title)) };
}

const VARYING = new Set(['secret', 'planHash', 'version', 'commitUrl']);

function textOf(value: unknown, { ids, source, target, author }: InterleavedWorld): string {
  const people = { source: source.projectId, target: target.projectId, author: author.userId };
  const named = Object.entries({ ...ids, ...people, authorKey: author.userKey });
  const text = JSON.stringify(value, (key, each: unknown) =>
    key.endsWith('At') || VARYING.has(key) ? undefined : each,
  );
  const known = named.reduce((left, [name, id]) => left.replaceAll(id, `the ${name}`), text ?? '');
  return known.replaceAll(/\b(?:c|d|dm|dom|mig|sh|v)_[\w-]{16}/g, 'another id');
}

/**
 * Opposite replacements swap the contents, as each plan states. A rollback keeps a copy that was changed
 * after its check, and reports that.
 */
const isExcepted = (outer: string, inner: string) =>
  (outer.startsWith('a replacement') && inner === 'the opposite migration') ||
  (outer === 'a rollback' && inner === 'an edit of the copied model');
const pairs = Object.keys(STEPWISE)
  .flatMap((outer) => Object.keys(CHANGES).map((inner) => ({ outer, inner })))
  .filter(({ outer, inner }) => !isExcepted(outer, inner));

it.each(sampleOf(pairs, 12))('$outer during $inner is as before or after it', async ({ outer, inner }) => {
  const { run, isMigrated } = STEPWISE[outer] as (typeof STEPWISE)[string];
  const both = { outer: run, inner: CHANGES[inner] as Operation };
  const found = await findAnomalies({ createWorld: () => createWorld(isMigrated), ...both, stateOf, textOf });
  expect(found.runs).toBeGreaterThan(0);
  expect(found).toEqual({ ...found, anomalies: [] });
});
