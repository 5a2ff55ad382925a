import { readConfig, readQuotas } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { Collection } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BYTES_MAX, TooLarge } from '../limits/logic/byteBudget.js';
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

const define = (projectId: string, id: string, shown = 'x'.repeat(CONFIG_LENGTH)) =>
  stores.definitions.insert(
    projectId,
    {
      _id: id,
      ...made,
      connectionId: 'c_one',
      name: id,
      nameFolded: id,
      configs: { shown, sealedSecrets: null },
    },
    written,
  );
const assign = (definitionId: string, actorKey: string, { projectId, connectionId } = ON) =>
  stores.assignments.insert(
    projectId,
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
  await assign('usd_other', 't:one', { ...ON, connectionId: 'c_two' });
});
afterAll(() => mongo[Symbol.asyncDispose]());

it('returns the same assignments and definitions as two queries do', async () => {
  const assigned = await stores.assignments.listAssigned(ON, ACTOR_KEYS);
  const { records } = await stores.assignments.readOfConnection(ON.projectId, ON.connectionId, 100);
  const candidates = records.filter(({ actorKey }) => ACTOR_KEYS.includes(actorKey));
  expect(candidates).toHaveLength(15);
  // Only the outbox, which no reader uses, is in one of the two alone.
  expect(assigned).toMatchObject(await withDefinitions({ stores }, ON.projectId, candidates));
  expect(assigned.filter(({ definition }) => definition !== null)).toHaveLength(6);
});

it('reads a definition once for all of its assignments, in one query', async () => {
  const queries = vi.spyOn(Collection.prototype, 'aggregate');
  try {
    await stores.assignments.listAssigned(ON, ACTOR_KEYS);
    expect(queries).toHaveBeenCalledTimes(1);
    const [pipeline] = queries.mock.calls[0] ?? [];
    const documents = await mongo.databases
      .of('policy')
      .collection('assignments')
      .aggregate(pipeline)
      .toArray();
    // Two definitions of three assignments each.
    expect(JSON.stringify(documents).length).toBeLessThan(3 * CONFIG_LENGTH);
  } finally {
    queries.mockRestore();
  }
});

describe('the policies of an actor', () => {
  const target = { projectId: 'p_large', connectionId: 'c_one' };
  const large = '-'.repeat(BYTES_MAX / 16);

  beforeAll(async () => {
    for (let index = 0; index < 20; index += 1) {
      await define(target.projectId, `usd_l${index}`, large);
      await assign(`usd_l${index}`, index < 10 ? 't:ten' : 't:others', target);
      await assign(`usd_l${index}`, 't:all', target);
    }
  });

  it('are rejected when they are larger than what is read for one request', async () => {
    const read = stores.assignments.listAssigned(target, ['t:all']);
    await expect(read).rejects.toBeInstanceOf(TooLarge);
    await expect(read).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      fieldErrors: [{ field: 'connectionId', message: expect.stringMatching(/^must .*16777216 bytes/) }],
    });
  });

  it('are read alone when those of all concurrent callers are too large together', async () => {
    const keys = ['t:ten', 't:others', 't:all'];
    const reads = keys.map((key) => stores.assignments.listAssigned(target, [key]));
    const outcomes = await Promise.allSettled(reads);
    expect(outcomes.map((each) => each.status === 'fulfilled' && each.value.length)).toEqual([10, 10, false]);
  });
});
