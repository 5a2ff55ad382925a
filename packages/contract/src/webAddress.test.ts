import { describe, expect, it } from 'vitest';
import { parseWebAddress, webAddress } from './webAddress.js';

const PLAIN = 'https://example.com/hook';
/**
 * One character of each kind that a URL parser drops or rewrites: line ends, white space, controls, invisible
 * ones, backslashes.
 */
const DROPPED = [
  ...Array.from({ length: 0x21 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, code) => 0x7f + code),
  0xad,
  0x61c,
  0x1680,
  0x180e,
  0x2000,
  0x200b,
  0x200e,
  0x2028,
  0x202e,
  0x205f,
  0x2060,
  0x2066,
  0x3000,
  0xfeff,
  0xe0001,
  0x5c,
];

describe('a web address', () => {
  it.each(DROPPED.map((code) => [`U+${code.toString(16).padStart(4, '0')}`, String.fromCodePoint(code)]))(
    'never contains %s, wherever it stands',
    (_, character) => {
      const spellings = [
        `${character}${PLAIN}`,
        `${PLAIN}${character}`,
        `ht${character}tps://example.com/hook`,
        `https:/${character}/example.com/hook`,
        `https://exam${character}ple.com/hook`,
        `https://example.com${character}/hook`,
        `https://example.com/ho${character}ok?x`,
        `https://example.com/hook?a=${character}b`,
      ];
      for (const spelling of spellings) {
        const { success } = webAddress(2000).safeParse(spelling);
        expect([spelling, success, parseWebAddress(spelling)]).toEqual([spelling, false, 'must be a URL']);
      }
    },
  );

  it.each([
    'https://user@example.com/',
    'https://user:password@example.com/',
    'https://:password@example.com/',
    'https://user:@example.com/',
    'https://@example.com/',
    'https://:@example.com/',
    'https://a@b@example.com/',
    'https://us%40er@example.com/',
  ])('never contains credentials: %s', (text) => {
    expect(parseWebAddress(text)).toBe('must not hold a user or a password');
  });

  it.each([
    'https:example.com',
    'https:/example.com',
    'https:///example.com',
    '//example.com/',
    'example.com',
    '',
  ])('names its scheme and host as such, not as %s', (text) => {
    expect(parseWebAddress(text)).toBe('must be a URL');
  });

  it.each([
    ['HTTPS://Example.COM', 'https://example.com/'],
    ['https://example.com:443/a/../b', 'https://example.com/b'],
    ['https://ex%61mple.com/', 'https://example.com/'],
    ['https://bücher.example/ü?ü', 'https://xn--bcher-kva.example/%C3%BC?%C3%BC'],
    ['https://0x7f.1/', 'https://127.0.0.1/'],
    ['https://[0:0::1]/', 'https://[::1]/'],
    ['https://example.com/a@b?c=d@e', 'https://example.com/a@b?c=d@e'],
  ])('%s has the normal form %s', (text, normal) => {
    const url = parseWebAddress(text);
    expect(typeof url === 'string' ? url : url.href).toBe(normal);
    expect(parseWebAddress(normal)).toMatchObject({ href: normal });
  });
});
