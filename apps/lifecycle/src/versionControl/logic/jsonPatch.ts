import type { JsonPatchOperation } from '@gatehouse/contract';
import { escapeToken } from 'rfc6902/pointer.js';

/** The limits of one patch. */
export const PATCH_LIMITS = {
  /** Operations. */
  operations: 10_000,
  /** Characters of all paths. Each path repeats the keys above it, and a key may be very long. */
  pathCharacters: 4 * 1024 * 1024,
};

/** The values that are compared between two yields. */
const YIELD_EVERY = 256;

/**
 * Creates the JSON Patch (RFC 6902) from one value to another. It is correct and short, but not always the
 * shortest: where the operations of a value exceed the limits, one operation replaces the whole value. The
 * time grows with the size of the values. Others may run at each yield.
 */
export function* diffJson(
  from: unknown,
  to: unknown,
  limits = PATCH_LIMITS,
): Generator<void, JsonPatchOperation[]> {
  const patch = new PatchBuilder(limits);
  yield* patch.addChanges(from, to, '');
  return patch.operations;
}

/** The steps of a comparison, and its result. */
type Steps = Generator<void, boolean>;

/**
 * Collects the operations of one patch. Its methods return whether the limits allow the operations of a value
 * and those before it. The limits are checked before an operation is created.
 */
class PatchBuilder {
  readonly operations: JsonPatchOperation[] = [];
  readonly #operationsMax: number;
  #charactersLeft: number;
  /** Counts the compared values. */
  #compared = 0;

  constructor({ operations, pathCharacters }: typeof PATCH_LIMITS) {
    this.#operationsMax = operations;
    this.#charactersLeft = pathCharacters;
  }

  /** Adds the operations of a value, or one that replaces it when they exceed the limits. */
  *addChanges(from: unknown, to: unknown, path: string): Steps {
    const count = this.operations.length;
    const charactersLeft = this.#charactersLeft;
    if (yield* this.#addParts(from, to, path)) return true;
    this.operations.length = count;
    this.#charactersLeft = charactersLeft;
    // The path of the root is empty, so that at least a replacement of everything is allowed.
    return this.#add({ op: 'replace', path, value: to });
  }

  #add(operation: JsonPatchOperation): boolean {
    const { length } = operation.path;
    if (this.operations.length >= this.#operationsMax || length > this.#charactersLeft) return false;
    this.#charactersLeft -= length;
    this.operations.push(operation);
    return true;
  }

  /** Counts a compared value. Returns true if others may run now. */
  #isLong(): boolean {
    this.#compared += 1;
    return this.#compared % YIELD_EVERY === 0;
  }

  *#addParts(from: unknown, to: unknown, path: string): Steps {
    if (this.#isLong()) yield;
    if (from === to) return true;
    if (Array.isArray(from) && Array.isArray(to)) return yield* this.#addItems(from, to, path);
    if (isFields(from) && isFields(to)) return yield* this.#addFields(from, to, path);
    return this.#add({ op: 'replace', path, value: to });
  }

  /** Removed fields first, then added ones, then changed ones. */
  *#addFields(from: Record<string, unknown>, to: Record<string, unknown>, path: string): Steps {
    const pathOf = (key: string) => `${path}/${escapeToken(key)}`;
    const before = Object.keys(from);
    for (const key of before) {
      if (this.#isLong()) yield;
      if (!hasField(from, key) || hasField(to, key)) continue;
      if (!this.#add({ op: 'remove', path: pathOf(key) })) return false;
    }
    for (const key of Object.keys(to)) {
      if (this.#isLong()) yield;
      if (!hasField(to, key) || hasField(from, key)) continue;
      if (!this.#add({ op: 'add', path: pathOf(key), value: to[key] })) return false;
    }
    for (const key of before) {
      if (!hasField(from, key) || !hasField(to, key)) continue;
      if (!(yield* this.addChanges(from[key], to[key], pathOf(key)))) return false;
    }
    return true;
  }

  /**
   * Skips the equal items at both ends of two lists and compares those in between by index. The shortest edit
   * would take time and memory that grow with the cube of the length. Lists of equal length are not searched:
   * each list around a list would repeat it.
   */
  *#addItems(from: unknown[], to: unknown[], path: string): Steps {
    const shorter = Math.min(from.length, to.length);
    const searched = from.length === to.length ? 0 : shorter;
    let start = 0;
    while (start < searched && (yield* this.#isSame(from[start], to[start]))) start += 1;
    let end = 0;
    while (end < searched - start && (yield* this.#isSame(from.at(-1 - end), to.at(-1 - end)))) end += 1;
    const paired = shorter - end;
    const pathOf = (index: number) => `${path}/${index}`;
    for (let index = start; index < paired; index += 1)
      if (!(yield* this.addChanges(from[index], to[index], pathOf(index)))) return false;
    // From the last index down, so that the other indexes stay valid.
    for (let index = from.length - end - 1; index >= paired; index -= 1)
      if (!this.#add({ op: 'remove', path: pathOf(index) })) return false;
    for (let index = paired; index < to.length - end; index += 1)
      if (!this.#add({ op: 'add', path: pathOf(index), value: to[index] })) return false;
    return true;
  }

  *#isSame(a: unknown, b: unknown): Steps {
    if (this.#isLong()) yield;
    const isList = Array.isArray(a);
    if (!isContainer(a) || !isContainer(b) || isList !== Array.isArray(b)) return a === b;
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    for (const key of keys)
      if (!Object.hasOwn(b, key) || !(yield* this.#isSame(a[key], b[key]))) return false;
    return true;
  }
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isFields(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value);
}

/** Whether JSON has the field: it leaves out undefined values. */
const hasField = (fields: Record<string, unknown>, key: string) =>
  Object.hasOwn(fields, key) && fields[key] !== undefined;
