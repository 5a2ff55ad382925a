import { type FieldErrorCode, isExactNumber, JSON_DEPTH_MAX, shownPath } from '@gatehouse/contract';
import { KeySequences, type OpenKeys } from './keySequences.js';

/** A fault in a JSON text and its location. */
export interface JsonFault {
  /** The innermost field with the fault, such as `shares[1].role`; empty outside of all fields. */
  field: string;
  message: string;
  code: FieldErrorCode;
}

/** The limits of what takes long to parse, although it has few bytes. */
export interface JsonLimits {
  /** The arrays and objects of a text. */
  containers: number;
  /** The keys of its objects, as {@link KeySequences} counts them. */
  keys: number;
}

/**
 * A catalog of 4 MiB has fewer tables and columns. A template of 1 MiB has as many keys only if nearly each
 * of its objects has other ones. Within these limits `JSON.parse` takes no longer than for 4 MiB of short
 * texts; without them, up to ten times as long.
 */
export const JSON_LIMITS: JsonLimits = { containers: 200_000, keys: 60_000 };
/**
 * For a request for a token, which anyone may send: above the arrays, objects and keys that fit into the
 * 8,000 bytes of a token's values.
 */
export const TOKEN_JSON_LIMITS: JsonLimits = { containers: 5000, keys: 2000 };

interface OpenObject {
  kind: 'object';
  at: string | null;
  /** Null before the first key. */
  names: Set<string> | null;
  keys: OpenKeys;
}

/** An open array or object and the current element or member. */
type Container = { kind: 'array'; at: number } | OpenObject;

/** The element that must come next. */
type Expectation = 'value' | 'firstElement' | 'firstKey' | 'key' | 'afterValue' | 'end';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

const LITERALS = ['true', 'false', 'null'];
/** Parsing such a number would change its value. */
const INEXACT_NUMBER = 'must be a number that a 64-bit float holds exactly: send other numbers as a string';
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Reads a JSON text (RFC 8259) once, from left to right. It keeps its own stack, so a long or deeply
 * nested text cannot overflow the call stack.
 */
export class JsonReader {
  readonly #text: string;
  readonly #limits: JsonLimits;
  readonly #open: Container[] = [];
  readonly #keySequences = new KeySequences();
  #containers = 0;
  #offset = 0;
  #expected: Expectation = 'value';

  constructor(text: string, limits: JsonLimits = JSON_LIMITS) {
    this.#text = text;
    this.#limits = limits;
  }

  /**
   * Returns the first fault or null: invalid JSON, a duplicate key, an inexact number, too deep nesting, too
   * many arrays and objects, too many different keys.
   */
  findFault(): JsonFault | null {
    return this.advance(Infinity) ?? null;
  }

  /**
   * Reads at most `steps` steps further. Returns the first fault, null at the end of a text without a
   * fault, and undefined before the end.
   */
  advance(steps: number): JsonFault | null | undefined {
    for (let left = steps; left > 0 && this.#expected !== 'end'; left -= 1) {
      this.#skipSpace();
      const next: Expectation | JsonFault = this.#read(this.#expected);
      if (typeof next !== 'string') return next;
      this.#expected = next;
    }
    return this.#expected === 'end' ? null : undefined;
  }

  #read(expected: Exclude<Expectation, 'end'>): Expectation | JsonFault {
    switch (expected) {
      case 'value':
        return this.#readValue();
      case 'firstElement':
        return this.#peek() === CLOSE_ARRAY ? this.#close() : 'value';
      case 'firstKey':
        return this.#peek() === CLOSE_OBJECT ? this.#close() : 'key';
      case 'key':
        return this.#readKey();
      case 'afterValue':
        return this.#readAfterValue();
    }
  }

  #readValue(): Expectation | JsonFault {
    const unit = this.#peek();
    if (unit === OPEN_OBJECT) {
      const keys = this.#keySequences.open();
      return this.#openContainer({ kind: 'object', at: null, names: null, keys });
    }
    if (unit === OPEN_ARRAY) return this.#openContainer({ kind: 'array', at: 0 });
    const start = this.#offset;
    if (!this.#skipScalar(unit)) return this.#malformed();
    const isNumber = unit === MINUS || (unit >= ZERO && unit <= NINE);
    if (isNumber && !isExactNumber(this.#text.slice(start, this.#offset)))
      return this.#fault(INEXACT_NUMBER, 'range');
    return 'afterValue';
  }

  #openContainer(container: Container): Expectation | JsonFault {
    if (this.#open.length === JSON_DEPTH_MAX)
      return this.#fault(`is nested deeper than ${JSON_DEPTH_MAX} levels`, 'length');
    this.#containers += 1;
    if (this.#containers > this.#limits.containers)
      return this.#exceeds(this.#limits.containers, 'arrays and objects');
    this.#offset += 1;
    this.#open.push(container);
    return container.kind === 'array' ? 'firstElement' : 'firstKey';
  }

  #close(): Expectation | JsonFault {
    const container = this.#open.at(-1);
    if (container?.kind === 'object') {
      this.#keySequences.close(container.keys, container.names?.size ?? 0);
      if (this.#hasTooManyKeys()) return this.#tooManyKeys();
    }
    this.#offset += 1;
    this.#open.pop();
    return 'afterValue';
  }

  #readKey(): Expectation | JsonFault {
    const container = this.#open.at(-1);
    const start = this.#offset;
    if (container?.kind !== 'object') return this.#malformed();
    container.at = null;
    if (this.#peek() !== QUOTE || !this.#skipString()) return this.#malformed();
    const literal = this.#text.slice(start, this.#offset);
    const key = literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
    container.at = key;
    if (key === '__proto__') return this.#fault('is not allowed as a key', 'unknown');
    container.names ??= new Set();
    if (container.names.has(key)) return this.#fault('is given more than once', 'duplicate');
    container.names.add(key);
    this.#keySequences.add(container.keys, key);
    if (this.#hasTooManyKeys()) return this.#tooManyKeys();
    this.#skipSpace();
    if (this.#peek() !== COLON) return this.#malformed();
    this.#offset += 1;
    return 'value';
  }

  #readAfterValue(): Expectation | JsonFault {
    const container = this.#open.at(-1);
    if (!container) return this.#offset === this.#text.length ? 'end' : this.#malformed();
    const unit = this.#peek();
    if (unit === (container.kind === 'array' ? CLOSE_ARRAY : CLOSE_OBJECT)) return this.#close();
    if (unit !== COMMA) return this.#malformed();
    this.#offset += 1;
    if (container.kind === 'object') return 'key';
    container.at += 1;
    return 'value';
  }

  #skipScalar(unit: number): boolean {
    if (unit === QUOTE) return this.#skipString();
    return unit === MINUS || (unit >= ZERO && unit <= NINE) ? this.#skipNumber() : this.#skipLiteral();
  }

  /** Moves past a string, or to the fault in a malformed one. */
  #skipString(): boolean {
    this.#offset += 1;
    for (;;) {
      const unit = this.#skipPlainText();
      if (unit === QUOTE) {
        this.#offset += 1;
        return true;
      }
      if (unit !== BACKSLASH) return false;
      ESCAPE.lastIndex = this.#offset;
      if (!ESCAPE.test(this.#text)) return false;
      this.#offset = ESCAPE.lastIndex;
    }
  }

  /**
   * Moves to the next quote, backslash or control character and returns it; -1 at the end. Most of a body
   * is read here.
   */
  #skipPlainText(): number {
    const text = this.#text;
    let offset = this.#offset;
    let unit = -1;
    for (; offset < text.length; offset += 1) {
      unit = text.charCodeAt(offset);
      if (unit === QUOTE || unit === BACKSLASH || unit < 0x20) break;
    }
    this.#offset = offset;
    return offset < text.length ? unit : -1;
  }

  #skipLiteral(): boolean {
    const literal = LITERALS.find((word) => this.#text.startsWith(word, this.#offset));
    this.#offset += literal?.length ?? 0;
    return literal !== undefined;
  }

  #skipNumber(): boolean {
    if (this.#peek() === MINUS) this.#offset += 1;
    if (this.#peek() === ZERO) this.#offset += 1;
    else if (!this.#skipDigits()) return false;
    if (this.#peek() === POINT) {
      this.#offset += 1;
      if (!this.#skipDigits()) return false;
    }
    // Bit 5 is the case of an ASCII letter.
    if ((this.#peek() | 0x20) !== 0x65) return true;
    this.#offset += 1;
    if (this.#peek() === PLUS || this.#peek() === MINUS) this.#offset += 1;
    return this.#skipDigits();
  }

  #skipDigits(): boolean {
    const start = this.#offset;
    while (this.#peek() >= ZERO && this.#peek() <= NINE) this.#offset += 1;
    return this.#offset > start;
  }

  #skipSpace(): void {
    while (isSpace(this.#peek())) this.#offset += 1;
  }

  /** Returns the next UTF-16 code unit; -1 at the end. */
  #peek(): number {
    return this.#offset < this.#text.length ? this.#text.charCodeAt(this.#offset) : -1;
  }

  #malformed(): JsonFault {
    if (this.#offset >= this.#text.length)
      return this.#fault('is cut off: the JSON text ends too early', 'format');
    return this.#fault(`is not valid JSON at character ${this.#offset + 1}`, 'format');
  }

  #hasTooManyKeys(): boolean {
    return this.#keySequences.count > this.#limits.keys;
  }

  #tooManyKeys(): JsonFault {
    return this.#exceeds(this.#limits.keys, 'different keys and orders of keys');
  }

  #exceeds(limit: number, what: string): JsonFault {
    return this.#fault(`exceeds the limit of ${limit} ${what} in one body`, 'length');
  }

  #fault(message: string, code: FieldErrorCode): JsonFault {
    return { field: shownPath(this.#open.flatMap(({ at }) => at ?? [])), message, code };
  }
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}
