import type { FactConnection } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { CatalogIndex } from '../logic/validation/catalogIndex.js';
import { catalogOf } from '../testing/facts.js';
import { createCatalogCache } from './catalogCache.js';

const catalog = catalogOf({ orders: ['id', 'region'] });
const { bytes } = new CatalogIndex(catalog, 'postgres');
const connection = (id: string, fields: Partial<FactConnection> = {}): FactConnection => ({
  id,
  name: id,
  type: 'static',
  dialect: 'postgres',
  catalogVersion: 1,
  catalog,
  renames: [],
  ...fields,
});

describe('the catalogs that are remembered', () => {
  it('are given back for the version that was known when it was asked for', () => {
    const cache = createCatalogCache();
    const made = cache.resolve('p_1', connection('c_1'), []);
    const known = cache.known('p_1');
    expect(known).toMatchObject([{ connectionId: 'c_1', catalogVersion: 1 }]);
    const { catalog: _, ...unsent } = connection('c_1');
    expect(cache.resolve('p_1', unsent, known)).toBe(made);
    expect(cache.known('p_2')).toEqual([]);
  });

  it('go, the least recently used first, when there is no room', () => {
    const cache = createCatalogCache(2 * bytes);
    for (const id of ['c_1', 'c_2']) cache.resolve('p_1', connection(id), []);
    const { catalog: _, ...unsent } = connection('c_1');
    cache.resolve('p_1', unsent, cache.known('p_1'));
    cache.resolve('p_1', connection('c_3'), []);
    expect(cache.known('p_1').map(({ connectionId }) => connectionId)).toEqual(['c_1', 'c_3']);
  });

  it('are used but not kept when they are larger than all the room', () => {
    const cache = createCatalogCache(bytes - 1);
    expect(cache.resolve('p_1', connection('c_1'), [])).not.toBeNull();
    expect(cache.known('p_1')).toEqual([]);
  });

  it('are none for a connection whose catalog was never read', () => {
    const cache = createCatalogCache();
    expect(cache.resolve('p_1', connection('c_1', { catalog: null, catalogVersion: null }), [])).toBeNull();
    expect(cache.known('p_1')).toEqual([]);
  });

  it('are never those of another version', () => {
    const cache = createCatalogCache();
    cache.resolve('p_1', connection('c_1'), []);
    const { catalog: _, ...unsent } = connection('c_1', { catalogVersion: 2 });
    expect(() => cache.resolve('p_1', unsent, cache.known('p_1'))).toThrow('neither sent nor known');
  });
});
