import { FIELD_ERROR_CODES, fieldErrorsOf, routes, type Route } from '@gatehouse/contract';
import { expect, it } from 'vitest';
import { inputOf } from './src/badInput/routeRequests.js';
import { fieldsOf, type Field } from './src/badInput/schemaFields.js';

/** How every message of a rule begins. */
const OURS =
  /^(is required|is not a known field|is no known|must |does not |goes |has a key that must |at least one |use |defaultSchema must )/;
/** How the messages of the validation library begin, and what only they contain. */
const THEIRS = /Invalid|Too (?:small|big)|Unrecognized|expected|received|pattern|undefined|NaN|\|/;

const VALUES: readonly unknown[] = [
  undefined,
  null,
  true,
  'wrong value!',
  '',
  ' ',
  'a\0b',
  0,
  -1,
  1.5,
  2 ** 60,
  [],
  [7],
  {},
  { unexpected: 1 },
  { '\0': 1 },
  Array.from({ length: 20_001 }, () => 'x'),
  Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`k${index}`, 'x'])),
];

function errorsOf(route: Route, { inputWith, maxLength }: Field) {
  const values = [...VALUES, 'x'.repeat((maxLength || 64) + 1)];
  return values.flatMap((value) => {
    const parsed = inputOf(route).safeParse(inputWith(value));
    return parsed.success ? [] : fieldErrorsOf(parsed.error);
  });
}

it.each(routes.map((route) => [route.operationId, route] as const))(
  'describes every fault of the input in words of its own, with a code: %s',
  (_, route) => {
    const fields = fieldsOf(inputOf(route));
    const errors = fields.flatMap((field) => errorsOf(route, field));
    expect(errors.length > 0).toBe(fields.length > 0);
    const foreign = errors.filter(
      ({ message, code }) =>
        !OURS.test(message) || THEIRS.test(message) || !code || !FIELD_ERROR_CODES.includes(code),
    );
    expect([...new Set(foreign.map((fault) => JSON.stringify(fault)))]).toEqual([]);
  },
);
