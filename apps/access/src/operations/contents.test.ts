import type { Caller } from '@gatehouse/contract';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anonymousBearer, castOf, dashboardBearer, serviceIdentity, type Cast } from '../testing/people.js';
import { LATER, startPlatform, templateLinking, toPerson, type TestPlatform } from '../testing/platform.js';

let mongo: TestMongo;
let platform: TestPlatform;
let us: Cast;
beforeAll(async () => {
  mongo = await startTestMongo();
  platform = await startPlatform(mongo.databases);
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});
beforeEach(() => {
  us = castOf(platform.people);
});

type Query = Parameters<TestPlatform['access']['contents']['dashboards']>[1];
const read = async (caller: Caller, query: Query = {}) =>
  platform.access.contents.dashboards(await platform.as(caller), query);
const titles = async (caller: Caller, query: Query = {}) =>
  (await read(caller, query)).dashboards.map(({ title }) => title).toSorted();
const readVisuals = async (caller: Caller, ids: string[]) =>
  (await platform.access.contents.visuals(await platform.as(caller), { ids })).visuals;

async function createAll() {
  const own = await platform.createDashboard(us.nora, { title: 'own', template: { a: [1] } });
  const colleague = await platform.createDashboard(us.nils, { title: 'colleague' });
  const foreign = await platform.createDashboard(us.sara, { title: 'foreign' });
  const shared = await platform.createDashboard(us.ada, { title: 'shared' });
  const hidden = await platform.createDashboard(us.ada, { title: 'hidden' });
  await platform.share(us.ada, shared.id, toPerson(us.nora, 'VIEWER'));
  return { own, colleague, foreign, shared, hidden };
}

describe('what dashboards hold', () => {
  it('is read by org users and the service identity, whoever may see them', async () => {
    const { own } = await createAll();
    for (const caller of [us.root, us.vera, serviceIdentity(us.home)]) {
      const page = await read(caller);
      expect(page).toMatchObject({ total: 5, nextAfterId: null });
      expect(page.dashboards.map(({ id }) => id)).toEqual(page.dashboards.map(({ id }) => id).toSorted());
      const { id, title, tenantId } = own;
      expect(page.dashboards).toContainEqual({ id, title, tenantId, template: { a: [1] } });
    }
  });

  it('is read by a tenant user of its own tenant, and what it may see beside that', async () => {
    await createAll();
    expect(await titles(us.nora)).toEqual(['colleague', 'own', 'shared']);
    expect(await titles(us.nora, { tenantId: us.north.id })).toEqual(['colleague', 'own']);
    expect(await titles(us.nora, { tenantId: us.south.id })).toEqual([]);
    expect(await titles(us.nora, { ownerType: 'organization' })).toEqual(['shared']);
    expect((await read(us.nora)).total).toBe(3);
  });

  it('is the same by id: what is hidden is left out like what does not exist', async () => {
    const { own, foreign, shared, hidden } = await createAll();
    const ids = [own.id, foreign.id, shared.id, hidden.id, 'd_none'];
    expect(await titles(us.nora, { ids })).toEqual(['own', 'shared']);
    expect(await titles(us.root, { ids })).toEqual(['foreign', 'hidden', 'own', 'shared']);
    expect(await titles(us.root, { ids: [] })).toEqual([]);
  });

  it('is not read by a share that has expired and is not yet swept', async () => {
    const { id } = await platform.createDashboard(us.ada, { title: 'lent' });
    await platform.share(us.ada, id, { ...toPerson(us.nora, 'VIEWER'), expiresAt: LATER });
    expect(await titles(us.nora, { ids: [id] })).toEqual(['lent']);
    await platform.expireShares(us.projectId, id);
    expect(await titles(us.nora, { ids: [id] })).toEqual([]);
    expect(await titles(us.nora)).toEqual([]);
  });

  it('is not read by a tenant that has the id of one before it', async () => {
    const former = await platform.createDashboard(us.nora, { title: 'of the former tenant' });
    const visual = await platform.createVisual(us.nora, { title: 'of the former tenant' });
    const tenant = platform.people.tenant(us.north.id);
    const heir = platform.people.tenantUser(platform.people.newId('heir'), 'POWER_USER', {
      home: us.home,
      tenant,
    });
    expect(await titles(heir)).toEqual([]);
    expect(await titles(heir, { ids: [former.id] })).toEqual([]);
    expect(await read(heir, { tenantId: us.north.id })).toMatchObject({ dashboards: [], total: 0 });
    expect(await readVisuals(heir, [visual.id])).toEqual([]);
    expect(await titles(us.nora, { tenantId: us.north.id })).toEqual(['of the former tenant']);
  });

  it('is chosen by the type of the owner, and by the tenant', async () => {
    await createAll();
    expect(await titles(us.root, { ownerType: 'organization' })).toEqual(['hidden', 'shared']);
    expect(await titles(us.root, { ownerType: 'tenant' })).toEqual(['colleague', 'foreign', 'own']);
    expect(await titles(us.root, { tenantId: us.south.id })).toEqual(['foreign']);
    expect((await read(us.root, { ownerType: 'organization' })).total).toBe(2);
    expect((await read(us.root, { tenantId: us.south.id })).total).toBe(1);
  });

  it('comes in pages of a hundred, each dashboard once', async () => {
    const create = () => platform.createDashboard(us.ada, { title: 'one of many' });
    await Promise.all(Array.from({ length: 105 }, create));
    const first = await read(us.root);
    expect([first.dashboards.length, first.total]).toEqual([100, 105]);
    const second = await read(us.root, { afterId: first.nextAfterId ?? '' });
    expect([second.dashboards.length, second.nextAfterId, second.total]).toEqual([5, null, undefined]);
    expect(new Set([...first.dashboards, ...second.dashboards].map(({ id }) => id)).size).toBe(105);
  });

  it('comes in pages of some megabytes', async () => {
    const template = { text: 'x'.repeat(1_000_000) };
    for (let n = 0; n < 6; n += 1) await platform.createDashboard(us.ada, { template });
    const first = await read(us.root);
    expect(first.dashboards).toHaveLength(4);
    const second = await read(us.root, { afterId: first.nextAfterId ?? '' });
    expect([second.dashboards.length, second.nextAfterId]).toEqual([2, null]);
  });

  it('goes on past a page of which the caller may see nothing', async () => {
    const lent = await platform.createDashboard(us.ada, { title: 'lent' });
    await platform.share(us.ada, lent.id, toPerson(us.nora, 'VIEWER'));
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

  it('is nothing of another project, nor of what was deleted', async () => {
    const { own, foreign } = await createAll();
    await platform.access.dashboards.delete(await platform.as(us.sara), { id: foreign.id });
    const elsewhere = serviceIdentity({ ...us.home, projectId: people() });
    expect(await titles(elsewhere, { ids: [own.id] })).toEqual([]);
    expect(await titles(us.root, { ids: [foreign.id] })).toEqual([]);
  });

  it('is refused to the tokens of dashboards', async () => {
    const { id } = await platform.createDashboard(us.nora);
    for (const caller of [anonymousBearer(id, us.home), dashboardBearer(id, us.nora)]) {
      const refusals = [
        await platform.refusalOf(() => read(caller, { ids: [id] })),
        await platform.refusalOf(() => readVisuals(caller, [])),
      ];
      expect(refusals.map(({ code }) => code)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
    }
  });
});

const people = () => platform.people.newId('p');

describe('what visuals hold', () => {
  it('is read by id, and by tenant users where they may see them', async () => {
    const own = await platform.createVisual(us.nils, { title: 'own', frameObject: { cards: [] } });
    const linked = await platform.createVisual(us.ada, { title: 'linked' });
    const hidden = await platform.createVisual(us.ada, { title: 'hidden' });
    const linking = await platform.createDashboard(us.ada, { template: templateLinking(linked.id) });
    await platform.share(us.ada, linking.id, toPerson(us.nora, 'VIEWER'));
    const ids = [own.id, linked.id, hidden.id, 'v_none'];
    const titlesFor = async (caller: Caller) =>
      (await readVisuals(caller, ids)).map(({ title }) => title).toSorted();
    expect(await titlesFor(us.nora)).toEqual(['linked', 'own']);
    expect(await titlesFor(us.sara)).toEqual([]);
    expect(await titlesFor(us.vera)).toEqual(['hidden', 'linked', 'own']);
    const [visual] = await readVisuals(us.nora, [own.id]);
    expect(visual).toEqual({ id: own.id, title: 'own', frameObject: { cards: [] } });
  });
});
