import type { ColumnRef, JoinExpr, Node, RangeVar } from '@pgsql/types';
import type { Budget } from '../../logic/bounds.js';
import { typeOf, type CatalogIndex, type KnownTable } from '../../logic/catalogIndex.js';
import type { SqlType } from '../../logic/columnTypes.js';
import { Refusal } from '../../logic/denials.js';
import type { ColumnTypes } from './bindValues.js';
import { stringNode, textsOf, isSystemTable, copyTree, isFields } from './trees.js';
import type { RuleExpression } from './ruleExpression.js';
import { aliasColumns, findItem, nest, type Item, type Scope, EMPTY_SCOPE } from './scopes.js';
import { ScopeWalker, type NameHandler } from './walkScopes.js';

/**
 * The marks of the governed table before its columns: at the top of the rule, where the table is alone, and
 * within a subquery. No name can contain a NUL.
 */
const AT_TOP = '\0top';
const WITHIN = '\0within';

/** The expression of a rule, bound to the columns of one table. */
export interface CompiledRule {
  node: Node;
  names: readonly string[];
  /** The names that would hide the governed table within a subquery, so it must not have any of them. */
  innerNames: ReadonlySet<string>;
  /** Whether a subquery refers to the governed table. */
  isCorrelated: boolean;
  types: ColumnTypes;
}

/**
 * Binds every column of a rule to the governed table or to a table of its own subqueries. Each column gets a
 * prefix, so that no other table can capture it. Tables of subqueries get their schema and are not
 * restricted.
 * @throws {Refusal} for a column that the table lacks and for a table that is not in the catalog
 */
export function compileRule(
  rule: RuleExpression,
  table: KnownTable,
  from: { index: CatalogIndex; pinnedSchema: string | null; budget: Budget },
): CompiledRule {
  const node = copyTree(rule.node);
  const governed: Item = {
    name: table.name,
    columns: table.columns,
    relation: { schema: table.schema, table: table.name },
  };
  const root = nest(EMPTY_SCOPE, [governed]);
  const binder = new ColumnBinder(governed, root, { ...from, merged: mergedColumns(node) });
  binder.tables.set(governed, table);
  new ScopeWalker(binder, from.budget).walkExpression(node, root);
  const { innerNames, isCorrelated, types } = binder;
  return { node, names: rule.names, innerNames, isCorrelated, types };
}

/** The rule with the given names of the governed table. */
export function nameGoverned(node: Node, names: GovernedNames): Node {
  return renamed(node, names) as Node;
}

/** The names of the governed table at the top of a rule and within its subqueries. */
interface GovernedNames {
  top: string;
  within: string;
}

function renamed(value: unknown, names: GovernedNames): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, names));
  if (!isFields(value)) return value;
  if (isFields(value.ColumnRef)) return { ColumnRef: renamedColumn(value.ColumnRef, names) };
  const copy: Record<string, unknown> = {};
  for (const key in value) copy[key] = renamed(value[key], names);
  return copy;
}

function renamedColumn(reference: ColumnRef, names: GovernedNames): ColumnRef {
  const [mark, column = ''] = textsOf(reference.fields);
  if (mark !== AT_TOP && mark !== WITHIN) return reference;
  const qualifier = mark === AT_TOP ? names.top : names.within;
  return { ...reference, fields: [qualifier, column].map(stringNode) };
}

class ColumnBinder implements NameHandler {
  readonly innerNames = new Set<string>();
  isCorrelated = false;
  readonly tables = new Map<Item, KnownTable>();
  readonly types = new Map<ColumnRef, SqlType>();

  readonly #governed: Item;
  readonly #root: Scope;
  readonly #from: {
    index: CatalogIndex;
    pinnedSchema: string | null;
    merged: ReadonlySet<string>;
  };

  constructor(
    governed: Item,
    root: Scope,
    from: {
      index: CatalogIndex;
      pinnedSchema: string | null;
      merged: ReadonlySet<string>;
    },
  ) {
    this.#governed = governed;
    this.#root = root;
    this.#from = from;
  }

  table(range: RangeVar): { node: Node; item: Item } {
    const { relname = '', schemaname = null, catalogname = null } = range;
    const resolved = this.#from.index.resolve(
      { database: catalogname, schema: schemaname, table: relname },
      this.#from.pinnedSchema,
    );
    if (isSystemTable(range) || !resolved.table || resolved.table.columns.length === 0) {
      throw notCompiled(`the table ${relname} is not in the catalog`);
    }
    const { schema, name, columns } = resolved.table;
    const own = range.alias?.aliasname ?? name;
    const item: Item = {
      name: own,
      columns: aliasColumns(columns, range.alias),
      relation: range.alias ? null : { schema, table: name },
    };
    this.tables.set(item, resolved.table);
    return { node: { RangeVar: { ...range, schemaname: schema, relname: name } }, item };
  }

  column(reference: ColumnRef, scope: Scope): void {
    const names = textsOf(reference.fields);
    const [column = ''] = names.slice(-1);
    const item = names.length === 1 ? this.#ownerOf(column, scope) : this.#qualified(names, scope);
    if (item === null) throw notCompiled(`there is no column ${names.join('.')}`);
    if (item !== undefined) this.#noteType(reference, item, column);
    if (item === this.#governed) {
      const isAtTop = scope === this.#root;
      if (!isAtTop) this.#noteCorrelation(scope);
      reference.fields = [isAtTop ? AT_TOP : WITHIN, column].map(stringNode);
    } else if (item !== undefined && item.name !== null) {
      reference.fields = [item.name, column].map(stringNode);
    }
  }

  /** An alias may rename columns but keeps their order. */
  #noteType(reference: ColumnRef, item: Item, column: string): void {
    const table = this.tables.get(item);
    const known = table?.catalogColumns[item.columns?.indexOf(column) ?? -1];
    if (known) this.types.set(reference, typeOf(known, 'postgres'));
  }

  #noteCorrelation(scope: Scope): void {
    this.isCorrelated = true;
    for (let at: Scope | null = scope; at && at !== this.#root; at = at.parent) {
      for (const { name } of at.items) if (name !== null) this.innerNames.add(name);
    }
  }

  /**
   * The entry of an unqualified column; undefined for a column merged by a join, which has none; null if
   * there is none.
   */
  #ownerOf(column: string, scope: Scope): Item | null | undefined {
    for (let at: Scope | null = scope; at; at = at.parent) {
      if (at.items.some((item) => item.columns === null))
        throw notCompiled('a subquery whose columns are not known');
      const owners = at.items.filter((item) => item.columns?.includes(column));
      const [owner] = owners;
      if (!owner) continue;
      // The database requires a column merged by USING to exist, so it cannot resolve to an outer query.
      if (owners.length > 1 && this.#from.merged.has(column)) return undefined;
      if (owners.length > 1 || owner.name === null) {
        throw notCompiled(`the column ${column} has to be named with its table`);
      }
      if (findItem(scope, owner.name) !== owner && owner !== this.#governed) {
        throw notCompiled(`the column ${column} is of a table whose name another one hides`);
      }
      return owner;
    }
    return null;
  }

  #qualified(names: readonly string[], scope: Scope): Item | null {
    const [column = '', table = '', schema] = names.toReversed();
    const item = findItem(scope, table);
    if (!item?.columns?.includes(column)) return null;
    return schema === undefined || item.relation?.schema === schema ? item : null;
  }
}

/** The columns that joins of a tree merge by USING. */
function mergedColumns(value: unknown): Set<string> {
  if (Array.isArray(value)) return new Set(value.flatMap((item) => [...mergedColumns(item)]));
  if (!isFields(value)) return new Set();
  const own = isFields(value.JoinExpr) ? textsOf((value.JoinExpr as JoinExpr).usingClause) : [];
  return new Set([...own, ...mergedColumns(Object.values(value))]);
}

function notCompiled(message: string): Refusal {
  return new Refusal('RULE_NOT_COMPILED', message);
}
