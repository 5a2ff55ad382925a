import type { ColumnRef, Node, RangeVar } from '@pgsql/types';
import type { CatalogIndex, KnownTable } from '../sql/catalogIndex.js';
import { Refusal } from '../sql/denials.js';
import { stringNode, textsOf } from './nodes.js';
import { isSystemTable } from './tables.js';
import type { RuleExpression } from './ruleExpression.js';
import { aliasColumns, findItem, nest, type Item, type Scope, EMPTY_SCOPE } from './scopes.js';
import { copyTree, isFields } from './trees.js';
import { ScopeWalker, type NameHandler } from './walkScopes.js';

/**
 * What stands for the governed table before a column of it: at the top of the rule, where the table is alone, and inside of a
 * subquery. No name can hold a NUL.
 */
const AT_TOP = '\0top';
const WITHIN = '\0within';

/** A rule's expression, bound to the columns of one table. */
export interface CompiledRule {
  node: Node;
  names: readonly string[];
  /** The names that are in the way where a subquery refers to the governed table: it may have none of them. */
  innerNames: ReadonlySet<string>;
  /** True when a subquery refers to the governed table. */
  isCorrelated: boolean;
}

/**
 * Binds every column of a rule's expression to the governed table or to a table of its own subqueries, and prefixes it so that
 * no other table can catch it. Tables of subqueries get their schema and are not restricted.
 * @throws {Refusal} for a column that the table lacks and for a table that the catalog does not list
 */
export function compileRule(
  rule: RuleExpression,
  table: KnownTable,
  from: { index: CatalogIndex; pinnedSchema: string | null },
): CompiledRule {
  const node = copyTree(rule.node);
  const governed: Item = {
    name: table.name,
    columns: table.columns,
    relation: { schema: table.schema, table: table.name },
  };
  const root = nest(EMPTY_SCOPE, [governed]);
  const binder = new ColumnBinder(governed, root, from);
  new ScopeWalker(binder).walkExpression(node, root);
  return { node, names: rule.names, innerNames: binder.innerNames, isCorrelated: binder.isCorrelated };
}

/** The rule with the governed table under the names given; null leaves its columns bare. */
export function nameGoverned(node: Node, names: GovernedNames): Node {
  return renamed(node, names) as Node;
}

/** What the governed table is called at the top of a rule, and within its subqueries. */
interface GovernedNames {
  top: string | null;
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
  return { ...reference, fields: (qualifier === null ? [column] : [qualifier, column]).map(stringNode) };
}

class ColumnBinder implements NameHandler {
  readonly innerNames = new Set<string>();
  isCorrelated = false;

  constructor(
    private readonly governed: Item,
    private readonly root: Scope,
    private readonly from: { index: CatalogIndex; pinnedSchema: string | null },
  ) {}

  table(range: RangeVar): { node: Node; item: Item } {
    const { relname = '', schemaname = null, catalogname = null } = range;
    const resolved = this.from.index.resolve(
      { database: catalogname, schema: schemaname, table: relname },
      this.from.pinnedSchema,
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
    return { node: { RangeVar: { ...range, schemaname: schema, relname: name } }, item };
  }

  column(reference: ColumnRef, scope: Scope): void {
    const names = textsOf(reference.fields);
    const [column = ''] = names.slice(-1);
    const item = names.length === 1 ? this.ownerOf(column, scope) : this.qualified(names, scope);
    if (item === null) throw notCompiled(`there is no column ${names.join('.')}`);
    if (item === this.governed) {
      const isAtTop = scope === this.root;
      if (!isAtTop) this.noteCorrelation(scope);
      reference.fields = [isAtTop ? AT_TOP : WITHIN, column].map(stringNode);
    } else if (item !== undefined && item.name !== null) {
      reference.fields = [item.name, column].map(stringNode);
    }
  }

  private noteCorrelation(scope: Scope): void {
    this.isCorrelated = true;
    for (let at: Scope | null = scope; at && at !== this.root; at = at.parent) {
      for (const { name } of at.items) if (name !== null) this.innerNames.add(name);
    }
  }

  /** The entry that a bare column belongs to; undefined for one that a join merged, which has none; null where there is none. */
  private ownerOf(column: string, scope: Scope): Item | null | undefined {
    for (let at: Scope | null = scope; at; at = at.parent) {
      if (at.items.some((item) => item.columns === null))
        throw notCompiled('a subquery whose columns are not known');
      const owners = at.items.filter((item) => item.columns?.includes(column));
      const [owner] = owners;
      if (!owner) continue;
      if (owners.length > 1 || owner.name === null) return undefined;
      if (findItem(scope, owner.name) !== owner && owner !== this.governed) {
        throw notCompiled(`the column ${column} is of a table whose name another one hides`);
      }
      return owner;
    }
    return null;
  }

  private qualified(names: readonly string[], scope: Scope): Item | null {
    const [column = '', table = '', schema] = names.toReversed();
    const item = findItem(scope, table);
    if (!item?.columns?.includes(column)) return null;
    return schema === undefined || item.relation?.schema === schema ? item : null;
  }
}

function notCompiled(message: string): Refusal {
  return new Refusal('RULE_NOT_COMPILED', message);
}
