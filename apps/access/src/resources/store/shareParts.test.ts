import { ACCESS_LEVELS, type AccessLevel, type ShareScope } from '@gatehouse/contract';
import { newKey, readConfig, readQuotas, runCall, ScopedCollection, WriteConflict } from '@gatehouse/service';
import { randomRuns, startTestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import { MongoClient, type Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ShareFacts } from '../../decisions/logic/access.js';
import type { Share } from '../../sharing/logic/grants.js';
import { newResource } from '../../testing/newResource.js';
import {
  isSingleUser,
  PART_SHARES,
  parseParts,
  partShares,
  placeOf,
  WITH_PARTS,
} from '../logic/partedShares.js';
import type { ListedParts, ResourceDocument, ResourceHeader } from './document.js';
import { openAccessStores, type AccessStores } from './openStores.js';
import { packShares } from './packedShares.js';
import {
  completeReaching,
  findListedIds,
  findPartedIds,
  findUserParts,
  listedProjection,
  type MaybeParted,
} from './reachingShares.js';
import { pageProjection, unpackResources, type PackedResource } from './seen.js';
import { createShareParts, partFields, type PendingChange, type SharePartDocument } from './shareParts.js';
import { replaceParts } from './shareWrites.js';

const PROJECT = 'p_one';
const ORGANIZATION = 'o_one';
const now = new Date('2026-03-01T12:00:00Z');
const silent = { events: [] };
/** One more than the document of a resource holds. */
const WIDE = 201;
const MANY = 700;

type Stored = Document & { _id: string; shareParts?: ListedParts };

const mongo = await startTestMongo();
const client = new MongoClient(mongo.url, { ignoreUndefined: true, retryWrites: false });
const database = client.db(`${mongo.prefix}_parts`);
const collection = database.collection<Stored>('dashboards');
const parts = database.collection<SharePartDocument & Partial<PendingChange>>('dashboardShareParts');
const storedParts = (resourceId: string) => parts.find({ resourceId, subjects: { $exists: true } }).toArray();
const pendingOf = (resourceId: string) => parts.find({ resourceId, pendingAt: { $exists: true } }).toArray();
let stores: AccessStores;
beforeAll(async () => {
  stores = await openAccessStores(database, readQuotas(readConfig({})));
});
afterAll(async () => {
  await client.close();
  await mongo[Symbol.asyncDispose]();
});

/** Most are single users of both types; every tenth is a group. */
function targetOf(index: number): Pick<Share, 'scope' | 'subject' | 'targetId' | 'tenantKey'> {
  const id = String(index * 7919).padStart(8, '0');
  if (index % 10 === 9) return { scope: 'group', subject: `g:${id}`, targetId: id, tenantKey: null };
  const scope: ShareScope = index % 2 === 0 ? 'specific_org_user' : 'specific_tenant_user';
  return { scope, subject: `u:key${index}`, targetId: `user${id}`, tenantKey: null };
}

const subjectOf = (index: number) => targetOf(index).subject;

function shareTo(index: number, role: AccessLevel = 'VIEWER', expiresAt: Date | null = null): Share {
  return { id: `sh_${index}`, ...targetOf(index), role, expiresAt, createdAt: now, createdBy: 'ou_a' };
}

const sharesFrom = (start: number, count: number) =>
  Array.from({ length: count }, (_, index) => shareTo(start + index));

const read = (id: string) => stores.dashboards.getHeader(PROJECT, id);
type Fields = Pick<Partial<ResourceHeader>, 'shares' | 'title' | 'isPrivate' | 'ownerId' | 'ownerKey'>;
const change = (header: ResourceHeader, fields: Fields) =>
  stores.dashboards.changeResource(PROJECT, header, { change: fields, ...silent });

/** Creates a dashboard and shares it as often. */
async function insertShared(id: string, shares: readonly Share[]): Promise<ResourceHeader> {
  const created = await stores.dashboards.insertResource(PROJECT, newResource(id), silent);
  return change(created, { shares });
}

const storedList = async (id: string) => (await collection.findOne({ _id: id }))?.shareParts;
const partIds = async (id: string) => Object.keys((await storedList(id))?.list ?? {});

/** The facts of shares, in the order of their ids. */
const factsOf = (shares: readonly ShareFacts[]) =>
  shares
    .map(({ id, scope, role, subject, expiresAt }) => ({ id, scope, role, subject, expiresAt }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));

const byId = (shares: readonly Share[]) => shares.toSorted((one, other) => (one.id < other.id ? -1 : 1));

const page = { sort: 'title', order: 'asc', after: null, limit: 100 } as const;

/** What readers with few and with very many subjects see, alone and in lists. */
async function expectSeen(id: string, shares: readonly Share[]): Promise<void> {
  expect(byId((await read(id)).shares)).toEqual(byId(shares));
  const others = Array.from({ length: 300 }, (_, index) => `g:${index}`);
  const few = [3, 9, 205, 9999].map(subjectOf);
  for (const subjects of [['u:none'], few, [...shares.map(({ subject }) => subject), ...others]]) {
    const reaching = shares.filter(({ subject }) => subjects.includes(subject));
    const seen = await stores.dashboards.findSeen(PROJECT, id, subjects);
    expect(factsOf(seen?.shares ?? [])).toEqual(factsOf(reaching));
    const selection = { readers: subjects, alsoIds: [] };
    const listed = await stores.dashboards.findPage(PROJECT, selection, { ...page, subjects });
    const found = listed.resources.find(({ _id }) => _id === id);
    expect(factsOf(found?.shares ?? [])).toEqual(factsOf(reaching));
    expect(found !== undefined, 'is listed').toBe(reaching.length > 0);
    const counted = await stores.dashboards.countSelected(PROJECT, selection, 100);
    expect(counted).toBe(listed.resources.length);
  }
}

/** Checks that the stored list of a resource describes its parts, and that there are no others. */
async function expectParts(id: string, shares: readonly Share[]): Promise<void> {
  const listed = parseParts((await storedList(id))?.list ?? {});
  const stored = await storedParts(id);
  expect(listed.map((part) => part.id).toSorted()).toEqual(stored.map(({ _id }) => _id).toSorted());
  expect(await pendingOf(id)).toEqual([]);
  if (listed.length === 0) return;
  const ordered = listed.flatMap((part) => {
    const { shares: texts = {}, subjects } = stored.find(({ _id }) => _id === part.id) ?? {};
    expect(Object.keys(texts)).toEqual(subjects);
    const inPart = Object.values(texts).map((text) => {
      const [, scope, targetId, , , expiry] = JSON.parse(text) as [
        string,
        ShareScope,
        string,
        null,
        string,
        number,
      ];
      return { scope, targetId, expiry };
    });
    expect(part.count).toBe(inPart.length);
    expect(part.first).toBe(inPart[0] && placeOf(inPart[0]));
    expect(part.count).toBeLessThanOrEqual(PART_SHARES);
    const times = inPart.flatMap(({ expiry }) => expiry ?? []);
    expect(part.nextExpiry).toBe(times.length === 0 ? null : Math.min(...times));
    return inPart.map(placeOf);
  });
  expect(ordered).toEqual(ordered.toSorted());
  expect(ordered).toHaveLength(shares.length);
  const most = Math.ceil(shares.length / PART_SHARES) * 2;
  expect(listed.length).toBeLessThanOrEqual(most);
}

const times = (shares: readonly Share[]) => shares.flatMap(({ expiresAt }) => expiresAt?.getTime() ?? []);

/** Makes changes old enough for the sweep. */
const expirePending = () =>
  parts.updateMany({ pendingAt: { $exists: true } }, { $set: { pendingAt: new Date(0) } });

/** Runs the sweep, long after every change. */
async function sweepPending(): Promise<void> {
  await expirePending();
  await stores.dashboards.platform.settleParts(new Date());
}

describe('the shares of a resource with very many', () => {
  it('are in parts, of which a change replaces few', async () => {
    const header = await insertShared('d_many', sharesFrom(0, MANY));
    const before = await partIds('d_many');
    expect(before.length).toBeGreaterThan(10);
    await change(header, {
      shares: header.shares.map((share, at) => (at === 3 ? shareTo(3, 'EDITOR') : share)),
    });
    const after = await partIds('d_many');
    expect(after.filter((id) => !before.includes(id))).toHaveLength(1);
    const shares = sharesFrom(0, MANY).with(3, shareTo(3, 'EDITOR'));
    await expectSeen('d_many', shares);
    await expectParts('d_many', shares);
    expect(await collection.findOne({ _id: 'd_many' })).toMatchObject({ shares: [], packedShares: '' });
  });

  it('are those of the last change, of any number', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constantFrom('grant', 'revoke', 'expire' as const), index: fc.nat(900) }),
      fc.record({
        kind: fc.constant('role' as const),
        index: fc.nat(MANY),
        role: fc.constantFrom(...ACCESS_LEVELS),
      }),
      fc.record({ kind: fc.constantFrom('title', 'open' as const), index: fc.nat(9) }),
      fc.record({ kind: fc.constantFrom('few', 'some', 'many', 'every third' as const), index: fc.nat(9) }),
    );
    type Step = { kind: string; index: number; role?: AccessLevel };
    const sharesAfter = (shares: readonly Share[], { kind, index, role }: Step): Share[] => {
      const place = index % Math.max(1, shares.length);
      if (kind === 'few') return shares.slice(0, 3 + index);
      if (kind === 'some') return shares.slice(0, 95 + index);
      if (kind === 'many') return [...shares, ...sharesFrom(1000 + index, 150)].slice(0, 900);
      if (kind === 'every third') return shares.filter((_, at) => at % 3 === 0);
      if (kind === 'revoke') return shares.toSpliced(place, 1);
      if (kind === 'grant') return [...shares, shareTo(index)];
      const at = shares[place];
      if (at === undefined) return [];
      if (kind === 'role') return shares.with(place, { ...at, role: role ?? 'VIEWER' });
      return shares.with(place, { ...at, expiresAt: new Date(now.getTime() + index) });
    };
    const distinct = (shares: readonly Share[]) => [
      ...new Map(shares.map((share) => [share.id, share])).values(),
    ];
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps: Step[]) => {
        const id = `d_random${(count += 1)}`;
        let shares: Share[] = sharesFrom(0, WIDE);
        await insertShared(id, shares);
        for (const each of steps) {
          const header = await read(id);
          let returned = header.shares;
          if (each.kind === 'title') await change(header, { title: `Title ${each.index}` });
          else if (each.kind === 'open') await change(header, { isPrivate: each.index % 2 === 0 });
          else {
            shares = distinct(sharesAfter(header.shares, each));
            returned = (await change(header, { shares })).shares;
          }
          expect(byId(returned)).toEqual(byId(shares));
          await expectSeen(id, shares);
          await sweepPending();
          await expectParts(id, shares);
          const stored = await collection.findOne({ _id: id });
          const earliest = times(shares).toSorted((a, b) => a - b)[0];
          expect((stored?.['nextExpiryAt'] as Date | undefined)?.getTime()).toBe(earliest);
        }
      }),
      { numRuns: randomRuns(15) },
    );
  });

  it('are changed one by one without the others', async () => {
    await insertShared('d_named', sharesFrom(0, MANY));
    let shares = sharesFrom(0, MANY);
    for (const index of [0, 9, 350, 699, 1203]) {
      const { scope, targetId } = shareTo(index);
      const needed = { subjects: ['u:key5'], names: [{ scope, targetId }] };
      const header = await stores.dashboards.getHeader(PROJECT, 'd_named', needed);
      expect(header.shares.length).toBeLessThanOrEqual(PART_SHARES + 1);
      expect(header.shares.length + (header.unreadShares ?? 0)).toBe(shares.length);
      const known = header.shares.find(({ id }) => id === `sh_${index}`);
      const changed = known
        ? header.shares.filter((share) => share !== known)
        : [...header.shares, shareTo(index)];
      const after = await change(header, { shares: changed });
      shares = known ? shares.filter(({ id }) => id !== known.id) : [...shares, shareTo(index)];
      expect(after.shares.length + (after.unreadShares ?? 0)).toBe(shares.length);
      expect(after.quotaBytes).toBe((await read('d_named')).quotaBytes);
      await expectSeen('d_named', shares);
      await expectParts('d_named', shares);
    }
  });

  it('and the owner change together', async () => {
    const header = await insertShared('d_inherited', sharesFrom(0, WIDE));
    const shares = header.shares.filter(({ id }) => id !== 'sh_4');
    const heir = { ownerId: 'ou_heir', ownerKey: 'u:heir', shares };
    await stores.dashboards.changeResource(PROJECT, header, { change: heir, ...silent });
    for (const [subjects, isListed] of [
      [['u:heir'], true],
      [['u:a'], false],
    ] as const) {
      const selection = { readers: subjects, alsoIds: [] };
      const { resources } = await stores.dashboards.findPage(PROJECT, selection, { ...page, subjects });
      expect(resources.some(({ _id }) => _id === 'd_inherited')).toBe(isListed);
    }
  });

  it('go back into the document when few are left', async () => {
    const header = await insertShared('d_few', sharesFrom(0, WIDE));
    const half = await change(header, { shares: header.shares.slice(0, 100) });
    expect(half.shareParts).toBeDefined();
    const few = await change(await read('d_few'), { shares: half.shares.slice(0, 99) });
    expect(few.shareParts).toBeUndefined();
    expect(await collection.findOne({ _id: 'd_few' })).not.toHaveProperty('shareParts');
    await expectSeen('d_few', few.shares);
    await sweepPending();
    expect(await parts.countDocuments({ resourceId: 'd_few' })).toBe(0);
    await expectSeen('d_few', few.shares);
  });

  it('are found in the document of a former release, and moved by the next change', async () => {
    await stores.dashboards.insertResource(
      PROJECT,
      newResource('d_former', { shares: sharesFrom(0, WIDE) }),
      silent,
    );
    await collection.updateOne({ _id: 'd_former' }, { $set: { shareBuckets: { revision: 1, b1: 'text' } } });
    expect((await collection.findOne({ _id: 'd_former' }))?.['shares']).toHaveLength(WIDE);
    await expectSeen('d_former', sharesFrom(0, WIDE));
    const header = await read('d_former');
    await change(header, { shares: header.shares.slice(1) });
    await expectSeen('d_former', sharesFrom(1, WIDE - 1));
    await change(await read('d_former'), { shares: [...header.shares.slice(1), shareTo(900)] });
    const stored = await collection.findOne({ _id: 'd_former' });
    expect(stored).not.toHaveProperty('shareBuckets');
    await expectSeen('d_former', [...sharesFrom(1, WIDE - 1), shareTo(900)]);
  });

  it('count beside those that a former release adds to the document, until a change moves them', async () => {
    await insertShared('d_mixed', sharesFrom(0, WIDE));
    // The former release sees no shares.
    const added = [shareTo(0, 'EDITOR'), shareTo(900)];
    const packedShares = packShares(added);
    const readers = ['u:a', ...added.map(({ subject }) => subject)];
    const set = { shares: added, packedShares, readers };
    await collection.updateOne({ _id: 'd_mixed' }, { $set: set, $inc: { revision: 1 } });
    const whole = await read('d_mixed');
    expect(whole.shares).toHaveLength(WIDE + 2);
    const seen = await stores.dashboards.findSeen(PROJECT, 'd_mixed', [3, 900].map(subjectOf));
    expect(factsOf(seen?.shares ?? [])).toEqual(factsOf([shareTo(3), shareTo(900)]));
    const { scope, targetId } = shareTo(5);
    const needed = { subjects: [], names: [{ scope, targetId }] };
    const header = await stores.dashboards.getHeader(PROJECT, 'd_mixed', needed);
    await change(header, { shares: header.shares.filter(({ id }) => id !== 'sh_5') });
    const shares = [shareTo(0, 'EDITOR'), ...sharesFrom(1, WIDE - 1), shareTo(900)];
    const expected = shares.filter(({ id }) => id !== 'sh_5');
    await expectSeen('d_mixed', expected);
    await expectParts('d_mixed', expected);
  });

  it('beside the parts still reach their users after another change of the readers', async () => {
    await insertShared('d_outside', sharesFrom(0, WIDE));
    const added = [shareTo(0, 'EDITOR'), shareTo(900)];
    const readers = ['u:a', ...added.map(({ subject }) => subject)];
    const set = { shares: added, packedShares: packShares(added), readers };
    await collection.updateOne({ _id: 'd_outside' }, { $set: set, $inc: { revision: 1 } });
    const header = await stores.dashboards.getHeader(PROJECT, 'd_outside', { subjects: [] });
    const opened = await change(header, { isPrivate: false });
    await change(opened, { isPrivate: true });
    const subjects = [subjectOf(900)];
    const selection = { readers: subjects, alsoIds: [] };
    const { resources } = await stores.dashboards.findPage(PROJECT, selection, { ...page, subjects });
    expect(resources.find(({ _id }) => _id === 'd_outside')?.shares).toHaveLength(1);
    const whole = await read('d_outside');
    expect(whole.shares).toHaveLength(WIDE + 2);
    await change(whole, { shares: whole.shares.filter(({ id }) => id !== 'sh_5') });
    const expected = [...sharesFrom(1, WIDE - 1).filter(({ id }) => id !== 'sh_5'), ...added];
    await expectSeen('d_outside', expected);
    await expectParts('d_outside', expected);
  });

  it('go back into the document without those that newer ones beside them replace', async () => {
    await insertShared('d_replaced', sharesFrom(0, WIDE));
    const set = {
      shares: [shareTo(0, 'EDITOR', now), shareTo(9, 'EDITOR')].map((share) => ({
        ...share,
        id: `${share.id}_new`,
      })),
    };
    const packedShares = packShares(set.shares);
    await collection.updateOne(
      { _id: 'd_replaced' },
      { $set: { ...set, packedShares }, $inc: { revision: 1 } },
    );
    const header = await read('d_replaced');
    expect(header.shares).toHaveLength(WIDE + 2);
    const isKept = ({ id }: Share) => set.shares.some((share) => share.id === id) || Number(id.slice(3)) < 99;
    const after = await change(header, { shares: header.shares.filter(isKept) });
    const expected = [...sharesFrom(0, 99).filter(({ id }) => id !== 'sh_0' && id !== 'sh_9'), ...set.shares];
    expect(byId(after.shares)).toEqual(byId(expected));
    expect(after.shareParts).toBeUndefined();
    await expectSeen('d_replaced', expected);
    await sweepPending();
    expect(await storedParts('d_replaced')).toEqual([]);
  });

  it('reach a group whose share takes the place of another one', async () => {
    const header = await insertShared('d_swapped', sharesFrom(0, WIDE));
    const shares = [...header.shares.filter(({ id }) => id !== 'sh_9'), shareTo(909)];
    const after = await change(header, { shares });
    expect(after.shareParts?.subjects).toContain(subjectOf(909));
    await expectSeen('d_swapped', shares);
    await expectParts('d_swapped', shares);
  });

  it('are written in a dry run as in a real one, and nothing is stored', async () => {
    const header = await insertShared('d_dry', sharesFrom(0, WIDE));
    const dry = async () => {
      const revoked = await change(header, { shares: header.shares.toSpliced(3, 1) });
      await change(await read('d_dry'), { shares: [...revoked.shares, shareTo(900)] });
      await expectSeen('d_dry', [...revoked.shares, shareTo(900)]);
    };
    const before = await parts.find({ resourceId: 'd_dry' }).toArray();
    await runCall({ isDry: true }, dry);
    await expectSeen('d_dry', sharesFrom(0, WIDE));
    expect(await parts.find({ resourceId: 'd_dry' }).toArray()).toEqual(before);
  });
});

describe('a change of the parts of shares', () => {
  it('does not happen if another one was first, and leaves no parts', async () => {
    const header = await insertShared('d_race', sharesFrom(0, MANY));
    const first = header.shares.filter(({ id }) => id !== 'sh_1');
    await change(header, { shares: first });
    const late = change(header, { shares: header.shares.filter(({ id }) => id !== 'sh_2') });
    await expect(late).rejects.toThrow(WriteConflict);
    await expectSeen('d_race', first);
    await expectParts('d_race', first);
  });

  it('loses none of many concurrent ones', async () => {
    await insertShared('d_busy', sharesFrom(0, WIDE));
    const grants = Array.from({ length: 30 }, (_, index) => 2000 + index);
    await Promise.all(
      grants.map((index) => {
        const { scope, targetId } = shareTo(index);
        return stores.dashboards.change(PROJECT, {
          id: 'd_busy',
          needed: { subjects: [], names: [{ scope, targetId }] },
          decide: async (header) => ({ change: { shares: [...header.shares, shareTo(index)] }, events: [] }),
        });
      }),
    );
    const shares = [...sharesFrom(0, WIDE), ...grants.map((index) => shareTo(index))];
    expect(await partIds('d_busy')).not.toEqual([]);
    await expectSeen('d_busy', shares);
  });

  it('that was interrupted before the write is undone by the sweep', async () => {
    const header = await insertShared('d_before', sharesFrom(0, MANY));
    const [id = ''] = await partIds('d_before');
    const place = { organizationId: ORGANIZATION, projectId: PROJECT, resourceId: 'd_before' };
    const record = { ...place, _id: 'change', partIds: ['left', id, 'absent'], pendingAt: new Date() };
    await parts.insertOne(record as unknown as PendingChange & SharePartDocument);
    await parts.insertOne({ ...place, _id: 'left', ...partFields([shareTo(3000)]) });
    // It gives no access before the sweep either.
    await expectSeen('d_before', sharesFrom(0, MANY));
    const user = shareTo(3000).subject;
    const selection = { readers: [user], alsoIds: [] };
    expect(await stores.dashboards.countSelected(PROJECT, selection, 10)).toBe(0);
    await stores.dashboards.platform.settleParts(new Date());
    expect(await parts.countDocuments({ _id: 'left' })).toBe(1);
    await sweepPending();
    await expectParts('d_before', header.shares);
    // A change that read the resource before the sweep cannot list a deleted part.
    await expect(change(header, { title: 'Late' })).rejects.toThrow(WriteConflict);
  });

  it('that was interrupted after the write is completed by the sweep', async () => {
    await insertShared('d_after', sharesFrom(0, MANY));
    const ids = await partIds('d_after');
    const [stored] = await storedParts('d_after');
    const { subjects: _subjects, shares: _shares, ...place } = stored as SharePartDocument;
    const record = { ...place, _id: 'later', partIds: [ids[0] ?? '', 'former'], pendingAt: new Date(0) };
    await parts.insertOne(record as unknown as PendingChange & SharePartDocument);
    await parts.insertOne({ ...(stored as SharePartDocument), _id: 'former' });
    await stores.dashboards.platform.settleParts(new Date());
    expect(await partIds('d_after')).toEqual(ids);
    await expectParts('d_after', sharesFrom(0, MANY));
  });

  it('keeps its new parts for the sweep if the outcome of the write is unknown', async () => {
    const header = await insertShared('d_unknown', sharesFrom(0, WIDE));
    const added = partShares([shareTo(4000)], newKey);
    const lost = async () => {
      throw new Error('connection lost');
    };
    const write = replaceParts(createShareParts(database, 'dashboard'), header, {
      added,
      obsolete: [],
      write: lost,
    });
    await expect(write).rejects.toThrow('connection lost');
    expect(await parts.countDocuments({ _id: added[0]?.part.id ?? '' })).toBe(1);
    expect(await pendingOf('d_unknown')).toHaveLength(1);
    await expirePending();
    await stores.dashboards.platform.settleParts(new Date());
    await expectParts('d_unknown', sharesFrom(0, WIDE));
  });

  it('names the new owner among the readers if it also removes a share of a single user', async () => {
    const header = await insertShared('d_heir', sharesFrom(0, MANY));
    const inherited = { ownerId: 'ou_heir', ownerKey: 'u:heir', isPrivate: false };
    const shares = header.shares.filter(({ id }) => id !== 'sh_0');
    await change(header, { ...inherited, shares });
    const readers = ['u:heir', 'home:org', WITH_PARTS, ...shares.map(({ subject }) => subject)];
    expect((await collection.findOne({ _id: 'd_heir' }))?.['readers'].toSorted()).toEqual(
      readers.filter((reader) => !isSingleUser(reader) || reader === 'u:heir').toSorted(),
    );
  });

  it('back into the document hides no share from a reader that has read the list of the parts', async () => {
    const header = await insertShared('d_back', sharesFrom(0, WIDE));
    const subject = subjectOf(3);
    const before = await stores.dashboards.findWhole(PROJECT, 'd_back');
    await change(header, { shares: sharesFrom(0, 20) });
    if (before === null) throw new Error('The dashboard was not read');
    const seen = await stores.dashboards.addReaching(PROJECT, before, [subject]);
    expect(factsOf(seen.shares)).toEqual(factsOf([shareTo(3)]));
  });

  it('back into the document hides no share from a list that has read the resource', async () => {
    const header = await insertShared('d_listed', sharesFrom(0, WIDE));
    const subjects = [3, 9].map(subjectOf);
    const partedStores = {
      resources: new ScopedCollection<ResourceDocument>(database, {
        collection: 'dashboards',
        scope: 'projectId',
      }),
      parts: createShareParts(database, 'dashboard'),
    };
    const found = await findUserParts(partedStores, PROJECT, { subjects });
    const projection = pageProjection(found);
    const packed = await collection.findOne<PackedResource>({ _id: 'd_listed' }, { projection });
    await change(header, { shares: sharesFrom(0, 20) });
    const listed = unpackResources(partedStores, packed ? [packed] : [], {
      projectId: PROJECT,
      subjects,
      found,
    });
    await expect(listed).rejects.toThrow(WriteConflict);
  });

  it('and the deletion of the resource leave the former parts to the sweep', async () => {
    const header = await insertShared('d_gone', sharesFrom(0, MANY));
    await stores.dashboards.deleteResource(PROJECT, header, { events: [], now });
    await sweepPending();
    expect(await parts.countDocuments({ resourceId: 'd_gone' })).toBe(0);
    const subjects = [subjectOf(3)];
    const selection = { readers: subjects, alsoIds: [] };
    const { resources } = await stores.dashboards.findPage(PROJECT, selection, { ...page, subjects });
    expect(resources.map(({ _id }) => _id)).not.toContain('d_gone');
  });

  it('is read whole while changes replace parts', async () => {
    await insertShared('d_moving', sharesFrom(0, MANY));
    let isOver = false;
    async function changeRepeatedly() {
      for (let index = 0; index < 40; index += 1) {
        const { scope, targetId } = shareTo(index);
        await stores.dashboards.change(PROJECT, {
          id: 'd_moving',
          needed: { subjects: [], names: [{ scope, targetId }] },
          async decide({ shares }) {
            const role = ACCESS_LEVELS[index % 3] ?? 'VIEWER';
            const changed = shares.map((share) => (share.id === `sh_${index}` ? { ...share, role } : share));
            return { change: { shares: changed }, events: [] };
          },
        });
      }
      isOver = true;
    }
    const subjects = [0, 1, 2, 9, 350].map(subjectOf);
    async function readRepeatedly() {
      let reads = 0;
      while (!isOver) {
        const seen = await stores.dashboards.findSeen(PROJECT, 'd_moving', subjects);
        expect(seen?.shares.map(({ subject }) => subject).toSorted()).toEqual(subjects.toSorted());
        expect((await read('d_moving')).shares).toHaveLength(MANY);
        reads += 1;
      }
      return reads;
    }
    const [, reads] = await Promise.all([changeRepeatedly(), readRepeatedly()]);
    expect(reads).toBeGreaterThan(0);
  });
});

describe('a resource that moves its shares to parts and back', () => {
  it('is found all the time, with the share of each reader', async () => {
    const id = 'd_moved';
    await insertShared(id, sharesFrom(0, WIDE));
    const subject = subjectOf(3);
    const ofGroup = { ...shareTo(9), id: 'sh_moved', subject: 'g:moved', targetId: 'moved' };
    await change(await read(id), { shares: [...sharesFrom(0, WIDE), ofGroup] });
    let isOver = false;
    async function moveRepeatedly() {
      for (let index = 0; index < 40; index += 1) {
        const shares = [...sharesFrom(0, index % 2 === 0 ? 20 : WIDE), ofGroup];
        await stores.dashboards.change(PROJECT, {
          id,
          decide: async () => ({ change: { shares }, ...silent }),
        });
      }
      isOver = true;
    }
    const reads = {
      alone: async () => (await stores.dashboards.findSeen(PROJECT, id, [subject]))?.shares.length === 1,
      whole: async () => (await read(id)).shares.some((share) => share.subject === subject),
      'in the organization': async () => {
        const next = { after: 'd_mov', limit: 2 };
        const found = await stores.dashboards.findHeadersReachedBy(ORGANIZATION, subject, next);
        const header = found.find(({ _id }) => _id === id);
        return header?.shares.some((share) => share.subject === subject) === true;
      },
      'by a group': async () => stores.dashboards.hasShareFor(ORGANIZATION, 'g:moved', now),
    };
    const missed = new Set<string>();
    const readRepeatedly = async ([name, isFound]: [string, () => Promise<boolean>]) => {
      while (!isOver) if (!(await isFound())) missed.add(name);
    };
    await Promise.all([moveRepeatedly(), ...Object.entries(reads).map(readRepeatedly)]);
    expect([...missed]).toEqual([]);
  });
});

describe('the resources that a subject reaches by a share in a part', () => {
  const reach = [3, 9];
  it.each(reach)('are found in the project and in the organization, for share %i', async (index) => {
    const id = `d_reached${index}`;
    await insertShared(id, sharesFrom(0, WIDE));
    const subject = subjectOf(index);
    const ofProject = await stores.dashboards.findReachedBy(PROJECT, subject, { limit: 100 });
    const found = ofProject.find(({ _id }) => _id === id);
    expect(found?.shares.map((share) => share.subject)).toEqual([subject]);
    const ids: string[] = [];
    for (let after: string | undefined; ; after = ids.at(-1)) {
      const some = await stores.dashboards.findHeadersReachedBy(ORGANIZATION, subject, { after, limit: 2 });
      ids.push(...some.map(({ _id }) => _id));
      if (some.length < 2) break;
    }
    expect(ids).toContain(id);
    expect(ids).toEqual([...new Set(ids)].toSorted());
    expect(await stores.dashboards.hasShareFor(ORGANIZATION, subjectOf(9), now)).toBe(true);
    expect(await stores.dashboards.hasShareFor(ORGANIZATION, 'g:none', now)).toBe(false);
    const bounds = { afterId: '', count: 1000, bytes: 1e6 };
    const contents = await stores.dashboards.findContents(PROJECT, { readers: [subject] }, bounds);
    expect(contents.found.map((content) => content._id)).toContain(id);
    expect(await stores.dashboards.countContents(PROJECT, { readers: [subject] })).toBe(
      contents.found.length,
    );
    const target = { organizationId: ORGANIZATION, projectId: PROJECT };
    const wanted = { ids: [], titles: ['Title'] };
    const targets = await stores.dashboards.copies.findTargets(target, wanted, [subject]);
    expect(targets.map(({ _id }) => _id)).toContain(id);
  });

  it('are found behind deleted resources of which parts are left', async () => {
    const shares = sharesFrom(20_000, WIDE);
    for (const id of ['e_1', 'e_2', 'e_3']) await insertShared(id, shares);
    for (const id of ['e_1', 'e_2'])
      await stores.dashboards.deleteResource(PROJECT, await read(id), { events: [], now });
    expect(await parts.countDocuments({ resourceId: 'e_1' })).toBeGreaterThan(0);
    const bounds = { after: undefined, limit: 2 };
    const found = await stores.dashboards.findHeadersReachedBy(ORGANIZATION, subjectOf(20_000), bounds);
    expect(found.map(({ _id }) => _id)).toEqual(['e_3']);
  });
});

describe('the shares of a reader in the parts that were found before the resources', () => {
  const stored = {
    resources: new ScopedCollection<ResourceDocument>(database, {
      collection: 'dashboards',
      scope: 'projectId',
    }),
    parts: createShareParts(database, 'dashboard'),
  };
  const user = subjectOf(0);

  /** Finds the parts, runs a change, reads the resource, runs another change, and completes the shares. */
  async function readAround(id: string, also: readonly string[], [first, second]: (Share[] | null)[]) {
    const subjects = [user, ...also];
    await insertShared(id, sharesFrom(0, WIDE));
    const found = await findUserParts(stored, PROJECT, { subjects });
    if (first) await change(await read(id), { shares: first });
    const projection = listedProjection(found);
    const resources = await stored.resources.find<MaybeParted>(PROJECT, { _id: id }, { projection });
    if (second) await change(await read(id), { shares: second });
    const reaching = await completeReaching(stored, PROJECT, { read: resources, subjects, found });
    const shares = reaching.get(id) ?? [];
    const toGroups = shares.filter((share) => !isSingleUser(share.subject)).map((share) => share.subject);
    expect(toGroups).toEqual(also.filter((subject) => !isSingleUser(subject)));
    return shares.filter(({ subject }) => subject === user).map(({ role }) => role);
  }

  const promoted = sharesFrom(0, WIDE).with(0, shareTo(0, 'EDITOR'));
  const revoked = sharesFrom(1, WIDE);

  it.each([['u:none'], [subjectOf(9)]])(
    'are those of the part that replaced theirs, with %s',
    async (also) => {
      const id = `d_around_${also}_`;
      expect(await readAround(`${id}1`, [also], [promoted, null])).toEqual(['EDITOR']);
      expect(await readAround(`${id}2`, [also], [revoked, null])).toEqual([]);
      const [role] = await readAround(`${id}3`, [also], [null, promoted]);
      expect(['VIEWER', 'EDITOR']).toContain(role);
      expect(await readAround(`${id}4`, [also], [null, null])).toEqual(['VIEWER']);
    },
  );

  it('are not those of parts that no resource lists', async () => {
    const subject = 'u:garbage';
    const share: Share = { ...shareTo(5000), subject };
    const place = { organizationId: ORGANIZATION, projectId: PROJECT };
    const part = (index: number, resourceId: string): SharePartDocument => ({
      ...place,
      _id: `garbage${index}`,
      resourceId,
      ...partFields([share]),
    });
    await insertShared('d_listing', [...sharesFrom(0, WIDE), share]);
    await insertShared('d_other', sharesFrom(0, WIDE));
    const listed = () => findListedIds(stored, PROJECT, [subject]);
    const add = (garbage: SharePartDocument[]) => parts.insertMany(garbage);
    await add([part(0, 'd_listing'), part(1, 'd_other'), part(2, 'd_absent')]);
    expect(await listed()).toEqual(['d_listing']);
    expect((await findPartedIds(stored, PROJECT, [subject])).toSorted()).toEqual([
      'd_absent',
      'd_listing',
      'd_other',
    ]);
    // With as many parts, the whole lists are read.
    await add(Array.from({ length: 150 }, (_, index) => part(3 + index, 'd_other')));
    expect(await listed()).toEqual(['d_listing']);
    const selection = { readers: [subject], alsoIds: [] };
    const { resources } = await stores.dashboards.findPage(PROJECT, selection, {
      ...page,
      subjects: [subject],
    });
    const seen = resources.filter(({ shares }) => shares.length > 0);
    expect(seen.map(({ _id, shares }) => [_id, shares.length])).toEqual([['d_listing', 1]]);
    await parts.deleteMany({ _id: { $regex: '^garbage' } });
  });
});
