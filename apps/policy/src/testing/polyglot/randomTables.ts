import type { Random } from './random.js';
import type { Source } from './randomExpressions.js';
import { quoteName, TABLE_ROWS, type World, type WorldColumn, type WorldTable } from './randomWorld.js';

/** What stands for the schema in a query, since the oracle's has another name. */
export const SCHEMA_MARK = '§schema§';

/**
 * A query with its work: the most rows that a database looks at for it when it joins by trying every combination, and runs
 * every query within it for each row around.
 */
export interface Made {
  sql: string;
  columns: WorldColumn[];
  work: number;
}

/** What a recursive table looks at: four rows, each beside a table. */
const RECURSION_WORK = 4 * (TABLE_ROWS.max + 1);

/** Writes the tables of queries, and the names that they have there. */
export class TableWriter {
  private aliasCount = 0;

  constructor(
    private readonly world: World,
    private readonly random: Random,
  ) {}

  newAlias(letter: string): string {
    this.aliasCount += 1;
    return `${letter}${this.aliasCount}`;
  }

  /** A common table that reads itself, for RECURSIVE. */
  recursiveTable(): Made & { name: string } {
    const name = this.newAlias('r');
    const columns: WorldColumn[] = [{ name: 'n', type: 'int' }];
    const table = this.text(this.random.pick(this.world.tables));
    const step = this.random.pick([
      `SELECT n + 1 FROM ${name} WHERE n < 4`,
      `SELECT ${name}.n + 1 FROM ${name} JOIN ${table} AS z ON z.id = ${name}.n WHERE n < 4`,
    ]);
    const seed = this.random.pick(['SELECT 1', `SELECT MIN(id) FROM ${table}`]);
    return { name, columns, work: RECURSION_WORK, sql: `${name} (n) AS (${seed} UNION ${step})` };
  }

  /** One of the world's tables in a FROM, under a name that is free there. */
  item(
    scope: { commonTables: readonly { name: string }[]; outer: readonly Source[] },
    sources: Source[],
  ): string {
    const { random } = this;
    const table = random.pick(this.world.tables);
    const { name, columns } = table;
    const isTaken = [...sources, ...scope.outer].some(({ alias }) => alias === quoteName(name));
    const isHidden = scope.commonTables.some((other) => other.name === name);
    const text = isHidden ? `${SCHEMA_MARK}.${quoteName(name)}` : this.text(table);
    if (!isTaken && random.isLucky(0.4)) {
      sources.push({ alias: quoteName(name), columns });
      return text;
    }
    // An alias may be the name of another table.
    const other = quoteName(random.pick(this.world.tables).name);
    const isFree = [...sources, ...scope.outer].every(({ alias }) => alias !== other);
    const alias = isFree && random.isLucky(0.15) ? other : this.newAlias('t');
    sources.push({ alias, columns });
    return `${text} ${random.pick(['AS ', ''])}${alias}`;
  }

  private text({ name }: WorldTable): string {
    const { random } = this;
    const isPlain = /^[a-z]+$/.test(name) && name !== 'group';
    const text = isPlain && random.isLucky(0.7) ? name : quoteName(name);
    return random.isLucky(0.25) ? `${SCHEMA_MARK}.${text}` : text;
  }
}
