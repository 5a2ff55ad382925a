import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { restrictShop, rule, shopCatalog } from '../../testing/polyglot/shop.js';
import { CompilePool } from './pool.js';
import { CompilerUnavailableError } from './thread.js';

/** Prints expressions, unless they name a fault. Each fault is one that a parser could have. */
const FAULTY = `
  import { parentPort } from 'node:worker_threads';
  const overflow = () => overflow() + 1;
  const misdeeds = {
    hang() { for (;;); },
    exit() { process.exit(0); },
    throw() { throw new Error('as planted'); },
    reject() { return Promise.reject(new Error('as planted')); },
    overflow,
    load(ms = 2500) {
      parentPort.postMessage({ kind: 'loading' });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      parentPort.postMessage({ kind: 'loaded' });
    },
    loadAndHang() { misdeeds.load(0); for (;;); },
    fillTheHeap() { const kept = []; for (;;) kept.push(new Array(100_000).fill(0).map(() => ({}))); },
  };
  parentPort.on('message', async ({ call: { args: [expression] } }) => {
    await misdeeds[expression]?.();
    const externalBytes = expression === 'swell' ? 2 ** 40 : 0;
    parentPort.postMessage({ kind: 'result', json: JSON.stringify(expression === 'a = 1' ? null : expression), externalBytes });
  });
  parentPort.postMessage({ kind: 'started' });
`;

let folder: string;
let faulty: URL;
let broken: URL;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-compiler-'));
  await writeFile(join(folder, 'faulty.mjs'), FAULTY);
  await writeFile(join(folder, 'broken.mjs'), 'throw new Error("cannot start");');
  faulty = pathToFileURL(join(folder, 'faulty.mjs'));
  broken = pathToFileURL(join(folder, 'broken.mjs'));
});
afterAll(() => rm(folder, { recursive: true }));

async function withPool(
  options: ConstructorParameters<typeof CompilePool>[0],
  use: (pool: CompilePool) => Promise<void>,
): Promise<void> {
  const pool = new CompilePool(options);
  try {
    await use(pool);
  } finally {
    await pool.stop();
  }
}

const print = (pool: CompilePool, organizationId: string, expression: string) =>
  pool.engineOf(organizationId).printExpression(expression, {}, 'mysql');

describe('a call whose thread fails by', () => {
  test.each(['hang', 'loadAndHang', 'exit', 'throw', 'reject', 'overflow', 'fillTheHeap'])(
    '%s is rejected, and all others succeed',
    { timeout: 60_000 },
    async (misdeed) => {
      await withPool({ timeoutMs: 2000, workerFile: faulty }, async (pool) => {
        const results = await Promise.allSettled([
          print(pool, 'o_a', 'before'),
          print(pool, 'o_a', misdeed),
          print(pool, 'o_a', 'behind'),
          print(pool, 'o_b', 'beside'),
        ]);
        expect(results).toEqual([
          { status: 'fulfilled', value: 'before' },
          { status: 'rejected', reason: expect.any(CompilerUnavailableError) },
          { status: 'fulfilled', value: 'behind' },
          { status: 'fulfilled', value: 'beside' },
        ]);
        expect(await pool.isReady()).toBe(true);
      });
    },
  );
});

test('replaces a thread whose parsers hold too much memory after its call', async () => {
  await withPool({ timeoutMs: 20_000, workerFile: faulty }, async (pool) => {
    expect(await print(pool, 'o_a', 'swell')).toBe('swell');
    expect(await print(pool, 'o_a', 'after')).toBe('after');
  });
});

// Each later call loaded the parser again, so that none succeeded on a busy machine.
test('does not count the start of a parser against the call that needs it', async () => {
  await withPool({ timeoutMs: 500, workerFile: faulty }, async (pool) => {
    expect(await print(pool, 'o_a', 'load')).toBe('load');
  });
});

test('leaves a thread to other organizations when the calls of one never end', async () => {
  await withPool({ timeoutMs: 1000, workerFile: faulty }, async (pool) => {
    const order: string[] = [];
    const hanging = Array.from({ length: 5 }, () =>
      print(pool, 'o_greedy', 'hang').catch(() => order.push('hung')),
    );
    await print(pool, 'o_other', 'quick');
    order.push('quick');
    await Promise.all(hanging);
    expect(order).toEqual(['quick', ...hanging.map(() => 'hung')]);
  });
});

test('checks readiness without starting a thread', async () => {
  await withPool({ timeoutMs: 1000, workerFile: broken }, async (pool) => {
    expect(await pool.isReady()).toBe(true);
  });
});

test('is ready while all threads are busy', async () => {
  await withPool({ timeoutMs: 1000, workerFile: faulty }, async (pool) => {
    const hanging = ['o_a', 'o_b'].map((share) => print(pool, share, 'hang'));
    const ended = Promise.allSettled(hanging);
    expect(await pool.isReady()).toBe(true);
    await ended;
  });
});

test('rejects every call and is not ready if threads cannot start', async () => {
  await withPool({ timeoutMs: 1000, workerFile: broken }, async (pool) => {
    await expect(print(pool, 'o_a', 'anything')).rejects.toThrow(CompilerUnavailableError);
    expect(await pool.isReady()).toBe(false);
    await expect(print(pool, 'o_a', 'anything')).rejects.toThrow(CompilerUnavailableError);
  });
});

test('rejects running, waiting and new calls after stop', async () => {
  const pool = new CompilePool({ timeoutMs: 20_000, workerFile: faulty });
  const running = Promise.allSettled([print(pool, 'o_a', 'hang'), print(pool, 'o_a', 'waits')]);
  await pool.stop();
  const rejected = { status: 'rejected', reason: expect.any(CompilerUnavailableError) };
  expect(await running).toEqual([rejected, rejected]);
  await expect(print(pool, 'o_a', 'comes')).rejects.toThrow(CompilerUnavailableError);
  expect(await pool.isReady()).toBe(false);
});

describe('the compiler in its threads', () => {
  const pool = new CompilePool({ timeoutMs: 20_000 });
  const engine = pool.engineOf('o_acme');
  afterAll(() => pool.stop());

  test.each(['postgres', 'mysql', 'sqlite', 'duckdb', 'snowflake', 'bigquery', 'mssql'] as const)(
    'returns the results of the engine for %s',
    async (dialect) => {
      const { status } = await restrictShop(engine, 'SELECT id FROM orders', { dialect });
      expect(status).toBe(['postgres', 'mysql', 'sqlite'].includes(dialect) ? 'compiled' : 'conditions_only');
      expect(await engine.checkExpression('tenant_id = 1', dialect)).toBeNull();
      expect(await engine.checkExpression('tenant_id =', dialect)).toMatchObject({
        message: expect.any(String),
      });
      expect(await engine.analyzeExpression('tenant_id = 1', dialect)).toMatchObject({ kind: 'compare' });
      expect(await engine.printExpression('tenant_id = {{ a }}', { a: 1 }, dialect)).toContain('1');
      expect(await pool.isReady()).toBe(true);
    },
  );

  test('never mixes up catalogs, however many there are', async () => {
    const wide = (table: string) => ({
      defaultSchema: 'public',
      schemas: [
        {
          name: 'public',
          tables: Array.from({ length: 30 }, (_, index) => ({
            name: `${table}_${index}`,
            kind: 'table' as const,
            columns: Array.from({ length: 5000 }, (__, column) => ({ name: `c${column}`, type: '' })),
          })),
        },
      ],
    });
    // Three of them exceed the cache of a thread.
    const catalogs = ['first', 'second', 'third'].map((name) => ({ name, catalog: wide(name) }));
    for (const { name, catalog } of [...catalogs, ...catalogs]) {
      const changes = { dialect: 'postgres', catalog, rules: [] } as const;
      const { trace } = await restrictShop(engine, `select c1 from ${name}_29`, changes);
      expect(trace).toMatchObject([{ name: `public.${name}_29`, outcome: 'free' }]);
    }
  });

  test("passes every property of a catalog's server and tables", async () => {
    const shop = shopCatalog('shop');
    const restrict = (catalog: typeof shop, sql: string, matched = 'orders') => {
      const rules = [rule('id = {{ id }}', { id: 1 }, { type: 'TABLE_LIST', tables: [{ table: matched }] })];
      return restrictShop(engine, sql, { dialect: 'mysql', catalog, rules });
    };
    const [exact, folding] = ([0, 1] as const).map((setting) => ({ ...shop, lowerCaseTableNames: setting }));
    expect((await restrict(exact ?? shop, 'SELECT id FROM ORDERS')).status).toBe('denied');
    expect((await restrict(folding ?? shop, 'SELECT id FROM ORDERS')).status).toBe('compiled');
    const parts = structuredClone(shop);
    const countries = 'schemas' in parts ? parts.schemas[0]?.tables[2] : undefined;
    Object.assign(countries ?? {}, { partOf: [{ schema: 'shop', table: 'whole' }] });
    const sql = 'SELECT id FROM countries';
    expect(await restrict(shop, sql, 'whole')).toMatchObject({ status: 'compiled', conditions: [] });
    expect((await restrict(parts, sql, 'whole')).conditions).toMatchObject([{ table: 'countries' }]);
  });

  test('works after 500 deeply nested statements in a row', { timeout: 120_000 }, async () => {
    for (let number = 0; number < 500; number += 1) {
      const depth = 8 + (number % 40);
      const sql = `SELECT ${number} FROM ${'(SELECT * FROM '.repeat(depth)}orders${') AS a'.repeat(depth)}`;
      const { status, reasons } = await restrictShop(engine, sql, { dialect: 'mysql' });
      expect(['compiled', 'denied,TOO_DEEP']).toContain([status, ...reasons.map(({ code }) => code)].join());
    }
    const { status } = await restrictShop(engine, 'SELECT * FROM orders', { dialect: 'mysql' });
    expect(status).toBe('compiled');
  });
});
