import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { restrictShop } from '../testing/polyglot/shop.js';
import { ParserThread, ParserUnavailableError } from './parserThread.js';
import { PolyglotEngine } from './polyglotEngine.js';

/** Does as it is told: hangs, ends, throws or overflows; all else it answers. */
const OBEDIENT = `
  import { parentPort } from 'node:worker_threads';
  const overflow = () => overflow() + 1;
  parentPort.on('message', ({ id, text }) => {
    if (text === 'hang') for (;;);
    if (text === 'exit') process.exit(0);
    if (text === 'throw') throw new Error('as told');
    if (text === 'overflow') overflow();
    parentPort.postMessage({ id, trees: JSON.stringify([text]) });
  });
`;

let folder: string;
let obedient: URL;
let broken: URL;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-parser-'));
  await writeFile(join(folder, 'obedient.mjs'), OBEDIENT);
  await writeFile(join(folder, 'broken.mjs'), 'throw new Error("cannot start");');
  obedient = pathToFileURL(join(folder, 'obedient.mjs'));
  broken = pathToFileURL(join(folder, 'broken.mjs'));
});
afterAll(() => rm(folder, { recursive: true }));

async function withThread(workerFile: URL, use: (thread: ParserThread) => Promise<void>): Promise<void> {
  const thread = new ParserThread({ timeoutMs: 500, workerFile });
  try {
    await use(thread);
  } finally {
    await thread.close();
  }
}

test.each(['hang', 'exit', 'throw', 'overflow'])(
  'a text that makes the parser %s is rejected, and those that wait behind it are answered',
  async (misdeed) => {
    await withThread(obedient, async (thread) => {
      const answers = await Promise.allSettled([
        thread.parse('before', 'mysql'),
        thread.parse(misdeed, 'mysql'),
        thread.parse('behind', 'mysql'),
      ]);
      expect(answers).toEqual([
        { status: 'fulfilled', value: ['before'] },
        { status: 'rejected', reason: expect.any(ParserUnavailableError) },
        { status: 'fulfilled', value: ['behind'] },
      ]);
      expect(await thread.isReady()).toBe(true);
    });
  },
);

test('a parser that nobody has wanted yet is not started to see whether it is ready', async () => {
  await withThread(broken, async (thread) => {
    expect(await thread.isReady()).toBe(true);
  });
});

test('a parser that cannot start rejects every text and is not ready', async () => {
  await withThread(broken, async (thread) => {
    await expect(thread.parse('anything', 'mysql')).rejects.toThrow(ParserUnavailableError);
    expect(await thread.isReady()).toBe(false);
    await expect(thread.parse('anything', 'mysql')).rejects.toThrow(ParserUnavailableError);
  });
});

test('a parser that was closed rejects what waits and what comes', async () => {
  const thread = new ParserThread({ timeoutMs: 500, workerFile: obedient });
  const [waiting] = await Promise.allSettled([thread.parse('waits', 'mysql'), thread.close()]);
  expect(waiting).toEqual({ status: 'rejected', reason: expect.any(ParserUnavailableError) });
  await expect(thread.parse('comes', 'mysql')).rejects.toThrow(ParserUnavailableError);
  expect(await thread.isReady()).toBe(false);
});

test('more texts than may wait are turned away at once', async () => {
  await withThread(obedient, async (thread) => {
    const answers = await Promise.allSettled(
      Array.from({ length: 1500 }, (_, index) => thread.parse(`text ${index}`, 'mysql')),
    );
    const rejected = answers.filter(({ status }) => status === 'rejected');
    expect(rejected.length).toBeGreaterThan(0);
    expect(await thread.isReady()).toBe(true);
  });
});

const isCompiledOrTooDeep = (found: string[]): boolean =>
  ['compiled', 'denied,TOO_DEEP'].includes(found.join());

test('500 deeply nested statements in a row leave the parser working', async () => {
  const thread = new ParserThread({ timeoutMs: 20_000 });
  const engine = new PolyglotEngine(thread);
  try {
    for (let number = 0; number < 500; number += 1) {
      const depth = 8 + (number % 40);
      // Each one is another text, so that none is remembered.
      const sql = `SELECT ${number} FROM ${'(SELECT * FROM '.repeat(depth)}orders${') AS a'.repeat(depth)}`;
      const { status, reasons } = await restrictShop(engine, sql, { dialect: 'mysql' });
      expect([status, ...reasons.map(({ code }) => code)]).toSatisfy(isCompiledOrTooDeep);
    }
    const { status } = await restrictShop(engine, 'SELECT * FROM orders', { dialect: 'mysql' });
    expect(status).toBe('compiled');
  } finally {
    await thread.close();
  }
}, 120_000);

test('a rejection of the parser rejects the call, and is not remembered', async () => {
  await withThread(broken, async (thread) => {
    const engine = new PolyglotEngine(thread);
    await expect(restrictShop(engine, 'SELECT 1')).rejects.toThrow(ParserUnavailableError);
    await expect(engine.checkExpression('a = 1', 'mysql')).rejects.toThrow(ParserUnavailableError);
  });
});
