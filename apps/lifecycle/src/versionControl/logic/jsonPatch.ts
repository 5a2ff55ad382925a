import type { JsonPatchOperation } from '@gatehouse/contract';
import { escapeToken } from 'rfc6902/pointer.js';

/** The limits of one patch. */
export const PATCH_LIMITS = {
  /** Operations. */
  operations: 10_000,
  /** Characters of all paths. Each path repeats the keys above it, and a key may be very long. */
  pathCharacters: 4 * 1024 * 1024,
};

/**
 * Creates the JSON Patch (RFC 6902) from one value to another. It is correct and short, but not always the
 * shortest: where the operations of a value exceed the limits, one operation replaces the whole value. The
 * time grows with the size of the values.
 */
export function diffJson(from: unknown, to: unknown, limits = PATCH_LIMITS): JsonPatchOperation[] {
  const patch = new PatchBuilder(limits);
  patch.addChanges(from, to, '');
  return patch.operations;
}

/**
 * Collects the operations of one patch. Its methods return whether the limits allow the operations of a value
 * and those before it. The limits are checked before an operation is created.
 */
class PatchBuilder {
  readonly operations: JsonPatchOperation[] = [];
  readonly #operationsMax: number;
  #charactersLeft: number;

  constructor({ operations, pathCharacters }: typeof PATCH_LIMITS) {
    this.#operationsMax = operations;
    this.#charactersLeft = pathCharacters;
  }

  /** Adds the operations of a value, or one that replaces it when they exceed the limits. */
  addChanges(from: unknown, to: unknown, path: string): boolean {
    const count = this.operations.length;
    const charactersLeft = this.#charactersLeft;
    if (this.#addParts(from, to, path)) return true;
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

  #addParts(from: unknown, to: unknown, path: string): boolean {
    if (from === to) return true;
    if (Array.isArray(from) && Array.isArray(to)) return this.#addItems(from, to, path);
    if (isFields(from) && isFields(to)) return this.#addFields(from, to, path);
    return this.#add({ op: 'replace', path, value: to });
  }

  #addFields(from: Record<string, unknown>, to: Record<string, unknown>, path: string): boolean {
    const pathOf = (key: string) => `${path}/${escapeToken(key)}`;
    const before = keysOf(from);
    const removed = before.filter((key) => !hasField(to, key));
    const added = keysOf(to).filter((key) => !hasField(from, key));
    return (
      removed.every((key) => this.#add({ op: 'remove', path: pathOf(key) })) &&
      added.every((key) => this.#add({ op: 'add', path: pathOf(key), value: to[key] })) &&
      before.every((key) => !hasField(to, key) || this.addChanges(from[key], to[key], pathOf(key)))
    );
  }

  /**
   * Skips the equal items at both ends of two lists and compares those in between by index. The shortest edit
   * would take time and memory that grow with the cube of the length. Lists of equal length are not searched:
   * each list around a list would repeat it.
   */
  #addItems(from: unknown[], to: unknown[], path: string): boolean {
    const shorter = Math.min(from.length, to.length);
    const searched = from.length === to.length ? 0 : shorter;
    let start = 0;
    while (start < searched && isSame(from[start], to[start])) start += 1;
    let end = 0;
    while (end < searched - start && isSame(from.at(-1 - end), to.at(-1 - end))) end += 1;
    const paired = shorter - end;
    const pathOf = (index: number) => `${path}/${index}`;
    for (let index = start; index < paired; index += 1)
      if (!this.addChanges(from[index], to[index], pathOf(index))) return false;
    // From the last index down, so that the other indexes stay valid.
    for (let index = from.length - end - 1; index >= paired; index -= 1)
      if (!this.#add({ op: 'remove', path: pathOf(index) })) return false;
    for (let index = paired; index < to.length - end; index += 1)
      if (!this.#add({ op: 'add', path: pathOf(index), value: to[index] })) return false;
    return true;
  }
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether JSON has the field: it leaves out undefined values. */
const hasField = (fields: Record<string, unknown>, key: string) =>
  Object.hasOwn(fields, key) && fields[key] !== undefined;
const keysOf = (fields: Record<string, unknown>) =>
  Object.keys(fields).filter((key) => fields[key] !== undefined);

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
