import { LRUCache } from 'lru-cache';
import { Refusal } from '../logic/denials.js';

/** Longer texts are not cached: each would evict many others. */
const LENGTH_MAX = 20_000;

/** Reads a text of a dialect into a tree. */
export type ReadTree<T, D extends string> = (text: string, dialect: D) => Promise<T>;

/**
 * Adds a cache to a function that reads trees. A tree depends only on its text and the dialect, not on
 * values, rules, catalogs or actors, and is never changed. A refusal is returned and cached like a tree. If
 * `read` rejects for another reason, the result does too, and nothing is cached.
 * @param charactersMax the size of all cached texts; the least recently used are evicted first
 */
export function cacheTrees<T extends object, D extends string>(
  read: ReadTree<T, D>,
  charactersMax: number,
): ReadTree<T | Refusal, D> {
  const trees = new LRUCache<string, T | Refusal>({
    maxSize: charactersMax + 1,
    sizeCalculation: (_, key) => key.length,
  });
  return async (text, dialect) => {
    const key = `${dialect} ${text}`;
    const known = trees.get(key);
    if (known !== undefined) return known;
    const tree = await read(text, dialect).catch(toRefusal);
    if (text.length <= LENGTH_MAX) trees.set(key, tree);
    return tree;
  };
}

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}
