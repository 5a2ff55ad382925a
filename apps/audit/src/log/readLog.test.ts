import type { AuditEvent, CloudEvent, InputOf, Principal, Services } from '@gatehouse/contract';
import { newId, type CallContext } from '@gatehouse/service';
import { randomRuns, startTestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventOf, startTestLog } from '../testing/log.js';
import { exportAuditEvents, listAuditEvents } from './readLog.js';
import { verifyExport } from './verifyLog.js';

type ListInput = InputOf<Services['audit']['procedures']['events']['list']>;
type ExportInput = InputOf<Services['audit']['procedures']['events']['export']>;

const mongo = await startTestMongo();
const log = await startTestLog(mongo.databases.of('audit'));
afterAll(() => mongo[Symbol.asyncDispose]());

const organizationId = newId('organization');
const admin = {
  kind: 'orgUser',
  tokenType: 'project',
  role: 'ADMIN',
  organizationId,
  projectId: 'p_1',
} as Principal;
const contextOf = (principal: Principal) => ({ principal }) as CallContext;
const context = contextOf(admin);

const TYPES = [
  'management.dashboard.created.v1',
  'management.dashboard.deleted.v1',
  'management.dashboard_share.granted.v1',
  'management.group.deleted.v1',
  'management.request.refused.v1',
];
const MOMENTS = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-01-02T00:00:00.000Z'];
const pick = <T>(values: readonly T[], index: number): T => {
  const value = values[index % values.length];
  if (value === undefined) throw new Error('Nothing to pick');
  return value;
};

/** Events that share each value with some others and differ in it from the rest. */
function makeEvent(n: number): CloudEvent {
  const type = pick(TYPES, n);
  const isRefused = type.includes('refused');
  const event = eventOf(organizationId, {
    type,
    subject: pick(['d_1', 'd_2', 'g_1'], n * 7),
    time: pick(MOMENTS, n * 5 + (n >> 3)),
    projectid: pick(['p_1', 'p_2'], n >> 1),
    actorid: pick(['ou_1', 'tu_1', 'p_1'], n >> 2),
    requestid: pick(['r-1', 'r-2', 'r-3', 'r-4'], n),
    tokenid: pick(['t-1', 't-2'], n >> 3),
    data: isRefused ? { operation: 'updateDashboard', resourceId: pick(['d_1', null], n) } : { n },
  });
  if (n % 11 > 0) return event;
  const { projectid: _p, actorid: _a, actorkind: _k, tokenid: _t, requestid: _r, ...byPlatform } = event;
  return byPlatform;
}

let all: AuditEvent[];
beforeAll(async () => {
  const appender = log.newAppender();
  await Promise.all(Array.from({ length: 120 }, (_, n) => appender.append(makeEvent(n))));
  await appender.append(eventOf(newId('organization')));
  all = (await exportAll({})).auditEvents;
});

async function listAll(input: Partial<ListInput>): Promise<AuditEvent[]> {
  const found: AuditEvent[] = [];
  for (let cursor: string | undefined; ;) {
    const query = { order: 'desc', limit: 100, ...input, cursor } as ListInput;
    const { auditEvents, nextCursor } = await listAuditEvents(log.stores, query, context);
    expect(auditEvents.length).toBeLessThanOrEqual(query.limit);
    found.push(...auditEvents);
    if (nextCursor === null) return found;
    cursor = nextCursor;
  }
}

async function exportAll(input: Partial<ExportInput>) {
  const pages = [await exportAuditEvents(log.stores, input, context)];
  for (let cursor = pages[0]?.nextCursor; typeof cursor === 'string'; cursor = pages.at(-1)?.nextCursor)
    pages.push(await exportAuditEvents(log.stores, { ...input, cursor }, context));
  const auditEvents = pages.flatMap((page) => page.auditEvents);
  const { organizationId: id, isWhole, head, total } = await exportAuditEvents(log.stores, input, context);
  return { organizationId: id, isWhole, head, total, auditEvents };
}

function matchesPattern(pattern: string, type: string): boolean {
  return new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}(\\.|$)`).test(type);
}

/** A simple reference implementation of the filter. */
function meets(entry: AuditEvent, filter: Partial<ExportInput>): boolean {
  const { type, from, to, ...exact } = filter;
  return (
    Object.entries(exact).every(([field, value]) => entry[field as keyof AuditEvent] === value) &&
    (type === undefined || matchesPattern(type, entry.type)) &&
    (from === undefined || Date.parse(entry.time) >= Date.parse(from)) &&
    (to === undefined || Date.parse(entry.time) < Date.parse(to))
  );
}

const anyFilter = fc.record(
  {
    projectId: fc.constantFrom('p_1', 'p_2', 'p_3'),
    actorId: fc.constantFrom('ou_1', 'tu_1', 'p_1', 'nobody'),
    type: fc.constantFrom(
      ...TYPES,
      'management.dashboard.*',
      'management.*.deleted',
      'management.*.deleted.v1',
      'management.*.*.v1',
      'management.*.*.v2',
      'management.nothing.*',
    ),
    resourceType: fc.constantFrom('dashboard', 'dashboard_share', 'request', 'tenant'),
    resourceId: fc.constantFrom('d_1', 'd_2', 'none'),
    outcome: fc.constantFrom('done' as const, 'refused' as const),
    requestId: fc.constantFrom('r-1', 'r-2'),
    tokenId: fc.constantFrom('t-1', 't-2'),
    from: fc.constantFrom(...MOMENTS, '2026-01-01T02:00:00.001+02:00'),
    to: fc.constantFrom('2026-01-01T00:00:00.002Z', '2026-06-01T00:00:00Z'),
  },
  { requiredKeys: [] },
);
const isPossible = ({ from, to }: { from?: string; to?: string }) =>
  from === undefined || to === undefined || Date.parse(from) < Date.parse(to);
const byTime = (left: AuditEvent, right: AuditEvent) =>
  Date.parse(left.time) - Date.parse(right.time) || left.sequence - right.sequence;

describe('a list', () => {
  it('has entries to list', () => {
    expect(all).toHaveLength(120);
  });

  it('returns each matching entry once, by time, in pages of any size and either order', async () => {
    const property = fc.asyncProperty(
      anyFilter.filter(isPossible),
      fc.integer({ min: 1, max: 60 }),
      fc.constantFrom('asc' as const, 'desc' as const),
      async (filter, limit, order) => {
        const expected = all.filter((entry) => meets(entry, filter)).toSorted(byTime);
        const listed = await listAll({ ...filter, limit, order });
        expect(listed).toEqual(order === 'asc' ? expected : expected.toReversed());
      },
    );
    await fc.assert(property, { numRuns: randomRuns(150) });
  });

  it('continues at the same place when more entries are recorded', async () => {
    const query = { order: 'desc', limit: 10 } as const;
    const other = { ...admin, organizationId: newId('organization') };
    const appender = log.newAppender();
    const append = (time: string) => appender.append(eventOf(other.organizationId, { time }));
    for (let n = 0; n < 20; n += 1) await append(`2026-01-01T00:00:${String(n).padStart(2, '0')}Z`);
    const first = await listAuditEvents(log.stores, query, contextOf(other));
    for (let n = 0; n < 5; n += 1) await append('2026-01-02T00:00:00Z');
    const cursor = first.nextCursor ?? '';
    const second = await listAuditEvents(log.stores, { ...query, cursor }, contextOf(other));
    const sequences = [...first.auditEvents, ...second.auditEvents].map(({ sequence }) => sequence);
    expect(sequences).toEqual(Array.from({ length: 20 }, (_, n) => 20 - n));
    expect(second.nextCursor).toBeNull();
  });

  it('ends a page early when entries are large', async () => {
    const other = { ...admin, organizationId: newId('organization') };
    const appender = log.newAppender();
    const data = { text: 'x'.repeat(900_000) };
    for (let n = 0; n < 6; n += 1) await appender.append(eventOf(other.organizationId, { data }));
    const query = { order: 'asc', limit: 100 } as const;
    const { auditEvents, nextCursor } = await listAuditEvents(log.stores, query, contextOf(other));
    expect(auditEvents).toHaveLength(3);
    const rest = await listAuditEvents(log.stores, { ...query, cursor: nextCursor ?? '' }, contextOf(other));
    expect(rest.auditEvents.map(({ sequence }) => sequence)).toEqual([4, 5, 6]);
  });

  it.each(['x', 'WzFd', 'WyJhIiwxXQ', 'eyJhIjoxfQ', 'WzEsLTFd', 'WzEsMV0='])(
    'refuses the cursor %s',
    async (cursor) => {
      const query = { order: 'desc', limit: 10, cursor } as const;
      await expect(listAuditEvents(log.stores, query, context)).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
        fieldErrors: [{ field: 'cursor' }],
      });
      await expect(exportAuditEvents(log.stores, { cursor }, context)).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
      });
    },
  );

  it('rejects a time range that ends before it starts', async () => {
    const query = {
      order: 'desc',
      limit: 10,
      from: '2026-01-02T00:00:00Z',
      to: '2026-01-01T00:00:00Z',
    } as const;
    await expect(listAuditEvents(log.stores, query, context)).rejects.toMatchObject({
      fieldErrors: [{ field: 'to' }],
    });
  });
});

describe('an export', () => {
  it('returns matching entries in the order of the log, with their total on every page', async () => {
    await fc.assert(
      fc.asyncProperty(anyFilter.filter(isPossible), async (filter) => {
        const expected = all.filter((entry) => meets(entry, filter));
        const exported = await exportAll(filter);
        expect(exported.auditEvents).toEqual(expected);
        const isWhole = Object.keys(filter).length === 0;
        expect(exported).toMatchObject({ total: expected.length, organizationId, isWhole });
      }),
      { numRuns: 50 },
    );
  });

  it('ends with the last entry at its start, and reads a long log in pages', async () => {
    const other = { ...admin, organizationId: newId('organization') };
    const appender = log.newAppender();
    const append = (count: number) =>
      Promise.all(Array.from({ length: count }, () => appender.append(eventOf(other.organizationId))));
    await append(1100);
    const first = await exportAuditEvents(log.stores, {}, contextOf(other));
    expect(first).toMatchObject({ total: 1100, head: { sequence: 1100 } });
    expect(first.auditEvents).toHaveLength(500);
    await append(10);
    const sizes: number[] = [];
    for (let cursor = first.nextCursor; cursor !== null;) {
      const page = await exportAuditEvents(log.stores, { cursor }, contextOf(other));
      expect(page).toMatchObject({ total: 1100, head: first.head });
      sizes.push(page.auditEvents.length);
      cursor = page.nextCursor;
    }
    expect(sizes).toEqual([500, 100]);
  });

  it('is verified without the database, and tampering is detected', async () => {
    const { auditEvents, ...summary } = await exportAll({});
    const linesOf = (entries: readonly unknown[], fields: object = summary) => [
      ...entries.map((auditEvent) => JSON.stringify({ type: 'auditEvent', auditEvent })),
      JSON.stringify({ type: 'progress', done: 1, total: 1 }),
      JSON.stringify({ type: 'summary', ...fields }),
    ];
    const verify = (lines: string[], sealer = log.sealer) =>
      verifyExport(
        async function* () {
          yield* lines;
        },
        { sealer },
      );
    expect(await verify(linesOf(auditEvents))).toMatchObject({
      outcome: 'intact',
      entryCount: 120,
      isWhole: true,
    });
    const changed = auditEvents.with(4, { ...(auditEvents[4] as AuditEvent), actorId: 'ou_9' });
    const fault = (sequence: number, kind: string) => expect.objectContaining({ sequence, kind }) as unknown;
    const faultsOf = async (lines: string[]) => (await verify(lines)).faults;
    expect(await faultsOf(linesOf(changed))).toEqual([fault(5, 'hashWrong')]);
    expect(await faultsOf(linesOf(auditEvents.toSpliced(4, 1)))).toEqual([
      fault(5, 'entriesMissing'),
      fault(120, 'countWrong'),
    ]);
    expect(await faultsOf(linesOf(auditEvents.slice(0, -1)))).toEqual([
      fault(120, 'tailMissing'),
      fault(119, 'countWrong'),
    ]);
    const last = auditEvents.at(-2) as AuditEvent;
    const head = { ...summary.head, sequence: last.sequence, hash: last.hash };
    expect(await faultsOf(linesOf(auditEvents.slice(0, -1), { ...summary, head, total: 119 }))).toEqual([
      fault(119, 'headSealWrong'),
    ]);
    expect(await faultsOf(linesOf(auditEvents, { ...summary, organizationId: 'o_2' }))).toContainEqual(
      fault(1, 'organizationWrong'),
    );
    await expect(verify(linesOf(auditEvents).slice(0, -1))).rejects.toThrow('summary');
    await expect(verify(['nonsense'])).rejects.toThrow('line 1');
  });

  it('is verified in part when it has a filter', async () => {
    const { auditEvents, ...summary } = await exportAll({ projectId: 'p_1' });
    const lines = [
      ...auditEvents.map((auditEvent) => JSON.stringify({ type: 'auditEvent', auditEvent })),
      JSON.stringify({ type: 'summary', ...summary }),
    ];
    const open = (from: number) =>
      async function* () {
        yield* lines.slice(from);
      };
    expect(await verifyExport(open(0), { sealer: log.sealer })).toMatchObject({
      outcome: 'intact',
      isWhole: false,
    });
    expect(await verifyExport(open(1), { sealer: null })).toMatchObject({ faults: [{ kind: 'countWrong' }] });
  });
});

describe('access to the log requires an ADMIN with a project token', () => {
  it.each([
    { kind: 'orgUser', tokenType: 'project', role: 'AUTHOR' },
    { kind: 'orgUser', tokenType: 'project', role: 'VIEWER' },
    { kind: 'orgUser', tokenType: 'dashboard', role: 'ADMIN' },
    { kind: 'tenantUser', tokenType: 'project', role: 'POWER_USER' },
    { kind: 'tenantUser', tokenType: 'project', role: 'ADMIN' },
    { kind: 'service', tokenType: 'project' },
    { kind: 'anonymous', tokenType: 'dashboard' },
  ])('not for %o', async (who) => {
    const refused = contextOf({ ...who, organizationId } as Principal);
    await expect(listAuditEvents(log.stores, { order: 'desc', limit: 1 }, refused)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(exportAuditEvents(log.stores, {}, refused)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
