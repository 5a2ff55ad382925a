/** The characters of a text, as code points. */
export function codePointsOf(text: string): number[] {
  const points: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const point = text.codePointAt(index) ?? 0;
    if (point > 0xffff) index += 1;
    points.push(point);
  }
  return points;
}

/** Room for the table of one comparison, used again for the next. */
export class DistanceTable {
  #cells = new Int32Array(0);
  #lastRows = new Int32Array(0);

  /**
   * The Damerau-Levenshtein distance of two texts: the fewest insertions, deletions, substitutions and swaps of neighbours
   * that make one of the other. It is the unrestricted distance, in which what was swapped may be edited again (Lowrance
   * and Wagner, 1975), and so a metric. Answers `bound + 1` as soon as it is known to be above `bound`.
   */
  distance(a: readonly number[], b: readonly number[], bound: number): number {
    const tooFar = bound + 1;
    if (Math.abs(a.length - b.length) > bound) return tooFar;
    this.#prepare(a.length, b.length);
    for (let row = 1; row <= a.length; row += 1) {
      // A swap across this row costs no less than the way through it, so that nothing below can be nearer.
      if (this.#fillRow(a, b, row) > bound) return tooFar;
    }
    const found = this.#cells[a.length * (b.length + 1) + b.length] ?? tooFar;
    return Math.min(found, tooFar);
  }

  #prepare(rows: number, columns: number): void {
    const width = columns + 1;
    if (this.#cells.length < (rows + 1) * width) this.#cells = new Int32Array((rows + 1) * width * 2);
    if (this.#lastRows.length < width) this.#lastRows = new Int32Array(width * 2);
    this.#lastRows.fill(0, 0, width);
    for (let column = 0; column <= columns; column += 1) this.#cells[column] = column;
    for (let row = 1; row <= rows; row += 1) this.#cells[row * width] = row;
  }

  /** Fills one row and gives its smallest value. */
  #fillRow(a: readonly number[], b: readonly number[], row: number): number {
    const cells = this.#cells;
    const width = b.length + 1;
    const start = row * width;
    const point = a[row - 1];
    let smallest = row;
    /** The last column of this row where both texts have the same character. */
    let lastColumn = 0;
    for (let column = 1; column < width; column += 1) {
      const above = start - width + column;
      const lastRow = this.#lastRows[column] ?? 0;
      const isSame = b[column - 1] === point;
      let best = (cells[above - 1] ?? 0) + (isSame ? 0 : 1);
      best = Math.min(best, (cells[above] ?? 0) + 1, (cells[start + column - 1] ?? 0) + 1);
      if (lastRow > 0 && lastColumn > 0) {
        const before = cells[(lastRow - 1) * width + lastColumn - 1] ?? 0;
        best = Math.min(best, before + (row - lastRow - 1) + 1 + (column - lastColumn - 1));
      }
      cells[start + column] = best;
      smallest = Math.min(smallest, best);
      if (isSame) {
        lastColumn = column;
        this.#lastRows[column] = row;
      }
    }
    return smallest;
  }
}
