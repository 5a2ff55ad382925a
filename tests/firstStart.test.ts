import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemLibcSuffices } from '@gatehouse/newer-libc';
import { expect, it } from 'vitest';
import { spawnServer } from './src/servers.js';

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
