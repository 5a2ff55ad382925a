import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const versionOf = (file: string) => (JSON.parse(read(file)) as { version?: string }).version;

const folders = ['apps', 'packages', 'dev'].flatMap((parent) =>
  readdirSync(path.join(root, parent)).map((name) => `${parent}/${name}`),
);
const manifests = ['.', ...folders, 'scripts', 'tests', 'bench']
  .map((folder) => path.join(folder, 'package.json'))
  .filter((file) => existsSync(path.join(root, file)));

/** tests/cli.test.ts compares the output of `gatehouse --version` with the version of its package. */
describe('the version', () => {
  const version = versionOf('package.json');

  it('is a version', () => {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it.each(manifests)('is that of %s', (file) => {
    expect(versionOf(file)).toBe(version);
  });

  it('is that of the OpenAPI document', () => {
    const { info } = JSON.parse(read('docs/openapi.json')) as { info: { version: string } };
    expect(info.version).toBe(version);
  });

  it('is that of the images', () => {
    expect(read('infra/Dockerfile')).toContain(`ARG VERSION=${version}\n`);
    const tags = [...read('infra/k8s/overlays/production/kustomization.yaml').matchAll(/newTag: ([\d.]+)/g)];
    expect(new Set(tags.map(([, tag]) => tag))).toEqual(new Set([version]));
  });
});
