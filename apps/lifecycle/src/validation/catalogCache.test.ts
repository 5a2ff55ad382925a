import { describe, expect, it } from 'vitest';
import { CatalogIndex } from './logic/catalogIndex.js';
import { RenameIndex } from './logic/renames.js';
import { catalogOf } from '../testing/factSketches.js';
import { createCatalogCache, type CatalogVersion } from './catalogCache.js';

const index = new CatalogIndex(catalogOf({ orders: ['id', 'region'] }), 'postgres');
const versionOf = (connectionId: string, catalogVersion = 1): CatalogVersion => ({
  connectionId,
  catalogVersion,
  dialect: 'postgres',
  index,
  renames: new RenameIndex([]),
});

describe('the catalog cache', () => {
  it('lists the catalogs of a project in their last versions', () => {
    const cache = createCatalogCache();
    cache.set('p_1', versionOf('c_1'));
    cache.set('p_2', versionOf('c_2'));
    cache.set('p_1', versionOf('c_1', 2));
    expect(cache.list('p_1')).toMatchObject([{ connectionId: 'c_1', catalogVersion: 2 }]);
    expect(cache.list('p_3')).toEqual([]);
  });

  it('evicts the least recently used catalog first', () => {
    const cache = createCatalogCache(2 * index.bytes);
    for (const id of ['c_1', 'c_2', 'c_1', 'c_3']) cache.set('p_1', versionOf(id));
    expect(cache.list('p_1').map(({ connectionId }) => connectionId)).toEqual(['c_1', 'c_3']);
  });

  it('stores a catalog without tables', () => {
    const cache = createCatalogCache();
    cache.set('p_1', { ...versionOf('c_1'), index: new CatalogIndex(catalogOf({}), 'postgres') });
    expect(cache.list('p_1')).toHaveLength(1);
  });

  it('does not store a catalog larger than the cache', () => {
    const cache = createCatalogCache(index.bytes - 1);
    cache.set('p_1', versionOf('c_1'));
    expect(cache.list('p_1')).toEqual([]);
  });
});
