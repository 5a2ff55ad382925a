import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/security.md'), 'utf8');

/** The items of the list of attacks, each with its indented lines. */
function readClaims(text: string): string[] {
  const [, section = ''] = text.split(/^## Attacks and defences$/m);
  const [attacks = ''] = section.split(/^## /m);
  return attacks
    .split(/^- /m)
    .slice(1)
    .map((claim) => claim.split(/^#/m)[0] ?? '');
}

const testsOf = (claim: string) => {
  const [, tests = ''] = claim.split('Tests:');
  return [...tests.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file]) => file ?? '');
};

describe('docs/security.md', () => {
  const claims = readClaims(page);

  it('has claims', () => {
    expect(claims.length).toBeGreaterThan(20);
  });

  it.each(claims.map((claim) => [claim.split('\n')[0], claim] as const))(
    'names existing tests for: %s',
    (_, claim) => {
      const tests = testsOf(claim);
      expect(tests).not.toEqual([]);
      for (const file of tests) expect([file, existsSync(path.join(root, file))]).toEqual([file, true]);
    },
  );
});

describe('the check of claims', () => {
  it('finds a claim that names no test', () => {
    const [claim = ''] = readClaims(
      '## Attacks and defences\n\n- **Anything.** We resist it.\n\n## Next\n- x',
    );
    expect([claim.startsWith('**Anything'), testsOf(claim)]).toEqual([true, []]);
  });
});
