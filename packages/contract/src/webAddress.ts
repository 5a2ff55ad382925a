import type { z } from 'zod';
import { rule } from './fieldErrors.js';
import { text } from './vocabulary.js';

/**
 * Characters that the URL parser of the WHATWG drops or changes without an error: white space, control
 * characters, invisible characters and backslashes. Two parties that read such text may not read the same
 * address.
 */
const AMBIGUOUS = /[\s\p{Cc}\p{Cf}\\]/u;

/** The text of a web address. {@link parseWebAddress} reads it. */
export function webAddress(max: number): z.ZodString {
  return text(1, max).refine(
    (value) => !AMBIGUOUS.test(value),
    rule('must not contain white space, control characters, invisible characters or backslashes', 'format'),
  );
}

const SCHEME_AND_AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]+)/i;

/**
 * Reads a web address. Its `href` is the normal form, which is what to store, show and use.
 *
 * @returns the reason if the text is invalid: a phrase that begins with "must"
 */
export function parseWebAddress(value: string): URL | string {
  const [, authority] = SCHEME_AND_AUTHORITY.exec(value) ?? [];
  if (authority === undefined || AMBIGUOUS.test(value) || !URL.canParse(value)) return 'must be a URL';
  // An empty user name and password would be dropped silently.
  if (authority.includes('@')) return 'must not hold a user or a password';
  return new URL(value);
}
