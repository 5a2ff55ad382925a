import type { RlsMatcher } from '@gatehouse/contract';
import type { ResolvedRule } from './restriction.js';
import type { CatalogIndex, KnownTable } from './catalogIndex.js';
import { rulesInDoubt, rulesOf } from './matchRules.js';
import { createListLookup, type ListedTables } from './tableLists.js';

/** The tables of a catalog that a matcher covers. */
export interface MatchedTables {
  governed: ReadonlySet<KnownTable>;
  /**
   * Tables listed without columns that a matcher about a column may cover: they cannot be read while that is
   * in doubt.
   */
  inDoubt: ReadonlySet<KnownTable>;
  /** The work that it took. A step is a name that is compared or looked up. */
  steps: number;
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
  const findListed = createListLookup(index);
  let size = 0;
  return (matcher) => {
    const key = JSON.stringify(matcher);
    const known = matches.get(key);
    if (known !== undefined) return known;
    const matched =
      matcher.type === 'TABLE_LIST' ? toMatched(findListed(matcher.tables)) : matchEach(matcher, index);
    size += matched.governed.size + matched.inDoubt.size + MATCH_TABLES;
    if (size <= KEPT_TABLES_MAX) {
      const steps = matcher.type === 'TABLE_LIST' ? matcher.tables.length : 1;
      matches.set(key, { ...matched, steps });
    }
    return matched;
  };
}

function toMatched({ governed, inDoubt, steps }: ListedTables): MatchedTables {
  return { governed: new Set(governed), inDoubt: new Set(inDoubt), steps };
}

/** Compares a matcher without a list with each table. */
function matchEach(matcher: RlsMatcher, { tables, dialect }: CatalogIndex): MatchedTables {
  const origin = { definitionId: null, assignmentId: null, source: 'persisted' as const };
  const rules: ResolvedRule[] = [{ name: '', ...origin, matcher, expression: '', values: {}, missing: [] }];
  const isMet = (meets: typeof rulesOf) =>
    new Set(tables.filter((table) => meets(table, rules, dialect).length > 0));
  // Each table is judged twice, by its names, and its parts once.
  const steps = tables.reduce((sum, { partOf, parts }) => sum + 2 + 2 * partOf.length + parts.length, 0);
  return { governed: isMet(rulesOf), inDoubt: isMet(rulesInDoubt), steps };
}
