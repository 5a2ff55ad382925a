import type { Entity } from './facts.js';
import type { Scope } from './selection.js';
import { NameList } from './suggestions.js';

/** Those with other columns than the ones before; of those without columns one of each kind. */
function distinctEntities(entities: readonly Entity[]): Entity[] {
  const seen = new Set<unknown>();
  return entities.filter(({ columns, isBroken }) => {
    const key = columns ?? isBroken;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** What the filters of a dashboard reach: everything that any of its cards selects. */
export function createDashboardScope(scopes: readonly Scope[]): Scope {
  const entities = distinctEntities(scopes.flatMap((scope) => scope.entities));
  const namedBefore = new Map<string, Entity[]>();
  return {
    source: null,
    entities,
    named(name) {
      const found = namedBefore.get(name) ?? distinctEntities(scopes.flatMap((scope) => scope.named(name)));
      namedBefore.set(name, found);
      return found;
    },
    offered: new NameList([...new Set(scopes.flatMap(({ offered }) => offered.names))]),
    renamed: (name) => scopes.flatMap((scope) => scope.renamed(name)),
    references: () => scopes.flatMap((scope) => scope.references()),
  };
}
