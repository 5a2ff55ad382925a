import type { RlsMatcher } from '@gatehouse/contract';
import type { CatalogIndex, KnownTable } from './catalogIndex.js';
import { matchTable } from './matchRules.js';
import { createNameComparison } from './names.js';
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

/** Finds the tables that a matcher of a rule covers, in short steps, between which others can run. */
export type MatchTables = (matcher: RlsMatcher) => Generator<undefined, MatchedTables>;

/** Creates a function that matches the tables of one catalog, each matcher once while there is room. */
export function createTableMatcher(index: CatalogIndex): MatchTables {
  const matches = new Map<string, MatchedTables>();
  const findListed = createListLookup(index);
  let size = 0;
  return function* (matcher) {
    const key = JSON.stringify(matcher);
    const known = matches.get(key);
    if (known !== undefined) return known;
    const matched =
      matcher.type === 'TABLE_LIST'
        ? toMatched(findListed(matcher.tables))
        : yield* matchEach(matcher, index);
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

/** The most tables that are compared in one step. */
const TABLES_PER_STEP = 100;

/** Compares a matcher without a list with each table. */
function* matchEach(
  matcher: RlsMatcher,
  { tables, dialect }: CatalogIndex,
): Generator<undefined, MatchedTables> {
  const isSame = createNameComparison(dialect);
  const governed = new Set<KnownTable>();
  const inDoubt = new Set<KnownTable>();
  let steps = 0;
  for (const [place, table] of tables.entries()) {
    if (place > 0 && place % TABLES_PER_STEP === 0) yield;
    const match = matchTable(matcher, table, isSame);
    if (match === 'governed') governed.add(table);
    if (match === 'inDoubt') inDoubt.add(table);
    steps += 1 + table.partOf.length + table.parts.reduce((sum, { partOf }) => sum + 1 + partOf.length, 0);
  }
  return { governed, inDoubt, steps };
}
