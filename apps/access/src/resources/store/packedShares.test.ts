import { ACCESS_LEVELS, type AccessLevel } from '@gatehouse/contract';
import { readConfig, readQuotas, runCall } from '@gatehouse/service';
import { randomRuns, startTestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import { MongoClient, type CommandStartedEvent, type Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ShareFacts } from '../../decisions/logic/access.js';
import type { Share } from '../../sharing/logic/grants.js';
import type { ResourceHeader } from './document.js';
import { openAccessStores, type AccessStores } from './openStores.js';
import { packShares, type ShareBuckets } from './packedShares.js';
import type { NewResource } from './writes.js';

const PROJECT = 'p_one';
const now = new Date('2026-03-01T12:00:00Z');
const silent = { events: [] };
/** One more than are packed into one text. */
const WIDE = 201;

const mongo = await startTestMongo();
const client = new MongoClient(mongo.url, {
  monitorCommands: true,
  ignoreUndefined: true,
  retryWrites: false,
});
const database = client.db(`${mongo.prefix}_buckets`);
const collection = database.collection<Document & { _id: string }>('dashboards');
const commands: Document[] = [];
let stores: AccessStores;
beforeAll(async () => {
  client.on('commandStarted', ({ command }: CommandStartedEvent) => commands.push(command));
  stores = await openAccessStores(database, readQuotas(readConfig({})));
});
afterAll(async () => {
  await client.close();
  await mongo[Symbol.asyncDispose]();
});

const subjectOf = (index: number) => `u:${index}`;

function shareTo(index: number, role: AccessLevel = 'VIEWER', expiresAt: Date | null = null): Share {
  const subject = subjectOf(index);
  const target = { scope: 'specific_org_user', subject, targetId: subject, tenantKey: null } as const;
  return { id: `sh_${index}`, ...target, role, expiresAt, createdAt: now, createdBy: 'ou_a' };
}

const sharesFrom = (start: number, count: number) =>
  Array.from({ length: count }, (_, index) => shareTo(start + index));

function newResource(_id: string, shares: readonly Share[]): NewResource {
  const owner = {
    ownerId: 'ou_a',
    ownerKey: 'u:a',
    ownerType: 'organization',
    ownerTenantKey: null,
  } as const;
  const times = { createdAt: now, updatedAt: now };
  const texts = { title: 'Title', description: '', tags: [], body: null, createdBy: 'ou_a' };
  const place = { organizationId: 'o_one', tenantId: null, isPrivate: true, version: 1, shares };
  return { _id, ...place, ...texts, ...owner, ...times };
}

const insert = (id: string, shares: readonly Share[]) =>
  stores.dashboards.insertResource(PROJECT, newResource(id, shares), silent);
const read = (id: string) => stores.dashboards.getHeader(PROJECT, id);
const change = (header: ResourceHeader, fields: { shares?: readonly Share[]; title?: string }) =>
  stores.dashboards.changeResource(PROJECT, header, { change: fields, ...silent });

/** The subjects that may reach a resource of `newResource` with these shares. */
const readersOf = (shares: readonly Share[]) => ['u:a', ...shares.map(({ subject }) => subject)];

/** Writes shares as a release does that does not know buckets. */
function changeAsFormer(id: string, shares: readonly Share[]) {
  const packedShares = packShares(shares);
  const packed = packedShares === undefined ? { $unset: { packedShares: '' } } : {};
  const lists = { shares, readers: readersOf(shares) };
  const set = packedShares === undefined ? lists : { ...lists, packedShares };
  return collection.updateOne({ _id: id }, { $set: set, ...packed, $inc: { revision: 1 } });
}

/** The facts of shares, in the order of their ids. */
const factsOf = (shares: readonly ShareFacts[]) =>
  shares
    .map(({ id, scope, role, subject, expiresAt }) => ({ id, scope, role, subject, expiresAt }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));

/** What readers with few and with very many subjects see. */
async function expectSeen(id: string, shares: readonly Share[]): Promise<void> {
  const whole = await stores.dashboards.findWithAllShares(PROJECT, id);
  expect(factsOf(whole?.shares ?? [])).toEqual(factsOf(shares));
  const others = Array.from({ length: 300 }, (_, index) => `g:${index}`);
  for (const subjects of [
    [],
    ['u:3', 'u:205', 'u:none'],
    [...shares.map(({ subject }) => subject), ...others],
  ]) {
    const seen = await stores.dashboards.findSeen(PROJECT, id, subjects);
    const reaching = shares.filter(({ subject }) => subjects.includes(subject));
    expect(factsOf(seen?.shares ?? [])).toEqual(factsOf(reaching));
  }
}

const lastShareProjection = () => {
  const { projection } = commands.findLast((command) => 'find' in command) as { projection: Document };
  return projection['shares'] as unknown;
};

const hasCounted = async (id: string) => {
  const found = await collection.findOne<{ revision: number; shareBuckets?: ShareBuckets }>({ _id: id });
  return found?.shareBuckets?.revision === found?.revision;
};

describe('the shares of a resource with very many', () => {
  it('are read without the shares of others', async () => {
    await insert('d_few', sharesFrom(0, WIDE));
    await expectSeen('d_few', sharesFrom(0, WIDE));
    expect(lastShareProjection()).toBeUndefined();
  });

  it('are those of the last write, by this release or a former one, of any number', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constantFrom('grant', 'former' as const), index: fc.nat(210) }),
      fc.record({
        kind: fc.constant('role' as const),
        index: fc.nat(WIDE),
        role: fc.constantFrom(...ACCESS_LEVELS),
      }),
      fc.record({ kind: fc.constantFrom('revoke', 'expire' as const), index: fc.nat(WIDE) }),
      fc.record({ kind: fc.constant('title' as const), index: fc.nat(9) }),
      fc.record({ kind: fc.constantFrom('few', 'many' as const), index: fc.nat(9) }),
    );
    type Step = { kind: string; index: number; role?: AccessLevel };
    const sharesAfter = (shares: readonly Share[], { kind, index, role }: Step): Share[] => {
      const place = index % Math.max(1, shares.length);
      const known = shares.find(({ subject }) => subject === subjectOf(index));
      if (kind === 'few') return shares.slice(0, 3 + index);
      if (kind === 'many') return sharesFrom(index, WIDE + index);
      if (kind === 'revoke') return shares.toSpliced(place, 1);
      if (kind === 'grant') return known ? [...shares] : [...shares, shareTo(index)];
      const at = shares[place];
      if (at === undefined) return [];
      if (kind === 'role') return shares.with(place, { ...at, role: role ?? 'VIEWER' });
      return shares.with(place, { ...at, expiresAt: new Date(now.getTime() + index) });
    };
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps: Step[]) => {
        const id = `d_random${(count += 1)}`;
        await insert(id, sharesFrom(0, WIDE));
        let shares: Share[] = sharesFrom(0, WIDE);
        for (const each of steps) {
          const header = await read(id);
          if (each.kind === 'title') await change(header, { title: `Title ${each.index}` });
          else if (each.kind === 'former') {
            shares = shares.slice(1);
            await changeAsFormer(id, shares);
          } else {
            shares = sharesAfter(header.shares, each);
            await change(header, { shares });
          }
          expect((await read(id)).shares).toEqual(shares);
          const stored = await collection.findOne<{ readers: string[] }>({ _id: id });
          expect(stored?.readers.toSorted()).toEqual([...new Set(readersOf(shares))].toSorted());
          await expectSeen(id, shares);
        }
      }),
      { numRuns: randomRuns(30) },
    );
  });

  it('do not include what a former release revoked, and have buckets again after any write', async () => {
    const header = await insert('d_former', sharesFrom(0, WIDE + 1));
    await change(header, { title: 'First' });
    expect(await hasCounted('d_former')).toBe(true);
    await changeAsFormer('d_former', sharesFrom(1, WIDE));
    expect(await hasCounted('d_former')).toBe(false);
    const seen = await stores.dashboards.findSeen(PROJECT, 'd_former', ['u:0']);
    expect(seen?.shares).toEqual([]);
    expect(lastShareProjection()).toBeDefined();
    await change(await read('d_former'), { title: 'Second' });
    expect(await hasCounted('d_former')).toBe(true);
    await expectSeen('d_former', sharesFrom(1, WIDE));
    expect(lastShareProjection()).toBeUndefined();
  });

  it.each([3, 300])('are read for few resources at once, for %i subjects', async (count) => {
    const ids = Array.from({ length: 45 }, (_, index) => `d_batch${count}_${index}`);
    for (const id of ids) await insert(id, sharesFrom(0, WIDE));
    await changeAsFormer(ids[0] ?? '', sharesFrom(1, WIDE));
    commands.length = 0;
    const subjects = Array.from({ length: count }, (_, index) => subjectOf(index));
    const seen = await stores.dashboards.findManySeen(PROJECT, ids, subjects);
    expect(seen.map(({ _id }) => _id).toSorted()).toEqual(ids.toSorted());
    const sizeOf = ({ find, batchSize }: Document) => [find === undefined ? 'more' : 'find', batchSize];
    // Without the first read, which finds no packed shares.
    expect(commands.slice(1).map(sizeOf)).toEqual([
      ['find', 20],
      ['more', 20],
      ['more', 20],
      ['find', 20],
    ]);
  });

  it('are part of the state that a write returns', async () => {
    const header = await insert('d_returned', sharesFrom(0, WIDE));
    expect({ ...header, body: undefined }).toEqual({ ...(await read('d_returned')), body: undefined });
    for (const fields of [{ title: 'New' }, { shares: sharesFrom(1, WIDE) }, { shares: sharesFrom(1, 3) }]) {
      const after = await change(await read('d_returned'), fields);
      expect({ ...after, body: undefined }).toEqual({ ...(await read('d_returned')), body: undefined });
    }
  });

  it('are written by bucket', async () => {
    const header = await insert('d_write', sharesFrom(0, WIDE));
    await change(header, { shares: [...header.shares.with(7, shareTo(7, 'EDITOR')), shareTo(900)] });
    const fields = Object.keys(commands.at(-1)?.['updates'][0].u.$set);
    expect(fields.filter((field) => field.startsWith('shareBuckets'))).toHaveLength(3);
    expect(fields).toContain('shareBuckets.revision');
  });

  it('are written as differences, with the readers that follow from them', async () => {
    const header = await insert('d_parts', sharesFrom(0, WIDE + 1));
    commands.length = 0;
    const lastUpdate = () => commands.at(-1)?.['updates'][0].u as Record<string, Document>;
    const revoked = await change(header, { shares: header.shares.toSpliced(3, 1) });
    expect(lastUpdate()['$pull']).toEqual({
      shares: { id: { $in: ['sh_3'] } },
      readers: { $in: ['u:3'] },
    });
    const granted = await change(revoked, { shares: [...revoked.shares, shareTo(900)] });
    expect(lastUpdate()['$push']).toMatchObject({ readers: { $each: ['u:900'] } });
    await change(granted, { shares: granted.shares.with(0, shareTo(0, 'EDITOR')) });
    for (const { $set } of commands.flatMap(({ updates }) => (updates?.[0].u ?? []) as Document[])) {
      expect($set).not.toHaveProperty('shares');
      expect($set).not.toHaveProperty('readers');
    }
    expect((await read('d_parts')).shares.map(({ id }) => id)).toEqual(
      [...sharesFrom(0, WIDE + 1).toSpliced(3, 1), shareTo(900)].map(({ id }) => id),
    );
  });

  it('are written in a dry run as in a real one, and nothing is stored', async () => {
    const header = await insert('d_dry', sharesFrom(0, WIDE + 1));
    const dry = async () => {
      const revoked = await change(header, { shares: header.shares.toSpliced(3, 1) });
      await change(revoked, { shares: [...revoked.shares, shareTo(900)] });
      await expectSeen('d_dry', [...revoked.shares, shareTo(900)]);
    };
    await runCall({ isDry: true }, dry);
    expect((await read('d_dry')).shares).toEqual(header.shares);
  });

  it('have no buckets when they are packed into one text', async () => {
    const header = await insert('d_packed', sharesFrom(0, WIDE));
    await change(header, { shares: header.shares.slice(1) });
    const stored = await collection.findOne({ _id: 'd_packed' });
    expect(stored).not.toHaveProperty('shareBuckets');
    expect(stored).toHaveProperty('packedShares');
  });
});
