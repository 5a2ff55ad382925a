import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The parts of one turn, which take some milliseconds. Other requests are served between turns. */
const PARTS_OF_TURN = 4000;
/** As many names are sorted or merged at once, between two parts. */
const NAMES_AT_ONCE = 16;

/** A name such as "1", which an object has before all others, in the order of the numbers. */
const isIndex = (name: string) => /^(?:0|[1-9]\d{0,9})$/.test(name) && Number(name) < 2 ** 32 - 1;

/** Merges two sorted lists of names. Yields empty parts meanwhile. */
function* merge(one: readonly string[], other: readonly string[]): Generator<string, string[]> {
  const merged: string[] = [];
  let at = 0;
  for (const name of other) {
    for (let next = one[at]; next !== undefined && next < name; next = one[at]) {
      merged.push(next);
      at += 1;
      if (merged.length % NAMES_AT_ONCE === 0) yield '';
    }
    merged.push(name);
    if (merged.length % NAMES_AT_ONCE === 0) yield '';
  }
  for (; at < one.length; at += 1) {
    merged.push(one[at] ?? '');
    if (merged.length % NAMES_AT_ONCE === 0) yield '';
  }
  return merged;
}

/** Sorts names as `toSorted` does. Yields empty parts meanwhile: an object may have half a million names. */
function* sorted(names: readonly string[]): Generator<string, readonly string[]> {
  if (names.length <= NAMES_AT_ONCE) {
    yield '';
    return names.toSorted();
  }
  const middle = names.length >>> 1;
  const one = yield* sorted(names.slice(0, middle));
  const other = yield* sorted(names.slice(middle));
  return yield* merge(one, other);
}

/** The names of an object: indexes, then the others in order. */
function* namesOf(value: object): Generator<string, readonly string[]> {
  const names = Object.keys(value);
  const count = names.findIndex((name) => !isIndex(name));
  if (count === -1) return names;
  return [...names.slice(0, count), ...(yield* sorted(names.slice(count)))];
}

/**
 * Yields the text of a JSON value with sorted object keys in parts, of which some are empty: equivalent
 * values have equal texts. Each part takes little work.
 */
export function* canonicalParts(value: unknown): Generator<string, void> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? '[' : ',';
      yield* canonicalParts(item);
    }
    yield value.length === 0 ? '[]' : ']';
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    let before = '{';
    for (const name of yield* namesOf(members)) {
      if (members[name] === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      before = ',';
      yield* canonicalParts(members[name]);
    }
    yield before === '{' ? '{}' : '}';
  } else yield JSON.stringify(value);
}

/** Hashes a JSON value in turns: a body may have hundreds of thousands of values. */
export async function hashCanonically(value: unknown): Promise<string> {
  const sum = createHash('sha256');
  let parts: string[] = [];
  for (const part of canonicalParts(value)) {
    parts.push(part);
    if (parts.length < PARTS_OF_TURN) continue;
    sum.update(parts.join(''));
    parts = [];
    await nextTurn();
  }
  return sum.update(parts.join('')).digest('base64url');
}
