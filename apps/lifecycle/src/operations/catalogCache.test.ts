import { describe, expect, it } from 'vitest';
import { CatalogIndex } from '../logic/validation/catalogIndex.js';
import { catalogOf } from '../testing/facts.js';
import { createCatalogCache, type CatalogVersion } from './catalogCache.js';

const index = new CatalogIndex(catalogOf({ orders: ['id', 'region'] }), 'postgres');
const versionOf = (connectionId: string, catalogVersion = 1): CatalogVersion => ({
  connectionId,
  catalogVersion,
  dialect: 'postgres',
  index,
  renames: [],
});

describe('the catalogs that are remembered', () => {
  it('are those of the project, each in the version that was kept last', () => {
    const cache = createCatalogCache();
    cache.keep('p_1', versionOf('c_1'));
    cache.keep('p_2', versionOf('c_2'));
    cache.keep('p_1', versionOf('c_1', 2));
    expect(cache.known('p_1')).toMatchObject([{ connectionId: 'c_1', catalogVersion: 2 }]);
    expect(cache.known('p_3')).toEqual([]);
  });

  it('go, the least recently used first, when there is no room', () => {
    const cache = createCatalogCache(2 * index.bytes);
    for (const id of ['c_1', 'c_2', 'c_1', 'c_3']) cache.keep('p_1', versionOf(id));
    expect(cache.known('p_1').map(({ connectionId }) => connectionId)).toEqual(['c_1', 'c_3']);
  });

  it('are not kept when they are larger than all the room', () => {
    const cache = createCatalogCache(index.bytes - 1);
    cache.keep('p_1', versionOf('c_1'));
    expect(cache.known('p_1')).toEqual([]);
  });
});
