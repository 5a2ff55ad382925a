/*
 * Terms: what a record can be found by, as 32-bit numbers in one array with one index. A term stands for the
 * value of a field or for a part of a text. Different values may share a number, so a term only finds
 * candidates: the condition of the query still decides.
 *
 * Of a text, only the minimizers are terms (Roberts et al., "Reducing storage requirements for biological
 * sequence comparison", 2004): of each run of `WINDOW` neighbouring grams the one with the smallest number. A
 * text that contains a search contains the runs of the search, and so its minimizers. They are about two
 * fifths of all grams.
 */
const GRAM = 3;
const WINDOW = 4;

/** The shortest search that has terms, in characters. */
export const SEARCH_MIN = GRAM + WINDOW - 1;

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
function* minimizersOf(seed: number, text: string): Generator<number> {
  const points = pointsOf(text);
  const grams: number[] = [];
  for (let end = GRAM; end <= points.length; end += 1)
    grams.push(spread(hash(points.slice(end - GRAM, end), seed)));
  for (let end = WINDOW; end <= grams.length; end += 1) yield Math.min(...grams.slice(end - WINDOW, end));
}

/** Fields and texts by which a record is found. Texts are folded. */
export interface Findable {
  fields: readonly (readonly [field: string, value: string | boolean])[];
  texts: readonly string[];
}

const seedOf = (scopeId: string, field: string) => hash(pointsOf(`${scopeId}\0${field}\0`));
const OVERFLOW = ['', ''] as const;

/** The term of the value of a field. The id of the scope is part of each term. */
export function fieldTerm(scopeId: string, [field, value]: readonly [string, string | boolean]): number {
  return spread(hash(pointsOf(String(value)), seedOf(scopeId, field)));
}

/** The terms of a search for a folded text; none if it is shorter than `SEARCH_MIN`. */
export function searchTerms(scopeId: string, text: string): number[] {
  return [...new Set(minimizersOf(seedOf(scopeId, ''), text))];
}

/** The terms of a record, to be stored in its field `terms`. */
export function termsOf(scopeId: string, { fields, texts }: Findable): number[] {
  const terms = new Set(fields.map((field) => fieldTerm(scopeId, field)));
  const seed = seedOf(scopeId, '');
  for (const text of texts) for (const term of minimizersOf(seed, text)) terms.add(term);
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
