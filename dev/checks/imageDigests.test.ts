import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const repository = path.resolve(import.meta.dirname, '../..');
/** The images that this repository builds. */
const OWN = /^gatehouse\//;
/**
 * `image:` of YAML, `FROM` and the default of an argument of a Dockerfile, and the images that the container
 * suite starts.
 */
const REFERENCES = [
  /^\s*(?:- )?image: ['"]?(?<image>[^\s'"#]+)/gim,
  /^\s*FROM (?:--\S+ )*(?<image>\S+)/gim,
  /^\s*ARG \w*IMAGE=(?<image>\S+)/gim,
  /\['\w+_IMAGE'\] \?\? '(?<image>[^']+)'/g,
];
const PINNED = /^(?<tag>[^@]+:[^@]+)@sha256:(?<digest>[0-9a-f]{64})$/;

/** The images that a file names. A variable counts as its default; without a default it is skipped. */
function findImages(text: string): string[] {
  const stages = new Set([...text.matchAll(/^\s*FROM .* AS (\S+)/gim)].map(([, stage]) => stage));
  return REFERENCES.flatMap((pattern) => [...text.matchAll(pattern)])
    .map(({ groups }) => (groups?.['image'] ?? '').replace(/^\$\{\w+:-(.*)\}$/, '$1'))
    .filter((image) => !image.startsWith('$') && !OWN.test(image) && !stages.has(image));
}

function findFaults(files: Readonly<Record<string, string>>): string[] {
  const digests = new Map<string, string>();
  return Object.entries(files).flatMap(([file, text]) =>
    findImages(text).flatMap((image) => {
      const { tag = '', digest = '' } = PINNED.exec(image)?.groups ?? {};
      if (tag === '') return [`${file}: ${image} must have a tag and a digest`];
      const known = digests.get(tag) ?? digest;
      digests.set(tag, known);
      return known === digest ? [] : [`${file}: ${image} must have the digest of the other files`];
    }),
  );
}

function readFiles(): Record<string, string> {
  const files = ['infra', 'tests/containers', '.github'].flatMap((folder) => {
    try {
      return readdirSync(path.join(repository, folder), { recursive: true, withFileTypes: true });
    } catch {
      return [];
    }
  });
  const paths = files
    .filter((file) => file.isFile() && /Dockerfile|\.(?:ya?ml|ts)$/.test(file.name))
    .map((file) => path.join(file.parentPath, file.name));
  return Object.fromEntries(
    paths.map((file) => [path.relative(repository, file), readFileSync(file, 'utf8')]),
  );
}

describe('the images that the platform is built from and runs beside', () => {
  it('are pinned by digest, each tag by the same one everywhere', () => {
    const files = readFiles();
    expect(findFaults(files)).toEqual([]);
    const names = new Set(
      Object.values(files)
        .flatMap(findImages)
        .map((image) => image.replace(/:.*/, '')),
    );
    expect([...names].toSorted()).toEqual(['debian', 'mongo', 'nats', 'node']);
  });

  const digest = 'a'.repeat(64);
  it.each([
    ['an image of a compose file', 'services:\n  db:\n    image: mongo:8.0\n'],
    ['the default of a variable', '    image: ${MONGO_IMAGE:-mongo:8.0}\n'],
    ['an image of a manifest', '        - image: "docker.io/library/nats:2"\n'],
    ['the base of a Dockerfile', 'FROM --platform=linux/amd64 node:26 AS built\nFROM built\n'],
    ['the default of an argument', 'ARG NODE_IMAGE=node:26\nFROM ${NODE_IMAGE}\n'],
    ['an image without a tag', `FROM node@sha256:${digest}\n`],
    ['a digest that is cut off', `FROM node:26@sha256:${digest.slice(1)}\n`],
    ['an image that a test starts', "const image = process.env['MONGO_IMAGE'] ?? 'mongo:8.0';\n"],
  ])('are refused without a digest: %s', (_, text) => {
    expect(findFaults({ planted: text })).toHaveLength(1);
  });

  it('are rejected if one tag has two digests', () => {
    const files = { one: `FROM node:26@sha256:${digest}`, other: `image: node:26@sha256:${'b'.repeat(64)}` };
    expect(findFaults(files)).toEqual([expect.stringContaining('other: ')]);
  });
});
