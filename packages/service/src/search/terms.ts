import type { IndexDescription } from 'mongodb';

/*
 * Terms: what a record can be found by, as 32-bit numbers in one array with one index. A term stands for the
 * value of a field or for a part of a text. Different values may share a number, so a term only finds
 * candidates: the condition of the query still decides.
 *
 * Of a text, only the minimizers are terms (Roberts et al., "Reducing storage requirements for biological
 * sequence comparison", 2004): of each run of some neighbouring grams the one with the smallest number. A
 * text that contains a search contains the runs of the search, and so its minimizers. With runs of four grams
 * they are about two fifths of all grams, and with runs of two about two thirds.
 */
const GRAM = 3;

/** The number of grams in a run. A longer run needs less space, and longer searches. */
export type Run = 2 | 4;

/** The shortest search that has terms, in characters. */
export const searchMin = (run: Run): number => GRAM + run - 1;

export const TERMS_INDEX = 'terms';

/** Finds records by the values of their fields and parts of their texts, for lists with filters. */
export const TERMS: IndexDescription = { key: { terms: 1 }, name: TERMS_INDEX };

/** The most terms of a record. One with more has a term that every search finds instead. */
const TERMS_MAX = 400;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Continues a hash with the code points of a text (FNV-1a). */
function hash(points: Iterable<number>, from = FNV_OFFSET): number {
  let state = from;
  for (const point of points) state = Math.imul(state ^ point, FNV_PRIME);
  return state;
}

const pointsOf = (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0);

/** Spreads a hash over all bits, as the end of MurmurHash3 does. */
function spread(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) | 0;
}

/** The minimizers of a text. */
function* minimizersOf(seed: number, run: Run, text: string): Generator<number> {
  const points = pointsOf(text);
  const grams: number[] = [];
  for (let end = GRAM; end <= points.length; end += 1)
    grams.push(spread(hash(points.slice(end - GRAM, end), seed)));
  for (let end = run; end <= grams.length; end += 1) yield Math.min(...grams.slice(end - run, end));
}

type Field = readonly [field: string, value: string | boolean];

/** Fields and texts by which a record is found. Texts are folded. */
export interface Findable {
  fields: readonly Field[];
  texts: readonly string[];
  run: Run;
}

/** The filters of a list. One without a value does not filter. */
export interface Filters {
  fields: Readonly<Record<string, string | boolean | undefined>>;
  /** A folded text. */
  search: string | undefined;
  run: Run;
}

const seedOf = (scopeId: string, field: string) => hash(pointsOf(`${scopeId}\0${field}\0`));
const OVERFLOW = ['', ''] as const;

/** The term of the value of a field. The id of the scope is part of each term. */
export function fieldTerm(scopeId: string, [field, value]: Field): number {
  return spread(hash(pointsOf(String(value)), seedOf(scopeId, field)));
}

/** The terms of a search for a folded text; none if it is shorter than `searchMin`. */
export function searchTerms(scopeId: string, run: Run, text: string): number[] {
  return [...new Set(minimizersOf(seedOf(scopeId, ''), run, text))];
}

/** Up to a number of items, evenly spread over a list. */
function spreadOver<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  return items.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

/**
 * Terms of all records that meet the filters: those of all fields, and some of the search.
 * @param most about how many terms there are
 */
export function selectionTerms(scopeId: string, { fields, search, run }: Filters, most: number): number[] {
  const ofFields = Object.entries(fields).flatMap(([field, value]) =>
    value === undefined ? [] : [fieldTerm(scopeId, [field, value])],
  );
  const ofSearch = search === undefined ? [] : searchTerms(scopeId, run, search);
  return [...ofFields, ...spreadOver(ofSearch, Math.max(2, most - ofFields.length))];
}

/** The terms of a record, to be stored in its field `terms`. */
export function termsOf(scopeId: string, { fields, texts, run }: Findable): number[] {
  const terms = new Set(fields.map((field) => fieldTerm(scopeId, field)));
  const seed = seedOf(scopeId, '');
  for (const text of texts) for (const term of minimizersOf(seed, run, text)) terms.add(term);
  if (terms.size <= TERMS_MAX) return [...terms];
  return [...fields.map((field) => fieldTerm(scopeId, field)), fieldTerm(scopeId, OVERFLOW)];
}

/**
 * The condition of the records that may have a term: also those with too many, and those of a former release,
 * which have none yet.
 */
export function mayHaveTerm(scopeId: string, term: number) {
  return { terms: { $in: [term, fieldTerm(scopeId, OVERFLOW), null] } };
}
