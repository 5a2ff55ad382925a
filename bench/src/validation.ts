import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { MongoClient, type Db, type Document } from 'mongodb';
import { residentMb } from './processUse.js';
import { caller, issueToken, type Call } from './seed.js';
import { readCredentials, startGatehouse } from './servers.js';

/** The cost of validating all dashboards of a project, by their number. */
export interface BatchCost {
  dashboards: number;
  /** Milliseconds of validate-all with warm catalogs: the median. */
  validateAllMs: number;
  /** Milliseconds of reading the same dashboards from the store and parsing their templates: the median. */
  readAllMs: number;
  /** Megabytes resident before the batch, and the most during it. */
  restMb: number;
  peakMb: number;
}

export interface ValidationCost {
  batches: BatchCost[];
  /** Milliseconds, over HTTP, one request at a time: medians. */
  validateP50Ms: number;
  /** Reading the same dashboard. */
  readP50Ms: number;
  /** One unknown column of a table of 2,000, with suggestions and without. */
  suggestedP50Ms: number;
  unsuggestedP50Ms: number;
}

const CARDS = 20;
const TABLES = 50;
const COLUMNS = 40;
const WIDE_COLUMNS = 2000;
const INSERT_BATCH = 1000;
/** Without a limit, the heap grows as long as there is memory, whether it is needed or not. */
const HEAP_MB = 96;
/** More characters than the summary of a batch has. */
const LAST_LINE_MAX = 4096;
const API = '/api/management/v1';

const columnName = (table: number, column: number) => `table_${table}_column_${column}`;
const columnsOf = (table: number, count: number) =>
  Array.from({ length: count }, (_, column) => ({ name: columnName(table, column), type: 'text' }));

/** Fifty tables of forty columns, and one of two thousand. */
const catalog = {
  defaultSchema: 'public',
  schemas: [
    {
      name: 'public',
      tables: [
        ...Array.from({ length: TABLES }, (_, table) => ({
          name: `table_${table}`,
          columns: columnsOf(table, COLUMNS),
        })),
        { name: 'wide', columns: columnsOf(TABLES, WIDE_COLUMNS) },
      ],
    },
  ],
};

/** A card on two joined tables with ten fields and two filters. */
function cardOf(connectionId: string, card: number): object {
  const [left, right] = [card % TABLES, (card + 1) % TABLES];
  const field = (column: number) => ({ entity: `table_${left}`, column: columnName(left, column) });
  const fields = (first: number) => [0, 1].map((next) => field(first + next));
  const on = [{ sourceColumn: columnName(left, 0), targetColumn: columnName(right, 0) }];
  return {
    id: `card_${card}`,
    title: `Card ${card}`,
    type: 'table',
    dataSource: {
      connectionId,
      mode: 'database',
      selectedEntities: [{ table: `table_${left}` }, { table: `table_${right}` }],
      joins: [{ source: `table_${left}`, target: `table_${right}`, on, type: 'left' }],
    },
    fields: { columns: fields(1), metrics: fields(3), groupBy: fields(5), sort: fields(7), pivot: fields(9) },
    filters: [field(11), { column: columnName(right, 12) }],
  };
}

const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * Duration of the work in milliseconds: the median of several runs, after a quarter as many that do not
 * count.
 */
async function timed(times: number, work: () => Promise<unknown>): Promise<number> {
  for (let n = 0; n < times / 4; n += 1) await work();
  const taken: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const startedAt = performance.now();
    await work();
    taken.push(performance.now() - startedAt);
  }
  return median(taken);
}

/** The maximum memory of a process during the work, sampled regularly. */
async function peakDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  let peakMb = await residentMb(pid);
  const looking = setInterval(() => {
    residentMb(pid).then(
      (mb) => (peakMb = Math.max(peakMb, mb)),
      () => {},
    );
  }, 20);
  await work().finally(() => clearInterval(looking));
  return Math.max(peakMb, await residentMb(pid));
}

type Dashboards = ReturnType<typeof dashboardsOf>;
const dashboardsOf = (database: Db) => database.collection<Document & { _id: string }>('dashboards');

/** Copies the one dashboard that the program wrote up to this number. */
async function growTo(
  dashboards: Dashboards,
  pattern: Document & { _id: string },
  count: number,
): Promise<void> {
  const present = await dashboards.countDocuments({ projectId: String(pattern['projectId']) });
  for (let start = present; start < count; start += INSERT_BATCH) {
    const size = Math.min(INSERT_BATCH, count - start);
    const copies = Array.from({ length: size }, (_, n) => ({ ...pattern, _id: `d_copy${start + n}` }));
    await dashboards.insertMany(copies, { ordered: false });
  }
}

async function findPattern(dashboards: Dashboards, id: string): Promise<Document & { _id: string }> {
  for (;;) {
    const document = await dashboards.findOne({ _id: id });
    if (document && (document['outbox'] as unknown[]).length === 0) return document;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function readAll(dashboards: Dashboards, projectId: string): Promise<number> {
  let cards = 0;
  const stored = dashboards.find({ projectId }, { projection: { title: 1, body: 1 } });
  for await (const { body } of stored) {
    const { sheets } = JSON.parse(String(body)) as { sheets: { frames: { cards: unknown[] }[] }[] };
    cards += sheets[0]?.frames[0]?.cards.length ?? 0;
  }
  return cards;
}

/** Validates all, and keeps none of the results: there may be more than this process has memory for. */
async function expectAllValid({ baseUrl, token }: Prepared, count: number): Promise<void> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/x-ndjson',
  };
  const url = `${baseUrl}/api/v1/dashboard/validate-all`;
  const { body } = await fetch(url, { method: 'POST', headers, body: '{}' });
  let tail = '';
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? [])
    tail = (tail + text).slice(-LAST_LINE_MAX);
  const summary = JSON.parse(tail.trimEnd().split('\n').at(-1) ?? '') as { validDashboards?: number };
  if (summary.validDashboards !== count) throw new Error('Not every dashboard was found valid');
}

interface Prepared {
  call: Call;
  baseUrl: string;
  token: string;
  dashboards: Dashboards;
  pattern: Document & { _id: string };
  connectionId: string;
  pid: number;
}

async function measureBatch(prepared: Prepared, count: number): Promise<BatchCost> {
  const { dashboards, pattern, pid } = prepared;
  await growTo(dashboards, pattern, count);
  const work = () => expectAllValid(prepared, count);
  await work();
  const restMb = await residentMb(pid);
  const peakMb = await peakDuring(pid, work);
  const times = count > 1000 ? 1 : 3;
  return {
    dashboards: count,
    restMb,
    peakMb,
    validateAllMs: await timed(times, work),
    readAllMs: await timed(times, () => readAll(dashboards, String(pattern['projectId']))),
  };
}

async function measureOne({ call, pattern, connectionId }: Prepared, times: number) {
  const dashboardId = pattern._id;
  const column = 'table_50_colunm_1234';
  const template = {
    sheets: [
      {
        frames: [
          {
            cards: [
              {
                dataSource: { connectionId, selectedEntities: [{ table: 'wide' }] },
                fields: { columns: [{ column }] },
              },
            ],
          },
        ],
      },
    ],
  };
  const validate = (body: object) => () => call('POST', '/api/v1/dashboard/validate', body);
  const options = (includeSuggestions: boolean) => ({ includeSuggestions, includeAvailableColumns: false });
  return {
    validateP50Ms: await timed(times, validate({ dashboardId })),
    readP50Ms: await timed(times, () => call('GET', `${API}/dashboards/${dashboardId}`)),
    suggestedP50Ms: await timed(times, validate({ template, options: options(true) })),
    unsuggestedP50Ms: await timed(times, validate({ template, options: options(false) })),
  };
}

/**
 * Measures validation on a standalone: of one dashboard, and of growing numbers of dashboards of twenty cards
 * each.
 */
export async function measureValidation(sizes: number[], times: number): Promise<ValidationCost> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-validation-'));
  const engine = await startEmbeddedEngine({ dataDir: join(dataDir, 'engine') });
  const client = await new MongoClient(engine.url, { retryWrites: false }).connect();
  // Without the larger young generation that previews benefit from: with so small a heap it doubles the
  // duration of a batch.
  const nodeArguments = [`--max-old-space-size=${HEAP_MB}`];
  const server = await startGatehouse('standalone', { mongodbUrl: engine.url, dataDir, nodeArguments });
  try {
    const credentials = await readCredentials(dataDir);
    const token = await issueToken(credentials, { orgUserId: credentials.adminOrgUserId });
    const call = caller(credentials.baseUrl, token);
    const connection = { name: 'Static', type: 'static', config: { dialect: 'postgres' }, catalog };
    const created = await call('POST', '/api/v1/connections', connection);
    const { id: connectionId } = created['connection'] as unknown as { id: string };
    const cards = Array.from({ length: CARDS }, (_, card) => cardOf(connectionId, card));
    const template = { sheets: [{ id: 's1', frames: [{ id: 'f1', cards }] }] };
    const saved = await call('POST', `${API}/dashboards`, { title: 'Pattern', template });
    const { id } = saved['dashboard'] as unknown as { id: string };
    const dashboards = dashboardsOf(client.db('gatehouse_access'));
    const pattern = await findPattern(dashboards, id);
    const { baseUrl } = credentials;
    const prepared = { call, baseUrl, token, dashboards, pattern, connectionId, pid: server.pid };
    const one = await measureOne(prepared, times);
    const batches: BatchCost[] = [];
    for (const size of sizes) batches.push(await measureBatch(prepared, size));
    return { batches, ...one };
  } finally {
    await server.stop();
    await client.close();
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const ms = (value: number) => value.toFixed(2);
const whole = (value: number) => Math.round(value).toLocaleString('en');

/** The costs as a section of the results. */
export function reportValidation(cost: ValidationCost): string {
  const rows = cost.batches.map(({ dashboards, validateAllMs, readAllMs, restMb, peakMb }) => {
    const times = (validateAllMs / readAllMs).toFixed(1);
    return `| ${whole(dashboards)} | ${whole(validateAllMs)} | ${whole(readAllMs)} | ${times} | ${whole(restMb)} | ${whole(peakMb)} |`;
  });
  return `
## Validation

Standalone, dashboards of ${CARDS} cards with ten fields, two filters and a join each, with a cached catalog.
The limit reads the same dashboards from the same engine and parses them.
The program has a heap of at most ${HEAP_MB} MB; memory is all resident memory.

| dashboards | validate-all ms | limit ms | times | MB before | MB at most |
|---|---|---|---|---|---|
${rows.join('\n')}

One dashboard over HTTP: ${ms(cost.validateP50Ms)} ms (p50), beside ${ms(cost.readP50Ms)} ms to read it.
One unknown column of a table of ${WIDE_COLUMNS.toLocaleString('en')}: ${ms(cost.suggestedP50Ms)} ms with suggestions, ${ms(cost.unsuggestedP50Ms)} ms without.
`;
}
