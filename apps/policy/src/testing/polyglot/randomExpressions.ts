import type { Random } from './random.js';
import { quoteName, quoteText, type WorldColumn, type WorldDialect } from './randomWorld.js';

/** A source of columns of a query. */
export interface Source {
  alias: string;
  columns: WorldColumn[];
}

/** Generates expressions of one query, without subqueries. */
export class ExpressionWriter {
  readonly #dialect: WorldDialect;
  readonly #random: Random;

  constructor(dialect: WorldDialect, random: Random) {
    this.#dialect = dialect;
    this.#random = random;
  }

  types(): WorldColumn['type'][] {
    return Array.from({ length: this.#random.int(1, 3) }, () => this.#random.pick(['int', 'text'] as const));
  }

  column(type: WorldColumn['type'], sources: readonly Source[]): string {
    const candidates = sources.flatMap(({ alias, columns }) =>
      columns.filter((column) => column.type === type).map((column) => `${alias}.${quoteName(column.name)}`),
    );
    if (candidates.length > 0) return this.#random.pick(candidates);
    return type === 'int' ? String(this.#random.int(0, 4)) : quoteText('none', this.#dialect);
  }

  value(type: WorldColumn['type'], sources: readonly Source[]): string {
    const random = this.#random;
    const column = this.column(type, sources);
    if (type === 'text') {
      return random.pick([
        column,
        column,
        `UPPER(${column})`,
        `CASE WHEN ${this.comparison(sources)} THEN ${column} ELSE 'it''s' END`,
        this.#dialect === 'mysql' ? `CONCAT(${column}, '-')` : `${column} || '-'`,
        this.#dialect === 'mysql' ? `TRIM(BOTH 'n' FROM ${column})` : `TRIM(${column}, 'n')`,
        this.#dialect === 'mysql' ? `CONVERT(${column} USING utf8mb4)` : `X'41' || ${column}`,
        this.#dialect === 'mysql' ? `CONVERT(${column}, CHAR)` : `'["x"]' ->> '$[0]' || ${column}`,
      ]);
    }
    const partition = this.column('text', sources);
    // For a window ordered by a constant, MariaDB 10.11 mixes up the partitions of other windows.
    const isConstant = (key: string) => this.#dialect === 'mysql' && !key.includes('.');
    return random.pick([
      column,
      column,
      `${column} + 1`,
      `-${column}`,
      `+${column} - + 1`,
      `ABS(${column} - 3) * 2`,
      `COALESCE(${column}, 0)`,
      this.#bits(column),
      isConstant(column) ? column : `RANK() OVER (ORDER BY ${column})`,
      isConstant(partition) ? column : `SUM(${column}) OVER (PARTITION BY ${partition})`,
    ]);
  }

  comparison(sources: readonly Source[]): string {
    const random = this.#random;
    if (random.isLucky(0.5)) {
      const right = random.isLucky(0.5) ? this.column('int', sources) : String(random.int(0, 4));
      return `${this.column('int', sources)} ${random.pick(['=', '<>', '!=', '<', '>=', '>'])} ${right}`;
    }
    const text = this.column('text', sources);
    return random.pick([
      `${text} LIKE '%o%'`,
      `${text} NOT LIKE 'n%'`,
      `${text} IS NULL`,
      `${text} IS NOT NULL`,
      `${text} IN ('north', 'O''Brien', ${quoteText('back\\slash', this.#dialect)})`,
      `${this.column('int', sources)} BETWEEN 1 AND 3`,
      `${this.column('int', sources)} NOT IN (1, 2)`,
      `NOT ${text} LIKE '%o%'`,
      `NOT ${this.column('int', sources)} ${random.pick(['BETWEEN 1 AND 3', 'IN (1, 2)', 'IS NULL'])}`,
    ]);
  }

  /** MySQL returns unsigned numbers, of which a difference is an error if it is negative. */
  #bits(column: string): string {
    const bits = `${column} << 1 | ${column} & 3`;
    return this.#dialect === 'mysql' ? `CAST(${bits} AS SIGNED)` : bits;
  }
}
