import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { comparable } from './src/pageRun.js';
import { spawnServer } from './src/servers.js';

const run = promisify(execFile);

it('prints a first request at the start, which works unchanged', async () => {
  await using server = await spawnServer('standalone');
  const line = server
    .output()
    .split('\n')
    .find((text) => text.startsWith('curl '));
  const { stdout } = await run('sh', ['-eu', '-c', line ?? 'exit 1']);
  expect(comparable(stdout)).toEqual([{ accessToken: '<token>', expiresAt: '<time>' }, '']);
});
