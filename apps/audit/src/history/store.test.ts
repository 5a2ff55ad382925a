import { newId } from '@gatehouse/service';
import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HistoryFact } from './logic/facts.js';
import { HistoryStore, type IdPage } from './store.js';

const mongo = await startTestMongo();
afterAll(() => mongo[Symbol.asyncDispose]());
const store = new HistoryStore(mongo.databases.of('audit'));
const [organizationId, foreign] = [newId('organization'), newId('organization')];

const numbered = (prefix: string, index: number) => `${prefix}${String(index).padStart(5, '0')}`;
let made = 0;
const baseOf = (organization: string, record: string) => ({
  eventId: numbered('e', (made += 1)),
  organizationId: organization,
  record,
  sequence: String(made).padStart(12, '0'),
  time: new Date(),
  change: { kind: 'other' as const },
});
const resource = (record: string, organization = organizationId): HistoryFact => ({
  about: 'resource',
  fact: baseOf(organization, record),
});
const user = (userId: string): HistoryFact => ({
  about: 'user',
  fact: { ...baseOf(organizationId, `u:${userId}`), userId },
});

async function readAll(readPage: (afterId: string) => Promise<IdPage>): Promise<string[][]> {
  const pages: string[][] = [];
  for (let afterId: string | null = ''; afterId !== null;) {
    const page: IdPage = await readPage(afterId);
    pages.push(page.ids);
    afterId = page.nextAfterId;
  }
  return pages;
}

describe('the ids of an organization', () => {
  const few = Array.from({ length: 1200 }, (_, index) => numbered('d', index));
  beforeAll(async () => {
    await store.createIndexes();
    // One record has more facts than a page.
    const many = Array.from({ length: 1500 }, () => resource(numbered('d', 500)));
    const users = few.map((id) => user(id));
    const facts = [...few.map((id) => resource(id)), ...many, ...users, resource('d_foreign', foreign)];
    await Promise.all(facts.map((fact) => store.keep(fact)));
  });

  it('are read page by page, each once, whatever the number of facts of one record', async () => {
    const pages = await readAll((afterId) => store.listResourceIds(organizationId, afterId));
    expect(pages.flat()).toEqual(few);
    expect(pages.length).toBeGreaterThan(1);
    const ofUsers = await readAll((afterId) => store.listUserIds(organizationId, afterId));
    expect(ofUsers.flat()).toEqual(few);
  });

  it('end for an organization without facts', async () => {
    expect(await store.listUserIds(newId('organization'), '')).toEqual({ ids: [], nextAfterId: null });
  });
});
