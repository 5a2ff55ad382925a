import type { Catalog, Coverage, PolicyActor, SqlDialect } from '@gatehouse/contract';
import { tablesOf } from './matchedTables.js';
import type { ResolvedRule } from './model.js';
import { indexCatalog } from './sql/catalogIndex.js';

/** The rules of one actor, and the tables that they may govern. */
export interface CoverageRequest {
  actor: PolicyActor;
  isGoverned: boolean;
  dialect: SqlDialect;
  catalog: Catalog;
  rules: readonly ResolvedRule[];
}

/**
 * Which tables of the catalog the rules of an actor govern, and which none does. A table that is listed without columns counts as
 * governed by a rule about a column: it cannot be read while that is in doubt.
 */
export function coverTables({ actor, isGoverned, dialect, catalog, rules }: CoverageRequest): Coverage {
  const index = indexCatalog(catalog, dialect);
  const { tables } = index;
  const matched = rules.map(({ name, matcher }) => ({ name, ...tablesOf(matcher, index) }));
  const coverage: Coverage = {
    actor,
    isGoverned,
    totalTables: tables.length,
    governed: [],
    ungoverned: [],
  };
  for (const table of tables) {
    const reference = { schema: table.schema, table: table.name };
    const governing = matched.filter(({ governed, inDoubt }) => governed.has(table) || inDoubt.has(table));
    if (governing.length === 0) coverage.ungoverned.push(reference);
    else coverage.governed.push({ ...reference, rules: governing.map(({ name }) => name) });
  }
  return coverage;
}
