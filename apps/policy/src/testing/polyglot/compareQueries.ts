import type { Restriction } from '../../sql/logic/restriction.js';
import { reportProgress } from '../progress.js';
import { disguise } from './disguise.js';
import { Random } from './random.js';
import { QueryWriter } from './randomQuery.js';
import { SCHEMA_MARK } from './randomTables.js';
import { makeWorld, type World, type WorldDialect } from './randomWorld.js';
import { capturingStatements, makeStale } from './staleWorld.js';
import { asMultiset } from './worldTables.js';

export type Value = string | number | boolean;

/** A world in a real database, twice: its tables, and views of the visible rows under the same names. */
export interface WorldDatabase {
  /** The name of the schema of the views. */
  oracleSchema: string;
  close(): void;
  /** The rows of a statement. Rejects if the database rejects it. */
  read(from: 'base' | 'oracle', sql: string, values: readonly Value[]): Promise<unknown[]>;
  /**
   * Turns optimizations of the engine off or on again. They make some engines return wrong rows; a wrong
   * restriction returns wrong rows either way.
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
  /** Whether the tables of each world change after its catalog was read. */
  isStale?: boolean;
}

export interface Tally {
  compared: number;
  /** Restricted statements that returned rows. */
  read: number;
  /** Generated statements that the database itself rejects. */
  invalid: number;
  /** Refused statements, with the reasons. */
  refused: string[];
  /** Statements with different rows, with the restricted forms and all rows. */
  differences: string[];
}

const QUERIES_PER_WORLD = 50;

/** Runs random statements restricted, and unrestricted on the views, and compares the rows. */
export async function compareQueries(comparison: Comparison): Promise<Tally> {
  const tally: Tally = { compared: 0, read: 0, invalid: 0, refused: [], differences: [] };
  const tell = reportProgress(comparison.dialect, comparison.count);
  for (let number = 0; number < comparison.count; number += QUERIES_PER_WORLD) {
    const random = new Random(comparison.seed * 1000 + number);
    const former = makeWorld(random, comparison.dialect);
    const world = comparison.isStale ? makeStale(former, random) : former;
    const database = await comparison.open(world);
    const compare = (statement: string) => compareOne(statement, { comparison, world, database, tally });
    // Callers use the tables of the catalog or the current ones.
    const writers = [world, former].map((each) => new QueryWriter(each, random));
    for (let each = 0; each < QUERIES_PER_WORLD; each += 1) {
      const writer = writers[comparison.isStale ? each % 2 : 0];
      const statement = writer?.statement() ?? '';
      await compare(random.isLucky(0.3) ? disguise(statement, random, comparison.dialect) : statement);
    }
    if (comparison.isStale) for (const statement of capturingStatements(world)) await compare(statement);
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
  const readViews = () => read(database, 'oracle', statement.replaceAll(SCHEMA_MARK, database.oracleSchema));
  const wanted = await readViews();
  if ('refusal' in wanted) {
    tally.invalid += 1;
    if (!comparison.isStale) return;
  }
  const sql = statement.replaceAll(SCHEMA_MARK, world.schema);
  const restricted = await comparison.restrict(sql, world);
  if (restricted.sql === null || restricted.inlineSql === null) {
    tally.refused.push(`${sql}\n  ${JSON.stringify(restricted.reasons)}`);
    return;
  }
  // Text, number and boolean, by the values of the rules.
  const { inlineSql, sql: parameterized } = restricted;
  const parameters = restricted.parameters as Value[];
  const readRestricted = async () => ({
    inline: await read(database, 'base', inlineSql),
    parameterized: await read(database, 'base', parameterized, parameters),
  });
  const readPlainly = async (): Promise<Readings | null> => {
    if (database.readPlainly === undefined) return null;
    await database.readPlainly(true);
    const readings = { wanted: await readViews(), ...(await readRestricted()) };
    await database.readPlainly(false);
    return readings;
  };
  tally.compared += 1;
  const isFine = comparison.isStale ? isNothingElse : areSame;
  const readings = { wanted, ...(await readRestricted()) };
  if ('rows' in readings.inline) tally.read += 1;
  if (isFine(readings)) return;
  const plainReadings = await readPlainly();
  if (plainReadings !== null && isFine(plainReadings)) return;
  tally.differences.push(
    `${sql}\n  became ${inlineSql}\n  or ${parameterized}\n  with ${JSON.stringify(parameters)}` +
      `\n  and gave ${JSON.stringify(readings)}\n  plainly ${JSON.stringify(plainReadings)}`,
  );
}

/** The rows as a multiset of comparable texts, or the reason why the database returned none. */
type Reading = { rows: string[] } | { refusal: string };

interface Readings {
  wanted: Reading;
  inline: Reading;
  parameterized: Reading;
}

async function read(
  database: WorldDatabase,
  ...[from, sql, values = []]: [from: 'base' | 'oracle', sql: string, values?: readonly Value[]]
): Promise<Reading> {
  try {
    return { rows: asMultiset(await database.read(from, sql, values)) };
  } catch (error) {
    return { refusal: String(error) };
  }
}

/** A refused statement has no rows, so it equals nothing. */
function areSame({ wanted, inline, parameterized }: Readings): boolean {
  return [inline, parameterized].every(
    (reading) => 'rows' in wanted && 'rows' in reading && wanted.rows.join() === reading.rows.join(),
  );
}

/**
 * On a stale catalog a database may reject the restricted statement. Any rows that it returns must be visible
 * ones.
 */
function isNothingElse({ wanted, inline, parameterized }: Readings): boolean {
  return [inline, parameterized].every(
    (reading) => 'refusal' in reading || areSame({ wanted, inline: reading, parameterized: reading }),
  );
}
