import { readConfig, readQuotas, WriteConflict } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssignmentDocument, DefinitionDocument, TestDocument } from './documents.js';
import { createIndexes, createStores, type Stores } from './stores.js';

const now = new Date('2026-03-01T12:00:00Z');
const written = { events: [], now };
const HERE = 'p_one';
const ELSEWHERE = ['p_two', ''];

let mongo: TestMongo;
let stores: Stores;
let definition: DefinitionDocument;
let assignment: AssignmentDocument;
let test: TestDocument;

beforeAll(async () => {
  mongo = await startTestMongo();
  const database = mongo.databases.of('policy');
  await createIndexes(database);
  stores = createStores(database, readQuotas(readConfig({})));
  const made = { organizationId: 'o_one', createdBy: null };
  const named = { name: 'Name', nameFolded: 'name' };
  const shown = { shown: '{}', sealedSecrets: null };
  const ofConnection = { connectionId: 'c_one' };
  definition = await stores.definitions.insert(
    HERE,
    { _id: 'usd_one', ...made, ...named, ...ofConnection, configs: shown },
    written,
  );
  const actor = { scopeType: 'TENANT', actorId: 't_one', actorKey: 't:one' } as const;
  const ofDefinition = { definitionId: 'usd_one' };
  assignment = await stores.assignments.insert(
    HERE,
    { _id: 'usa_one', ...made, ...ofDefinition, ...ofConnection, ...actor, params: null },
    written,
  );
  const content = { sql: 'select 1', runtimeParams: null, sampleData: null, expectation: '{}' };
  test = await stores.tests.insert(
    HERE,
    { _id: 'ust_one', ...made, ...named, ...ofDefinition, actor: { kind: 'ALL_TENANTS' }, ...content },
    written,
  );
});
afterAll(() => mongo[Symbol.asyncDispose]());

const ALL = { limit: 100 };
async function readAll<T>(records: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const record of records) found.push(record);
  return found;
}
const recordsOf = <T>({ records }: { records: T[] }) => records;

/**
 * The result of each store function in a place, which is a project, or an organization if the function takes
 * one.
 */
const READS: Record<string, (place: string) => Promise<unknown>> = {
  'definitions.find': (place) => stores.definitions.find(place, 'usd_one'),
  'definitions.get': (place) => stores.definitions.get(place, 'usd_one').catch(() => null),
  'definitions.listByIds': (place) => stores.definitions.listByIds(place, ['usd_one']),
  'definitions.list': (place) => stores.definitions.list(place, {}, ALL).then(recordsOf),
  'definitions.listHeads': (place) => stores.definitions.listHeads(place, ['usd_one']),
  'definitions.readOfConnection': (place) =>
    stores.definitions.readOfConnection(place, 'c_one', 10).then(recordsOf),
  'definitions.listOfConnection': (place) => stores.definitions.listOfConnection(place, 'c_one', 10),
  'definitions.scanIds': (place) => readAll(stores.definitions.scanIds(place, 'c_one')),
  'definitions.hasAnyOf': (place) => stores.definitions.hasAnyOf(place, 'c_one'),
  'assignments.list': (place) => stores.assignments.list(place, {}, ALL).then(recordsOf),
  'assignments.listDefinitionIds': (place) =>
    stores.assignments.listDefinitionIds(place, { actorKey: 't:one' }),
  'assignments.listAssigned': (place) =>
    stores.assignments.listAssigned({ projectId: place, connectionId: 'c_one' }, ['t:one']),
  'assignments.scanIds': (place) => readAll(stores.assignments.scanIds(place, { connectionId: 'c_one' })),
  'assignments.readOfConnection': (place) =>
    stores.assignments.readOfConnection(place, 'c_one', 10).then(recordsOf),
  'definitions.readByIds': (place) => stores.definitions.readByIds(place, ['usd_one']).then(recordsOf),
  'assignments.readOfActors': (place) =>
    stores.assignments.readOfActors({ projectId: place, connectionId: 'c_one' }, ['t:one']).then(recordsOf),
  'assignments.listActorKeys': (place) => stores.assignments.listActorKeys(place, 'usd_one', 10),
  'assignments.listOfDefinition': (place) => stores.assignments.listOfDefinition(place, 'usd_one', 10),
  'assignments.findOfActor': (place) => stores.assignments.findOfActor(place, 'usd_one', 't:one'),
  'assignments.scanOfActor': (place) =>
    readAll(stores.assignments.scanOfActor(place === HERE ? 'o_one' : place, 't:one')),
  'assignments.listActors': (place) =>
    stores.assignments.listActors(place, 'c_one', { afterKey: undefined, limit: 10 }),
  'assignments.countByDefinition': async (place) => [
    ...(await stores.assignments.countByDefinition(place, ['usd_one'])),
  ],
  'assignments.countOfDefinition': (place) => stores.assignments.countOfDefinition(place, 'usd_one'),
  'tests.list': (place) => stores.tests.list(place, 'usd_one', ALL).then(recordsOf),
  'tests.listHeads': (place) => stores.tests.listHeads(place, 'usd_one'),
  'tests.countOfDefinition': (place) => stores.tests.countOfDefinition(place, 'usd_one'),
};

/** Stores whose documents nothing reads but the relay. */
const WRITTEN_ONLY = ['compilations.insert'];

const isNothing = (found: unknown) =>
  found === null || found === false || found === 0 || (Array.isArray(found) && found.length === 0);

describe('a store', () => {
  it('has no function outside this suite', () => {
    const writes = ['insert', 'update', 'delete', 'touch'];
    const own = Object.entries(stores).flatMap(([name, store]) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(store)).map((method) => `${name}.${method}`),
    );
    const shared = Object.getOwnPropertyNames(Object.getPrototypeOf(Object.getPrototypeOf(stores.tests)));
    const known = ['find', 'get', 'listByIds', ...writes, 'constructor'];
    expect(shared.filter((method) => !known.includes(method))).toEqual([]);
    const covered = [...Object.keys(READS), ...WRITTEN_ONLY];
    expect(own.filter((method) => !method.endsWith('.constructor') && !covered.includes(method))).toEqual([]);
  });

  it.each(Object.entries(READS))('%s finds records only in their own place', async (_, read) => {
    expect(isNothing(await read(HERE))).toBe(false);
    for (const place of ELSEWHERE) expect(isNothing(await read(place))).toBe(true);
  });

  it('writes nothing in another place', async () => {
    for (const place of ELSEWHERE) {
      expect(await stores.definitions.touch(place, 'usd_one')).toBe(false);
      const { definitions, assignments, tests } = stores;
      const writes = [
        () => definitions.update(place, definition, { ...written, set: { name: 'Other' } }),
        () => definitions.delete(place, definition, written),
        () => assignments.update(place, assignment, { ...written, set: { actorKey: 't:two' } }),
        () => assignments.delete(place, assignment, written),
        () => tests.delete(place, test, written),
      ];
      for (const write of writes) await expect(write()).rejects.toBeInstanceOf(WriteConflict);
    }
    expect(await stores.definitions.get(HERE, 'usd_one')).toMatchObject({ name: 'Name', revision: 1 });
  });

  it('refuses a write based on an earlier revision', async () => {
    const current = await stores.definitions.get(HERE, 'usd_one');
    expect(await stores.definitions.touch(HERE, 'usd_one')).toBe(true);
    const late = stores.definitions.update(HERE, current, { ...written, set: { name: 'Late' } });
    await expect(late).rejects.toBeInstanceOf(WriteConflict);
    await expect(stores.definitions.delete(HERE, current, written)).rejects.toBeInstanceOf(WriteConflict);
  });
});
