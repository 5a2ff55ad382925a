import type { ResolvedRule, Restriction, RestrictionRequest } from '../logic/model.js';
import { Choices } from './choices.js';
import type { PostgresOracle, Rows } from './postgresOracle.js';
import { makeQuery, POSTGRES_QUERIES } from './queries.js';
import { makeWorld, type World } from './worlds.js';

/** How many queries a run over tapes came to. */
export interface DifferentialReport {
  compared: number;
  /** Those in which the rules took rows away: comparing the others proves little. */
  narrowed: number;
  /** Those that the database itself refused: the generator's, not the restriction's. */
  invalid: number;
  refused: number;
}

export function emptyReport(): DifferentialReport {
  return { compared: 0, narrowed: 0, invalid: 0, refused: 0 };
}

function resolvedRules(world: World): ResolvedRule[] {
  return world.rules.map(({ matcher, expression, values }, index) => ({
    name: `rule ${index}`,
    definitionId: null,
    assignmentId: null,
    source: 'token',
    matcher,
    expression,
    values: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, { value, source: 'runtime' as const }]),
    ),
    missing: [],
  }));
}

function requestOf(world: World, sql: string): RestrictionRequest {
  return {
    dialect: 'postgres',
    sql,
    entities: [],
    catalog: world.catalog,
    pinnedSchema: null,
    allowedSchemas: null,
    rules: resolvedRules(world),
    rowBarrier: sql.length % 2 === 0,
  };
}

export type Restrict = (request: RestrictionRequest) => Promise<Restriction>;

/**
 * Makes a world and queries from tapes, and compares what native row-level security shows of each with what the restricted
 * statements give, row for row.
 * @throws on the first difference, with the statements
 */
export async function compareOnTapes(
  tapes: { world: Uint8Array; queries: readonly Uint8Array[] },
  by: { oracle: PostgresOracle; restrict: Restrict; report: DifferentialReport },
): Promise<void> {
  const world = makeWorld(new Choices(tapes.world));
  await by.oracle.load(world);
  for (const tape of tapes.queries) {
    await compareOne(world, makeQuery(world, new Choices(tape), POSTGRES_QUERIES), by);
  }
}

async function compareOne(
  world: World,
  sql: string,
  { oracle, restrict, report }: { oracle: PostgresOracle; restrict: Restrict; report: DifferentialReport },
): Promise<void> {
  const expected = await orNull(oracle.readAsReader(sql));
  if (expected === null) {
    report.invalid += 1;
    return;
  }
  const restriction = await restrict(requestOf(world, sql));
  if (restriction.sql === null || restriction.inlineSql === null) {
    report.refused += 1;
    return;
  }
  const parameterized = await attempt(oracle.readAsOwner(restriction.sql, restriction.parameters));
  const inlined = await attempt(oracle.readAsOwner(restriction.inlineSql));
  for (const [form, rows] of Object.entries({ parameterized, inlined })) {
    if (JSON.stringify(rows) === JSON.stringify(expected)) continue;
    const statements = `\n${sql}\n${restriction.inlineSql}`;
    throw new Error(
      `${form}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(rows)}${statements}`,
    );
  }
  report.compared += 1;
  if (JSON.stringify(await orNull(oracle.readAsOwner(sql))) !== JSON.stringify(expected))
    report.narrowed += 1;
}

async function attempt(rows: Promise<Rows>): Promise<Rows | string> {
  return rows.catch((error: unknown) => String(error));
}

async function orNull(rows: Promise<Rows>): Promise<Rows | null> {
  return rows.catch(() => null);
}
