import type { ResolvedRule, Restriction, RestrictionRequest } from '../../sql/logic/restriction.js';
import { Choices } from './choices.js';
import type { PostgresOracle, Rows } from './oracle.js';
import { makeQuery, POSTGRES_QUERIES } from './queries.js';
import { capturingStatements, makeStale } from './staleCatalog.js';
import { makeWorld, type World } from './worlds.js';

/** The number of queries of a run. */
export interface DifferentialReport {
  compared: number;
  /** Queries in which the rules removed rows: the others prove little. */
  narrowed: number;
  /** Queries that the database itself rejects, a fault of the generator. */
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
    isGoverned: true,
    pinnedSchema: null,
    allowedSchemas: null,
    rules: resolvedRules(world),
    rowBarrier: sql.length % 2 === 0,
  };
}

export type Restrict = (request: RestrictionRequest) => Promise<Restriction>;

/**
 * Generates a world and queries from tapes. Compares the rows of each query under native row-level security
 * with those of the restricted statements.
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

/**
 * Like `compareOnTapes`, with tables that changed since the catalog was read: the restricted statement must
 * return the rows of native security, or the database rejects it.
 * @throws on the first statement with other rows
 */
export async function compareStaleOnTapes(
  tapes: { world: Uint8Array; queries: readonly Uint8Array[] },
  by: { oracle: PostgresOracle; restrict: Restrict; report: DifferentialReport },
): Promise<void> {
  const choices = new Choices(tapes.world);
  const former = makeWorld(choices);
  const world = makeStale(former, choices);
  // If a native condition does not fit the changed type, the database rejects the whole world.
  if (
    !(await by.oracle.load(world).then(
      () => true,
      () => false,
    ))
  )
    return;
  // Callers use the tables of the catalog or the current ones.
  const written = tapes.queries.map((tape, index) =>
    makeQuery(index % 2 === 0 ? world : former, new Choices(tape), POSTGRES_QUERIES),
  );
  for (const sql of [...capturingStatements(world), ...written]) await compareStale(world, sql, by);
}

async function compareStale(
  world: World,
  sql: string,
  { oracle, restrict, report }: { oracle: PostgresOracle; restrict: Restrict; report: DifferentialReport },
): Promise<void> {
  const expected = JSON.stringify(await orNull(oracle.readAsReader(sql)));
  const { sql: parameterized, inlineSql, parameters } = await restrict(requestOf(world, sql));
  if (parameterized === null || inlineSql === null) {
    report.refused += 1;
    return;
  }
  const forms = [
    await orNull(oracle.readAsOwner(parameterized, parameters)),
    await orNull(oracle.readAsOwner(inlineSql)),
  ];
  for (const rows of forms) {
    if (rows === null) report.invalid += 1;
    else if (JSON.stringify(rows) === expected) report.compared += 1;
    else throw new Error(`expected ${expected}, got ${JSON.stringify(rows)}\n${sql}\n${inlineSql}`);
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
