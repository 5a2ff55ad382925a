import type { Caller } from '@gatehouse/contract';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  anonymousBearer,
  createFixture,
  dashboardBearer,
  serviceIdentity,
  type Fixture,
} from '../testing/directoryStub.js';
import { LATER, startPlatform, templateLinking, shareWith, type TestPlatform } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
let us: Fixture;
beforeEach(() => {
  us = createFixture(platform.directory);
});

type Query = Parameters<TestPlatform['access']['contents']['dashboards']['query']>[0];
const read = async (caller: Caller, query: Query = {}) =>
  platform.access.contents.dashboards.query(query, { context: await platform.as(caller) });
const titles = async (caller: Caller, query: Query = {}) =>
  (await read(caller, query)).dashboards.map(({ title }) => title).toSorted();
const readVisuals = async (caller: Caller, ids: string[]) =>
  (await platform.access.contents.visuals.query({ ids }, { context: await platform.as(caller) })).visuals;

async function createAll() {
  const own = await platform.createDashboard(us.nora, { title: 'own', template: { a: [1] } });
  const colleague = await platform.createDashboard(us.nils, { title: 'colleague' });
  const foreign = await platform.createDashboard(us.sara, { title: 'foreign' });
  const shared = await platform.createDashboard(us.ada, { title: 'shared' });
  const hidden = await platform.createDashboard(us.ada, { title: 'hidden' });
  await platform.share(us.ada, shared.id, shareWith(us.nora, 'VIEWER'));
  return { own, colleague, foreign, shared, hidden };
}

describe('contents of dashboards', () => {
  it('are complete for the service identity and, marked as unreadable, for an ADMIN', async () => {
    const { own } = await createAll();
    for (const caller of [us.root, serviceIdentity(us.home)]) {
      const isReadable = caller !== us.root;
      const page = await read(caller);
      expect(page).toMatchObject({ total: 5, nextAfterId: null });
      expect(page.dashboards.map(({ id }) => id)).toEqual(page.dashboards.map(({ id }) => id).toSorted());
      const { id, title, tenantId } = own;
      expect(page.dashboards).toContainEqual({ id, title, tenantId, template: { a: [1] }, isReadable });
    }
  });

  it('contain for a user only the dashboards that the user may read', async () => {
    await createAll();
    expect(await titles(us.vera)).toEqual([]);
    expect(await read(us.vera)).toMatchObject({ total: 0 });
    expect(await titles(us.nora)).toEqual(['own', 'shared']);
    expect(await titles(us.nora, { tenantId: us.north.id })).toEqual(['own']);
    expect(await titles(us.nora, { tenantId: us.south.id })).toEqual([]);
    expect(await titles(us.nora, { ownerType: 'organization' })).toEqual(['shared']);
    expect((await read(us.nora)).total).toBe(2);
  });

  it('are the same by id, without hidden and unknown dashboards', async () => {
    const { own, foreign, shared, hidden } = await createAll();
    const ids = [own.id, foreign.id, shared.id, hidden.id, 'd_none'];
    expect(await titles(us.nora, { ids })).toEqual(['own', 'shared']);
    expect(await read(us.nora, { ids })).toMatchObject({ total: 2 });
    expect(await titles(us.root, { ids })).toEqual(['foreign', 'hidden', 'own', 'shared']);
    expect(await titles(us.root, { ids: [] })).toEqual([]);
  });

  it('are the same alone as among others, for every caller', async () => {
    const created = Object.values(await createAll()).map(({ id }) => id);
    const callers = [us.root, us.ada, us.nora, us.nils, us.sara, us.vera, serviceIdentity(us.home)];
    for (const caller of callers) {
      const { dashboards } = await read(caller, { ids: [...created, 'd_none'] });
      for (const id of [...created, 'd_none']) {
        const expected = dashboards.filter((dashboard) => dashboard.id === id);
        const alone = { dashboards: expected, nextAfterId: null, total: expected.length };
        expect(await read(caller, { ids: [id] })).toEqual(alone);
      }
    }
    const stranger = { ...serviceIdentity(us.home), projectId: 'p_other' };
    expect(await titles(stranger, { ids: created.slice(0, 1) })).toEqual([]);
  });

  it('exclude dashboards of an expired share that is not yet swept', async () => {
    const { id } = await platform.createDashboard(us.ada, { title: 'lent' });
    await platform.share(us.ada, id, { ...shareWith(us.nora, 'VIEWER'), expiresAt: LATER });
    expect(await titles(us.nora, { ids: [id] })).toEqual(['lent']);
    await platform.expireShares(us.projectId, id);
    expect(await titles(us.nora, { ids: [id] })).toEqual([]);
    expect(await titles(us.nora)).toEqual([]);
  });

  it('exclude dashboards of a deleted tenant with the same id', async () => {
    const former = await platform.createDashboard(us.nora, { title: 'of the former tenant' });
    const visual = await platform.createVisual(us.nora, { title: 'of the former tenant' });
    const tenant = platform.directory.tenant(us.north.id);
    const heir = platform.directory.tenantUser(platform.directory.newId('heir'), 'POWER_USER', {
      home: us.home,
      tenant,
    });
    expect(await titles(heir)).toEqual([]);
    expect(await titles(heir, { ids: [former.id] })).toEqual([]);
    expect(await read(heir, { tenantId: us.north.id })).toMatchObject({ dashboards: [], total: 0 });
    expect(await readVisuals(heir, [visual.id])).toEqual([]);
    expect(await titles(us.nora, { tenantId: us.north.id })).toEqual(['of the former tenant']);
  });

  it('are filtered by the type of the owner and by the tenant', async () => {
    await createAll();
    expect(await titles(us.root, { ownerType: 'organization' })).toEqual(['hidden', 'shared']);
    expect(await titles(us.root, { ownerType: 'tenant' })).toEqual(['colleague', 'foreign', 'own']);
    expect(await titles(us.root, { tenantId: us.south.id })).toEqual(['foreign']);
    expect((await read(us.root, { ownerType: 'organization' })).total).toBe(2);
    expect((await read(us.root, { tenantId: us.south.id })).total).toBe(1);
  });

  it('are split into pages of a hundred, each dashboard once', async () => {
    const create = () => platform.createDashboard(us.ada, { title: 'one of many' });
    await Promise.all(Array.from({ length: 105 }, create));
    const first = await read(us.root);
    expect([first.dashboards.length, first.total]).toEqual([100, 105]);
    const second = await read(us.root, { afterId: first.nextAfterId ?? '' });
    expect([second.dashboards.length, second.nextAfterId, second.total]).toEqual([5, null, undefined]);
    expect(new Set([...first.dashboards, ...second.dashboards].map(({ id }) => id)).size).toBe(105);
  });

  it('are split into pages of some megabytes', async () => {
    const template = { text: 'x'.repeat(1_000_000) };
    for (let n = 0; n < 6; n += 1) await platform.createDashboard(us.ada, { template });
    const first = await read(us.root);
    expect(first.dashboards).toHaveLength(4);
    const second = await read(us.root, { afterId: first.nextAfterId ?? '' });
    expect([second.dashboards.length, second.nextAfterId]).toEqual([2, null]);
  });

  it('continue after a page without a visible dashboard', async () => {
    const lent = await platform.createDashboard(us.ada, { title: 'lent' });
    await platform.share(us.ada, lent.id, shareWith(us.nora, 'VIEWER'));
    const ids = [lent.id];
    for (let n = 0; n < 110; n += 1) ids.push((await platform.createDashboard(us.ada)).id);
    const found: string[] = [];
    let afterId: string | null = '0';
    while (afterId !== null) {
      const page: Awaited<ReturnType<typeof read>> = await read(us.nora, { ids, afterId });
      found.push(...page.dashboards.map(({ title }) => title));
      afterId = page.nextAfterId;
    }
    expect(found).toEqual(['lent']);
  });

  it('exclude other projects and deleted dashboards', async () => {
    const { own, foreign } = await createAll();
    await platform.access.dashboards.delete.mutate(
      { id: foreign.id },
      { context: await platform.as(us.sara) },
    );
    const elsewhere = serviceIdentity({ ...us.home, projectId: newProjectId() });
    expect(await titles(elsewhere, { ids: [own.id] })).toEqual([]);
    expect(await titles(us.root, { ids: [foreign.id] })).toEqual([]);
  });

  it('are forbidden to dashboard tokens', async () => {
    const { id } = await platform.createDashboard(us.nora);
    for (const caller of [anonymousBearer(id, us.home), dashboardBearer(id, us.nora)]) {
      const errors = [
        await platform.rejectionOf(() => read(caller, { ids: [id] })),
        await platform.rejectionOf(() => readVisuals(caller, [])),
      ];
      expect(errors.map(({ code }) => code)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
    }
  });
});

const newProjectId = () => platform.directory.newId('p');

describe('contents of visuals', () => {
  it('are read by id, for a user only if the user may see the visual', async () => {
    const own = await platform.createVisual(us.nils, { title: 'own', frameObject: { cards: [] } });
    const linked = await platform.createVisual(us.ada, { title: 'linked' });
    const hidden = await platform.createVisual(us.ada, { title: 'hidden' });
    const linking = await platform.createDashboard(us.ada, { template: templateLinking(linked.id) });
    await platform.share(us.ada, linking.id, shareWith(us.nora, 'VIEWER'));
    const ids = [own.id, linked.id, hidden.id, 'v_none'];
    const titlesFor = async (caller: Caller) =>
      (await readVisuals(caller, ids)).map(({ title }) => title).toSorted();
    await platform.share(us.nils, own.id, shareWith(us.nora, 'VIEWER'));
    expect(await titlesFor(us.nora)).toEqual(['linked', 'own']);
    expect(await titlesFor(us.sara)).toEqual([]);
    expect(await titlesFor(us.vera)).toEqual([]);
    expect(await titlesFor(serviceIdentity(us.home))).toEqual(['hidden', 'linked', 'own']);
    const [visual] = await readVisuals(us.nora, [own.id]);
    expect(visual).toEqual({ id: own.id, title: 'own', frameObject: { cards: [] }, isReadable: true });
  });
});
