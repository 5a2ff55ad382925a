import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { systemLibcSuffices } from '@gatehouse/newer-libc';
import { removeDataDir } from '@gatehouse/testing';
import { MongoClient, MongoServerError, type Collection } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startEmbeddedEngine, type EmbeddedEngine } from './embeddedEngine.js';
import { EngineUnavailableError } from './unavailableError.js';

interface Item {
  _id: number;
  name: string;
}

const BUILT_MODULE = new URL('../dist/index.js', import.meta.url);

let baseDir: string;
beforeAll(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'gatehouse-engine-'));
});
afterAll(() => removeDataDir(baseDir));

async function withItems<T>(url: string, use: (items: Collection<Item>) => Promise<T>): Promise<T> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000 });
  try {
    return await use(client.db('test').collection<Item>('items'));
  } finally {
    await client.close();
  }
}

async function withEngine<T>(dataDir: string, use: (engine: EmbeddedEngine) => Promise<T>): Promise<T> {
  const engine = await startEmbeddedEngine({ dataDir });
  try {
    return await use(engine);
  } finally {
    await engine.stop();
  }
}

async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // An orphan that has ended stays a zombie until the first process collects it, which may take a while.
  return status !== undefined && !/\) [ZX] /.test(status);
}

/** Compares every item with every item, which takes most of a second. */
function sumSlowly(items: Collection<Item>): Promise<unknown[]> {
  const pipeline = [{ $match: { $expr: { $gte: ['$_id', '$$id'] } } }];
  return items
    .aggregate([
      { $lookup: { from: 'items', as: 'later', let: { id: '$_id' }, pipeline } },
      { $group: { _id: null, total: { $sum: { $sum: '$later._id' } } } },
    ])
    .toArray();
}

async function insertItems(items: Collection<Item>, count: number): Promise<void> {
  await items.insertMany(Array.from({ length: count }, (_, _id) => ({ _id, name: 'x' })));
}

/** Every way of selecting documents. */
const SELECTIONS: Record<string, (items: Collection<Item>, filter: object) => Promise<unknown>> = {
  find: (items, filter) => items.find(filter).toArray(),
  count: (items, filter) => items.countDocuments(filter),
  aggregate: (items, filter) => items.aggregate([{ $match: filter }]).toArray(),
  findOneAndUpdate: (items, filter) => items.findOneAndUpdate(filter, { $set: { name: 'y' } }),
  updateMany: async (items, filter) => (await items.updateMany(filter, { $set: { name: 'y' } })).matchedCount,
  deleteMany: async (items, filter) => (await items.deleteMany(filter)).deletedCount,
};

/** A process that has started an engine, and that engine's process id and address. */
async function startParent(dataDir: string) {
  const source = `
    import { startEmbeddedEngine } from ${JSON.stringify(BUILT_MODULE.href)};
    const engine = await startEmbeddedEngine({ dataDir: ${JSON.stringify(dataDir)} });
    console.log(JSON.stringify({ pid: engine.pid, url: engine.url }));`;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: parent.stdout });
  const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
  if (line === undefined) throw new Error('The parent did not start: is the package built?');
  return { parent, engine: JSON.parse(line) as { pid: number; url: string } };
}

describe.runIf(!systemLibcSuffices())('an embedded engine on a system with an older C library', () => {
  it('reports in one line what it downloads, why, and which setting avoids it', async () => {
    const dataDir = join(baseDir, 'announced');
    const lines: string[] = [];
    const libcDir = join(baseDir, 'announced-libc');
    const engine = await startEmbeddedEngine({ dataDir, libcDir, notify: (line) => lines.push(line) });
    await engine.stop();
    expect(lines).toEqual([
      expect.stringMatching(
        /^Downloading libc6 .* because .* needs glibc 2\.38 .* MONGODB_URL to avoid .*\.$/,
      ),
    ]);
  });

  it('names what is missing and what to use instead if it cannot download one', async () => {
    const dataDir = join(baseDir, 'unavailable');
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'libc'), '');
    const failure = await startEmbeddedEngine({ dataDir, libcDir: join(dataDir, 'libc') }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(EngineUnavailableError);
    expect(failure).toMatchObject({
      message: expect.stringMatching(/glibc 2\.38 .*EEXIST.* MONGODB_URL .*infra\/compose\.yaml/) as string,
    });
  });
});

describe('an embedded engine', () => {
  it('serves the MongoDB driver', async () => {
    await withEngine(join(baseDir, 'serves'), async ({ url }) => {
      await withItems(url, async (items) => {
        await items.createIndex({ name: 1 }, { unique: true });
        await items.insertOne({ _id: 1, name: 'one' });
        expect(await items.findOne({ name: 'one' })).toEqual({ _id: 1, name: 'one' });
        const failure = await items.insertOne({ _id: 2, name: 'one' }).catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(MongoServerError);
        expect(failure).toMatchObject({ code: 11000, keyPattern: { name: 1 }, keyValue: { name: 'one' } });
        expect(await items.countDocuments()).toBe(1);
      });
    });
  });

  it('transfers documents of many megabytes both ways', async () => {
    await withEngine(join(baseDir, 'large'), async ({ url }) => {
      await withItems(url, async (items) => {
        const name = 'x'.repeat(12_000_000);
        await items.insertMany([
          { _id: 1, name },
          { _id: 2, name },
        ]);
        const read = await items.find().sort({ _id: 1 }).toArray();
        expect(read.map((item) => item.name === name)).toEqual([true, true]);
      });
    });
  });

  it.each(Object.entries(SELECTIONS))(
    'selects none of more than 10,000 documents that several indexes have, with %s',
    async (name, select) => {
      await withEngine(join(baseDir, `selections-${name}`), ({ url }) =>
        withItems(url, async (items) => {
          await items.createIndexes([{ key: { name: 1, _id: 1 } }, { key: { name: 1, other: 1 } }]);
          await insertItems(items, 10_500);
          const found = await select(items, { name: 'x', absent: 1 });
          expect([0, null]).toContainEqual(Array.isArray(found) ? found.length : found);
        }),
      );
    },
  );

  it('serves one connection while another waits for a slow command', async () => {
    await withEngine(join(baseDir, 'parallel'), async ({ url }) => {
      await withItems(url, async (items) => {
        await insertItems(items, 1_000);
        let isSlowDone = false;
        const slow = sumSlowly(items).then(() => (isSlowDone = true));
        await items.findOne({ _id: 1 });
        for (let _id = 0; _id < 20; _id++) await items.findOne({ _id });
        expect(isSlowDone).toBe(false);
        await slow;
      });
    });
  });

  it('keeps its data when it is stopped and started again', async () => {
    const dataDir = join(baseDir, 'restarts');
    await withEngine(dataDir, ({ url }) =>
      withItems(url, (items) => items.insertOne({ _id: 1, name: 'kept' })),
    );
    await withEngine(dataDir, ({ url }) =>
      withItems(url, async (items) => {
        expect(await items.findOne()).toEqual({ _id: 1, name: 'kept' });
      }),
    );
  });

  it('ends with code 0 and leaves no socket when it is stopped', async () => {
    const engine = await startEmbeddedEngine({ dataDir: join(baseDir, 'stops') });
    await Promise.all([engine.stop(), engine.stop()]);
    expect(await engine.exited).toBe(0);
    expect(await isAlive(engine.pid)).toBe(false);
    expect(await readdir(engine.dataDir)).not.toContain('engine.sock');
  });

  it('completes the commands that are in flight when it is stopped', async () => {
    const dataDir = join(baseDir, 'in-flight');
    const engine = await startEmbeddedEngine({ dataDir });
    await withItems(engine.url, async (items) => {
      await insertItems(items, 1_000);
      const sum = sumSlowly(items);
      await delay(100);
      const order: string[] = [];
      await Promise.all([
        engine.stop().then(() => order.push('stopped')),
        sum.then(() => order.push('answered')),
      ]);
      expect(order).toEqual(['answered', 'stopped']);
      expect(await sum).toEqual([{ _id: null, total: 333_333_000 }]);
    });
    expect(await engine.exited).toBe(0);
  });

  it('keeps every journaled write when it is killed', async () => {
    const dataDir = join(baseDir, 'killed');
    let count = 0;
    for (let round = 0; round < 3; round++) {
      const engine = await startEmbeddedEngine({ dataDir });
      await withItems(engine.url, async (items) => {
        expect(await items.countDocuments()).toBeGreaterThanOrEqual(count);
        count = Math.max(count, await items.countDocuments());
        const first = count;
        const writes = (async () => {
          for (;;) {
            await items.insertOne({ _id: count, name: 'acknowledged' }, { writeConcern: { w: 1, j: true } });
            count += 1;
          }
        })();
        const failed = writes.catch((error: unknown) => error);
        await delay(300);
        engine.kill('SIGKILL');
        // The driver wraps the error of a closed socket, but not that of a failed write to it.
        expect(await failed).toBeInstanceOf(Error);
        expect(count).toBeGreaterThan(first);
      });
      expect(await engine.exited).toBe('SIGKILL');
    }
    await withEngine(dataDir, ({ url }) =>
      withItems(url, async (items) => {
        const ids = (await items.find({ _id: { $lt: count } }).toArray()).map((item) => item._id);
        expect(ids).toHaveLength(count);
      }),
    );
  });

  it('limits the heaps of the C library, unless its environment does', async () => {
    const limits = async (pid: number) =>
      (await readFile(`/proc/${pid}/environ`, 'utf8'))
        .split('\0')
        .filter((each) => each.startsWith('MALLOC_'));
    const ownLimits = ['MALLOC_ARENA_MAX=1', 'MALLOC_MMAP_THRESHOLD_=131072'];
    await withEngine(join(baseDir, 'heaps'), async ({ pid }) => expect(await limits(pid)).toEqual(ownLimits));
    vi.stubEnv('MALLOC_ARENA_MAX', '5');
    try {
      await withEngine(join(baseDir, 'heaps'), async ({ pid }) =>
        expect(await limits(pid)).toContain('MALLOC_ARENA_MAX=5'),
      );
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('restricts its directory and socket to the user', async () => {
    const dataDir = join(baseDir, 'private');
    await mkdir(dataDir, { mode: 0o755 });
    await withEngine(dataDir, async () => {
      expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
      expect((await stat(join(dataDir, 'engine.sock'))).isSocket()).toBe(true);
    });
  });

  it('replaces the socket of a dead engine', async () => {
    const dataDir = join(baseDir, 'stale');
    const engine = await startEmbeddedEngine({ dataDir });
    engine.kill('SIGKILL');
    await engine.exited;
    expect(await readdir(dataDir)).toContain('engine.sock');
    await withEngine(dataDir, ({ url }) =>
      withItems(url, async (items) => {
        expect(await items.countDocuments()).toBe(0);
      }),
    );
  });

  it('serves a directory whose path is too long for a socket, from a private directory', async () => {
    const dataDir = join(baseDir, 'long'.repeat(30), 'data');
    const engine = await startEmbeddedEngine({ dataDir });
    const socketPath = decodeURIComponent(new URL(engine.url).hostname);
    const socketDir = join(socketPath, '..');
    expect(socketPath.startsWith(tmpdir())).toBe(true);
    expect((await stat(socketDir)).mode & 0o777).toBe(0o700);
    await withItems(engine.url, (items) => items.insertOne({ _id: 1, name: 'far' }));
    engine.kill('SIGKILL');
    await engine.exited;
    await expect(access(socketDir)).rejects.toThrow('ENOENT');
  });

  it('reports the message of the engine when it cannot open the directory', async () => {
    const dataDir = join(baseDir, 'occupied');
    await mkdir(join(dataDir, 'mongod.lock'), { recursive: true });
    await expect(startEmbeddedEngine({ dataDir })).rejects.toThrow(
      /did not open its directory: .*mongod\.lock.*ended with code 1$/s,
    );
  });

  it('reports how the engine ended when a damaged directory crashes it', async () => {
    const dataDir = join(baseDir, 'broken');
    await withEngine(dataDir, ({ url }) =>
      withItems(url, (items) => items.insertOne({ _id: 1, name: 'lost' })),
    );
    await writeFile(join(dataDir, 'WiredTiger.wt'), 'no database');
    await expect(startEmbeddedEngine({ dataDir })).rejects.toThrow(/ended with (SIG[A-Z]+|code [1-9])/);
  });
});

describe('two engines on one directory', () => {
  it('open it in turn: the second waits until the first has closed it', async () => {
    const dataDir = join(baseDir, 'shared');
    const first = await startEmbeddedEngine({ dataDir });
    await withItems(first.url, (items) => items.insertOne({ _id: 1, name: 'first' }));
    let isSecondReady = false;
    const second = startEmbeddedEngine({ dataDir }).finally(() => (isSecondReady = true));
    await delay(500);
    expect(isSecondReady).toBe(false);
    await first.stop();
    const opened = await second;
    await withItems(opened.url, async (items) => {
      expect(await items.findOne()).toEqual({ _id: 1, name: 'first' });
    });
    await opened.stop();
  });
});

describe('an engine whose parent is killed', () => {
  it('ends by itself, and the next engine opens the directory immediately', async () => {
    const dataDir = join(baseDir, 'orphan');
    const { parent, engine } = await startParent(dataDir);
    await withItems(engine.url, async (items) => {
      await items.insertOne({ _id: 1, name: 'orphan' });
      parent.kill('SIGKILL');
      await withEngine(dataDir, ({ url }) =>
        withItems(url, async (next) => {
          expect(await next.findOne()).toEqual({ _id: 1, name: 'orphan' });
        }),
      );
      await expect.poll(() => isAlive(engine.pid)).toBe(false);
    });
  });

  it('removes its private socket directory', async () => {
    const dataDir = join(baseDir, 'orphan'.repeat(20));
    const { parent, engine } = await startParent(dataDir);
    const socketDir = join(decodeURIComponent(new URL(engine.url).hostname), '..');
    await access(socketDir);
    parent.kill('SIGKILL');
    await expect.poll(() => isAlive(engine.pid)).toBe(false);
    await expect(access(socketDir)).rejects.toThrow('ENOENT');
  });
});
