import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { describeStart } from './welcome.js';

const run = promisify(execFile);

describe('the first request that is printed', () => {
  it('works when pasted, also where the path has spaces and quotes', async () => {
    const received: string[] = [];
    const server = createServer((request, response) => {
      request
        .on('data', (chunk: Buffer) => received.push(chunk.toString()))
        .on('end', () => response.end('ok'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const dir = await mkdtemp(join(tmpdir(), `gatehouse it's "here" $HOME `));
    try {
      const credentials = {
        baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        organizationId: 'o_1',
        projectId: 'p_1',
        projectSecret: 'secret',
        adminOrgUserId: 'ou_1',
      };
      const credentialsFile = join(dir, 'credentials.json');
      await writeFile(credentialsFile, JSON.stringify(credentials));
      const text = describeStart({ credentials, credentialsFile, metricsUrls: [], signInCode: null });
      const line = text.split('\n').find((each) => each.startsWith('curl '));
      expect((await run('sh', ['-c', line ?? 'exit 1'])).stdout).toBe('ok');
      expect(JSON.parse(received.join(''))).toEqual({
        projectId: 'p_1',
        projectSecret: 'secret',
        orgUserId: 'ou_1',
      });
    } finally {
      server.close();
      await rm(dir, { recursive: true });
    }
  });
});
