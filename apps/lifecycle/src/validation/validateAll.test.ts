import type { JsonObject } from '@gatehouse/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { SERVICE_IDENTITY, startValidation, StubServices } from '../testing/stubServices.js';
import { encodePosition } from './validateAll.js';

let stubs: StubServices;
let platform: Awaited<ReturnType<typeof startValidation>>;
beforeEach(async () => {
  stubs = new StubServices();
  stubs.connections.set('c_1', { tables: { orders: ['id', 'region'] }, version: 1 });
  platform = await startValidation(stubs);
});

type Input = Parameters<typeof platform.validation.validateAll.mutate>[0];
const page = async (input: Input = {}) =>
  platform.validation.validateAll.mutate(input, { context: await platform.as() });

/** Every page of a batch. */
async function allPages(input: Input = {}) {
  const pages = [await page(input)];
  for (let cursor = pages[0]?.nextCursor; cursor; cursor = pages.at(-1)?.nextCursor)
    pages.push(await page({ ...input, cursor }));
  return pages;
}

const card = (column: string) => ({
  dataSource: { connectionId: 'c_1', selectedEntities: [{ table: 'orders' }] },
  fields: { columns: [{ column }] },
});
const showing = (frame: object): JsonObject => ({ sheets: [{ frames: [frame] }] });
const addDashboards = (count: number, templateOf: (n: number) => JsonObject | null) => {
  for (let n = 0; n < count; n += 1) stubs.dashboards.set(`d_${String(n).padStart(4, '0')}`, templateOf(n));
};

describe('a page of a batch', () => {
  it('makes one call for the dashboards, one for the facts and one for each level of visuals', async () => {
    addDashboards(50, (n) => showing({ visualId: `v_${n % 3}` }));
    stubs.visuals.set('v_0', { visualId: 'v_deep' });
    stubs.visuals.set('v_1', { visualId: 'v_deep' });
    stubs.visuals.set('v_2', {});
    stubs.visuals.set('v_deep', { visualId: 'v_0', cards: [card('id')] });
    const { validDashboards } = await page();
    expect(validDashboards).toBe(50);
    expect(stubs.calls.toSorted()).toEqual(['dashboards', 'facts', 'visuals v_0 v_1 v_2', 'visuals v_deep']);
  });

  it.each(['a.b', '$where', '../v_1', 'v 1', '\u202Ev_1', 'İ', 'x'.repeat(65), ''])(
    'reports a link to a text that is not an id, as %j, of this dashboard only',
    async (text) => {
      stubs.visuals.set('v_1', { visualId: text });
      const links = [text, 'v_1', 'constructor', '__proto__'];
      addDashboards(5, (n) => showing({ visualId: links[n] ?? null, cards: [card('id')] }));
      const { results } = await page();
      expect(
        results.map((result) => ('issues' in result ? result.issues.map(({ code }) => code) : [])),
      ).toEqual([['VISUAL_NOT_FOUND'], ['VISUAL_INVALID'], ['VISUAL_NOT_FOUND'], ['VISUAL_NOT_FOUND'], []]);
    },
  );

  it('makes no call for visuals when none is linked', async () => {
    addDashboards(3, () => showing({ cards: [card('id')] }));
    await page();
    expect(stubs.calls.toSorted()).toEqual(['dashboards', 'facts']);
  });

  it('loads a catalog again only when it changed', async () => {
    stubs.pageSize = 2;
    addDashboards(6, () => showing({ cards: [card('id')] }));
    expect(await allPages()).toHaveLength(3);
    expect(stubs.sentCatalogs).toEqual(['c_1 1']);
    expect(stubs.loads.map(({ known }) => known)).toEqual([
      [],
      [{ connectionId: 'c_1', catalogVersion: 1 }],
      [{ connectionId: 'c_1', catalogVersion: 1 }],
    ]);
    stubs.connections.set('c_1', { tables: { orders: ['region'] }, version: 2 });
    expect(await page()).toMatchObject({ validDashboards: 0, invalidDashboards: 2 });
    expect(stubs.sentCatalogs).toEqual(['c_1 1', 'c_1 2']);
  });

  it('does not send the cached catalogs of another project', async () => {
    await page();
    const elsewhere = await platform.as({ ...SERVICE_IDENTITY, projectId: 'p_2' });
    await platform.validation.validateAll.mutate({}, { context: elsewhere });
    expect(stubs.loads.map(({ known }) => known)).toEqual([[], []]);
  });

  it('counts its results, and has the total of the whole batch', async () => {
    stubs.pageSize = 4;
    addDashboards(10, (n) => (n % 5 === 0 ? null : showing({ cards: [card('id')] })));
    const pages = await allPages();
    expect(pages.map(({ results }) => results.length)).toEqual([4, 4, 2]);
    expect(pages.map(({ totalDashboards }) => totalDashboards)).toEqual([10, 10, 10]);
    expect(pages.map(({ validDashboards }) => validDashboards)).toEqual([3, 3, 2]);
    expect(pages.map(({ invalidDashboards }) => invalidDashboards)).toEqual([1, 1, 0]);
  });

  it('ends before its dashboards link too many visuals, and the next page continues there', async () => {
    addDashboards(5, (n) => ({
      sheets: [{ frames: Array.from({ length: 90 }, (_, v) => ({ visualId: `v_${n}_${v}` })) }],
    }));
    const pages = await allPages();
    expect(pages.map(({ results }) => results.length)).toEqual([2, 2, 1]);
    expect(pages.flatMap(({ results }) => results.map(({ dashboardId }) => dashboardId))).toEqual([
      ...stubs.dashboards.keys(),
    ]);
  });

  it('ends at the size limit, and the next page continues there', async () => {
    const columns = Array.from({ length: 5000 }, (_, n) => ({ column: `unknown_${n}` }));
    addDashboards(9, () => showing({ cards: [{ ...card('id'), fields: { columns } }] }));
    const pages = await allPages();
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flatMap(({ results }) => results)).toHaveLength(9);
    const sizes = pages.map(({ results }) => JSON.stringify(results).length);
    expect(Math.max(...sizes)).toBeLessThan(8 * 1024 * 1024);
  });

  it('reports a dashboard that links too many visuals as failed, and validates the others', async () => {
    addDashboards(3, (n) =>
      n === 1
        ? { sheets: [{ frames: Array.from({ length: 1001 }, (_, v) => ({ visualId: `v_${v}` })) }] }
        : {},
    );
    const pages = await allPages();
    const results = pages.flatMap((each) => each.results);
    expect(results).toMatchObject([
      { isValid: true },
      {
        dashboardId: 'd_0001',
        error: 'The template links more than 1000 visuals, at /sheets/0/frames/1000/visualId',
      },
      { isValid: true },
    ]);
  });

  it('reports visuals that are nested too deeply', async () => {
    for (let n = 0; n < 10; n += 1) stubs.visuals.set(`v_${n}`, { visualId: `v_${n + 1}` });
    addDashboards(1, () => showing({ visualId: 'v_0' }));
    const { results } = await page();
    expect(results).toMatchObject([
      { issues: [{ code: 'VISUAL_INVALID', message: expect.stringContaining('too deeply') as unknown }] },
    ]);
    expect(stubs.calls.filter((call) => call.startsWith('visuals'))).toHaveLength(6);
  });

  it.each([
    'x',
    encodePosition({ afterId: 'd_1', total: 1 }).slice(1),
    Buffer.from('["d 1",1]').toString('base64url'),
    Buffer.from('["d_1",1] ').toString('base64url'),
  ])('rejects %s as a cursor', async (cursor) => {
    await expect(page({ cursor })).rejects.toMatchObject({
      cause: { code: 'INVALID_REQUEST', fieldErrors: [{ field: 'cursor' }] },
    });
  });
});
