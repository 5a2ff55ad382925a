import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { randomRuns } from '@gatehouse/testing';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const WORKER = new URL('../../../dist/sql/compiler/worker.js', import.meta.url);
const REQUEST = {
  dialect: 'mysql',
  sql: `select id from orders${' union all select id from orders'.repeat(900)}`,
  entities: [],
  catalog: null,
  isGoverned: true,
  pinnedSchema: null,
  allowedSchemas: null,
  rules: [],
  rowBarrier: false,
};

/** Starts threads with a call and terminates each after a random time; five at a time. */
const TERMINATE = `
  import { setTimeout as sleep } from 'node:timers/promises';
  import { Worker } from 'node:worker_threads';
  let left = Number(process.argv[2]);
  async function terminateThreads() {
    while (left-- > 0) {
      const thread = new Worker(new URL(process.argv[1]), { env: {}, execArgv: [], stderr: true,
        resourceLimits: { stackSizeMb: 64, maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 64 } });
      thread.on('error', () => {});
      await new Promise((resolve) => thread.once('message', resolve));
      thread.postMessage({ call: { method: 'restrict', args: [${JSON.stringify(REQUEST)}] },
        catalog: null, evicted: [] });
      await sleep(Math.random() * 120);
      thread.terminate();
    }
  }
  await Promise.all(Array.from({ length: 5 }, terminateThreads));
  console.log('survived');
`;

// Without synchronous compilation, two of seven processes ended within two hundred threads.
test('threads that are terminated while they load a parser do not end the process', async () => {
  const count = randomRuns(25, 1000);
  const args = ['--input-type=module', '--eval', TERMINATE, WORKER.href, String(count)];
  expect((await run(process.execPath, args)).stdout).toBe('survived\n');
});

test.each([
  ['the compiler', WORKER],
  ['the sample database', new URL('../../../sampleDatabaseWorker.mjs', import.meta.url)],
])('the thread of %s imports no parser or database before it compiles synchronously', async (_, file) => {
  const text = await readFile(file, 'utf8');
  const imported = [...text.matchAll(/^import .*?from '([^']+)';/gm)].map(([, name]) => name);
  expect(imported.filter((name) => !name?.startsWith('node:'))).toEqual([
    '@gatehouse/service/synchronousWebAssembly',
  ]);
  expect(text.indexOf('compileWebAssemblySynchronously();')).toBeLessThan(text.indexOf('await import('));
});
