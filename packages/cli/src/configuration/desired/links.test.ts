import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigurationRecord } from '../model/records.js';
import { formatFile } from './formatFile.js';
import { parseFolder, readFolder } from './readFolder.js';
import { planFolder, writeFolder } from './writeFolder.js';

const group = (name: string): ConfigurationRecord => ({
  kind: 'group',
  key: name,
  fields: { name, type: 'ORG_GROUP', members: [] },
});

let root: string;
let folder: string;
let outside: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gatehouse-links-'));
  folder = join(root, 'configuration');
  outside = join(root, 'outside');
  await mkdir(join(folder, 'groups'), { recursive: true });
  await mkdir(outside);
});
afterEach(async () => rm(root, { recursive: true }));

const pull = async (...records: ConfigurationRecord[]) =>
  writeFolder(folder, planFolder(records, await parseFolder(folder)));

/** All files below a folder, without following links. */
const filesIn = async (place: string) => (await readdir(place, { recursive: true })).toSorted();

describe('a link in a folder of configuration', () => {
  it('in place of a file is neither followed nor replaced, and nothing is written', async () => {
    const target = join(outside, 'profile');
    await writeFile(target, 'mine');
    await symlink(target, join(folder, 'groups', 'sales.yaml'));
    await expect(pull(group('Finance'), group('Sales'))).rejects.toThrow(
      `${join('groups', 'sales.yaml')} must not be a symbolic link: replace it with what it points to`,
    );
    expect(await readFile(target, 'utf8')).toBe('mine');
    expect(await filesIn(folder)).toEqual(['groups', join('groups', 'sales.yaml')]);
  });

  it('in place of a file that does not exist does not create the file', async () => {
    await symlink(join(outside, 'created'), join(folder, 'groups', 'sales.yaml'));
    await expect(pull(group('Sales'))).rejects.toThrow('must not be a symbolic link');
    expect(await filesIn(outside)).toEqual([]);
  });

  it('in place of a JSON Schema is not followed, and nothing is written', async () => {
    const target = join(outside, 'profile');
    await writeFile(target, 'mine');
    await mkdir(join(folder, '.schemas'));
    await symlink(target, join(folder, '.schemas', 'group.json'));
    await expect(pull(group('Sales'))).rejects.toThrow('must not be a symbolic link');
    expect(await readFile(target, 'utf8')).toBe('mine');
    expect(await filesIn(join(folder, 'groups'))).toEqual([]);
  });

  it.each(['dashboards', '.schemas'])('in place of the folder %s is not followed', async (name) => {
    await symlink(outside, join(folder, name));
    await expect(pull(group('Sales'))).rejects.toThrow(`${join(folder, name)} must not be a symbolic link`);
    expect(await filesIn(outside)).toEqual([]);
    expect(await filesIn(join(folder, 'groups'))).toEqual([]);
  });

  it('in place of a folder is not read', async () => {
    await writeFile(join(outside, 'foreign.yaml'), formatFile(group('Foreign')));
    await rm(join(folder, 'groups'), { recursive: true });
    await symlink(outside, join(folder, 'groups'));
    await expect(readFolder(folder)).rejects.toThrow('must not be a symbolic link');
  });

  it('in place of a file is not read', async () => {
    await writeFile(join(outside, 'foreign.yaml'), formatFile(group('Foreign')));
    await symlink(join(outside, 'foreign.yaml'), join(folder, 'groups', 'foreign.yaml'));
    await writeFile(join(folder, 'groups', 'own.yaml'), formatFile(group('Own')));
    expect((await readFolder(folder)).map(({ key }) => key)).toEqual(['Own']);
  });

  it('may be the folder itself, which the user names', async () => {
    const named = join(root, 'named');
    await symlink(folder, named);
    await writeFolder(named, planFolder([group('Sales')], await parseFolder(named)));
    expect((await readFolder(named)).map(({ key }) => key)).toEqual(['Sales']);
    expect((await filesIn(join(folder, 'groups'))).toSorted()).toEqual(['sales.yaml']);
  });
});

describe('a file that a pull writes', () => {
  it('has the mode of an ordinary file, and leaves no unfinished one', async () => {
    await pull(group('Sales'));
    await writeFile(join(root, 'ordinary'), '');
    const modes = await Promise.all(
      [join(root, 'ordinary'), join(folder, 'groups', 'sales.yaml')].map(
        async (file) => (await stat(file)).mode,
      ),
    );
    expect(modes[1]).toBe(modes[0]);
    expect(await filesIn(join(folder, 'groups'))).toEqual(['sales.yaml']);
  });

  it.each([0o600, 0o664])('keeps the mode of the file that it replaces: %o', async (mode) => {
    const file = join(folder, 'groups', 'sales.yaml');
    await writeFile(file, formatFile({ ...group('Sales'), fields: { name: 'Sales', type: 'TENANT_GROUP' } }));
    await chmod(file, mode);
    const former = await readFile(file, 'utf8');
    await pull(group('Sales'));
    expect(await readFile(file, 'utf8')).not.toBe(former);
    expect((await stat(file)).mode & 0o777).toBe(mode);
  });
});
