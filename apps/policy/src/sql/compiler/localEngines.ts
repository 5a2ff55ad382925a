import { LRUCache } from 'lru-cache';
import { createCatalogIndexer } from '../logic/catalogIndex.js';
import type { SqlEngine } from '../logic/restriction.js';
import { createPostgresEngine } from '../postgres/logic/engine.js';
import { PolyglotEngine } from '../polyglot/dialectEngine.js';

/**
 * The size of each cache of trees in a thread, in characters of keys. A tree takes up to 350 bytes per
 * character of a hostile text: together these four caches stay under half of the thread's heap.
 */
const TREE_CHARACTERS = 64 * 1024;
/** The size of each cache of texts, in characters of keys. */
const TEXT_CHARACTERS = 1024 * 1024;

function createCache<V extends object | string>(maxSize: number): LRUCache<string, V> {
  return new LRUCache({ maxSize, sizeCalculation: (_, key) => key.length + 1 });
}

/** The PostgreSQL engine of this thread, with its caches. */
export function createPostgres(): Promise<SqlEngine> {
  return createPostgresEngine({
    indexCatalog: createCatalogIndexer(),
    rules: createCache(TREE_CHARACTERS),
    tables: createCache(TREE_CHARACTERS),
    conditions: createCache(TEXT_CHARACTERS),
    parameterized: createCache(TEXT_CHARACTERS),
  });
}

/** The engine of all other dialects. It needs a larger stack than threads have by default. */
export async function createPolyglot(): Promise<SqlEngine> {
  const { parsePolyglot } = await import('./parsePolyglot.js');
  return new PolyglotEngine({ parse: parsePolyglot }, TREE_CHARACTERS);
}
