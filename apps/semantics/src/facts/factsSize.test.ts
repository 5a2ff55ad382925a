import { type Callers, callersOf, newGround } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';

const { platform, databases } = await usePlatform(startPlatform);
const { facts, domains, datamodels, connections, copies } = platform.semantics;
let us: Callers;
beforeEach(() => {
  us = callersOf(newGround());
});

const MIB = 1024 * 1024;
/** A template of about 4 MiB. */
const large = {
  datasets: [{ name: 'a', table: 'a' }],
  calculatedFields: Array.from({ length: 419 }, (_, n) => ({
    dataset: 'a',
    name: `f_${n}`,
    expression: 'x'.repeat(10_000),
  })),
};
const catalog = { schemas: [{ name: 'main', tables: [{ name: 'a', columns: [] }] }] };

async function createDomain(letters: string): Promise<string> {
  const context = await platform.as(us.orgAdmin);
  const { domain } = await domains.create.mutate({ name: letters }, { context });
  await domains.putTemplate.mutate({ domainId: domain.id, ...large }, { context });
  return domain.id;
}

async function createConnection(name = 'Warehouse'): Promise<string> {
  const fields = { name, type: 'static' as const, config: { dialect: 'duckdb' as const }, catalog };
  const context = await platform.as(us.orgAdmin);
  return (await connections.create.mutate(fields, { context })).connection.id;
}

/** Stores versions of a catalog whose changes have one rename and this many bytes, as introspections do. */
async function addVersions(connectionId: string, count: number, bytes: number): Promise<void> {
  const { projectId, organizationId } = us.orgAdmin;
  const rename = { kind: 'columnRenamed', schema: 'main', table: 'a', from: 'b', to: 'c' };
  const unpadded = JSON.stringify([{ ...rename, column: '' }]).length;
  const changes = JSON.stringify([{ ...rename, column: 'x'.repeat(bytes - unpadded) }]);
  const versions = Array.from({ length: count }, (_, n) => ({
    _id: `${connectionId}_${n + 2}`,
    organizationId,
    projectId,
    connectionId,
    version: n + 2,
    catalog: '{"schemas":[]}',
    changes,
    hasRenames: true,
    readAt: new Date(),
  }));
  const database = databases.of('semantics');
  for (const version of versions) await database.collection<{ _id: string }>('catalogs').insertOne(version);
  const entries = versions.map(({ _id: key, version, readAt }) => {
    return { key, version, readAt, digest: key, bytes: 100, areChangesKept: true };
  });
  const push = { $push: { catalogs: { $each: entries } } } as object;
  await database.collection<{ _id: string }>('connections').updateOne({ _id: connectionId }, push);
}

const load = async (query: Parameters<typeof facts.load.query>[0], by = us.orgAuthor) =>
  facts.load.query(query, { context: await platform.as(by) });

describe('the facts of a project with large templates', () => {
  it('are rejected above 32 MiB, whichever records have them, and never loaded in part', async () => {
    const ids = [];
    for (const name of ['a', 'b', 'c', 'd']) ids.push(await createDomain(name));
    const connectionId = await createConnection();
    const context = await platform.as(us.orgAdmin);
    const createModel = (name: string) =>
      datamodels.create.mutate({ name, connectionId, template: large }, { context });
    const models = [];
    for (const name of ['e', 'f', 'g']) models.push((await createModel(name)).datamodel.id);
    expect((await load({})).domains.map(({ id }) => id)).toEqual(ids);
    models.push((await createModel('h')).datamodel.id);
    const { code, message } = await platform.rejectionOf(() => load({}));
    expect(code).toBe('INVALID_REQUEST');
    expect(message).toMatch(/must have 33554432 bytes or fewer/);
    // A caller who reads domains only needs less than the limit.
    expect((await load({}, us.tenantViewer)).domains).toHaveLength(4);
    const named = { connectionIds: [], assistantProfileIds: [], domainIds: ids, datamodelIds: models };
    const copy = () => copies.source.query(named, { context });
    expect((await platform.rejectionOf(copy)).message).toBe(message);
  });
});

describe('the facts of a project with large changes of catalogs', () => {
  it('have the renames of as many catalogs as fit, and of each all or none', async () => {
    const ids = [await createConnection('A'), await createConnection('B'), await createConnection('C')];
    for (const id of ids) await addVersions(id, 6, 2 * MIB);
    const known: { connectionId: string; catalogVersion: number }[] = [];
    const received = [];
    for (let round = 0; round < 2; round += 1) {
      const loaded = (await load({ known })).connections.filter(({ renames }) => renames !== undefined);
      received.push(loaded.map(({ name, renames }) => [name, renames?.length]));
      for (const { id, catalogVersion } of loaded)
        if (catalogVersion !== null) known.push({ connectionId: id, catalogVersion });
    }
    expect(received).toEqual([
      [
        ['A', 6],
        ['B', 6],
      ],
      [['C', 6]],
    ]);
  });

  it('are rejected when the changes since a moment have more than 64 MiB', async () => {
    const ids = [await createConnection('A'), await createConnection('B')];
    for (const id of ids) await addVersions(id, 17, 2 * MIB);
    const known = ids.map((connectionId) => ({ connectionId, catalogVersion: 18 }));
    const { code, message } = await platform.rejectionOf(() =>
      load({ known, changedSince: '2020-01-01T00:00:00Z' }),
    );
    expect([code, message]).toEqual([
      'INVALID_REQUEST',
      'changedSince must be later: the catalogs that changed since then have more than 67108864 bytes ' +
        'of JSON',
    ]);
    const { connections: later } = await load({ known, changedSince: '2999-01-01T00:00:00Z' });
    expect(later.map(({ changedTables }) => changedTables)).toEqual([[], []]);
  });
});
