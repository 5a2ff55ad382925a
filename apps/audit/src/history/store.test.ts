import { newId, ScopedCollection } from '@gatehouse/service';
import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { HistoryFact, PastShare } from './logic/facts.js';
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

describe('facts with long lists', () => {
  const organization = newId('organization');
  const userKeys = Array.from({ length: 500 }, (_, index) => numbered('u:', index));
  const shareWith = (subject: string): PastShare => ({
    id: `sh_${subject}`,
    scope: 'specific_org_user',
    role: 'VIEWER',
    subject,
    expiresAt: null,
  });
  const shares = userKeys.map((key) => shareWith(key));
  const ofResource = (change: (HistoryFact & { about: 'resource' })['fact']['change']): HistoryFact => ({
    about: 'resource',
    fact: { ...baseOf(organization, 'd_1'), change },
  });
  beforeAll(async () => {
    const facts: HistoryFact[] = [
      ofResource({ kind: 'granted', shares }),
      ofResource({ kind: 'other' }),
      ofResource({ kind: 'withdrawn', shares: shares.slice(0, 250) }),
      { about: 'group', fact: { ...baseOf(organization, 'grp_1'), change: { kind: 'joined', userKeys } } },
      { about: 'group', fact: { ...baseOf(organization, 'grp_1'), change: { kind: 'deleted' } } },
    ];
    for (const fact of facts) await store.keep(fact);
  });

  /** What a scan returns, and whether the engine compared the entries of the lists. */
  async function scanned<T>(scan: () => AsyncIterable<T>): Promise<{ facts: T[]; isByEngine: boolean }> {
    const scans = vi.spyOn(ScopedCollection.prototype, 'scan');
    const facts: T[] = [];
    for await (const fact of scan()) facts.push(fact);
    const isByEngine = JSON.stringify(scans.mock.calls).includes('$filter');
    scans.mockRestore();
    return { facts, isByEngine };
  }
  const others = Array.from({ length: 5000 }, (_, index) => numbered('other', index));
  const wanted = ['u:00003', 'u:00300'];

  it('contain only the wanted shares, which the engine compares with few subjects alone', async () => {
    const scan = (subjects: string[]) => () => store.scanResourceFacts(organization, ['d_1'], subjects);
    const [few, many] = [await scanned(scan(wanted)), await scanned(scan([...wanted, ...others]))];
    const subjectsOf = ({ facts }: typeof few) =>
      facts.map(({ change }) => ('shares' in change ? change.shares.map(({ subject }) => subject) : []));
    expect(subjectsOf(few)).toEqual([wanted, [], ['u:00003']]);
    expect(subjectsOf(many)).toEqual(subjectsOf(few));
    expect([few.isByEngine, many.isByEngine]).toEqual([true, false]);
  });

  it('contain only the wanted users, which the engine compares with few keys alone', async () => {
    const scan = (keys: string[]) => () => store.scanGroupFacts(organization, keys);
    const [few, many] = [await scanned(scan(wanted)), await scanned(scan([...wanted, ...others]))];
    const keysOf = ({ facts }: typeof few) =>
      facts.map(({ change }) => ('userKeys' in change ? change.userKeys : change.kind));
    expect(keysOf(few)).toEqual([wanted, 'deleted']);
    expect(keysOf(many)).toEqual(keysOf(few));
    expect([few.isByEngine, many.isByEngine]).toEqual([true, false]);
  });
});
