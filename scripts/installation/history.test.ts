import {
  DatabaseWriter,
  readDatabases,
  type ArchivedDatabase,
  type ArchiveItem,
  type Databases,
} from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dropLaterFacts } from './history.mjs';
import { LOG, RECORDS } from './plan.mjs';

let source: TestMongo;
let target: TestMongo;
beforeAll(async () => {
  [source, target] = [await startTestMongo(), await startTestMongo()];
});
afterAll(async () => {
  await source[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});

const PLACES = {
  historyResources: ['access', 'dashboards'],
  historyUsers: ['directory', 'tenantUsers'],
  historyGroups: ['directory', 'groups'],
} as const;
type Facts = keyof typeof PLACES;

/** Applies the next change to a record, and stores its fact, as the services do. */
async function change(databases: Databases, facts: Facts, { id, kind }: { id: string; kind: string }) {
  const [database, collection] = PLACES[facts];
  const records = databases.of(database).collection<{ _id: string; eventCount: number }>(collection);
  const update = { $inc: { eventCount: 1 } };
  const after = await records.findOneAndUpdate({ _id: id }, update, {
    upsert: true,
    returnDocument: 'after',
  });
  if (kind === 'deleted') await records.deleteOne({ _id: id });
  const sequence = String(after?.eventCount).padStart(12, '0');
  const fact = { organizationId: 'o_1', record: id, sequence, change: { kind } };
  await databases
    .of('audit')
    .collection<{ _id: string }>(facts)
    .insertOne({ _id: `${id} ${sequence}`, ...fact });
}

async function readAll(plan: readonly ArchivedDatabase[]): Promise<ArchiveItem[]> {
  const items: ArchiveItem[] = [];
  for await (const item of readDatabases(source.databases, plan)) items.push(item);
  return items;
}

it('a restore has no fact of a change that came after its records were read', async () => {
  const all = Object.keys(PLACES) as Facts[];
  for (const facts of all) {
    await change(source.databases, facts, { id: 'kept', kind: 'state' });
    await change(source.databases, facts, { id: 'kept', kind: 'other' });
    await change(source.databases, facts, { id: 'deleted', kind: 'state' });
    await change(source.databases, facts, { id: 'deleted', kind: 'deleted' });
    await change(source.databases, facts, { id: 'deleted later', kind: 'state' });
  }
  const records = await readAll(RECORDS);
  for (const facts of all) {
    await change(source.databases, facts, { id: 'kept', kind: 'other' });
    await change(source.databases, facts, { id: 'deleted later', kind: 'deleted' });
    await change(source.databases, facts, { id: 'created later', kind: 'state' });
  }
  const writer = new DatabaseWriter(target.databases);
  for (const item of [...records, ...(await readAll(LOG))]) await writer.write(item);
  await writer.flush();
  await dropLaterFacts(target.databases);
  for (const facts of all) {
    const found = await target.databases
      .of('audit')
      .collection<{ _id: string }>(facts)
      .find()
      .sort({ _id: 1 })
      .toArray();
    expect(found.map(({ _id }) => _id)).toEqual([
      'deleted 000000000001',
      'deleted 000000000002',
      'deleted later 000000000001',
      'kept 000000000001',
      'kept 000000000002',
    ]);
  }
});

it('a restore of more records than are read at once keeps their facts', async () => {
  const count = 1100;
  const ids = Array.from({ length: count }, (_, index) => `g${String(index).padStart(5, '0')}`);
  const facts = ids.map((record) => ({
    _id: record,
    organizationId: 'o_2',
    record,
    sequence: '000000000001',
    change: { kind: 'other' },
  }));
  type Text = { _id: string };
  await target.databases.of('audit').collection<Text>('historyGroups').insertMany(facts);
  const groups = ids.slice(1).map((_id) => ({ _id, eventCount: 1 }));
  await target.databases.of('directory').collection<Text>('groups').insertMany(groups);
  await dropLaterFacts(target.databases);
  const left = target.databases.of('audit').collection('historyGroups');
  expect(await left.countDocuments({ organizationId: 'o_2' })).toBe(count - 1);
});
