import type { Random } from './random.js';
import { ExpressionWriter, type Source } from './randomExpressions.js';
import { TableWriter, type Made } from './randomTables.js';
import { quoteName, TABLE_ROWS, type World, type WorldColumn } from './randomWorld.js';

/** The visible common tables, and the sources of the outer queries. */
interface Scope {
  commonTables: (Made & { name: string })[];
  outer: Source[];
  depth: number;
  /** The remaining work of a query. */
  room: number;
  /** The work of the queries that run for each row of this one. */
  perRow: { work: number };
}

/**
 * The work limit of a statement, so that none is slow. It is run three times, on views that multiply its
 * work.
 */
const WORK_MAX = 20_000;
/** The work limit of a common or derived table, which leaves room for joins. */
const TABLE_WORK_MAX = 500;
/** Whether there is room for another table. */
const hasRoom = ({ room }: Pick<Scope, 'room'>) => room >= TABLE_ROWS.max;
const hasRoomPerRow = ({ room, perRow }: Scope) => hasRoom({ room: room - perRow.work });
const newMeter = () => ({ work: 0 });

/** Generates queries over a world's tables that return the same rows in the same engine each time. */
export class QueryWriter {
  readonly #expressions: ExpressionWriter;
  readonly #tables: TableWriter;

  readonly #world: World;
  readonly #random: Random;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
    this.#expressions = new ExpressionWriter(world.dialect, random);
    this.#tables = new TableWriter(world, random);
  }

  /** A whole statement. */
  statement(): string {
    const scope = { commonTables: [], outer: [], depth: 0, room: WORK_MAX, perRow: newMeter() };
    const { sql } = this.#query(scope, null);
    return this.#random.isLucky(0.1) ? `/* a comment; -- */ ${sql} ; ` : sql;
  }

  #query(scope: Scope, wanted: WorldColumn[] | null): Made {
    const random = this.#random;
    const inner: Scope = { ...scope, commonTables: [...scope.commonTables] };
    const clauses: string[] = [];
    // MariaDB 10.11 loses common tables or crashes if queries with a WITH of their own are nested.
    const depthMax = this.#world.dialect === 'mysql' ? 0 : 1;
    const count = scope.depth <= depthMax && random.isLucky(0.35) ? random.int(1, 2) : 0;
    // Under RECURSIVE a common table with the name of a table that it reads would read itself.
    const isRecursive = count > 0 && random.isLucky(0.25);
    for (let each = 0; each < count; each += 1) {
      const made = isRecursive ? this.#tables.recursiveTable() : this.#commonTable(inner);
      clauses.push(made.sql);
      inner.commonTables.push(made);
    }
    const body = this.#body(inner, wanted);
    const prefix = clauses.length > 0 ? `WITH ${isRecursive ? 'RECURSIVE ' : ''}${clauses.join(', ')} ` : '';
    return { ...body, sql: `${prefix}${body.sql}` };
  }

  #commonTable(scope: Scope) {
    const random = this.#random;
    // It may have the name of a table. Inside it the name refers to the table, afterwards to the common
    // table.
    const isShadow = this.#world.dialect === 'mysql' && random.isLucky(0.3);
    const hidden = random.pick(this.#world.tables).name;
    const isFree = scope.commonTables.every(({ name }) => name !== hidden);
    const name = isShadow && isFree ? hidden : this.#tables.newAlias('w');
    const made = this.#query(this.#closed(scope, scope.room), null);
    return { ...made, name, sql: `${quoteName(name)} AS (${made.sql})` };
  }

  /** The scope of a query without outer sources. */
  #closed(scope: Scope, room: number): Scope {
    return { ...scope, outer: [], depth: scope.depth + 1, room: Math.min(room, TABLE_WORK_MAX) };
  }

  #body(scope: Scope, wanted: WorldColumn[] | null): Made {
    const left = this.#select(scope, wanted);
    const rest = { ...scope, room: scope.room - left.work };
    if (!hasRoom(rest) || scope.depth > 2 || !this.#random.isLucky(0.2)) return this.#ordered(left);
    const distinct = this.#world.dialect === 'mysql' ? ['UNION DISTINCT', 'EXCEPT DISTINCT'] : [];
    const operator = this.#random.pick(['UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT', ...distinct]);
    const right = this.#select(rest, left.columns);
    const sql = `${left.sql} ${operator} ${right.sql}`;
    return this.#ordered({ sql, columns: left.columns, work: left.work + right.work });
  }

  /** A limit requires an order by every column, so that it always cuts off the same rows. */
  #ordered(query: Made): Made {
    if (!this.#random.isLucky(0.25)) return query;
    const direction = this.#random.pick(['', ' DESC', ' ASC']);
    const order = query.columns.map((_, index) => `${index + 1}${direction}`).join(', ');
    const limit = this.#random.pick(['', ' LIMIT 3', ' LIMIT 2 OFFSET 1', ' LIMIT 1, 3']);
    return { ...query, sql: `${query.sql} ORDER BY ${order}${limit}` };
  }

  #select(scope: Scope, wanted: WorldColumn[] | null): Made {
    const sources: Source[] = [];
    const from = this.#from(scope, sources);
    const inner = {
      ...scope,
      outer: [...scope.outer, ...sources],
      depth: scope.depth + 1,
      room: Math.floor(scope.room / from.work),
      perRow: newMeter(),
    };
    const made = this.#selectFrom(from.sql, { sources, wanted, inner });
    return { ...made, work: from.work * Math.max(1, inner.perRow.work) };
  }

  #selectFrom(
    from: string,
    { sources, wanted, inner }: { sources: Source[]; wanted: WorldColumn[] | null; inner: Scope },
  ): Omit<Made, 'work'> {
    const random = this.#random;
    const where = random.isLucky(0.6) ? ` WHERE ${this.#condition(inner, sources)}` : '';
    if (random.isLucky(0.25)) return this.#grouped({ sources, from, where, wanted });
    const types = wanted?.map(({ type }) => type) ?? this.#expressions.types();
    const columns = types.map((type, index): WorldColumn => ({ name: `c${index}`, type }));
    const items = columns.map(({ name, type }) => `${this.#value(type, sources, inner)} AS ${name}`);
    const distinct = random.isLucky(0.15) ? 'DISTINCT ' : '';
    return { sql: `SELECT ${distinct}${items.join(', ')} FROM ${from}${where}`, columns };
  }

  #grouped(parts: {
    sources: Source[];
    from: string;
    where: string;
    wanted: WorldColumn[] | null;
  }): Omit<Made, 'work'> {
    const random = this.#random;
    const types = parts.wanted?.map(({ type }) => type) ?? this.#expressions.types();
    const columns = types.map((type, index): WorldColumn => ({ name: `c${index}`, type }));
    const key = this.#expressions.column(random.pick(['int', 'text'] as const), parts.sources);
    const isColumn = key.includes('.');
    const items = columns.map(({ name, type }) => {
      const argument = this.#expressions.column(type, parts.sources);
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

  #from(scope: Scope, sources: Source[]): { sql: string; work: number } {
    const random = this.#random;
    let { sql, work } = this.#fromItem(scope, sources);
    let isLast = false;
    for (let count = random.pick([0, 0, 0, 1, 1, 2]); count > 0 && !isLast; count -= 1) {
      const rest = { ...scope, room: Math.floor(scope.room / work) };
      if (!hasRoom(rest)) break;
      const joined = this.#join(sql, { scope: rest, sources });
      ({ sql, isLast } = joined);
      work *= joined.work;
    }
    return { sql, work };
  }

  #join(
    sql: string,
    { scope, sources }: { scope: Scope; sources: Source[] },
  ): { sql: string; work: number; isLast: boolean } {
    const random = this.#random;
    const expressions = this.#expressions;
    const before = [...sources];
    const { sql: item, work } = this.#fromItem(scope, sources);
    const operator = random.pick(['=', '<', '<=']);
    const on = `${expressions.column('int', before)} ${operator} ${expressions.column('int', sources.slice(-1))}`;
    const rest = { ...scope, room: Math.floor(scope.room / work) };
    const plain = (text: string) => () => ({ sql: `${sql}${text}`, work, isLast: false });
    const nested = () => {
      const second = this.#fromItem(rest, sources);
      const text = ` LEFT JOIN (${item} CROSS JOIN ${second.sql}) ON ${on}`;
      return { ...plain(text)(), work: work * second.work };
    };
    return random.pick([
      // In MySQL, ON does not see tables before a comma.
      () => ({ ...plain(`, ${item}`)(), isLast: true }),
      plain(` CROSS JOIN ${item}`),
      plain(` JOIN ${item} ON ${on}`),
      plain(` LEFT JOIN ${item} ON ${on}`),
      plain(` RIGHT JOIN ${item} ON ${on}`),
      // MariaDB has no full join.
      plain(` ${this.#world.dialect === 'sqlite' ? 'FULL' : 'INNER'} JOIN ${item} ON ${on}`),
      // SQLite loses a single alias in parentheses.
      plain(` LEFT OUTER JOIN ${this.#world.dialect === 'sqlite' ? item : `(${item})`} ON ${on}`),
      hasRoom(rest) ? nested : plain(` LEFT JOIN ${item} ON ${on}`),
    ])();
  }

  #fromItem(scope: Scope, sources: Source[]): { sql: string; work: number } {
    const random = this.#random;
    if (scope.depth < 3 && random.isLucky(0.2)) {
      const alias = this.#tables.newAlias('d');
      const { sql, columns, work } = this.#query(this.#closed(scope, scope.room), null);
      sources.push({ alias, columns });
      return { sql: `(${sql}) ${random.pick(['AS ', ''])}${alias}`, work };
    }
    const commonTables = scope.commonTables.filter(({ work }) => work <= scope.room);
    const commonTable = commonTables.length > 0 && random.isLucky(0.6) ? random.pick(commonTables) : null;
    if (commonTable === null) return { sql: this.#tables.item(scope, sources), work: TABLE_ROWS.max };
    const alias = this.#tables.newAlias('t');
    sources.push({ alias, columns: commonTable.columns });
    return { sql: `${quoteName(commonTable.name)} ${alias}`, work: commonTable.work };
  }

  #value(type: WorldColumn['type'], sources: Source[], scope: Scope): string {
    const isNested = hasRoomPerRow(scope) && scope.depth < 3 && this.#random.isLucky(0.1);
    return isNested ? `(${this.#scalar(type, scope)})` : this.#expressions.value(type, sources);
  }

  /** The tables of a query that runs for each row of the outer one. */
  #fromPerRow(scope: Scope, sources: Source[]): string {
    const rest = { ...scope, room: scope.room - scope.perRow.work };
    const { sql, work } = this.#from(rest, sources);
    scope.perRow.work += work;
    return sql;
  }

  /** A query that always returns one row. */
  #scalar(type: WorldColumn['type'], scope: Scope): string {
    const sources: Source[] = [];
    const from = this.#fromPerRow({ ...scope, depth: scope.depth + 1 }, sources);
    return `SELECT MAX(${this.#expressions.column(type, sources)}) FROM ${from}`;
  }

  #condition(scope: Scope, sources: Source[]): string {
    const random = this.#random;
    if (random.isLucky(0.3)) {
      const left = this.#condition({ ...scope, depth: scope.depth + 1 }, sources);
      const right = this.#expressions.comparison(scope.outer);
      return random.pick([
        `${left} AND ${right}`,
        `(${left} OR ${right})`,
        `NOT (${left})`,
        `${left} OR 1 = 1`,
      ]);
    }
    if (hasRoomPerRow(scope) && scope.depth < 4 && random.isLucky(0.4))
      return this.#subqueryCondition(scope, sources);
    return this.#expressions.comparison(sources);
  }

  #subqueryCondition(scope: Scope, sources: Source[]): string {
    const random = this.#random;
    const column = this.#expressions.column('int', sources);
    const own: Source[] = [];
    const from = this.#fromPerRow(scope, own);
    const where = `${this.#expressions.column('int', own)} = ${this.#expressions.column('int', scope.outer)}`;
    return random.pick([
      `EXISTS (SELECT 1 FROM ${from} WHERE ${where})`,
      `NOT EXISTS (SELECT * FROM ${from} WHERE ${where})`,
      `${column} IN (SELECT ${this.#expressions.column('int', own)} FROM ${from})`,
      `${column} NOT IN (SELECT ${this.#expressions.column('int', own)} FROM ${from} WHERE ${where})`,
      `${column} >= (SELECT COUNT(*) FROM ${from})`,
    ]);
  }
}
