import { createEvent, readConfig, readQuotas, WriteConflict } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { MongoClient, type CommandStartedEvent, type Db, type Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Share } from '../../sharing/logic/grants.js';
import type { ResourceChange, ResourceHeader } from './document.js';
import { SORT_NAMES } from './lists.js';
import { openAccessStores, type AccessStores } from './openStores.js';
import { newResource } from '../../testing/newResource.js';
import type { NewResource } from './writes.js';

const PROJECT = 'p_one';
const now = new Date('2026-03-01T12:00:00Z');
const silent = { events: [] };

let mongo: TestMongo;
let client: MongoClient;
let database: Db;
let stores: AccessStores;
const commands: Document[] = [];
beforeAll(async () => {
  mongo = await startTestMongo();
  client = new MongoClient(mongo.url, { monitorCommands: true, ignoreUndefined: true, retryWrites: false });
  client.on('commandStarted', ({ command }: CommandStartedEvent) => commands.push(command));
  database = client.db(`${mongo.prefix}_store`);
  stores = await openAccessStores(database, readQuotas(readConfig({})));
});
afterAll(async () => {
  await client.close();
  await mongo[Symbol.asyncDispose]();
});

function shareTo(subject: string, fields: Partial<Share> = {}): Share {
  const target = { scope: 'specific_org_user', subject, targetId: subject, tenantKey: null } as const;
  return {
    id: `sh_${subject}`,
    ...target,
    role: 'VIEWER',
    expiresAt: null,
    createdAt: now,
    createdBy: 'ou_a',
    ...fields,
  };
}

const insert = (id: string, fields: Partial<NewResource> = {}) =>
  stores.dashboards.insertResource(PROJECT, newResource(id, fields), silent);
const change = (header: ResourceHeader, fields: ResourceChange) =>
  stores.dashboards.changeResource(PROJECT, header, { change: fields, ...silent });
const rawOf = (id: string) => database.collection<{ _id: string }>('dashboards').findOne({ _id: id });

describe('a write', () => {
  it('applies only to the state that it was decided on', async () => {
    const header = await insert('d_state');
    const first = await change(header, { title: 'First' });
    expect(first).toMatchObject({ title: 'First', revision: 2 });
    const before = await rawOf('d_state');
    await expect(change(header, { title: 'Second' })).rejects.toBeInstanceOf(WriteConflict);
    const write = { change: { title: 'x' }, ...silent };
    const withBody = stores.dashboards.changeResourceWithBody(PROJECT, header, write);
    await expect(withBody).rejects.toBeInstanceOf(WriteConflict);
    const deletion = stores.dashboards.deleteResource(PROJECT, header, { ...silent, now });
    await expect(deletion).rejects.toBeInstanceOf(WriteConflict);
    expect(await rawOf('d_state')).toEqual(before);
  });

  it('returns exactly the state that a later read finds', async () => {
    let header = await insert('d_same', { body: null });
    const changes: ResourceChange[] = [
      { title: 'ÄÖ', description: 'Text' },
      { isPrivate: false },
      { shares: [shareTo('u:b'), shareTo('u:c', { expiresAt: new Date(now.getTime() + 2000) })] },
      { linkedVisualIds: ['v_one'] },
      { linkedVisualIds: undefined },
      { body: '{"b":2}' },
    ];
    for (const fields of changes) {
      const after = await change(header, fields);
      const found = await stores.dashboards.getHeader(PROJECT, 'd_same');
      expect({ ...after, body: undefined }).toEqual({ ...found, body: undefined });
      header = found;
    }
    const [first, ...others] = header.shares;
    const steps = [
      [...header.shares, shareTo('u:d')],
      [{ ...first, role: 'OWNER' } as Share, ...others, shareTo('u:d'), shareTo('u:e')],
      [...others, shareTo('u:e')],
      [shareTo('u:f'), shareTo('u:e')],
      [],
      [shareTo('u:g')],
    ];
    for (const shares of steps) {
      const after = await change(header, { shares });
      header = await stores.dashboards.getHeader(PROJECT, 'd_same');
      expect(header.shares).toEqual(shares);
      expect(after).toEqual({ ...header, body: after?.body });
    }
  });

  it('sends only the shares that are new or changed', async () => {
    const many = Array.from({ length: 150 }, (_, index) => shareTo(`u:${index}`));
    const header = await insert('d_few', { shares: many });
    const changed = many.with(7, shareTo('u:7', { role: 'EDITOR' }));
    await change(header, { shares: [...changed, shareTo('u:new')] });
    const fields = Object.keys(commands.at(-1)?.['updates'][0].u.$set);
    expect(fields).toEqual(expect.arrayContaining(['shares.7', 'shares.150']));
    expect(fields.filter((field) => field.startsWith('shares'))).toHaveLength(2);
  });

  it('keeps the derived fields of the indexes up to date', async () => {
    const header = await insert('d_derived');
    expect(await rawOf('d_derived')).toMatchObject({
      titleFolded: 'title',
      searchText: 'title\0',
      readers: ['u:a'],
    });
    const soon = new Date(now.getTime() + 1000);
    const shared = await change(header, {
      title: 'Neu',
      isPrivate: false,
      shares: [
        shareTo('u:b', { expiresAt: new Date(now.getTime() + 2000) }),
        shareTo('u:c', { expiresAt: soon }),
      ],
    });
    expect(await rawOf('d_derived')).toMatchObject({
      titleFolded: 'neu',
      searchText: 'neu\0',
      readers: ['u:a', 'u:b', 'u:c', 'home:org'],
      nextExpiryAt: soon,
    });
    await change(shared ?? header, { shares: [], ownerKey: 'u:z', isPrivate: true });
    const last = await rawOf('d_derived');
    expect(last).toMatchObject({ readers: ['u:z'] });
    expect(last).not.toHaveProperty('nextExpiryAt');
  });

  it('stores its events in the same document, and a deletion leaves only the events', async () => {
    const header = await insert('d_events');
    const origin = { service: 'access', organizationId: 'o_one', projectId: PROJECT, now };
    const data = { id: 'd_events', title: 'Title' };
    const event = createEvent('management.dashboard_secret.rotated.v1', 'd_events', { origin, data });
    const write = { change: {}, secretHash: 'new', events: [event] };
    const after = await stores.dashboards.changeResource(PROJECT, header, write);
    expect(await rawOf('d_events')).toMatchObject({
      secretHash: 'new',
      outbox: [event],
      revision: 2,
    });
    expect(after).not.toHaveProperty('secretHash');
    await stores.dashboards.deleteResource(PROJECT, after, { events: [event], now });
    expect(await rawOf('d_events')).toEqual({
      _id: 'd_events',
      projectId: PROJECT,
      revision: 3,
      eventCount: 2,
      deletedAt: now,
      outbox: [event, event],
    });
    expect(await stores.dashboards.platform.findSecretHolder('d_events')).toBeNull();
  });
});

describe('a list', () => {
  const SUBJECTS = Array.from({ length: 25 }, (_, index) => `g:${index}`);
  const LIMIT = 20;

  /** Returns the numbers of index keys and documents that the last find of the store examines. */
  async function explainLast(): Promise<{ keys: number; documents: number; stages: string }> {
    const find = commands.findLast((command) => 'find' in command) ?? {};
    const { lsid: _session, $db: _database, ...command } = find;
    const explained = await database.command({ explain: command, verbosity: 'executionStats' });
    const { totalKeysExamined: keys, totalDocsExamined: documents } = explained['executionStats'];
    return { keys, documents, stages: JSON.stringify(explained['queryPlanner'].winningPlan) };
  }

  beforeAll(async () => {
    const documents = Array.from({ length: 1500 }, (_, index) => {
      const at = new Date(now.getTime() + index * 1000);
      const reader = index % 3 === 0 ? `g:${index % 25}` : `u:other${index}`;
      return newResource(`d_many${index}`, {
        title: `T${index}`,
        createdAt: at,
        updatedAt: at,
        shares: [shareTo(reader)],
      });
    });
    for (const resource of documents) await stores.dashboards.insertResource('p_many', resource, silent);
  });

  it.each(SORT_NAMES)('by %s reads about as many documents as it returns, on any page', async (sort) => {
    for (const order of ['asc', 'desc'] as const) {
      const after =
        sort === 'title'
          ? { value: 't5', id: 'd_m' }
          : { value: new Date(now.getTime() + 800_000), id: 'd_m' };
      for (const from of [null, after]) {
        for (const readers of [SUBJECTS, null]) {
          const page = { sort, order, after: from, limit: LIMIT, subjects: SUBJECTS };
          const { resources } = await stores.dashboards.findPage('p_many', { readers, alsoIds: [] }, page);
          expect(resources).toHaveLength(LIMIT);
          const { keys, documents, stages } = await explainLast();
          expect(documents).toBeLessThanOrEqual(LIMIT + 1);
          expect(keys).toBeLessThanOrEqual(LIMIT + SUBJECTS.length * 2 + 1);
          expect(stages).not.toContain('"SORT"');
        }
      }
    }
  });

  it.each([
    [2, 0],
    [200, 0],
    [201, 0],
    [450, 0],
    [450, 300],
  ])(
    'returns to the reader, of %d shares, exactly those that reach it, beside %d other subjects',
    async (count, otherSubjects) => {
      const id = `d_shares${count}_${otherSubjects}`;
      const soon = new Date(now.getTime() + 1000);
      const reaching = [
        shareTo('u:y', { role: 'EDITOR', expiresAt: soon }),
        shareTo('g:y', { scope: 'group' }),
      ];
      const others = Array.from({ length: count - reaching.length }, (_, index) => shareTo(`u:x${index}`));
      await insert(id, { shares: [...others, ...reaching], linkedVisualIds: [`v_${id}`] });
      const further = Array.from({ length: otherSubjects }, (_, index) => `g:z${index}`);
      const subjects = ['u:y', 'g:y', '$title', ...further];
      const page = { sort: 'title', order: 'asc', after: null, limit: 100, subjects } as const;
      const { dashboards, links } = stores;
      const listed = (await dashboards.findPage(PROJECT, { readers: null, alsoIds: [] }, page)).resources;
      const found = [
        listed.find(({ _id }) => _id === id),
        await dashboards.findSeenWithBody(PROJECT, id, subjects),
        await dashboards.findSeen(PROJECT, id, subjects),
        ...(await dashboards.findManySeen(PROJECT, [id], subjects)),
        ...(await links.findLinking(PROJECT, [`v_${id}`], subjects)),
      ];
      const facts = reaching.map(({ id: shareId, scope, role, subject, expiresAt }) => ({
        id: shareId,
        scope,
        role,
        subject,
        expiresAt,
      }));
      expect(found).toHaveLength(5);
      for (const resource of found) {
        expect(resource).toMatchObject({ _id: id, projectId: PROJECT, title: 'Title' });
        expect(resource?.shares).toHaveLength(facts.length);
        expect(resource?.shares).toEqual(expect.arrayContaining(facts));
        expect(resource).not.toHaveProperty('readers');
        expect(resource).not.toHaveProperty('revision');
      }
      const withBody = found.map((resource) => resource?.body !== undefined);
      expect(withBody).toEqual([false, true, false, false, false]);
    },
  );
});

describe('a deleted resource', () => {
  it.each([false, true])(
    'is found by no read, although a document keeps its project (undone: %s)',
    async (isUndo) => {
      const { dashboards } = stores;
      const project = `p_deleted_${isUndo}`;
      const fields = { shares: [shareTo('u:y')], isPrivate: false };
      const kept = await dashboards.insertResource(project, newResource(`d_kept_${isUndo}`, fields), silent);
      const gone = await dashboards.insertResource(project, newResource(`d_gone_${isUndo}`, fields), silent);
      await dashboards.deleteResource(project, gone, { ...silent, now, isUndo });
      expect(await rawOf(gone._id)).toMatchObject({ projectId: project });
      const subjects = ['u:a', 'u:y'];
      const ids = [kept._id, gone._id];
      const place = { organizationId: 'o_one', projectId: project };
      const bounds = { afterId: '', count: 10, bytes: 1000 };
      const page = { order: 'asc', after: null, limit: 10, subjects } as const;
      const pages = SORT_NAMES.flatMap((sort) =>
        [null, subjects].map((readers) =>
          dashboards.findPage(project, { readers, alsoIds: ids }, { ...page, sort }),
        ),
      );
      const found = [
        ...(await Promise.all(pages)).map(({ resources }) => resources),
        await dashboards.findManySeen(project, ids, subjects),
        (await dashboards.findContents(project, { readers: null }, bounds)).found,
        (await dashboards.findContents(project, { readers: null, ids }, bounds)).found,
        await dashboards.copies.findHeaders(place, ids, []),
        await dashboards.findReachedBy(project, 'u:y', { limit: 10 }),
      ];
      expect(found.map((resources) => resources.map(({ _id }) => _id))).toEqual(found.map(() => [kept._id]));
      for (const selection of [
        { readers: null, alsoIds: [] },
        { readers: ['u:none'], alsoIds: ids },
      ])
        expect(await dashboards.countSelected(project, selection, 100)).toBe(1);
      expect(await dashboards.countContents(project, { readers: null })).toBe(1);
      expect(await dashboards.findSeen(project, gone._id, subjects)).toBeNull();
      await expect(dashboards.getHeader(project, gone._id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(dashboards.getHeaderWithBody(project, gone._id)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
      expect(await dashboards.copies.isGone(project, gone._id)).toBe(true);
    },
  );
});

describe('the indexes', () => {
  it('can be created again', async () => {
    await openAccessStores(database, readQuotas(readConfig({})));
    const names = (await database.collection('dashboards').indexes()).map(({ name }) => name);
    expect(names).toHaveLength(new Set(names).size);
    expect(names).toContain('outbox');
    expect(names).toContain('links');
    expect((await database.collection('visuals').indexes()).map(({ name }) => name)).not.toContain('links');
  });

  it('serve every query for links, organizations and expiries', async () => {
    const visuals = Array.from({ length: 50 }, (_, index) => `v_${index}`);
    for (const [index, id] of visuals.entries()) {
      await stores.dashboards.insertResource(
        'p_links',
        newResource(`d_link${index}`, { linkedVisualIds: [id] }),
        silent,
      );
    }
    const examined = async (call: Promise<unknown>) => {
      await call;
      const command =
        commands.findLast((sent) => 'find' in sent || 'distinct' in sent || 'aggregate' in sent) ?? {};
      const { lsid: _session, $db: _database, cursor: _cursor, ...plain } = command;
      const explained = await database.command({ explain: plain, verbosity: 'executionStats' });
      return JSON.stringify(explained);
    };
    const { links, dashboards } = stores;
    const queries = [
      () => links.findLinking('p_links', ['v_7'], ['u:a']),
      () => links.findAllLinking('p_links', 'v_7'),
      () => links.findLinkedIds('p_links', ['u:a']),
      () => links.hasExpired('p_links', now),
      () => dashboards.hasShareFor('o_one', 'u:absent', now),
      () => dashboards.findHeadersReachedBy('o_one', 'u:a', { limit: 10 }),
      () => dashboards.hasExpired('p_links', now),
      () => dashboards.platform.findExpired(now, 10),
      () => dashboards.findReachedBy('p_links', 'u:a', { limit: 10 }),
    ];
    for (const [index, query] of queries.entries())
      expect(await examined(query()), `query ${index}`).not.toContain('COLLSCAN');
    expect(await links.countLinking('p_links', 'v_7')).toBe(1);
    expect((await links.findLinkedIds('p_links', ['u:a'])).toSorted()).toEqual(visuals.toSorted());
  });
});
