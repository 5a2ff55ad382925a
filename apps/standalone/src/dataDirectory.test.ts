import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCredentials, findCredentials, provideSealingKey, updateBaseUrl } from './credentials.js';
import { openDataDirectory, type DataDirectory } from './dataDirectory.js';

let parent: string;
let directory: DataDirectory;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'gatehouse-data-'));
  directory = await openDataDirectory(join(parent, 'nested', '.data'));
});
afterEach(() => rm(parent, { recursive: true }));

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('the data directory', () => {
  it('is accessible to its owner only, and so are its files', async () => {
    await directory.createOnce('once', 'a');
    await directory.replace('replaced', 'b');
    expect(await modeOf(directory.path)).toBe(0o700);
    expect(await modeOf(directory.entry('once'))).toBe(0o600);
    expect(await modeOf(directory.entry('replaced'))).toBe(0o600);
  });

  it('closes a directory that was open to others', async () => {
    const open = await mkdtemp(join(parent, 'open-'));
    await openDataDirectory(open);
    expect(await modeOf(open)).toBe(0o700);
  });

  it.each(['/proc/missing/data', '/dev/null/data', '/dev/null'])(
    'rejects %s, where no directory can be, by the name of the setting',
    async (path) => {
      await expect(openDataDirectory(path)).rejects.toThrow(`DATA_DIR must be a writable directory: ${path}`);
    },
  );

  it('creates a file once among concurrent starts, and leaves nothing else behind', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`);
    const seen = await Promise.all(texts.map((text) => directory.createOnce('key', text)));
    expect(new Set(seen).size).toBe(1);
    expect(await directory.read('key')).toBe(seen[0]);
    expect(await readdir(directory.path)).toEqual(['key']);
  });

  it('replaces a file and removes it, and tolerates a missing file', async () => {
    await directory.replace('file', 'one');
    await directory.replace('file', 'two');
    expect(await directory.read('file')).toBe('two');
    await directory.remove('file');
    await directory.remove('file');
    expect(await directory.read('file')).toBeNull();
  });
});

describe('the credentials', () => {
  it('are created once and kept, except for the address of the gateway', async () => {
    expect(await findCredentials(directory)).toBeNull();
    const made = await createCredentials(directory, 'http://127.0.0.1:1');
    expect(await createCredentials(directory, 'http://127.0.0.1:2')).toEqual(made);
    const moved = await updateBaseUrl(directory, made, 'http://127.0.0.1:3');
    expect(await findCredentials(directory)).toEqual(moved);
    expect(moved).toEqual({ ...made, baseUrl: 'http://127.0.0.1:3' });
  });

  it('are rejected by file name if their file is damaged', async () => {
    await directory.replace('credentials.json', '{"baseUrl": "http://127.0.0.1:1"');
    await expect(findCredentials(directory)).rejects.toThrow(/credentials\.json is damaged/);
  });

  it('have a sealing key of 32 bytes that stays the same', async () => {
    const key = await provideSealingKey(directory);
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    expect(await provideSealingKey(directory)).toBe(key);
  });

  it.each(['', 'c2hvcnQ=\n'])('reject a damaged sealing key by file name: %j', async (text) => {
    await directory.replace('sealing.key', text);
    await expect(provideSealingKey(directory)).rejects.toThrow(
      `${directory.entry('sealing.key')} is damaged: it does not hold a key of 32 bytes in base64.`,
    );
  });
});
