import type { SemanticDomainAccess } from '@gatehouse/contract';
import { readConfig, readQuotas } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seesDomain } from '../authorization/logic/domainAccess.js';
import { scanned } from '../testing/scanned.js';
import { DomainStore } from './store.js';

const NAMES = ['sales', 'stock', 'dom_sales'];
let mongo: TestMongo;
let store: DomainStore;

beforeAll(async () => {
  mongo = await startTestMongo();
  store = new DomainStore(mongo.databases.of('semantics'), readQuotas(readConfig({})));
  for (const name of NAMES) {
    const base = { organizationId: 'o_1', name, nameFolded: name, createdBy: null };
    const fields = { label: name, description: '', template: '{}', connectionIds: [] };
    await store.insert(
      'p_1',
      { _id: `dom_${name}`, ...base, ...fields },
      { events: [], now: new Date('2026-03-01T12:00:00Z') },
    );
  }
});
afterAll(() => mongo[Symbol.asyncDispose]());

describe('the whole domains of a project', () => {
  const lists = [['sales'], ['dom_stock'], ['dom_sales'], ['sales', 'stock'], ['absent']];
  it.each<SemanticDomainAccess | undefined>([
    undefined,
    { mode: 'all' },
    { mode: 'none' },
    ...lists.map((domains) => ({ mode: 'include' as const, domains })),
    ...lists.map((domains) => ({ mode: 'exclude' as const, domains })),
  ])('are read only if a token with access %j sees them', async (access) => {
    const all = await scanned(store.scanWhole('p_1'));
    expect(all.map(({ name }) => name)).toEqual(['dom_sales', 'sales', 'stock']);
    expect(await scanned(store.scanWhole('p_1', access))).toEqual(
      all.filter((domain) => seesDomain(access, domain)),
    );
  });
});
