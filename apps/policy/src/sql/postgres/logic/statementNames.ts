import type { ColumnRef, Node, RangeVar, SelectStmt } from '@pgsql/types';
import type { CompiledReason, TraceEntry } from '@gatehouse/contract';
import type { ResolvedRule, RestrictionRequest } from '../../logic/restriction.js';
import type { CatalogIndex, KnownTable, TableName } from '../../logic/catalogIndex.js';
import { REASONS_MAX, type Budget } from '../../logic/bounds.js';
import { reasonOf, Refusal, type ReasonCode, type ReasonPlace } from '../../logic/denials.js';
import { describeDoubt, type TableJudge } from '../../logic/matchRules.js';
import { selectAllFrom, stringNode, textsOf, isSystemSchema, isSystemTable } from './trees.js';
import { aliasColumns, findItem, findRelation, type Item, type Scope } from './scopes.js';
import type { NameHandler } from './walkScopes.js';

/** A reference to a governed table, and the subquery that replaces it, still without its condition. */
export interface GovernedReference {
  table: KnownTable;
  alias: string | null;
  rules: readonly ResolvedRule[];
  subquery: SelectStmt;
}

/** Checks every table of a statement, and replaces governed ones by a subquery. */
export class StatementNames implements NameHandler {
  readonly governed: GovernedReference[] = [];
  readonly reasons: CompiledReason[] = [];
  readonly trace: TraceEntry[] = [];
  readonly #columnSets = new Map<readonly string[], ReadonlySet<string>>();

  readonly #request: RestrictionRequest;
  readonly #from: {
    index: CatalogIndex;
    judge: TableJudge;
    budget: Budget;
    /** Converts bytes of the statement to UTF-16 units. */
    positionOf: (byte: number) => number;
  };

  constructor(
    request: RestrictionRequest,
    from: {
      index: CatalogIndex;
      judge: TableJudge;
      budget: Budget;
      /** Converts bytes of the statement to UTF-16 units. */
      positionOf: (byte: number) => number;
    },
  ) {
    this.#request = request;
    this.#from = from;
  }

  table(range: RangeVar): { node: Node; item: Item } {
    const { relname = '', schemaname = null, catalogname = null, location: position = null } = range;
    const { isGoverned, pinnedSchema, allowedSchemas } = this.#request;
    const name = { database: catalogname, schema: schemaname, table: relname };
    const resolved = this.#from.index.resolve(name, pinnedSchema);
    const { schema } = resolved.table ?? resolved.name;
    if (isSystemTable(range) || (schema !== null && isSystemSchema(schema))) {
      throw new Refusal('SYSTEM_CATALOG', `${relname} is a system catalog`, { position });
    }
    const table = resolved.table ?? resolved.name;
    // Any further reason would depend on whether the schema has this table and its columns.
    const forbidden = this.#from.judge.describeForbiddenSchema(relname, table, allowedSchemas);
    if (forbidden !== null) throw new Refusal('SCHEMA_NOT_ALLOWED', forbidden, { position });
    const { doubts, covering } = this.#from.judge.judge(table);
    const [doubt] = doubts;
    if (doubt || (isGoverned && !resolved.table)) {
      const message = describeDoubt(relname, resolved.table);
      this.#addReason('UNKNOWN_TABLE', message, { ...(doubt && { rule: doubt.name }), position });
    }
    const entry = traceOf(table, covering);
    this.#from.budget.spendPrinted(entry.name.length + entry.why.length);
    this.trace.push(entry);
    return this.#replace(range, table, covering);
  }

  column(reference: ColumnRef, scope: Scope): void {
    const { fields = [], location: position = null } = reference;
    const last = fields.at(-1);
    const qualifiers = textsOf(fields.slice(0, -1));
    const [table, schema] = qualifiers.toReversed();
    if (!last || table === undefined) return;
    const item = schema === undefined ? findItem(scope, table) : findRelation(scope, schema, table);
    if (!item) {
      throw new Refusal(
        'UNKNOWN_COLUMN',
        `${qualifiers.join('.')} stands for no table, or not for one alone`,
        {
          position,
        },
      );
    }
    // `t.name` may call a function of that name if `t` has no such column. Every row can be the argument of a
    // function: that of a subquery is converted.
    const column = 'String' in last ? (last.String.sval ?? '') : null;
    if (column !== null && item.columns !== null && !this.#columnSet(item.columns).has(column)) {
      throw new Refusal('UNKNOWN_COLUMN', `${table} has no column ${column}`, { position });
    }
    if (column !== null && item.columns === null && this.#isRestricted()) {
      throw new Refusal('UNKNOWN_COLUMN', `the columns of ${table} are not known`, { position });
    }
    // A subquery has no schema, so its columns are qualified with the name alone, which is the name of the
    // table.
    if (schema !== undefined) reference.fields = [stringNode(table), last];
  }

  /** Without rules and allowed schemas, a function reads nothing that the statement could not read itself. */
  #isRestricted(): boolean {
    const { isGoverned, rules, allowedSchemas } = this.#request;
    return isGoverned || rules.length > 0 || allowedSchemas !== null;
  }

  #columnSet(columns: readonly string[]): ReadonlySet<string> {
    const known = this.#columnSets.get(columns);
    if (known) return known;
    this.#from.budget.spendSteps(columns.length);
    const set = new Set(columns);
    this.#columnSets.set(columns, set);
    return set;
  }

  #addReason(code: ReasonCode, message: string, place: ReasonPlace): void {
    if (this.reasons.length >= REASONS_MAX) return;
    const position = typeof place.position === 'number' ? this.#from.positionOf(place.position) : null;
    this.reasons.push(reasonOf(code, message, { ...place, position }));
  }

  /**
   * Replaces a governed table by a subquery, and also a table of unknown columns: `t` is then a row without a
   * type, for which no cast or function of the database is chosen by type.
   */
  #replace(
    range: RangeVar,
    table: KnownTable | TableName,
    rules: readonly ResolvedRule[],
  ): ReturnType<NameHandler['table']> {
    const { alias, ...bare } = range;
    const name = 'columns' in table ? table.name : table.table;
    const columns = 'columns' in table && table.columns.length > 0 ? table.columns : null;
    const qualified: RangeVar = { ...bare, relname: name };
    if (table.schema !== null) qualified.schemaname = table.schema;
    const item: Item = {
      name: alias?.aliasname ?? name,
      columns: aliasColumns(columns, alias),
      relation: alias ? null : { schema: table.schema, table: name },
    };
    if (rules.length === 0 && columns !== null) {
      return { node: { RangeVar: alias ? { ...qualified, alias } : qualified }, item };
    }
    const subquery = selectAllFrom({ RangeVar: qualified });
    if (rules.length > 0 && 'columns' in table) {
      this.governed.push({ table, alias: alias?.aliasname ?? null, rules, subquery });
    }
    const node: Node = {
      RangeSubselect: { subquery: { SelectStmt: subquery }, alias: alias ?? { aliasname: name } },
    };
    return { node, item };
  }
}

/** The message about a table that is not in the catalog, or listed without columns. */
export function traceOf(table: KnownTable | TableName, rules: readonly ResolvedRule[]): TraceEntry {
  const name = 'columns' in table ? table.name : table.table;
  const qualified = table.schema === null ? name : `${table.schema}.${name}`;
  const names = rules.map((rule) => rule.name).join(', ');
  return rules.length > 0
    ? { subject: 'table', name: qualified, outcome: 'governed', why: `It is covered by ${names}.` }
    : { subject: 'table', name: qualified, outcome: 'free', why: 'No rule covers it.' };
}
