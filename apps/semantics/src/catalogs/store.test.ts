import { startTestMongo } from '@gatehouse/testing';
import { afterAll, expect, it } from 'vitest';
import { CatalogStore } from './store.js';

const mongo = await startTestMongo();
afterAll(() => mongo[Symbol.asyncDispose]());

const versionOf = (key: string) => ({
  _id: key,
  organizationId: 'o_one',
  connectionId: 'c_one',
  version: 1,
  catalog: '{}',
  changes: null,
  hasRenames: false,
  readAt: new Date(),
});

it('the quota of a deleted catalog is available immediately', async () => {
  const limits = { records: 2, bytes: 0, tenantPercent: 0 };
  const store = new CatalogStore(mongo.databases.of('semantics'), () => limits);
  await store.insert('p_one', versionOf('k_one'));
  await store.insert('p_one', versionOf('k_two'));
  const full = { code: 'QUOTA_EXCEEDED' };
  await expect(store.insert('p_one', versionOf('k_three'))).rejects.toMatchObject(full);
  await store.delete('p_one', ['k_one', 'k_none']);
  await store.insert('p_one', versionOf('k_three'));
  await store.delete('p_one', ['k_one']);
  await expect(store.insert('p_one', versionOf('k_four'))).rejects.toMatchObject(full);
});
