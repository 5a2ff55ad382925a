import { describe, expect, it } from 'vitest';
import { withName } from './errors.js';

describe('an error about an unknown id', () => {
  it('did not name the id', () => {
    expect(withName('names no user', 'tu_none')).toBe('names no user: tu_none');
  });

  it.each([
    ['control characters', 'a\u0000b\r\nc\u001b[31md', 'a\uFFFDb\uFFFD\uFFFDc\uFFFD[31md'],
    ['bidirectional overrides and separators', 'a\u202Eb\u2028c\u200Bd', 'a\uFFFDb\uFFFDc\uFFFDd'],
    ['halves of surrogate pairs', 'a\uD800b', 'a\uFFFDb'],
  ])('holds no %s', (_, given, shown) => {
    expect(withName('names no user', given)).toBe(`names no user: ${shown}`);
  });

  it('holds at most a hundred characters of it, whole ones', () => {
    expect(withName('x', '𝛼'.repeat(101))).toBe(`x: ${'𝛼'.repeat(100)}…`);
  });
});
