import type { ComparisonBudget } from './comparisonBudget.js';
import { codePointsOf, DistancesFrom } from './editDistance.js';
import { foldCase } from './identifiers.js';

interface Candidate {
  name: string;
  folded: string;
  points: readonly number[];
}

/** No name in a catalog is longer. A longer written name has no suggestions. */
const WRITTEN_MAX = 200;

function compareCandidates(a: Candidate, b: Candidate): number {
  if (a.folded !== b.folded) return a.folded < b.folded ? -1 : 1;
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

function prepareCandidates(names: readonly string[]): Candidate[] {
  const candidates = [...new Set(names)].map((name) => {
    const folded = foldCase(name);
    return { name, folded, points: codePointsOf(folded) };
  });
  return candidates.toSorted(compareCandidates);
}

/** A list of candidates. They are prepared for comparison on first use. */
export class NameList {
  readonly #parts: readonly NameList[];
  #names: readonly string[] | undefined;
  #characters: number | undefined;
  #candidates: readonly Candidate[] | undefined;
  #known: ReadonlySet<string> | undefined;

  constructor(names?: readonly string[], parts: readonly NameList[] = []) {
    this.#names = names;
    this.#parts = [...new Set(parts)];
  }

  /** The distinct names of several lists. They are listed on first use, because they may be very many. */
  static joined(parts: readonly NameList[]): NameList {
    return new NameList(undefined, parts);
  }

  get names(): readonly string[] {
    return (this.#names ??= [...this.#addTo(new Set())]);
  }

  /** The number of names to read before they are listed; 0 when they are. */
  get unlisted(): number {
    return this.#names === undefined ? this.#size : 0;
  }

  /** The characters of all names. */
  get characters(): number {
    return (this.#characters ??= this.names.reduce((sum, name) => sum + name.length, 0));
  }

  get candidates(): readonly Candidate[] {
    return (this.#candidates ??= prepareCandidates(this.names));
  }

  has(name: string): boolean {
    if (this.#parts.length > 0) return this.#parts.some((part) => part.has(name));
    return (this.#known ??= new Set(this.names)).has(name);
  }

  get #size(): number {
    if (this.#names !== undefined) return this.#names.length;
    return this.#parts.reduce((sum, part) => sum + part.#size, 0);
  }

  /** Adds all names to a set. The parts create no lists of their own for it. */
  #addTo(names: Set<string>): Set<string> {
    for (const name of this.#names ?? []) names.add(name);
    if (this.#names === undefined) for (const part of this.#parts) part.#addTo(names);
    return names;
  }
}

export const NO_NAMES = new NameList([]);

/**
 * The names closest to a written one, at most `limit`: by case-insensitive Damerau-Levenshtein distance, then
 * in alphabetical order. A name that differs in more than half of its characters is not similar, and is not
 * among them. Null if the budget does not suffice.
 */
export function closestNames(
  written: string,
  { candidates }: NameList,
  { limit, budget }: { limit: number; budget: ComparisonBudget },
): string[] | null {
  if (limit <= 0 || written.length > WRITTEN_MAX) return [];
  const points = codePointsOf(foldCase(written));
  const distances = new DistancesFrom(points);
  const best: { name: string; distance: number }[] = [];
  // The candidates are in alphabetical order, so among equal distances the first stays.
  for (const candidate of candidates) {
    const worst = best.length < limit ? undefined : best.at(-1);
    const similar = Math.floor(Math.max(points.length, candidate.points.length) / 2);
    const bound = Math.min(similar, worst === undefined ? similar : worst.distance - 1);
    const distance = distances.to(candidate.points, bound);
    if (!budget.allows(distances)) return null;
    if (distance > bound) continue;
    if (worst !== undefined) best.pop();
    const index = best.findIndex((other) => other.distance > distance);
    best.splice(index === -1 ? best.length : index, 0, { name: candidate.name, distance });
  }
  budget.spend(distances);
  return best.map(({ name }) => name);
}

/**
 * The names within a distance of the written one, in alphabetical order. Null if the budget does not suffice.
 */
export function namesWithin(
  written: string,
  { candidates }: NameList,
  { distance, budget }: { distance: number; budget: ComparisonBudget },
): string[] | null {
  if (written.length > WRITTEN_MAX) return [];
  const distances = new DistancesFrom(codePointsOf(foldCase(written)));
  const near: string[] = [];
  for (const { name, points } of candidates) {
    if (distances.to(points, distance) <= distance) near.push(name);
    if (!budget.allows(distances)) return null;
  }
  budget.spend(distances);
  return near;
}
