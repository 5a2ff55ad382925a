import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemLibcSuffices } from '@gatehouse/newer-libc';
import { startBrowser } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { makeClone } from './src/docCommands.js';
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

it('the commands on the sign-in page and in the output of a start print links that sign in', async () => {
  await using clone = await makeClone();
  // As npm starts it in the clone, where the settings are the default.
  await using server = await spawnServer('standalone', { DATA_DIR: join(clone.path, '.data') });
  await using browser = await startBrowser();
  const page = await browser.newPage(`${server.baseUrl}/console`);
  await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor();
  const shown = await page.locator('pre').allTextContents();
  const printed = /^Another link: (.*)$/m.exec(server.output())?.[1] ?? '';
  expect(shown).toEqual([expect.stringMatching(/^npm run gatehouse -- /), 'gatehouse console']);
  for (const command of [shown[0] ?? '', printed]) {
    const { code, output, errors } = await clone.run(command);
    expect([code, errors]).toEqual([0, '']);
    const [link = ''] = output.trim().split('\n').slice(-1);
    const signedIn = await browser.newPage(link);
    await signedIn.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  }
});
