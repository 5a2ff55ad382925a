import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const DIST = path.resolve(import.meta.dirname, '../dist');
const FIRST_LOAD_MAX_BYTES = 300_000;

interface Chunk {
  file: string;
  css?: string[];
  imports?: string[];
  dynamicImports?: string[];
}

const manifest = JSON.parse(readFileSync(path.join(DIST, '.vite/manifest.json'), 'utf8')) as Record<
  string,
  Chunk
>;

/** The files that a browser loads before it shows anything: the entry, its static imports, their styles. */
function firstLoad(name = 'index.html', seen = new Set<string>()): Set<string> {
  const { file, css = [], imports = [] } = manifest[name] ?? { file: '' };
  for (const loaded of [file, ...css]) seen.add(loaded);
  for (const imported of imports) firstLoad(imported, seen);
  return seen;
}

describe('the built console', () => {
  it('loads at most 250 kB, compressed, before its first screen', () => {
    const sizes = [...firstLoad()].map((file) => gzipSync(readFileSync(path.join(DIST, file))).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(FIRST_LOAD_MAX_BYTES);
  });

  it('loads editors on demand', () => {
    const entry = [...firstLoad()].map((file) => readFileSync(path.join(DIST, file), 'utf8')).join('');
    expect(entry).not.toContain('cm-content');
    const chunks = readdirSync(path.join(DIST, 'chunks')).filter((name) => name.endsWith('.js'));
    expect(
      chunks.some((name) => readFileSync(path.join(DIST, 'chunks', name), 'utf8').includes('cm-content')),
    ).toBe(true);
  });

  it('has no inline script or style and no address of another site in its page', () => {
    const page = readFileSync(path.join(DIST, 'index.html'), 'utf8');
    expect(page).not.toMatch(/<style|<script(?![^>]* src="\/console\/)|https?:/);
  });

  it('includes the licences of its libraries', () => {
    const notices = readFileSync(path.join(DIST, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const name of [
      'react-dom',
      '@mantine/core',
      '@tanstack/query-core',
      '@codemirror/view',
      '@fontsource-variable/inter',
    ])
      expect(notices).toContain(name);
  });
});
