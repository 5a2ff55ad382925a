import { describe, expect, it } from 'vitest';
import { showable } from './terminal.js';

/** The characters with the Unicode property Bidi_Control, as in PropList.txt. */
const BIDI_CONTROLS = [
  0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
];
const nameOf = (code: number) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

describe('a text that is shown on a terminal', () => {
  it.each(BIDI_CONTROLS.map((code) => [nameOf(code), String.fromCodePoint(code)]))(
    'has a replacement for %s, which changes the direction of text',
    (_, character) => {
      expect(showable(`a${character}b`)).toBe('a\ufffdb');
    },
  );

  it('keeps all other characters of Arabic', () => {
    const block = Array.from({ length: 0x100 }, (_, index) => 0x0600 + index);
    const kept = String.fromCodePoint(...block.filter((code) => code !== 0x061c));
    expect(showable(kept)).toBe(kept);
  });
});
