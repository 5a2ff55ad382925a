import type { RlsMatcher } from '@gatehouse/contract';
import type { ResolvedRule } from './model.js';
import type { CatalogIndex, KnownTable } from './sql/catalogIndex.js';
import { rulesInDoubt, rulesOf } from './sql/matchRules.js';

/** The tables of a catalog that a matcher is about. */
export interface MatchedTables {
  governed: ReadonlySet<KnownTable>;
  /** Those listed without columns, which a matcher about a column may be about: they cannot be read while it is. */
  inDoubt: ReadonlySet<KnownTable>;
}

/** How many matchers are remembered for one catalog: many actors have the same ones. */
const REMEMBERED_MAX = 200;
const remembered = new WeakMap<CatalogIndex, Map<string, MatchedTables>>();

/** The tables that a matcher is about. A catalog may be large, so what was found is remembered for as long as its index is. */
export function tablesOf(matcher: RlsMatcher, index: CatalogIndex): MatchedTables {
  const known = remembered.get(index) ?? new Map<string, MatchedTables>();
  remembered.set(index, known);
  const key = JSON.stringify(matcher);
  const matched = known.get(key) ?? matchTables(matcher, index);
  if (known.size >= REMEMBERED_MAX) known.clear();
  known.set(key, matched);
  return matched;
}

function matchTables(matcher: RlsMatcher, { tables, dialect }: CatalogIndex): MatchedTables {
  const origin = { definitionId: null, assignmentId: null, source: 'persisted' as const };
  const rules: ResolvedRule[] = [{ name: '', ...origin, matcher, expression: '', values: {}, missing: [] }];
  const isMet = (meets: typeof rulesOf) =>
    new Set(tables.filter((table) => meets(table, rules, dialect).length > 0));
  return { governed: isMet(rulesOf), inDoubt: isMet(rulesInDoubt) };
}
