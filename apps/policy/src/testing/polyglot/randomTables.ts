import type { Random } from './random.js';
import type { Source } from './randomExpressions.js';
import { quoteName, TABLE_ROWS, type World, type WorldColumn, type WorldTable } from './randomWorld.js';

/** Marks the schema in a query, because the schema of the oracle has another name. */
export const SCHEMA_MARK = '§schema§';

/**
 * A query with its work: the most rows that a nested-loop join visits, with subqueries repeated for each
 * outer row.
 */
export interface Made {
  sql: string;
  columns: WorldColumn[];
  work: number;
}

/** The work of a recursive table: four rows, each joined with a table. */
const RECURSION_WORK = 4 * (TABLE_ROWS.max + 1);

/** Generates the tables of queries and their aliases. */
export class TableWriter {
  #aliasCount = 0;

  readonly #world: World;
  readonly #random: Random;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  newAlias(letter: string): string {
    this.#aliasCount += 1;
    return `${letter}${this.#aliasCount}`;
  }

  /** A common table that reads itself, for RECURSIVE. */
  recursiveTable(): Made & { name: string } {
    const name = this.newAlias('r');
    const columns: WorldColumn[] = [{ name: 'n', type: 'int' }];
    const table = this.#text(this.#random.pick(this.#world.tables));
    const step = this.#random.pick([
      `SELECT n + 1 FROM ${name} WHERE n < 4`,
      `SELECT ${name}.n + 1 FROM ${name} JOIN ${table} AS z ON z.id = ${name}.n WHERE n < 4`,
    ]);
    const seed = this.#random.pick(['SELECT 1', `SELECT MIN(id) FROM ${table}`]);
    return { name, columns, work: RECURSION_WORK, sql: `${name} (n) AS (${seed} UNION ${step})` };
  }

  /** A table of the world in a FROM, under an unused alias. */
  item(
    scope: { commonTables: readonly { name: string }[]; outer: readonly Source[] },
    sources: Source[],
  ): string {
    const random = this.#random;
    const table = random.pick(this.#world.tables);
    const { name, columns } = table;
    const isTaken = [...sources, ...scope.outer].some(({ alias }) => alias === quoteName(name));
    const isHidden = scope.commonTables.some((other) => other.name === name);
    const text = isHidden ? `${SCHEMA_MARK}.${quoteName(name)}` : this.#text(table);
    if (!isTaken && random.isLucky(0.4)) {
      sources.push({ alias: quoteName(name), columns });
      return text;
    }
    // An alias may be the name of another table.
    const other = quoteName(random.pick(this.#world.tables).name);
    const isFree = [...sources, ...scope.outer].every(({ alias }) => alias !== other);
    const alias = isFree && random.isLucky(0.15) ? other : this.newAlias('t');
    sources.push({ alias, columns });
    return `${text} ${random.pick(['AS ', ''])}${alias}`;
  }

  #text({ name }: WorldTable): string {
    const random = this.#random;
    const isPlain = /^[a-z]+$/.test(name) && name !== 'group';
    const text = isPlain && random.isLucky(0.7) ? name : quoteName(name);
    return random.isLucky(0.25) ? `${SCHEMA_MARK}.${text}` : text;
  }
}
