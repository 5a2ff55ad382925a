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

it('prints a sign-in link at the start, whose code is exchanged for a token once', async () => {
  await using server = await spawnServer('standalone');
  const link = /^Sign in, once within ten minutes: (\S+)\/console\?project=(\S+)#sign-in=(\S+)$/m.exec(
    server.output(),
  );
  const [, address, projectId, signInCode] = link ?? [];
  expect([address, projectId]).toEqual([server.baseUrl, server.credentials.projectId]);
  const exchange = async () => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ signInCode });
    const answer = await fetch(`${server.baseUrl}/api/v1/token`, { method: 'POST', headers, body });
    return answer.status;
  };
  expect([await exchange(), await exchange()]).toEqual([200, 401]);
});
