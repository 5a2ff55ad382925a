import type { DistancesFrom } from './editDistance.js';

/**
 * Bounds the work of comparing names in one report: the number of comparisons, and the cells of their
 * matrices. Two names of 200 characters take as long as hundreds of short ones.
 */
export class ComparisonBudget {
  #comparisons: number;
  #cells: number;

  constructor({ comparisons, cells }: { comparisons: number; cells: number }) {
    this.#comparisons = comparisons;
    this.#cells = cells;
  }

  /** Whether no comparison is left. */
  get isSpent(): boolean {
    return this.#comparisons < 0 || this.#cells <= 0;
  }

  /** Spends comparisons before they are made. False if too few are left. */
  spendComparisons(count: number): boolean {
    this.#comparisons -= count;
    return !this.isSpent;
  }

  /** Whether the cells suffice for those computed so far. Spends all of them otherwise. */
  allows({ cellCount }: Pick<DistancesFrom, 'cellCount'>): boolean {
    if (cellCount <= this.#cells) return true;
    this.#cells = 0;
    return false;
  }

  /** Spends the cells that were computed. */
  spend({ cellCount }: Pick<DistancesFrom, 'cellCount'>): void {
    this.#cells -= cellCount;
  }
}
