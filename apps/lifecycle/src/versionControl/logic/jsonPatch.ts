import type { JsonPatchOperation } from '@gatehouse/contract';
import { Pointer } from 'rfc6902';
import { diffAny, type Diff, type Operation } from 'rfc6902/diff.js';

/** The most operations of one value. Above it, one operation replaces the whole value. */
const OPERATIONS_MAX = 10_000;

/**
 * Creates the JSON Patch (RFC 6902) from one value to another. It is correct and short, but not always the
 * shortest. The time grows with the size of the values.
 */
export function diffJson(from: unknown, to: unknown): JsonPatchOperation[] {
  return diffValue(from, to, new Pointer()) as JsonPatchOperation[];
}

const diffValue: Diff = (from: unknown, to: unknown, pointer) => {
  const operations =
    Array.isArray(from) && Array.isArray(to)
      ? diffLists(from, to, pointer)
      : diffAny(from, to, pointer, diffValue);
  if (operations.length <= OPERATIONS_MAX) return operations;
  return [{ op: 'replace', path: pointer.toString(), value: to }];
};

/**
 * Skips the equal items at both ends of two lists and compares those in between by index. The library's own
 * comparison finds the shortest edit, but its time and memory grow with the cube of the length: 300 items
 * took more than a second.
 */
function diffLists(from: unknown[], to: unknown[], pointer: Pointer): Operation[] {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && isSame(from[start], to[start])) start += 1;
  let end = 0;
  while (end < shorter - start && isSame(from.at(-1 - end), to.at(-1 - end))) end += 1;
  const paired = shorter - end;
  const operations: Operation[] = [];
  const pathOf = (index: number) => pointer.add(String(index)).toString();
  for (let index = start; index < paired; index += 1)
    for (const operation of diffValue(from[index], to[index], pointer.add(String(index))))
      operations.push(operation);
  // From the last index down, so that the other indexes stay valid.
  for (let index = from.length - end - 1; index >= paired; index -= 1)
    operations.push({ op: 'remove', path: pathOf(index) });
  for (let index = paired; index < to.length - end; index += 1)
    operations.push({ op: 'add', path: pathOf(index), value: to[index] });
  return operations;
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  if (!isFields(a) || !isFields(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
  );
}
