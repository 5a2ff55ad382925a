import { readConfig, readQuotas } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { AggregationCursor } from 'mongodb';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { withDefinitions } from '../preview/readCandidates.js';
import { createIndexes, createStores, type Stores } from './stores.js';

const now = new Date('2026-03-01T12:00:00Z');
const written = { events: [], now };
const made = { organizationId: 'o_one', createdBy: null };
const ON = { projectId: 'p_one', connectionId: 'c_one' };
const ACTOR_KEYS = ['all', 't:one', 'u:one'];
const CONFIG_LENGTH = 100_000;

let mongo: TestMongo;
let stores: Stores;

const define = (projectId: string, id: string) =>
  stores.definitions.insert(
    projectId,
    {
      _id: id,
      ...made,
      connectionId: 'c_one',
      name: id,
      nameFolded: id,
      configs: { shown: 'x'.repeat(CONFIG_LENGTH), sealedSecrets: null },
    },
    written,
  );
const assign = (definitionId: string, actorKey: string, connectionId = 'c_one') =>
  stores.assignments.insert(
    ON.projectId,
    {
      _id: `${definitionId}_${actorKey}_${connectionId}`,
      ...made,
      definitionId,
      connectionId,
      scopeType: 'TENANT',
      actorId: actorKey,
      actorKey,
      params: null,
    },
    written,
  );

beforeAll(async () => {
  mongo = await startTestMongo();
  const database = mongo.databases.of('policy');
  await createIndexes(database);
  stores = createStores(database, readQuotas(readConfig({})));
  await define(ON.projectId, 'usd_one');
  await define(ON.projectId, 'usd_two');
  await define('p_two', 'usd_elsewhere');
  const deleted = await define(ON.projectId, 'usd_deleted');
  await stores.definitions.delete(ON.projectId, deleted, written);
  for (const id of ['usd_one', 'usd_two', 'usd_elsewhere', 'usd_deleted', 'usd_never'])
    for (const actorKey of ACTOR_KEYS) await assign(id, actorKey);
  await assign('usd_one', 't:two');
  await define(ON.projectId, 'usd_other');
  await assign('usd_other', 't:one', 'c_two');
});
afterAll(() => mongo[Symbol.asyncDispose]());

it('returns the same assignments and definitions as two queries do', async () => {
  const assigned = await stores.assignments.listAssigned(ON, ACTOR_KEYS);
  const candidates = await stores.assignments.listCandidates(ON.projectId, ON.connectionId, ACTOR_KEYS);
  expect(candidates).toHaveLength(15);
  // Only the outbox, which no reader uses, is in one of the two alone.
  expect(assigned).toMatchObject(await withDefinitions({ stores }, ON.projectId, candidates));
  expect(assigned.filter(({ definition }) => definition !== null)).toHaveLength(6);
});

it('reads a definition once for all of its assignments, in one query', async () => {
  const queries = vi.spyOn(AggregationCursor.prototype, 'toArray');
  try {
    await stores.assignments.listAssigned(ON, ACTOR_KEYS);
    expect(queries).toHaveBeenCalledTimes(1);
    const documents: unknown = await queries.mock.results[0]?.value;
    // Two definitions of three assignments each.
    expect(JSON.stringify(documents).length).toBeLessThan(3 * CONFIG_LENGTH);
  } finally {
    queries.mockRestore();
  }
});
