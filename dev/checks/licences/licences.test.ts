import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findFaults, readSystemPackages } from './findFaults.mjs';
import { findPackages, readNotices, type Lock } from './findPackages.mjs';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../..');

/** A service that needs `one`, which has its own copy of `two`, and for tests `three`. */
const LOCK: Lock = {
  'apps/shop': { version: '1.0.0', dependencies: { one: '*', '@shop/shared': '*' } },
  'packages/shared': { dependencies: { two: '*' }, peerDependencies: { absent: '*' } },
  'node_modules/@shop/shared': { link: true, resolved: 'packages/shared' },
  'node_modules/one': { version: '1.1.0', license: 'MIT', dependencies: { two: '*' } },
  'node_modules/one/node_modules/two': { version: '2.0.0', license: 'SSPL-1.0' },
  'node_modules/two': { version: '1.0.0' },
  'node_modules/three': { version: '3.0.0', license: 'MIT' },
};

describe('the licences', () => {
  it('of each image are allowed, and the list names every package', async () => {
    const { stdout } = await run(process.execPath, [path.join(root, 'dev/checks/licences.mjs')], {
      maxBuffer: 2 ** 24,
    });
    const [gateway = '', ...others] = stdout.split('\nimage ').slice(1);
    expect(others).toHaveLength(6);
    expect(gateway).toMatch(/^ {2}fastify [\d.]+: MIT$/m);
    expect(gateway).toMatch(/^ {2}@scalar\/api-reference [\d.]+: MIT$/m);
    const images = stdout.slice(0, stdout.indexOf('\nnpm start'));
    expect(images).not.toContain('embedded-mongodb');
    expect(stdout).toMatch(/^ {2}@0q\/embedded-mongodb [\d.]+: SSPL-1.0$/m);
  });

  it('are found for each package that an image contains, in each of its versions', () => {
    expect(findPackages(LOCK, 'apps/shop').map(({ name, version }) => `${name} ${version}`)).toEqual([
      'one 1.1.0',
      'two 2.0.0',
      'two 1.0.0',
    ]);
  });

  it('that are not on the list are faults, and so is a package without one', () => {
    const packages = findPackages(LOCK, 'apps/shop');
    const licences = ['MIT'];
    expect(findFaults(packages, { licences, exceptions: {} })).toEqual([
      'two 2.0.0: SSPL-1.0 is not allowed',
      'two 1.0.0: no licence is not allowed',
    ]);
    expect(findFaults(packages, { licences, exceptions: { two: 'SSPL-1.0' } })).toEqual([
      'two 1.0.0: no licence is not allowed',
    ]);
  });

  it('of bundled packages come from their notices', () => {
    const notices =
      'vue 3.5.0 (MIT)\n@scope/other 1.0.0-beta.1 (GPL-3.0)\n\nMIT License\n\nCopyright (c) Vue\n';
    const packages = readNotices(notices);
    expect(findFaults(packages, { licences: ['MIT'], exceptions: {} })).toEqual([
      '@scope/other 1.0.0-beta.1: GPL-3.0 is not allowed',
    ]);
  });

  it('of packages of Debian are listed for what the Dockerfile installs', async () => {
    const dockerfile = await readFile(path.join(root, 'infra/Dockerfile'), 'utf8');
    // The list has what this command installs; the packages of other workspaces are not in the image.
    expect(dockerfile).toContain('npm ci --omit=dev --workspace="@gatehouse/${SERVICE}"');
    expect(dockerfile).not.toContain('RUN npm prune');
    expect(readSystemPackages(dockerfile)).toEqual(['ca-certificates', 'git', 'libatomic1']);
  });
});
