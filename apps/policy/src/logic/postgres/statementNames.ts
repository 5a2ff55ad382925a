import type { ColumnRef, Node, RangeVar, SelectStmt } from '@pgsql/types';
import type { CompiledReason, TraceEntry } from '@gatehouse/contract';
import type { ResolvedRule, RestrictionRequest } from '../model.js';
import type { CatalogIndex, KnownTable, TableName } from '../sql/catalogIndex.js';
import { reasonOf, Refusal, type ReasonCode, type ReasonPlace } from '../sql/denials.js';
import { isSchemaAllowed, rulesInDoubt, rulesOf } from '../sql/matchRules.js';
import { selectAllFrom, stringNode, textsOf } from './nodes.js';
import { aliasColumns, findItem, findRelation, type Item, type Scope } from './scopes.js';
import { isSystemSchema, isSystemTable } from './tables.js';
import type { NameHandler } from './walkScopes.js';

/** A reference to a governed table, and the subquery that took its place: it still lacks its condition. */
export interface GovernedReference {
  table: KnownTable;
  alias: string | null;
  rules: readonly ResolvedRule[];
  subquery: SelectStmt;
}

/** Judges every table of a statement and puts a subquery in the place of the governed ones. */
export class StatementNames implements NameHandler {
  readonly governed: GovernedReference[] = [];
  readonly reasons: CompiledReason[] = [];
  readonly trace: TraceEntry[] = [];

  constructor(
    private readonly request: RestrictionRequest,
    private readonly index: CatalogIndex,
    /** From bytes of the statement to UTF-16 units. */
    private readonly positionOf: (byte: number) => number,
  ) {}

  table(range: RangeVar): { node: Node; item: Item } {
    const { relname = '', schemaname = null, catalogname = null, location: position = null } = range;
    const { dialect, pinnedSchema, rules, allowedSchemas } = this.request;
    const name = { database: catalogname, schema: schemaname, table: relname };
    const resolved = this.index.resolve(name, pinnedSchema);
    const { schema } = resolved.table ?? resolved.name;
    if (isSystemTable(range) || (schema !== null && isSystemSchema(schema))) {
      throw new Refusal('SYSTEM_CATALOG', `${relname} is a system catalog`, { position });
    }
    if (!isSchemaAllowed(schema, allowedSchemas)) {
      this.addReason('SCHEMA_NOT_ALLOWED', `the schema ${schema ?? '?'} may not be read`, { position });
    }
    const doubts = rulesInDoubt(resolved.table ?? resolved.name, rules, dialect);
    if (doubts[0]) this.addDoubt(resolved.table ?? resolved.name, doubts[0].name, position);
    const covering = resolved.table ? rulesOf(resolved.table, rules, dialect) : [];
    this.trace.push(traceOf(resolved.table ?? resolved.name, covering));
    return this.replace(range, resolved.table ?? resolved.name, covering);
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
    // `t.name` may call a function of that name where `t` has no such column.
    const column = 'String' in last ? (last.String.sval ?? '') : null;
    if (column !== null && item.columns !== null && !item.columns.includes(column)) {
      throw new Refusal('UNKNOWN_COLUMN', `${table} has no column ${column}`, { position });
    }
    // A subquery has no schema, so its columns are written with the bare name, which was the table's as well.
    if (schema !== undefined) reference.fields = [stringNode(table), last];
  }

  private addDoubt(table: KnownTable | TableName, rule: string, position: number | null): void {
    const message =
      'columns' in table
        ? `the catalog lists no columns of ${table.name}, which a rule might cover`
        : `the table ${table.table} is not in the catalog, and a rule might cover it`;
    this.addReason('UNKNOWN_TABLE', message, { rule, position });
  }

  private addReason(code: ReasonCode, message: string, place: ReasonPlace): void {
    const position = typeof place.position === 'number' ? this.positionOf(place.position) : null;
    this.reasons.push(reasonOf(code, message, { ...place, position }));
  }

  /**
   * A governed table is read in a subquery. So is one whose columns are not known: the row of a subquery has no type of its own
   * that a function could have been made for.
   */
  private replace(
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

export function traceOf(table: KnownTable | TableName, rules: readonly ResolvedRule[]): TraceEntry {
  const name = 'columns' in table ? table.name : table.table;
  const qualified = table.schema === null ? name : `${table.schema}.${name}`;
  const names = rules.map((rule) => rule.name).join(', ');
  return rules.length > 0
    ? { subject: 'table', name: qualified, outcome: 'governed', why: `It is covered by ${names}.` }
    : { subject: 'table', name: qualified, outcome: 'free', why: 'No rule covers it.' };
}
