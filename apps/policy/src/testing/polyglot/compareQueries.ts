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
  /** The rows of a statement; rejects where the database refuses it. */
  read(from: 'base' | 'oracle', sql: string, values: readonly Value[]): Promise<unknown[]>;
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
  /** Statements that gave other rows, with what became of them and what each way gave. */
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
  const readViews = () => read(database, 'oracle', statement.replaceAll(SCHEMA_MARK, database.oracleSchema));
  const wanted = await readViews();
  if ('refusal' in wanted) {
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
  const readings = { wanted, ...(await readRestricted()) };
  if (areSame(readings)) return;
  const plainReadings = await readPlainly();
  if (plainReadings !== null && areSame(plainReadings)) return;
  tally.differences.push(
    `${sql}\n  became ${inlineSql}\n  or ${parameterized}\n  with ${JSON.stringify(parameters)}` +
      `\n  and gave ${JSON.stringify(readings)}\n  plainly ${JSON.stringify(plainReadings)}`,
  );
}

/** The rows in no order, as texts that compare, or why the database gave none. */
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

/** A statement that is refused gives no rows, and so none that are the same. */
function areSame({ wanted, inline, parameterized }: Readings): boolean {
  return [inline, parameterized].every(
    (reading) => 'rows' in wanted && 'rows' in reading && wanted.rows.join() === reading.rows.join(),
  );
}
