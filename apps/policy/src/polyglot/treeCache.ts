import { countLookup } from '@gatehouse/service';
import { Refusal } from '../logic/sql/denials.js';

/** Longer texts are read anew each time: they would fill the memory. */
const LENGTH_MAX = 20_000;
/** The tree that was not asked for longest makes room for a new one. */
const TREES_MAX = 2000;

/**
 * The trees of texts, each read once. A tree depends on nothing but its text and the dialect: no value of a placeholder, no rule,
 * no catalog and no actor is in it, and nobody changes it.
 */
export class TreeCache<T extends object> {
  private readonly trees = new Map<string, T | Refusal>();

  /** The tree, or why there is none. Rejects when `read` does for another reason, and remembers nothing then. */
  async get(text: string, dialect: string, read: () => Promise<T>): Promise<T | Refusal> {
    const key = `${dialect} ${text}`;
    const known = this.trees.get(key);
    countLookup('syntax_trees', known !== undefined);
    const tree = known ?? (await read().catch(keepRefusal));
    if (text.length <= LENGTH_MAX) this.keep(key, tree);
    return tree;
  }

  private keep(key: string, tree: T | Refusal): void {
    this.trees.delete(key);
    this.trees.set(key, tree);
    const [oldest] = this.trees.keys();
    if (this.trees.size > TREES_MAX && oldest !== undefined) this.trees.delete(oldest);
  }
}

function keepRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}
