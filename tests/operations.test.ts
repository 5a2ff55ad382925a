import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeConfig, generateInternalKeys, joinVerifyKeys, readConfig } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApi, succeeded } from './src/api.js';
import { findBlock, makeClone, repository, type Clone, type Outcome } from './src/docCommands.js';
import { spawnServer } from './src/servers.js';

const PAGE = 'docs/operations.md';

describe('the page on operations', () => {
  it('has every variable, with the default and the description of the program', async () => {
    const page = await readFile(join(repository, PAGE), 'utf8');
    const section = page.split('\n## ').find((part) => part.startsWith('Variables\n')) ?? '';
    const entries = section.matchAll(
      /^- `([A-Z_]+)` \((?:default `([^`]+)`|no default)\): (.+(?:\n {2}\S.*)*)$/gm,
    );
    const rows = [...entries].map(([, name, value = 'none', about = '']) => ({
      name,
      value,
      about: about.replaceAll('\n  ', ' '),
    }));
    const lines = describeConfig(readConfig({})).matchAll(
      /^ {2}([A-Z_]+) +(\(not set\)|"[^"]*"|\S+) +(.*)$/gm,
    );
    const shown: Record<string, string> = { '(not set)': 'none', '""': 'none', true: '1', false: '0' };
    const told = [...lines].map(([, name, value = '', about]) => ({
      name,
      value: shown[value] ?? value.replaceAll('"', ''),
      about,
    }));
    expect(told.length).toBeGreaterThan(30);
    expect(rows).toEqual(told);
  });
});

describe('the bootstrap of a cluster', () => {
  let clone: Clone;
  let mongo: TestMongo;
  let command: string;
  let sealing: string;
  let verifyKey: string;

  beforeAll(async () => {
    clone = await makeClone();
    command = (await findBlock(PAGE, '--bootstrap --credentials')).text;
    ({ verifyKey } = await generateInternalKeys());
    sealing = Buffer.alloc(32, 7).toString('base64');
    mongo = await startTestMongo();
  });
  afterAll(async () => {
    await mongo[Symbol.asyncDispose]();
    await clone[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await mongo.databases.of('directory').dropDatabase();
    await rm(file(), { force: true });
  });

  const file = () => join(clone.path, 'credentials.json');
  const settings = () => ({
    MONGODB_URL: mongo.url,
    MONGODB_PREFIX: mongo.prefix,
    SEALING_KEYS: sealing,
    INTERNAL_VERIFY_KEY: verifyKey,
    LOG_LEVEL: 'fatal',
  });
  const run = (commands = command): Promise<Outcome> => clone.run(commands, settings());
  const count = (name: string) => mongo.databases.of('directory').collection(name).countDocuments();

  it('creates the records of its credentials, and nothing on repetition', async () => {
    expect(await run()).toEqual({ code: 0, output: '', errors: '' });
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    const written = await readFile(file(), 'utf8');
    const credentials = JSON.parse(written) as { baseUrl: string; adminOrgUserId: string };
    expect(credentials.baseUrl).toBe('https://gatehouse.example.com');
    expect(await run()).toEqual({ code: 0, output: '', errors: '' });
    expect(await readFile(file(), 'utf8')).toBe(written);
    for (const name of ['organizations', 'projects', 'orgUsers']) expect(await count(name)).toBe(1);

    await writeFile(join(clone.path, 'sealing.key'), sealing);
    await using server = await spawnServer('standalone', { ...settings(), DATA_DIR: clone.path });
    const { admin } = await createApi(server.credentials);
    const { users } = succeeded(await admin.get<{ users: { id: string; name: string }[] }>('/org-users'));
    expect(users).toMatchObject([{ id: credentials.adminOrgUserId, name: 'First Admin' }]);
  });

  it('completes a run that died, with the stored credentials', async () => {
    await run();
    for (const name of ['organizations', 'orgUsers'])
      await mongo.databases.of('directory').collection(name).deleteMany({});
    const written = await readFile(file(), 'utf8');
    await rm(file());
    expect(await run()).toMatchObject({ code: 1, errors: expect.stringContaining('Nothing was made') });
    await expect(stat(file())).rejects.toThrow('ENOENT');
    await writeFile(file(), written, { mode: 0o600 });
    expect(await run()).toEqual({ code: 0, output: '', errors: '' });
    for (const name of ['organizations', 'projects', 'orgUsers']) expect(await count(name)).toBe(1);
  });

  it('prints credentials once, and fails a second time with new ones', async () => {
    const print = 'node apps/directory/dist/bundle/main.js --bootstrap --credentials -';
    const first = await run(print);
    expect(first).toMatchObject({ code: 0, errors: '' });
    expect(JSON.parse(first.output)).toMatchObject({ projectSecret: expect.stringMatching(/^[\w-]{43}$/) });
    expect(await run(print)).toMatchObject({ code: 1, output: '' });
    expect(await run()).toMatchObject({ code: 1, output: '' });
    await expect(stat(file())).rejects.toThrow('ENOENT');
    await writeFile(file(), 'something else');
    expect(await run()).toMatchObject({ code: 1, errors: expect.stringContaining('does not hold') });
    expect(await count('organizations')).toBe(1);
  });

  it('accepts a new internal key beside the existing ones', async () => {
    const set = joinVerifyKeys([verifyKey]);
    const { output } = await run(`node scripts/internalKey.mjs '${set}'`);
    const made = JSON.parse(output) as { verifyKey: string };
    expect((JSON.parse(made.verifyKey) as { keys: unknown[] }).keys).toHaveLength(2);
  });
});

describe('a rotation on one machine', () => {
  it('seals with the new key, and signs with a new one, while the platform runs', async () => {
    await using clone = await makeClone();
    const settings = { MONGODB_URL: '', SEALING_KEYS: '', MONGODB_PREFIX: 'gatehouse', DATA_DIR: '.data' };
    const dataDir = join(clone.path, '.data');
    const runBlock = async (text: string) => clone.run((await findBlock(PAGE, text)).text, settings);
    const first = await spawnServer('standalone', { ...settings, DATA_DIR: dataDir });
    const former = (await readFile(join(dataDir, 'sealing.key'), 'utf8')).trim();
    expect(await runBlock('sealing.next')).toMatchObject({ code: 0 });
    expect((await readFile(join(dataDir, 'sealing.key'), 'utf8')).trim()).toMatch(`,${former}`);
    // The running platform does not know the new key: it could issue no token any more.
    const early = await runBlock('npm run reseal');
    expect(early).toMatchObject({ code: 1, output: expect.not.stringMatching(/sealed|signed/) });
    expect(early.errors).toContain('sealing.key has changed since the platform started: restart it first');
    await createApi(first.credentials);
    await first.stop();

    await using second = await spawnServer('standalone', { ...settings, DATA_DIR: dataDir });
    const outcome = await runBlock('npm run reseal');
    expect(outcome).toMatchObject({ code: 0 });
    expect(outcome.output).toMatch(/gatehouse_directory: \d+ (?:re)?sealed.*, 0 left/);
    expect(outcome.output).toContain('Tokens are signed with');
    await createApi(second.credentials);
    expect(await clone.run('npm run -s audit -- verify', settings)).toMatchObject({ code: 0 });
  });
});
