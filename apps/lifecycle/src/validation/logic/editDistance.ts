/** The code points of a text. */
export function codePointsOf(text: string): number[] {
  const points: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const point = text.codePointAt(index) ?? 0;
    if (point > 0xffff) index += 1;
    points.push(point);
  }
  return points;
}

/** The number of buckets in which characters are counted; a power of two. */
const GROUPS = 64;
const FAR = 1 << 20;

/**
 * The Damerau-Levenshtein distances from one text to others: the fewest insertions, deletions, substitutions
 * and transpositions of adjacent characters. It is the unrestricted distance, in which transposed characters
 * may be edited again (Lowrance and Wagner, 1975), and so a metric. Libraries compute the restricted
 * distance, on UTF-16 units, or without the bound that ends most comparisons early.
 */
export class DistancesFrom {
  readonly #text: readonly number[];
  readonly #counts = new Int32Array(GROUPS);
  readonly #left = new Int32Array(GROUPS);
  #cells = new Int32Array(0);
  #lastRows = new Int32Array(0);
  #cellCount = 0;

  constructor(text: readonly number[]) {
    this.#text = text;
    for (const point of text) this.#counts[point % GROUPS] = (this.#counts[point % GROUPS] ?? 0) + 1;
  }

  /** The number of cells that were computed so far: the work of all distances. */
  get cellCount(): number {
    return this.#cellCount;
  }

  /** The distance to another text, or `bound + 1` when it is above `bound`. */
  to(other: readonly number[], bound: number): number {
    const tooFar = bound + 1;
    const rows = this.#text.length;
    if (Math.abs(rows - other.length) > bound || this.#countMissing(other) > bound) return tooFar;
    this.#prepare(other.length, bound);
    for (let row = 1; row <= rows; row += 1) {
      // A transposition across this row costs no less than the path through it, so no later row can be
      // nearer.
      if (this.#fillRow(other, row, bound) > bound) return tooFar;
    }
    return Math.min(this.#cells[rows * (other.length + 1) + other.length] ?? tooFar, tooFar);
  }

  /** A lower bound: the number of characters of the longer text that the other lacks, in any position. */
  #countMissing(other: readonly number[]): number {
    this.#left.set(this.#counts);
    let shared = 0;
    for (const point of other) {
      const left = this.#left[point % GROUPS] ?? 0;
      if (left === 0) continue;
      this.#left[point % GROUPS] = left - 1;
      shared += 1;
    }
    return Math.max(this.#text.length, other.length) - shared;
  }

  #prepare(columns: number, bound: number): void {
    const width = columns + 1;
    const rows = this.#text.length;
    if (this.#cells.length < (rows + 1) * width) this.#cells = new Int32Array((rows + 1) * width * 2);
    if (this.#lastRows.length < width) this.#lastRows = new Int32Array(width * 2);
    this.#lastRows.fill(0, 0, width);
    for (let column = 0; column <= Math.min(columns, bound + 1); column += 1) this.#cells[column] = column;
    for (let row = 1; row <= rows; row += 1) this.#cells[row * width] = row;
  }

  /** Fills the cells of a row within the bound of the diagonal, and returns the smallest value. */
  #fillRow(other: readonly number[], row: number, bound: number): number {
    const cells = this.#cells;
    const lastRows = this.#lastRows;
    const width = other.length + 1;
    const start = row * width;
    const point = this.#text[row - 1];
    const first = Math.max(1, row - bound);
    const last = Math.min(other.length, row + bound);
    let smallest = row;
    this.#cellCount += last - first + 1;
    // Cells beyond the bound are not computed. A large value keeps them out of the minimum.
    if (first > 1) cells[start + first - 1] = FAR;
    if (last < other.length) cells[start + last + 1] = FAR;
    /** The last column of this row where both texts have the same character. */
    let lastColumn = 0;
    for (let column = first; column <= last; column += 1) {
      const above = start - width + column;
      const lastRow = lastRows[column] ?? 0;
      const isSame = other[column - 1] === point;
      let best = (cells[above - 1] ?? FAR) + (isSame ? 0 : 1);
      best = Math.min(best, (cells[above] ?? FAR) + 1, (cells[start + column - 1] ?? FAR) + 1);
      if (lastRow > 0 && lastColumn > 0 && Math.abs(lastRow - lastColumn) <= bound) {
        const before = cells[(lastRow - 1) * width + lastColumn - 1] ?? FAR;
        best = Math.min(best, before + (row - lastRow - 1) + 1 + (column - lastColumn - 1));
      }
      cells[start + column] = best;
      if (best < smallest) smallest = best;
      if (isSame) {
        lastColumn = column;
        lastRows[column] = row;
      }
    }
    return smallest;
  }
}
