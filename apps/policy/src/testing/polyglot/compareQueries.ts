import type { Restriction } from '../../logic/model.js';
import { tellProgress } from '../progress.js';
import { Random } from './random.js';
import { QueryWriter } from './randomQuery.js';
import { SCHEMA_MARK } from './randomTables.js';
import { makeWorld, type World, type WorldDialect } from './randomWorld.js';
import { asMultiset } from './worldTables.js';

export type Value = string | number | boolean;

/** A world in a real database, twice: its tables, and under the same names views of what may be seen of them. */
export interface WorldDatabase {
  /** The name of the schema of the views. */
  oracleSchema: string;
  close(): void;
  /** The rows of a statement; null where the database refuses it. */
  read(from: 'base' | 'oracle', sql: string, values: readonly Value[]): Promise<unknown[] | null>;
  /**
   * Has statements read as they are written, without what the engine does to be fast, or as usual again. Of an engine that
   * gives wrong rows when it is fast: a restriction that is wrong gives wrong rows both ways.
   */
  readPlainly?(isPlain: boolean): Promise<void>;
}

export type Restrict = (sql: string, world: World) => Promise<Restriction>;

export interface Comparison {
  dialect: WorldDialect;
  count: number;
  seed: number;
  open: (world: World) => Promise<WorldDatabase>;
  restrict: Restrict;
}

export interface Tally {
  compared: number;
  /** Statements that the writer wrote and that the database itself refuses. */
  invalid: number;
  /** Statements that were refused, with the reasons. */
  refused: string[];
  /** Statements that gave other rows, with what became of them. */
  differences: string[];
}

const QUERIES_PER_WORLD = 50;

/** Runs random statements as they are restricted, and as they are written against the views, and compares the rows. */
export async function compareQueries(comparison: Comparison): Promise<Tally> {
  const tally: Tally = { compared: 0, invalid: 0, refused: [], differences: [] };
  const tell = tellProgress(comparison.dialect, comparison.count);
  for (let number = 0; number < comparison.count; number += QUERIES_PER_WORLD) {
    const random = new Random(comparison.seed * 1000 + number);
    const world = makeWorld(random, comparison.dialect);
    const database = await comparison.open(world);
    const writer = new QueryWriter(world, random);
    for (let each = 0; each < QUERIES_PER_WORLD; each += 1) {
      await compareOne(writer.statement(), { comparison, world, database, tally });
    }
    database.close();
    tell(tally.compared);
  }
  return tally;
}

async function compareOne(
  statement: string,
  within: { comparison: Comparison; world: World; database: WorldDatabase; tally: Tally },
): Promise<void> {
  const { comparison, world, database, tally } = within;
  const unrestricted = statement.replaceAll(SCHEMA_MARK, database.oracleSchema);
  const wanted = await database.read('oracle', unrestricted, []);
  if (wanted === null) {
    tally.invalid += 1;
    return;
  }
  const sql = statement.replaceAll(SCHEMA_MARK, world.schema);
  const restricted = await comparison.restrict(sql, world);
  if (restricted.sql === null || restricted.inlineSql === null) {
    tally.refused.push(`${sql}\n  ${JSON.stringify(restricted.reasons)}`);
    return;
  }
  // Of text, number and boolean, by what the engine gets for its rules.
  const { inlineSql, sql: parameterized } = restricted;
  const parameters = restricted.parameters as Value[];
  const isSameAs = async (expected: unknown[] | null): Promise<boolean> =>
    isSameRows(await database.read('base', inlineSql, []), expected) &&
    isSameRows(await database.read('base', parameterized, parameters), expected);
  const isSamePlainly = async (): Promise<boolean> => {
    if (database.readPlainly === undefined) return false;
    await database.readPlainly(true);
    const isSame = await isSameAs(await database.read('oracle', unrestricted, []));
    await database.readPlainly(false);
    return isSame;
  };
  tally.compared += 1;
  if ((await isSameAs(wanted)) || (await isSamePlainly())) return;
  tally.differences.push(`${sql}\n  became ${inlineSql}`);
}

/** In no order. A statement that is refused gives no rows, and so none that are the same. */
function isSameRows(one: unknown[] | null, other: unknown[] | null): boolean {
  return one !== null && other !== null && asMultiset(one).join() === asMultiset(other).join();
}
