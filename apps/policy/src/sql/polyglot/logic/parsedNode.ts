import { refuse } from './refuse.js';

/**
 * A node of the parser's tree: its kind, and its fields without empty ones (null, false, an empty list). A
 * reader names every field that it takes. An untaken field refuses the statement, which detects constructs
 * that this engine does not know.
 */
export interface ParsedNode {
  kind: string;
  fields: Fields;
}

/** Fields that record spelling. Spelling is compared separately, word by word. */
const SPELLING: ReadonlySet<string> = new Set([
  'alias_explicit_as',
  'alias_first',
  'alias_keyword',
  'end_side_text',
  'explicit_asc',
  'kind_text',
  'modifiers_inside',
  'nesting_group',
  'start_side_text',
  'use_inner_keyword',
  'use_outer_keyword',
]);

export class Fields {
  readonly #left: Map<string, unknown>;

  readonly #kind: string;

  constructor(kind: string, value: unknown) {
    this.#kind = kind;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) refuseShape(kind);
    this.#left = new Map(Object.entries(value).filter(([name]) => !SPELLING.has(name)));
  }

  /** The value of a field; undefined if it is empty. */
  take(name: string): unknown {
    const value = this.#left.get(name);
    this.#left.delete(name);
    return value;
  }

  takeFlag(name: string): boolean {
    const value = this.take(name);
    if (value !== undefined && value !== true) refuseShape(this.#kind);
    return value === true;
  }

  takeText(name: string): string {
    const value = this.take(name);
    if (typeof value !== 'string') refuseShape(this.#kind);
    return value;
  }

  takeList(name: string): readonly unknown[] {
    const value = this.take(name) ?? [];
    if (!Array.isArray(value)) refuseShape(this.#kind);
    return value;
  }

  /** The field as an object; null if it is empty. */
  takeFields(name: string): Fields | null {
    const value = this.take(name);
    return value === undefined ? null : new Fields(`${this.#kind}.${name}`, value);
  }

  /** Reads the field unless it is empty. */
  takeOptional<T>(name: string, read: (value: unknown) => T): T | null {
    const value = this.take(name);
    return value === undefined ? null : read(value);
  }

  /** @throws Refusal if a field was not taken */
  end(): void {
    for (const name of this.#left.keys()) {
      refuse('FORBIDDEN_CONSTRUCT', `a construct is not allowed: ${this.#kind} with ${name}`);
    }
  }
}

function refuseShape(kind: string): never {
  return refuse('FORBIDDEN_CONSTRUCT', `a construct is not allowed: ${kind}`);
}

/** Opens a node: an object whose only key is its kind. */
export function openNode(value: unknown): ParsedNode {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const [entry] = entries;
  if (entry === undefined || entries.length !== 1) return refuseShape('a node of an unknown shape');
  const [kind, payload] = entry;
  return { kind, fields: new Fields(kind, payload) };
}

/** What is not supported, for the kinds of nodes whose names in the parser do not state it. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  lambda: 'the operators -> and ->> take a string after them',
  raw: 'NOT before this comparison is not allowed: enclose the comparison in parentheses',
};

/** @throws Refusal always, naming the kind of the node */
export function refuseNode(kind: string): never {
  const description = DESCRIPTIONS[kind];
  return description === undefined ? refuseShape(kind) : refuse('FORBIDDEN_CONSTRUCT', description);
}
