import type { Choices } from './choices.js';
import { literal, makeCell, quote, type Column, type ColumnType, type Table, type World } from './worlds.js';

/** The features of the queries of a dialect. */
export interface QueryFeatures {
  quote: (name: string) => string;
  hasLateral: boolean;
  hasFullJoin: boolean;
  hasSchemas: boolean;
  hasSetOperators: boolean;
  /** `x = ANY (SELECT …)`, `array`s and functions in FROM. */
  hasPostgresForms: boolean;
}

export const POSTGRES_QUERIES: QueryFeatures = {
  quote,
  hasLateral: true,
  hasFullJoin: true,
  hasSchemas: true,
  hasSetOperators: true,
  hasPostgresForms: true,
};

interface Relation {
  name: string;
  /** The quoted qualifier of columns. */
  qualifier: string;
  columns: readonly Column[];
}

interface NamedQuery {
  name: string;
  columns: readonly Column[];
}

interface Query {
  sql: string;
  columns: Column[];
}

const ALIASES = ['t', 'u', 'orders', 'Orders', 'x y', 'customers', 'v', 'w"q', 'from', 'lookup'];
const DEPTH_MAX = 3;

/**
 * Generates a random query over the tables of a world. Aliases and WITH queries often have names of its
 * tables.
 */
export function makeQuery(world: World, choices: Choices, features: QueryFeatures): string {
  return new QueryMaker(world, choices, features).query(0, [], []).sql;
}

/** The names visible in a query: inner names hide outer ones. */
function within(own: readonly Relation[], outer: readonly Relation[]): Relation[] {
  const names = new Set(own.map((relation) => relation.name));
  return [...own, ...outer.filter((relation) => !names.has(relation.name))];
}

class QueryMaker {
  #counter = 0;

  readonly #world: World;
  readonly #choices: Choices;
  readonly #features: QueryFeatures;

  constructor(world: World, choices: Choices, features: QueryFeatures) {
    this.#world = world;
    this.#choices = choices;
    this.#features = features;
  }

  /** @param ctes the WITH queries visible here */
  query(depth: number, ctes: readonly NamedQuery[], outer: readonly Relation[]): Query {
    if (depth < DEPTH_MAX && this.#choices.chance(30)) return this.#withQuery(depth, ctes, outer);
    if (depth < DEPTH_MAX && this.#choices.chance(20)) return this.#setOperation(depth, ctes, outer);
    return this.#select(depth, ctes, outer);
  }

  #quote(name: string): string {
    return this.#features.quote(name);
  }

  #withQuery(depth: number, ctes: readonly NamedQuery[], outer: readonly Relation[]): Query {
    const isRecursive = this.#choices.chance(30);
    const visible = [...ctes];
    const taken = new Set<string>();
    const parts = this.#choices.several(2, () => {
      const name = this.#freshName(['orders', 'customers', 'r', 'Orders', 'c 1'], taken);
      const made = isRecursive
        ? this.#recursiveQuery(name)
        : this.#namedQuery(name, this.query(depth + 1, visible, outer));
      // All queries of a recursive list are visible in it. The last one of a name wins.
      visible.unshift(made.cte);
      return made.sql;
    });
    const body = this.#select(depth + 1, visible, outer);
    return {
      sql: `WITH ${isRecursive ? 'RECURSIVE ' : ''}${parts.join(', ')} ${body.sql}`,
      columns: body.columns,
    };
  }

  #namedQuery(name: string, { sql, columns }: Query): { sql: string; cte: NamedQuery } {
    const hint = this.#features.hasPostgresForms
      ? this.#choices.pick(['', '', 'MATERIALIZED ', 'NOT MATERIALIZED '])
      : '';
    return { sql: `${this.#quote(name)} AS ${hint}(${sql})`, cte: { name, columns } };
  }

  /** Counts up from the ids of one table while another one contains them. */
  #recursiveQuery(name: string): { sql: string; cte: NamedQuery } {
    const own: NamedQuery = { name, columns: [{ name: 'n', type: 'int' }] };
    const [first, second] = [this.#table(name), this.#table(name)];
    const quoted = this.#quote(name);
    // Within its own list the name refers to the query, so tables are qualified with their schema.
    const sql =
      `${quoted}(n) AS (SELECT q.id FROM ${first} AS q UNION ` +
      `SELECT ${quoted}.n + 1 FROM ${quoted} JOIN ${second} AS q ON q.id = ${quoted}.n WHERE ${quoted}.n < 7)`;
    return { sql, cte: own };
  }

  #table(shadow: string): string {
    const table = this.#choices.pick(
      this.#world.tables.filter((candidate) => candidate.columns[0]?.name === 'id'),
    );
    return this.#features.hasSchemas || table.name === shadow
      ? this.#qualified(table)
      : this.#quote(table.name);
  }

  #qualified(table: Table): string {
    return `${this.#quote(table.schema)}.${this.#quote(table.name)}`;
  }

  #setOperation(depth: number, ctes: readonly NamedQuery[], outer: readonly Relation[]): Query {
    const left = this.#select(depth + 1, ctes, outer);
    const right = this.query(depth + 1, ctes, outer);
    const operator = this.#features.hasSetOperators
      ? this.#choices.pick(['UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT', 'EXCEPT ALL'])
      : this.#choices.pick(['UNION', 'UNION ALL']);
    const [l, r] = [this.#onlyTypes(left), this.#onlyTypes(right)];
    return { sql: `${l} ${operator} ${r}`, columns: [{ name: 'k', type: 'text' }] };
  }

  /** A query with one text column, so that both sides of a set operation match. */
  #onlyTypes({ sql, columns }: Query): string {
    const name = `s${(this.#counter += 1)}`;
    const column = this.#choices.pick(columns);
    const value = `${name}.${this.#quote(column.name)}`;
    return `SELECT ${column.type === 'text' ? value : `CAST(${value} AS text)`} AS k FROM (${sql}) AS ${name}`;
  }

  #select(depth: number, ctes: readonly NamedQuery[], outer: readonly Relation[]): Query {
    const taken = new Set<string>();
    const relations: Relation[] = [];
    let from = '';
    const count = 1 + this.#choices.below(depth > 1 ? 2 : 3);
    for (let index = 0; index < count; index += 1) {
      const left = [...relations];
      const entry = this.#fromEntry(depth, ctes, { taken, left, outer });
      from += index === 0 ? entry.sql : this.#join(entry, left);
      relations.push(entry.relation);
    }
    const scope = within(relations, outer);
    const where = this.#choices.chance(65) ? ` WHERE ${this.#predicate(depth, ctes, scope)}` : '';
    return this.#choices.chance(20)
      ? this.#grouped(`FROM ${from}${where}`, relations)
      : this.#plain(`FROM ${from}${where}`, { depth, ctes, relations, scope });
  }

  #join(entry: { sql: string; relation: Relation; isLateral: boolean }, left: readonly Relation[]): string {
    const kinds = ['JOIN', 'LEFT JOIN', 'CROSS JOIN', ','];
    // A lateral entry cannot be on the preserved side of an outer join.
    if (!entry.isLateral) kinds.push('RIGHT JOIN', ...(this.#features.hasFullJoin ? ['FULL JOIN'] : []));
    const kind = this.#choices.pick(kinds);
    if (kind === 'CROSS JOIN') return ` CROSS JOIN ${entry.sql}`;
    if (kind === ',') return `, ${entry.sql}`;
    const one = this.#columnOf([left.at(-1) ?? entry.relation], 'int');
    const other = this.#columnOf([entry.relation], 'int');
    // A full join needs a condition that can be merged or hashed.
    const condition = one && other ? `${one} = ${other}` : 'true';
    const extra = kind !== 'FULL JOIN' && this.#choices.chance(20) ? ` OR ${condition} IS NULL` : '';
    return ` ${kind} ${entry.sql} ON ${condition}${extra}`;
  }

  #fromEntry(
    depth: number,
    ctes: readonly NamedQuery[],
    at: { taken: Set<string>; left: readonly Relation[]; outer: readonly Relation[] },
  ): { sql: string; relation: Relation; isLateral: boolean } {
    const kind = this.#choices.below(10);
    if (kind >= 7 && depth < DEPTH_MAX) {
      const isLateral = this.#features.hasLateral && at.left.length > 0 && this.#choices.chance(50);
      const seen = isLateral ? within(at.left, at.outer) : at.outer;
      const { sql, columns } = this.query(depth + 1, ctes, seen);
      const alias = this.#freshName(ALIASES, at.taken);
      const text = `${isLateral ? 'LATERAL ' : ''}(${sql}) AS ${this.#quote(alias)}`;
      return { sql: text, relation: { name: alias, qualifier: this.#quote(alias), columns }, isLateral };
    }
    if (kind === 6 && this.#features.hasPostgresForms) return this.#functionEntry(at.taken);
    const [cte] = ctes.length > 0 && this.#choices.chance(50) ? [this.#choices.pick(ctes)] : [];
    // The innermost one of several with the same name.
    const meant = cte && ctes.find((candidate) => candidate.name === cte.name);
    if (meant) return this.#namedEntry(this.#quote(meant.name), meant, at.taken);
    const table = this.#choices.pick(this.#world.tables);
    const isHidden = ctes.some((candidate) => candidate.name === table.name);
    const needsSchema =
      isHidden || table.schema !== 'public' || (this.#features.hasSchemas && this.#choices.chance(30));
    return this.#namedEntry(needsSchema ? this.#qualified(table) : this.#quote(table.name), table, at.taken);
  }

  #namedEntry(
    written: string,
    source: { name: string; columns: readonly Column[] },
    taken: Set<string>,
  ): { sql: string; relation: Relation; isLateral: boolean } {
    if (!taken.has(source.name) && this.#choices.chance(40)) {
      taken.add(source.name);
      const isSpelled = written.startsWith(this.#quote('public')) && this.#choices.chance(50);
      const qualifier = isSpelled ? written : this.#quote(source.name);
      return {
        sql: written,
        relation: { name: source.name, qualifier, columns: source.columns },
        isLateral: false,
      };
    }
    const alias = this.#freshName(ALIASES, taken);
    const hasNames = this.#choices.chance(15);
    const columns = hasNames
      ? source.columns.map((column, index) => ({ ...column, name: `n${index}` }))
      : source.columns;
    const names = hasNames ? ` (${columns.map((column) => column.name).join(', ')})` : '';
    return {
      sql: `${written} AS ${this.#quote(alias)}${names}`,
      relation: { name: alias, qualifier: this.#quote(alias), columns },
      isLateral: false,
    };
  }

  #functionEntry(taken: Set<string>): { sql: string; relation: Relation; isLateral: boolean } {
    const alias = this.#freshName(ALIASES, taken);
    const quoted = this.#quote(alias);
    const isValues = this.#choices.chance(50);
    const sql = isValues
      ? `(VALUES (1, 'a'), (2, 'b'), (3, NULL)) AS ${quoted} (n, s)`
      : `generate_series(1, ${1 + this.#choices.below(4)}) AS ${quoted} (n)`;
    const columns: Column[] = [{ name: 'n', type: 'int' }];
    if (isValues) columns.push({ name: 's', type: 'text' });
    return { sql, relation: { name: alias, qualifier: quoted, columns }, isLateral: false };
  }

  #freshName(names: readonly string[], taken: Set<string>): string {
    const wanted = this.#choices.pick(names);
    const name = taken.has(wanted) ? `${wanted}_${(this.#counter += 1)}` : wanted;
    taken.add(name);
    return name;
  }

  #grouped(rest: string, relations: readonly Relation[]): Query {
    const key = this.#columnOf(relations, 'text') ?? this.#columnOf(relations, 'int') ?? "'k'";
    const number = this.#columnOf(relations, 'int') ?? '1';
    const having = this.#choices.chance(30) ? ` HAVING count(*) > ${this.#choices.below(3)}` : '';
    const sum = this.#choices.pick([
      'count(*)',
      `sum(${number})`,
      `max(${number})`,
      `count(DISTINCT ${number})`,
    ]);
    const keyed = `SELECT CAST(${key} AS text) AS g, ${sum} AS c ${rest} GROUP BY CAST(${key} AS text)${having}`;
    return {
      sql: keyed,
      columns: [
        { name: 'g', type: 'text' },
        { name: 'c', type: 'int' },
      ],
    };
  }

  #plain(
    rest: string,
    at: {
      depth: number;
      ctes: readonly NamedQuery[];
      relations: readonly Relation[];
      scope: readonly Relation[];
    },
  ): Query {
    const [only] = at.relations;
    if (at.relations.length === 1 && only && this.#choices.chance(25)) {
      const star = this.#choices.chance(50) ? '*' : `${only.qualifier}.*`;
      return { sql: `SELECT ${star} ${rest}`, columns: [...only.columns] };
    }
    const columns: Column[] = [];
    const targets = this.#choices.several(4, (index) => {
      const type = this.#choices.pick<ColumnType>(['int', 'text', 'bool']);
      columns.push({ name: `c${index}`, type });
      return `${this.#value(type, at)} AS c${index}`;
    });
    if (this.#features.hasPostgresForms && this.#choices.chance(10)) {
      const over = this.#columnOf(at.relations, 'text') ?? '1';
      columns.push({ name: 'wn', type: 'int' });
      targets.push(`count(*) OVER (PARTITION BY ${over}) AS wn`);
    }
    const distinct = this.#choices.chance(15) ? 'DISTINCT ' : '';
    const order = columns.map((_, index) => index + 1).join(', ');
    const limit = this.#choices.chance(15) ? ` ORDER BY ${order} LIMIT ${1 + this.#choices.below(5)}` : '';
    const sql = `SELECT ${distinct}${targets.join(', ')} ${rest}`;
    return {
      sql: limit === '' ? sql : `SELECT * FROM (${sql}${limit}) AS l${(this.#counter += 1)}`,
      columns,
    };
  }

  #columnOf(relations: readonly Relation[], type: ColumnType): string | null {
    const columns = relations.flatMap((relation) =>
      relation.columns
        .filter((column) => column.type === type)
        .map((column) => `${relation.qualifier}.${this.#quote(column.name)}`),
    );
    return columns.length > 0 ? this.#choices.pick(columns) : null;
  }

  #value(
    type: ColumnType,
    at: { depth: number; ctes: readonly NamedQuery[]; scope: readonly Relation[] },
  ): string {
    const column = this.#columnOf(at.scope, type);
    const kind = this.#choices.below(10);
    if (column !== null && kind < 6) return column;
    if (type === 'int' && kind >= 8 && at.depth < DEPTH_MAX) {
      const inner = this.query(at.depth + 1, at.ctes, at.scope);
      return `(SELECT count(*) FROM (${inner.sql}) AS z${(this.#counter += 1)})`;
    }
    if (type === 'bool') return `(${this.#predicate(at.depth + 1, at.ctes, at.scope)})`;
    const constant = literal(makeCell(type, this.#choices) ?? (type === 'int' ? 1 : 'n'));
    if (column === null) return constant;
    if (type === 'int')
      return this.#choices.pick([`${column} + ${constant}`, `coalesce(${column}, ${constant})`]);
    return this.#choices.pick([
      `lower(${column})`,
      `coalesce(${column}, ${constant})`,
      `concat(${column}, ${constant})`,
    ]);
  }

  #predicate(depth: number, ctes: readonly NamedQuery[], scope: readonly Relation[]): string {
    const kind = this.#choices.below(depth < DEPTH_MAX ? 12 : 6);
    const at = { depth: depth + 1, ctes, scope };
    if (kind === 0) return `${this.#value('int', at)} >= ${this.#value('int', at)}`;
    if (kind === 1) return `${this.#value('text', at)} = ${this.#value('text', at)}`;
    if (kind === 2) return `${this.#columnOf(scope, 'text') ?? "'x'"} IS NOT NULL`;
    if (kind === 3) return `${this.#columnOf(scope, 'int') ?? '1'} IN (1, 2, 3)`;
    if (kind === 4) return '1 = 1 OR true';
    if (kind === 5) return `${this.#columnOf(scope, 'bool') ?? 'true'} IS NOT TRUE`;
    if (kind === 6) return `NOT (${this.#predicate(depth + 1, ctes, scope)})`;
    if (kind === 7) {
      const operator = this.#choices.pick(['AND', 'OR']);
      return `(${this.#predicate(depth + 1, ctes, scope)}) ${operator} (${this.#predicate(depth + 1, ctes, scope)})`;
    }
    const inner = this.query(depth + 1, ctes, scope);
    const not = this.#choices.chance(30) ? 'NOT ' : '';
    if (kind <= 9) return `${not}EXISTS (${inner.sql})`;
    const column = this.#choices.pick(inner.columns);
    const name = `i${(this.#counter += 1)}`;
    const list = `SELECT ${name}.${this.#quote(column.name)} FROM (${inner.sql}) AS ${name}`;
    const value = this.#value(column.type, at);
    if (kind === 10 || !this.#features.hasPostgresForms) return `${value} ${not}IN (${list})`;
    return `${value} ${this.#choices.pick(['= ANY', '<> ALL'])} (${list})`;
  }
}
