import type { ResolveHook } from 'node:module';

/** The file, relative to the root of the repository, that gets an `LRUCache` that stores nothing. */
const FILE = new URL(`../../${process.env['WITHOUT_CACHE'] ?? ''}`, import.meta.url).href;

/** Has the methods of an `LRUCache` that the measured caches use. */
export class LRUCache {
  get(): undefined {
    return undefined;
  }

  set(): this {
    return this;
  }

  delete(): boolean {
    return false;
  }

  clear(): void {}

  rvalues(): readonly never[] {
    return [];
  }
}

/** The hook with which Node resolves modules. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) =>
  specifier === 'lru-cache' && context.parentURL === FILE
    ? { url: import.meta.url, shortCircuit: true }
    : nextResolve(specifier, context);
