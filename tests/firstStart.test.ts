import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemLibcSuffices } from '@gatehouse/newer-libc';
import { expect, it } from 'vitest';
import { spawnServer, type Form } from './src/servers.js';

/** What `npm start` writes to standard error on a machine whose home directory is this one. */
async function startErrors(home: string): Promise<string[]> {
  await using server = await spawnServer('standalone', { HOME: home, MONGODB_URL: '' });
  return server.errors().split('\n').filter(Boolean);
}

it.runIf(!systemLibcSuffices())(
  'the first start prints in one line what it downloads, why, and which setting avoids it',
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'gatehouse-home-'));
    try {
      expect(await startErrors(home)).toEqual([
        expect.stringMatching(
          /^Downloading libc6 .* because .* needs glibc 2\.38 .*Set MONGODB_URL to avoid .*\.$/,
        ),
      ]);
      expect(await startErrors(home)).toEqual([]);
    } finally {
      await rm(home, { recursive: true });
    }
  },
);

it.each<Form>(['standalone', 'mesh'])(
  'the log of the first start of %s names no address but its own, also while the demo is loaded',
  async (form) => {
    await using server = await spawnServer(form, { DEMO: '1', LOG_LEVEL: 'info' });
    const records = server
      .errors()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { service: string; msg: string; url?: string });
    const ofGateways = records.filter(({ service }) => ['gateway', 'standalone', 'mesh'].includes(service));
    expect(ofGateways.map(({ msg }) => msg)).toContain('loading the demo organization');
    expect(ofGateways.flatMap(({ url }) => url ?? [])).toEqual([server.baseUrl]);
  },
);
