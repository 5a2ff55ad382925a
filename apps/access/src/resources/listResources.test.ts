import type { PersonPrincipal } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFixture, serviceIdentity, type Fixture } from '../testing/directoryStub.js';
import { openMovingDashboards } from '../testing/movingDashboards.js';
import { LATER, startPlatform, templateLinking, shareWith, type TestPlatform } from '../testing/platform.js';
import { createResourceKinds } from './kind.js';
import { listResources } from './listResources.js';
import type { ResourceDocument } from './store/document.js';
import { createResourceLists } from './store/pages.js';
import { createShareParts } from './store/shareParts.js';

const { platform } = await usePlatform(startPlatform);
let us: Fixture;
beforeEach(() => {
  us = createFixture(platform.directory);
});

type ListInput = Parameters<TestPlatform['access']['dashboards']['list']['query']>[0];
const listPage = async (caller: PersonPrincipal, query: ListInput = {}) =>
  platform.access.dashboards.list.query(query, { context: await platform.as(caller) });
const list = async (caller: PersonPrincipal, query: ListInput = {}) =>
  (await listPage(caller, query)).dashboards;
const titles = async (caller: PersonPrincipal, query: ListInput = {}) =>
  (await list(caller, { sort: 'title', ...query })).map(({ title }) => title);
const rejectionOf = async (call: () => Promise<unknown>) => (await platform.rejectionOf(call)).toWire();

/** Reads all pages and checks that each page except the last is full. */
async function readAllPages(caller: PersonPrincipal, query: ListInput & { limit: number }) {
  const items = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await listPage(caller, { ...query, ...(cursor === undefined ? {} : { cursor }) });
    items.push(...page.dashboards);
    if (page.nextCursor === null) return items;
    expect(page.dashboards).toHaveLength(query.limit);
    cursor = page.nextCursor;
  }
}

describe('a list of dashboards', () => {
  it('contains the visible dashboards, with access levels and without templates', async () => {
    const own = await platform.createDashboard(us.nora, { title: 'own', template: { big: 1 } });
    const shared = await platform.createDashboard(us.ada, { title: 'shared' });
    await platform.share(us.ada, shared.id, shareWith(us.nora, 'EDITOR'), shareWith(us.nick, 'OWNER'));
    await platform.createDashboard(us.nils, { title: 'home', isPrivate: false });
    await platform.createDashboard(us.sara, { title: 'foreign', isPrivate: false });
    await platform.createDashboard(us.ada, { title: 'hidden' });
    const seen = await list(us.nora, { sort: 'title' });
    expect(seen.map(({ title, accessLevel }) => [title, accessLevel])).toEqual([
      ['home', 'VIEWER'],
      ['own', 'OWNER'],
      ['shared', 'EDITOR'],
    ]);
    const { secret: _secret, template: _template, ...summary } = own;
    expect(seen[1]).toEqual(summary);
    expect(seen[2]?.permissions).toEqual({ canEdit: true, canShare: false, canDelete: false });
    const [asNick] = (await list(us.nick, { sort: 'title' })).filter(({ id }) => id === shared.id);
    expect(asNick).toMatchObject({ accessLevel: 'VIEWER', permissions: { canEdit: false } });
    expect(await list({ ...us.nora, projectId: 'p_other' })).toEqual([]);
  });

  it('returns FORBIDDEN for a service identity', async () => {
    const origin = await platform.as(serviceIdentity(us.home));
    expect(
      await rejectionOf(() => platform.access.dashboards.list.query({}, { context: origin })),
    ).toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  it('filters by each field', async () => {
    await platform.createDashboard(us.ada, { title: 'a', tags: ['sales', 'emea'], isPrivate: false });
    await platform.createDashboard(us.ada, { title: 'b', tags: ['sales'] });
    const { id } = await platform.createDashboard(us.nora, { title: 'c' });
    await platform.share(us.nora, id, shareWith(us.nora, 'VIEWER'));
    expect(await titles(us.ada, { tag: 'sales' })).toEqual(['a', 'b']);
    expect(await titles(us.ada, { tag: 'emea' })).toEqual(['a']);
    expect(await titles(us.ada, { tag: 'EMEA' })).toEqual([]);
    expect(await titles(us.ada, { isPrivate: false })).toEqual(['a']);
    expect(await titles(us.ada, { createdBy: us.ada.userId, isPrivate: true })).toEqual(['b']);
    expect(await titles(us.ada, { createdBy: us.nora.userId })).toEqual([]);
    expect(await titles(us.nora, { tenantId: us.north.id })).toEqual(['c']);
    expect(await titles(us.nora, { tenantId: us.south.id })).toEqual([]);
  });
});

describe('a search', () => {
  it('finds substrings of title and description without regard to case', async () => {
    await platform.createDashboard(us.ada, { title: 'Umsatz STRASSE', description: 'Öl und Gas' });
    await platform.createDashboard(us.ada, { title: 'Straße' });
    await platform.createDashboard(us.ada, { title: 'ΟΔΟΣΑ' });
    await platform.createDashboard(us.ada, { title: 'cafe\u0301' });
    expect(await titles(us.ada, { search: 'straße' })).toEqual(['Straße', 'Umsatz STRASSE']);
    expect(await titles(us.ada, { search: 'ÖL UND' })).toEqual(['Umsatz STRASSE']);
    expect(await titles(us.ada, { search: 'οδος' })).toEqual(['ΟΔΟΣΑ']);
    expect(await titles(us.ada, { search: 'CAF\u00c9' })).toEqual(['cafe\u0301']);
    expect(await titles(us.ada, { search: 'satz str' })).toEqual(['Umsatz STRASSE']);
    expect(await titles(us.ada, { search: 'strasseöl' })).toEqual([]);
  });

  it('treats its text as data, never as a pattern', async () => {
    const odd = [
      'a.c',
      'a+b',
      '(x)',
      '[y]',
      '{2}',
      '^',
      '$',
      '|',
      '\\d',
      '*',
      '?',
      'a\nb',
      '#',
      '/i',
      '-',
      '(?i)',
      '\\Q\\E',
      '😀',
    ];
    for (const title of odd) await platform.createDashboard(us.ada, { title: `<${title}>` });
    await platform.createDashboard(us.ada, { title: 'abc' });
    for (const search of odd) {
      const found = await titles(us.ada, { search });
      const expected = [...odd.map((title) => `<${title}>`), 'abc'].filter((title) => title.includes(search));
      expect(found.toSorted(), `search ${search}`).toEqual(expected.toSorted());
    }
    expect(await titles(us.ada, { search: '.*' })).toEqual([]);
  });
});

describe('the pages of a list', () => {
  const orders = (['updatedAt', 'createdAt', 'title'] as const).flatMap((sort) =>
    ([undefined, 'asc', 'desc'] as const).map((order) => ({ sort, order })),
  );

  it('contain each dashboard once and in order, for every sort and page size', async () => {
    const names = ['b', 'B', 'a', 'a', 'a', 'Z', 'ä', '\u{1F600}', '\uFFFD', 'same', 'same', 'same', 'same'];
    for (const title of names) await platform.createDashboard(us.ada, { title });
    const all = await list(us.ada);
    for (const { id } of all.slice(0, 5)) {
      await platform.access.dashboards.update.mutate(
        { id, description: 'later' },
        { context: await platform.as(us.ada) },
      );
    }
    for (const { sort, order } of orders) {
      const query = { sort, ...(order === undefined ? {} : { order }) };
      const whole = await list(us.ada, query);
      expect(whole).toHaveLength(names.length);
      for (const limit of [1, 2, 4, names.length]) {
        expect(await readAllPages(us.ada, { ...query, limit }), `${sort} ${order} ${limit}`).toEqual(whole);
      }
      if (sort === 'title') continue;
      const times = whole.map((dashboard) => dashboard[sort]);
      expect(times).toEqual(order === 'asc' ? times.toSorted() : times.toSorted().toReversed());
    }
    expect((await titles(us.ada)).map((title) => title.toLowerCase())).toEqual([
      'a',
      'a',
      'a',
      'b',
      'b',
      'same',
      'same',
      'same',
      'same',
      'z',
      'ä',
      '\uFFFD',
      '\u{1F600}',
    ]);
    expect(await titles(us.ada, { order: 'desc' })).toEqual((await titles(us.ada)).toReversed());
  });

  it('are complete for a user with more groups than one query takes', async () => {
    const { directory } = platform;
    const groups = Array.from({ length: 450 }, () => directory.group(directory.newId('grp_many')));
    const member = directory.orgUser(directory.newId('ou_member'), 'AUTHOR', { home: us.home, groups });
    for (const index of [3, 210, 260, 449]) {
      const { id } = await platform.createDashboard(us.ada, { title: `for ${index}` });
      const groupId = groups[index]?.id ?? '';
      await platform.share(us.ada, id, { scope: 'group', groupId, role: 'EDITOR' });
      const last = groups.at(-1)?.id ?? '';
      await platform.share(us.ada, id, { scope: 'group', groupId: last, role: 'VIEWER' });
    }
    const whole = await list(member, { sort: 'title' });
    expect(whole.map(({ title }) => title)).toEqual(['for 210', 'for 260', 'for 3', 'for 449']);
    expect(await readAllPages(member, { sort: 'title', limit: 1 })).toEqual(whole);
    expect((await listPage(member, { includeTotal: true })).total).toBe(4);
  });

  it.each(['asc', 'desc'] as const)(
    'continue where a dashboard was found that moves while its very many shares are read, %s',
    async (order) => {
      const ids = [];
      for (const title of ['a', 'b', 'c', 'd', 'e'])
        ids.push((await platform.createDashboard(us.ada, { title })).id);
      const [, , _id = ''] = ids;
      const dashboards = platform.database.collection<ResourceDocument>('dashboards');
      await dashboards.updateOne({ _id }, { $unset: { packedShares: '' } });
      const title = order === 'asc' ? 'z' : '0';
      const moving = openMovingDashboards(platform.database, () =>
        dashboards.updateOne({ _id }, { $set: { title, titleFolded: title } }),
      );
      const kind = createResourceKinds(platform.stores).dashboards;
      const parts = createShareParts(platform.database, 'dashboard');
      const store = { ...kind.store, ...createResourceLists({ resources: moving, parts }) };
      const query = { sort: 'title', order, limit: 3, includeTotal: false } as const;
      const context = { principal: us.ada, now: new Date() } as unknown as CallContext;
      const { items, nextCursor } = await listResources({ ...kind, store }, query, context);
      expect(items.map(({ id }) => id)).toContain(_id);
      const { dashboards: rest } = await listPage(us.ada, { ...query, cursor: nextCursor ?? '' });
      const expected = order === 'asc' ? ['d', 'e', 'z'] : ['b', 'a', '0'];
      expect(rest.map((dashboard) => dashboard.title)).toEqual(expected);
    },
  );

  it('reject an invalid cursor and one of another order, naming the field', async () => {
    for (const title of ['a', 'b', 'c']) await platform.createDashboard(us.ada, { title });
    const { nextCursor } = await listPage(us.ada, { limit: 1 });
    const write = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    const wrong: ListInput[] = [
      { cursor: 'x' },
      { cursor: `${nextCursor}x` },
      { cursor: write(null) },
      { cursor: write([]) },
      { cursor: write({ sort: 'updatedAt' }) },
      { cursor: write(['updatedAt', 'desc', 'x', 'd_x']) },
      { cursor: write(['updatedAt', 'desc', { $gt: 0 }, 'd_x']) },
      { cursor: write(['updatedAt', 'desc', 1e20, 'd_x']) },
      { cursor: write(['updatedAt', 'desc', 0, { $gt: '' }]) },
      { cursor: write(['title', 'asc', 1, 'd_x']), sort: 'title' },
      { cursor: nextCursor ?? '', sort: 'title' },
      { cursor: nextCursor ?? '', order: 'asc' },
      { cursor: nextCursor ?? '', sort: 'createdAt' },
    ];
    for (const query of wrong) {
      const error = await rejectionOf(() => listPage(us.ada, query));
      expect(error, `for ${JSON.stringify(query)}`).toMatchObject({
        code: 'INVALID_REQUEST',
        fieldErrors: [{ field: 'cursor' }],
      });
    }
  });

  it('count the dashboards that the caller may see, also with expired shares', async () => {
    const ids = [];
    for (const title of ['a', 'b', 'c']) {
      const { id } = await platform.createDashboard(us.ada, { title });
      ids.push(id);
      if (title !== 'a')
        await platform.share(us.ada, id, { ...shareWith(us.otto, 'VIEWER'), expiresAt: LATER });
      if (title !== 'b') await platform.share(us.ada, id, { scope: 'all_org_users', role: 'VIEWER' });
    }
    expect((await listPage(us.otto, { includeTotal: true, limit: 1 })).total).toBe(3);
    expect((await listPage(us.otto, { includeTotal: true, limit: 1, search: 'b' })).total).toBe(1);
    for (const id of ids) await platform.expireShares(us.projectId, id);
    expect((await listPage(us.otto, { includeTotal: true, limit: 1 })).total).toBe(2);
    expect((await readAllPages(us.otto, { limit: 1, sort: 'title' })).map(({ title }) => title)).toEqual([
      'a',
      'c',
    ]);
    expect(await listPage(us.otto)).not.toHaveProperty('total');
  });
});

describe('a list for an ADMIN', () => {
  it('contains on request all dashboards of the project, also those without access', async () => {
    await platform.createDashboard(us.nora, { title: 'a' });
    await platform.createDashboard(us.root, { title: 'b' });
    await platform.createDashboard(us.ada, { title: 'c', isPrivate: false });
    await platform.createDashboard({ ...us.ada, projectId: 'p_other' }, { title: 'd' });
    expect(await titles(us.root)).toEqual(['b', 'c']);
    const query = { scope: 'organization', sort: 'title', includeTotal: true, limit: 2 } as const;
    const page = await listPage(us.root, query);
    expect(page.total).toBe(3);
    expect(page.dashboards.map(({ title, accessLevel }) => [title, accessLevel])).toEqual([
      ['a', null],
      ['b', 'OWNER'],
    ]);
    expect(page.dashboards[0]?.permissions).toEqual({ canEdit: false, canShare: false, canDelete: false });
    expect(await readAllPages(us.root, query)).toHaveLength(3);
    for (const caller of [us.ada, us.vera, us.nora]) {
      expect(await rejectionOf(() => listPage(caller, query))).toMatchObject({ code: 'FORBIDDEN' });
    }
  });
});

describe('a list of visuals', () => {
  const listVisuals = async (caller: PersonPrincipal, query: ListInput = {}) =>
    platform.access.visuals.list.query(query, { context: await platform.as(caller) });

  it('contains the visuals that visible dashboards link, once and in order with the others', async () => {
    const own = ['b', 'd', 'f'];
    for (const title of own) await platform.createVisual(us.nora, { title });
    const linked = [];
    for (const title of ['a', 'c', 'e']) linked.push(await platform.createVisual(us.ada, { title }));
    await platform.createVisual(us.ada, { title: 'hidden' });
    const [first] = linked;
    await platform.share(us.ada, first?.id ?? '', shareWith(us.nora, 'EDITOR'));
    const template = templateLinking(...linked.map(({ id }) => id));
    const { id } = await platform.createDashboard(us.ada, { template });
    await platform.createDashboard(us.otto, { template });
    await platform.share(us.ada, id, shareWith(us.nora, 'VIEWER'));

    const whole = await listVisuals(us.nora, { sort: 'title', includeTotal: true });
    expect(whole.visuals.map(({ title, accessLevel }) => [title, accessLevel])).toEqual([
      ['a', 'EDITOR'],
      ['b', 'OWNER'],
      ['c', 'VIEWER'],
      ['d', 'OWNER'],
      ['e', 'VIEWER'],
      ['f', 'OWNER'],
    ]);
    expect(whole.total).toBe(6);
    for (const sort of ['title', 'updatedAt', 'createdAt'] as const) {
      const all = (await listVisuals(us.nora, { sort })).visuals;
      const paged = [];
      let cursor: string | undefined;
      do {
        const page = await listVisuals(us.nora, {
          sort,
          limit: 2,
          ...(cursor === undefined ? {} : { cursor }),
        });
        paged.push(...page.visuals);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      expect(paged).toEqual(all);
    }
    expect((await listVisuals(us.nora, { search: 'C' })).visuals.map(({ title }) => title)).toEqual(['c']);

    const shares = [shareWith(us.nora, 'VIEWER')];
    await platform.access.dashboardShares.revoke.mutate(
      { id, shares },
      { context: await platform.as(us.ada) },
    );
    const rest = await listVisuals(us.nora, { sort: 'title', includeTotal: true });
    expect(rest.visuals.map(({ title }) => title)).toEqual(['a', 'b', 'd', 'f']);
    expect(rest.total).toBe(4);
  });

  it('omits a linked visual as soon as the share of the dashboard has expired', async () => {
    const visual = await platform.createVisual(us.ada);
    const { id } = await platform.createDashboard(us.ada, { template: templateLinking(visual.id) });
    await platform.share(us.ada, id, { ...shareWith(us.nora, 'EDITOR'), expiresAt: LATER });
    expect((await listVisuals(us.nora, { includeTotal: true })).total).toBe(1);
    await platform.expireShares(us.projectId, id);
    expect(await listVisuals(us.nora, { includeTotal: true })).toEqual({
      visuals: [],
      nextCursor: null,
      total: 0,
    });
  });

  it('contains all visuals of the project for an ADMIN', async () => {
    await platform.createVisual(us.nora, { title: 'a' });
    const { visuals } = await listVisuals(us.root, { scope: 'organization' });
    expect(visuals).toMatchObject([{ title: 'a', accessLevel: null }]);
  });
});
