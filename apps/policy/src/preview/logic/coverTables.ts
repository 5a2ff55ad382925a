import type { Coverage, PolicyActor } from '@gatehouse/contract';
import type { MatchTables } from '../../sql/logic/matchTables.js';
import type { ResolvedRule } from '../../sql/logic/restriction.js';
import type { KnownTable } from '../../sql/logic/catalogIndex.js';

/** The rules of one actor and the catalog to check. */
export interface CoverageRequest {
  actor: PolicyActor;
  isGoverned: boolean;
  /** The tables of the catalog. */
  tables: readonly KnownTable[];
  matchTables: MatchTables;
  rules: readonly ResolvedRule[];
}

/**
 * Splits the tables of the catalog into those that the rules of an actor govern and the others. A table that
 * is listed without columns counts as governed by a rule about a column: it cannot be read while that is in
 * doubt.
 */
export function coverTables({ actor, isGoverned, tables, matchTables, rules }: CoverageRequest): Coverage {
  const matched = rules.map(({ name, matcher }) => ({ name, ...matchTables(matcher) }));
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
