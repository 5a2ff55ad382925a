import type { Random } from './random.js';
import { quoteName, quoteText, type World, type WorldColumn, type WorldTable } from './randomWorld.js';

/** What stands for the schema in a query, since the oracle's has another name. */
export const SCHEMA_MARK = '§schema§';

interface Source {
  alias: string;
  columns: WorldColumn[];
}

/** A common table in reach, and the sources of the queries around. */
interface Scope {
  commonTables: { name: string; columns: WorldColumn[] }[];
  outer: Source[];
  depth: number;
}

/** Writes queries over a world's tables that give the same rows in the same engine each time. */
export class QueryWriter {
  private aliasCount = 0;

  constructor(
    private readonly world: World,
    private readonly random: Random,
  ) {}

  /** A whole statement. */
  statement(): string {
    const { sql } = this.query({ commonTables: [], outer: [], depth: 0 }, null);
    return this.random.isLucky(0.1) ? `/* a comment; -- */ ${sql} ; ` : sql;
  }

  private newAlias(letter: string): string {
    this.aliasCount += 1;
    return `${letter}${this.aliasCount}`;
  }

  private query(scope: Scope, wanted: WorldColumn[] | null): { sql: string; columns: WorldColumn[] } {
    const { random } = this;
    const inner: Scope = { ...scope, commonTables: [...scope.commonTables] };
    const clauses: string[] = [];
    // MariaDB 10.11 loses common tables, or crashes, where queries with a WITH of their own nest.
    const depthMax = this.world.dialect === 'mysql' ? 0 : 1;
    const count = scope.depth <= depthMax && random.isLucky(0.35) ? random.int(1, 2) : 0;
    // Under RECURSIVE a table that is named as it reads would read itself.
    const isRecursive = count > 0 && random.isLucky(0.25);
    for (let each = 0; each < count; each += 1) {
      const made = isRecursive ? this.recursiveTable() : this.commonTable(inner);
      clauses.push(made.sql);
      inner.commonTables.push(made);
    }
    const body = this.body(inner, wanted);
    const prefix = clauses.length > 0 ? `WITH ${isRecursive ? 'RECURSIVE ' : ''}${clauses.join(', ')} ` : '';
    return { sql: `${prefix}${body.sql}`, columns: body.columns };
  }

  private commonTable(scope: Scope) {
    const { random } = this;
    // As a table's name too: within it the name is the table, after it the common table.
    const isShadow = this.world.dialect === 'mysql' && random.isLucky(0.3);
    const hidden = random.pick(this.world.tables).name;
    const isFree = scope.commonTables.every(({ name }) => name !== hidden);
    const name = isShadow && isFree ? hidden : this.newAlias('w');
    const { sql, columns } = this.query({ ...scope, outer: [], depth: scope.depth + 1 }, null);
    return { name, columns, sql: `${quoteName(name)} AS (${sql})` };
  }

  private recursiveTable() {
    const name = this.newAlias('r');
    const columns: WorldColumn[] = [{ name: 'n', type: 'int' }];
    const table = this.tableText(this.random.pick(this.world.tables));
    const step = this.random.pick([
      `SELECT n + 1 FROM ${name} WHERE n < 4`,
      `SELECT ${name}.n + 1 FROM ${name} JOIN ${table} AS z ON z.id = ${name}.n WHERE n < 4`,
    ]);
    const seed = this.random.pick(['SELECT 1', `SELECT MIN(id) FROM ${table}`]);
    return { name, columns, sql: `${name} (n) AS (${seed} UNION ${step})` };
  }

  private body(scope: Scope, wanted: WorldColumn[] | null): { sql: string; columns: WorldColumn[] } {
    const left = this.select(scope, wanted);
    if (scope.depth > 2 || !this.random.isLucky(0.2)) return this.ordered(left);
    const operator = this.random.pick(['UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT']);
    const right = this.select(scope, left.columns);
    return this.ordered({ sql: `${left.sql} ${operator} ${right.sql}`, columns: left.columns });
  }

  /** A limit only after an order of every column, so that it cuts off the same rows each time. */
  private ordered(query: { sql: string; columns: WorldColumn[] }): { sql: string; columns: WorldColumn[] } {
    if (!this.random.isLucky(0.25)) return query;
    const direction = this.random.pick(['', ' DESC', ' ASC']);
    const order = query.columns.map((_, index) => `${index + 1}${direction}`).join(', ');
    const limit = this.random.pick(['', ' LIMIT 3', ' LIMIT 2 OFFSET 1', ' LIMIT 1, 3']);
    return { ...query, sql: `${query.sql} ORDER BY ${order}${limit}` };
  }

  private select(scope: Scope, wanted: WorldColumn[] | null): { sql: string; columns: WorldColumn[] } {
    const { random } = this;
    const sources: Source[] = [];
    const from = this.from(scope, sources);
    const inner = { ...scope, outer: [...scope.outer, ...sources], depth: scope.depth + 1 };
    const where = random.isLucky(0.6) ? ` WHERE ${this.condition(inner, sources)}` : '';
    if (random.isLucky(0.25)) return this.grouped({ sources, from, where, wanted, inner });
    const types = wanted?.map(({ type }) => type) ?? this.types();
    const columns = types.map((type, index): WorldColumn => ({ name: `c${index}`, type }));
    const items = columns.map(({ name, type }) => `${this.value(type, sources, inner)} AS ${name}`);
    const distinct = random.isLucky(0.15) ? 'DISTINCT ' : '';
    return { sql: `SELECT ${distinct}${items.join(', ')} FROM ${from}${where}`, columns };
  }

  private grouped(parts: {
    sources: Source[];
    from: string;
    where: string;
    wanted: WorldColumn[] | null;
    inner: Scope;
  }): { sql: string; columns: WorldColumn[] } {
    const { random } = this;
    const types = parts.wanted?.map(({ type }) => type) ?? this.types();
    const columns = types.map((type, index): WorldColumn => ({ name: `c${index}`, type }));
    const key = this.column(random.pick(['int', 'text'] as const), parts.sources);
    const isColumn = key.includes('.');
    const items = columns.map(({ name, type }) => {
      const argument = this.column(type, parts.sources);
      const call =
        type === 'int'
          ? random.pick([`COUNT(*)`, `COUNT(DISTINCT ${argument})`, `SUM(${argument})`, `MAX(${argument})`])
          : random.pick([`MIN(${argument})`, `MAX(${argument})`, `COALESCE(MAX(${argument}), 'none')`]);
      return `${call} AS ${name}`;
    });
    const having = random.isLucky(0.4) ? ` HAVING COUNT(*) > ${random.int(0, 2)}` : '';
    const group = isColumn && random.isLucky(0.8) ? ` GROUP BY ${key}${having}` : '';
    return { sql: `SELECT ${items.join(', ')} FROM ${parts.from}${parts.where}${group}`, columns };
  }

  private types(): WorldColumn['type'][] {
    return Array.from({ length: this.random.int(1, 3) }, () => this.random.pick(['int', 'text'] as const));
  }

  private from(scope: Scope, sources: Source[]): string {
    const { random } = this;
    let sql = this.fromItem(scope, sources);
    let isLast = false;
    for (let count = random.pick([0, 0, 0, 1, 1, 2]); count > 0 && !isLast; count -= 1) {
      const before = [...sources];
      const item = this.fromItem(scope, sources);
      const on = `${this.column('int', before)} ${random.pick(['=', '<', '<='])} ${this.column('int', sources.slice(-1))}`;
      sql = random.pick([
        () => {
          // MySQL's ON does not see what stands before a comma.
          isLast = true;
          return `${sql}, ${item}`;
        },
        () => `${sql} CROSS JOIN ${item}`,
        () => `${sql} JOIN ${item} ON ${on}`,
        () => `${sql} LEFT JOIN ${item} ON ${on}`,
        // SQLite loses an alias that is alone in parentheses.
        () => `${sql} LEFT OUTER JOIN ${this.world.dialect === 'sqlite' ? item : `(${item})`} ON ${on}`,
        () => {
          const second = this.fromItem(scope, sources);
          return `${sql} LEFT JOIN (${item} CROSS JOIN ${second}) ON ${on}`;
        },
      ])();
    }
    return sql;
  }

  private fromItem(scope: Scope, sources: Source[]): string {
    const { random } = this;
    if (scope.depth < 3 && random.isLucky(0.2)) {
      const alias = this.newAlias('d');
      const { sql, columns } = this.query({ ...scope, outer: [], depth: scope.depth + 1 }, null);
      sources.push({ alias, columns });
      return `(${sql}) ${random.pick(['AS ', ''])}${alias}`;
    }
    const commonTable =
      scope.commonTables.length > 0 && random.isLucky(0.6) ? random.pick(scope.commonTables) : null;
    if (commonTable !== null) {
      const alias = this.newAlias('t');
      sources.push({ alias, columns: commonTable.columns });
      return `${quoteName(commonTable.name)} ${alias}`;
    }
    return this.tableItem(scope, sources);
  }

  private tableItem(scope: Scope, sources: Source[]): string {
    const { random } = this;
    const table = random.pick(this.world.tables);
    const { name, columns } = table;
    const isTaken = [...sources, ...scope.outer].some(({ alias }) => alias === quoteName(name));
    const isHidden = scope.commonTables.some((other) => other.name === name);
    const text = isHidden ? `${SCHEMA_MARK}.${quoteName(name)}` : this.tableText(table);
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

  private tableText({ name }: WorldTable): string {
    const { random } = this;
    const isPlain = /^[a-z]+$/.test(name) && name !== 'group';
    const text = isPlain && random.isLucky(0.7) ? name : quoteName(name);
    return random.isLucky(0.25) ? `${SCHEMA_MARK}.${text}` : text;
  }

  private column(type: WorldColumn['type'], sources: readonly Source[]): string {
    const candidates = sources.flatMap(({ alias, columns }) =>
      columns.filter((column) => column.type === type).map((column) => `${alias}.${quoteName(column.name)}`),
    );
    if (candidates.length > 0) return this.random.pick(candidates);
    return type === 'int' ? String(this.random.int(0, 4)) : quoteText('none', this.world.dialect);
  }

  private value(type: WorldColumn['type'], sources: Source[], scope: Scope): string {
    const { random } = this;
    const column = this.column(type, sources);
    if (scope.depth < 3 && random.isLucky(0.1)) return `(${this.scalar(type, scope)})`;
    if (type === 'text') {
      return random.pick([
        column,
        column,
        `UPPER(${column})`,
        `CASE WHEN ${this.comparison(sources)} THEN ${column} ELSE 'it''s' END`,
        this.world.dialect === 'mysql' ? `CONCAT(${column}, '-')` : `${column} || '-'`,
      ]);
    }
    return random.pick([
      column,
      column,
      `${column} + 1`,
      `-${column}`,
      `ABS(${column} - 3) * 2`,
      `COALESCE(${column}, 0)`,
      `RANK() OVER (ORDER BY ${column})`,
      `SUM(${column}) OVER (PARTITION BY ${this.column('text', sources)})`,
    ]);
  }

  /** One row whatever the rows are. */
  private scalar(type: WorldColumn['type'], scope: Scope): string {
    const sources: Source[] = [];
    const from = this.from({ ...scope, depth: scope.depth + 1 }, sources);
    return `SELECT MAX(${this.column(type, sources)}) FROM ${from}`;
  }

  private comparison(sources: readonly Source[]): string {
    const { random } = this;
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
      `${text} IN ('north', 'O''Brien', ${quoteText('back\\slash', this.world.dialect)})`,
      `${this.column('int', sources)} BETWEEN 1 AND 3`,
      `${this.column('int', sources)} NOT IN (1, 2)`,
    ]);
  }

  private condition(scope: Scope, sources: Source[]): string {
    const { random } = this;
    if (random.isLucky(0.3)) {
      const left = this.condition({ ...scope, depth: scope.depth + 1 }, sources);
      const right = this.comparison(scope.outer);
      return random.pick([
        `${left} AND ${right}`,
        `(${left} OR ${right})`,
        `NOT (${left})`,
        `${left} OR 1 = 1`,
      ]);
    }
    if (scope.depth < 4 && random.isLucky(0.4)) return this.subqueryCondition(scope, sources);
    return this.comparison(sources);
  }

  private subqueryCondition(scope: Scope, sources: Source[]): string {
    const { random } = this;
    const column = this.column('int', sources);
    const own: Source[] = [];
    const from = this.from(scope, own);
    const where = `${this.column('int', own)} = ${this.column('int', scope.outer)}`;
    return random.pick([
      `EXISTS (SELECT 1 FROM ${from} WHERE ${where})`,
      `NOT EXISTS (SELECT * FROM ${from} WHERE ${where})`,
      `${column} IN (SELECT ${this.column('int', own)} FROM ${from})`,
      `${column} NOT IN (SELECT ${this.column('int', own)} FROM ${from} WHERE ${where})`,
      `${column} >= (SELECT COUNT(*) FROM ${from})`,
    ]);
  }
}
