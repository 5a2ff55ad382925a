import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

const SITE = new URL('../dist/site/', import.meta.url);

describe('the bundle of the page', () => {
  it('contains the licenses of Scalar, Vue and CodeMirror', async () => {
    const notices = await readFile(new URL('THIRD-PARTY-NOTICES.txt', SITE), 'utf8');
    for (const name of [
      '@scalar/api-reference',
      '@scalar/api-client',
      '@vue/runtime-core',
      '@codemirror/view',
    ])
      expect(notices).toMatch(new RegExp(`^${name} [\\d.]+ \\(MIT\\)$`, 'm'));
    const license = await readFile(new URL('LICENSE', import.meta.resolve('vue/package.json')), 'utf8');
    expect(notices).toContain(license.trim());
  });

  it('contains neither the chat with Scalar nor source maps', async () => {
    const names = await readdir(SITE, { recursive: true });
    expect(names.filter((name) => name.endsWith('.map'))).toEqual([]);
    const scripts = names.filter((name) => name.endsWith('.js'));
    const texts = await Promise.all(scripts.map((name) => readFile(new URL(name, SITE), 'utf8')));
    expect(texts.filter((text) => text.includes('scalar/agent-terms-accepted'))).toEqual([]);
  });
});
