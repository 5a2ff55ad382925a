import type { Coverage, PolicyActor } from '@gatehouse/contract';
import type { ByteBudget } from '../../limits/logic/byteBudget.js';
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

/** The most tables that are listed in one step. */
const TABLES_PER_STEP = 1000;

/**
 * Splits the tables of the catalog into those that the rules of an actor govern and the others. A table that
 * is listed without columns counts as governed by a rule about a column: it cannot be read while that is in
 * doubt. The steps, between which others can run, are short: a rule, or some of the tables.
 * @throws {TooLarge} if the coverage is larger than the budget
 */
export function* coverTables(
  { actor, isGoverned, tables, matchTables, rules }: CoverageRequest,
  budget: ByteBudget,
): Generator<void, Coverage> {
  const namesOf = new Map<KnownTable, string[]>();
  for (const { name, matcher } of rules) {
    const { governed, inDoubt } = yield* matchTables(matcher);
    budget.spend(Buffer.byteLength(JSON.stringify(name)) * (governed.size + inDoubt.size));
    for (const matched of [governed, inDoubt]) for (const table of matched) addName(namesOf, table, name);
    yield;
  }
  const coverage: Coverage = {
    actor,
    isGoverned,
    totalTables: tables.length,
    governed: [],
    ungoverned: [],
  };
  for (const [place, table] of tables.entries()) {
    if (place > 0 && place % TABLES_PER_STEP === 0) yield;
    const reference = budget.count({ schema: table.schema, table: table.name });
    const governing = namesOf.get(table);
    if (governing === undefined) coverage.ungoverned.push(reference);
    else coverage.governed.push({ ...reference, rules: governing });
  }
  return coverage;
}

function addName(namesOf: Map<KnownTable, string[]>, table: KnownTable, name: string): void {
  const names = namesOf.get(table);
  if (names) names.push(name);
  else namesOf.set(table, [name]);
}
