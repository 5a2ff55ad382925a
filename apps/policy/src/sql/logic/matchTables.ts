import type { RlsMatcher } from '@gatehouse/contract';
import type { ResolvedRule } from './restriction.js';
import type { CatalogIndex, KnownTable } from './catalogIndex.js';
import { rulesInDoubt, rulesOf } from './matchRules.js';

/** The tables of a catalog that a matcher covers. */
export interface MatchedTables {
  governed: ReadonlySet<KnownTable>;
  /**
   * Tables listed without columns that a matcher about a column may cover: they cannot be read while that is
   * in doubt.
   */
  inDoubt: ReadonlySet<KnownTable>;
}

/** The size of the matches that a matcher keeps, in tables. Many actors have the same rules. */
const KEPT_TABLES_MAX = 20_000;
/** What one match counts in addition to its tables: its key. */
const MATCH_TABLES = 100;

/** Returns the tables that a matcher of a rule covers. */
export type MatchTables = (matcher: RlsMatcher) => MatchedTables;

/** Creates a function that matches the tables of one catalog, each matcher once while there is room. */
export function createTableMatcher(index: CatalogIndex): MatchTables {
  const matches = new Map<string, MatchedTables>();
  let size = 0;
  return (matcher) => {
    const key = JSON.stringify(matcher);
    const known = matches.get(key);
    if (known !== undefined) return known;
    const matched = matchTables(matcher, index);
    size += matched.governed.size + matched.inDoubt.size + MATCH_TABLES;
    if (size <= KEPT_TABLES_MAX) matches.set(key, matched);
    return matched;
  };
}

function matchTables(matcher: RlsMatcher, { tables, dialect }: CatalogIndex): MatchedTables {
  const origin = { definitionId: null, assignmentId: null, source: 'persisted' as const };
  const rules: ResolvedRule[] = [{ name: '', ...origin, matcher, expression: '', values: {}, missing: [] }];
  const isMet = (meets: typeof rulesOf) =>
    new Set(tables.filter((table) => meets(table, rules, dialect).length > 0));
  return { governed: isMet(rulesOf), inDoubt: isMet(rulesInDoubt) };
}
