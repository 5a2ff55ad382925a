import { AppError } from '@gatehouse/contract';
import { countLookup } from '@gatehouse/service';
import { LRUCache } from 'lru-cache';
import type { Restriction, RestrictionRequest, SqlEngine } from '../logic/restriction.js';
import { createCatalogNumbers } from './thread.js';
import { CompilePool } from './pool.js';

export interface Engines {
  /** The engine of every dialect, for the calls of one organization. */
  engineOf(organizationId: string): SqlEngine;
  /** Rejects if the compiler does not respond. */
  checkReady(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Creates the SQL engines. They run in worker threads, and their results are cached. Their methods throw
 * UNAVAILABLE if the thread fails or times out, and RATE_LIMITED if too many calls of the organization wait.
 * @param timeoutMs the time limit of one statement
 */
export function createEngines(timeoutMs: number): Engines {
  const pool = new CompilePool({ timeoutMs });
  const cache = new ResultCache();
  return {
    engineOf: (organizationId) => cache.wrap(withAppErrors(pool.engineOf(organizationId))),
    async checkReady() {
      if (!(await pool.isReady())) throw new Error('The SQL compiler does not respond');
    },
    stop: () => pool.stop(),
  };
}

/** The engine with every failure of a thread as UNAVAILABLE. */
function withAppErrors(engine: SqlEngine): SqlEngine {
  return {
    checkExpression: (...args) => engine.checkExpression(...args).catch(throwUnavailable),
    analyzeExpression: (...args) => engine.analyzeExpression(...args).catch(throwUnavailable),
    restrict: (request) => engine.restrict(request).catch(throwUnavailable),
    printExpression: (...args) => engine.printExpression(...args).catch(throwUnavailable),
  };
}

function throwUnavailable(cause: unknown): never {
  if (cause instanceof AppError) throw cause;
  throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause });
}

/** The size of each cache, in characters of keys and results. */
const CACHED_CHARACTERS_MAX = 32 * 1024 * 1024;
/** Larger results are not cached: a few of them would fill the cache. */
const RESULT_CHARACTERS_MAX = 512 * 1024;

/**
 * Caches the results of engines. A result depends only on the request, and the key is the whole request: the
 * statement, every rule with its values, the schemas, the dialect and the catalog object. Two callers share a
 * result only if their requests are identical. A failed request is not cached.
 */
export class ResultCache {
  readonly #restrictions = createCache<Restriction>();
  readonly #expressions = createCache<{ printed: string | null }>();
  readonly #numberOf = createCatalogNumbers();

  /** The engine behind the cache. */
  wrap(engine: SqlEngine): SqlEngine {
    return {
      checkExpression: (...args) => engine.checkExpression(...args),
      analyzeExpression: (...args) => engine.analyzeExpression(...args),
      restrict: (request) => this.#restrict(engine, request),
      printExpression: (...args) => this.#print(engine, args),
    };
  }

  async #restrict(engine: SqlEngine, request: RestrictionRequest): Promise<Restriction> {
    const { catalog, ...rest } = request;
    const key = JSON.stringify([catalog && this.#numberOf(catalog), rest]);
    const cached = this.#restrictions.get(key);
    countLookup('restrictions', cached !== undefined);
    if (cached) return cached;
    const result = freeze(await engine.restrict(request));
    this.#restrictions.set(key, result);
    return result;
  }

  async #print(engine: SqlEngine, args: Parameters<SqlEngine['printExpression']>): Promise<string | null> {
    const key = JSON.stringify(args);
    const cached = this.#expressions.get(key);
    countLookup('expressions', cached !== undefined);
    if (cached) return cached.printed;
    const printed = await engine.printExpression(...args);
    this.#expressions.set(key, { printed });
    return printed;
  }
}

function createCache<V extends object>(): LRUCache<string, V> {
  return new LRUCache({
    maxSize: CACHED_CHARACTERS_MAX,
    maxEntrySize: RESULT_CHARACTERS_MAX,
    sizeCalculation: (value, key) => key.length + JSON.stringify(value).length,
  });
}

/** Cached results are shared by callers, so they must not change. */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const child of Object.values(value)) freeze(child);
  return value;
}
