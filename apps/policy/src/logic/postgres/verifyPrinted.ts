import type { Node, SelectStmt } from '@pgsql/types';
import type { TableName } from '../sql/catalogIndex.js';
import { Refusal } from '../sql/denials.js';
import { parsePrinted } from './parser.js';
import { isFields, isSameTree, type Fields } from './trees.js';

interface Expected {
  /** Judges a table anew. */
  isGoverned: (name: TableName) => boolean;
  /** The conditions that were put, by `tableKey`. */
  conditions: ReadonlyMap<string, readonly Node[]>;
}

/**
 * Proves a printed statement before it is handed out: read again, it has to be the very tree that was printed, and in it every
 * governed table has to stand where its condition is. The second half looks at what was read alone and shares no code with
 * what wrote it.
 * @throws {Refusal} NOT_VERIFIED
 */
export function verifyPrinted(text: string, tree: SelectStmt, expected: Expected): void {
  const read = parseAgain(text);
  if (!isSameTree(read, tree)) throw notVerified('what was printed reads back as another statement');
  new Verification(expected).visit({ SelectStmt: read }, new Set());
}

/** As `verifyPrinted`, of a condition that stands alone. */
export function verifyCondition(text: string, node: Node): void {
  const alone: SelectStmt = { whereClause: node, limitOption: 'LIMIT_OPTION_DEFAULT', op: 'SETOP_NONE' };
  if (!isSameTree(parseAgain(`SELECT WHERE ${text}`), alone)) {
    throw notVerified('a condition reads back as another one');
  }
}

export function tableKey(schema: string, table: string): string {
  return JSON.stringify([schema, table]);
}

function parseAgain(text: string): SelectStmt {
  try {
    return parsePrinted(text);
  } catch (error) {
    if (error instanceof Refusal) throw notVerified('what was printed cannot be read');
    throw error;
  }
}

function notVerified(message: string): Refusal {
  return new Refusal('NOT_VERIFIED', message);
}

class Verification {
  constructor(private readonly expected: Expected) {}

  /** @param ctes the WITH queries that are visible here */
  visit(value: unknown, ctes: ReadonlySet<string>): void {
    if (Array.isArray(value)) {
      for (const item of value) this.visit(item, ctes);
      return;
    }
    if (!isFields(value)) return;
    if (isFields(value.RangeVar)) return this.visitTable(value.RangeVar, ctes);
    if (this.isRestriction(value)) return;
    const inner = isFields(value.withClause) ? this.visitWith(value.withClause, ctes) : ctes;
    for (const key in value) {
      if (key !== 'withClause') this.visit(value[key], inner);
    }
  }

  private visitTable({ schemaname, relname, catalogname }: Fields, ctes: ReadonlySet<string>): void {
    const table = typeof relname === 'string' ? relname : '';
    const database = typeof catalogname === 'string' ? catalogname : null;
    if (typeof schemaname === 'string') {
      if (this.expected.isGoverned({ database, schema: schemaname, table })) {
        throw notVerified(`a reference to ${table} is not restricted`);
      }
    } else if (catalogname !== undefined || !ctes.has(table)) {
      throw notVerified(`the table ${table} has no schema`);
    }
  }

  private visitWith(clause: Fields, outer: ReadonlySet<string>): ReadonlySet<string> {
    const ctes = Array.isArray(clause.ctes) ? clause.ctes : [];
    const queries = ctes.map((cte) =>
      isFields(cte) && isFields(cte.CommonTableExpr) ? cte.CommonTableExpr : {},
    );
    const names = queries.map((query) => String(query.ctename));
    queries.forEach((query, index) => {
      const visible = clause.recursive === true ? names : names.slice(0, index);
      this.visit(query.ctequery, new Set([...outer, ...visible]));
    });
    return new Set([...outer, ...names]);
  }

  /** True of a subquery in FROM that reads one governed table under one of its conditions. */
  private isRestriction(value: Fields): boolean {
    const subselect = isFields(value.RangeSubselect) ? value.RangeSubselect : null;
    const subquery = isFields(subselect?.subquery) ? subselect.subquery.SelectStmt : null;
    if (!isFields(subquery) || !Array.isArray(subquery.fromClause) || subquery.fromClause.length !== 1)
      return false;
    const [table] = subquery.fromClause;
    const range = isFields(table) && isFields(table.RangeVar) ? table.RangeVar : null;
    if (!range) return false;
    const conditions = this.expected.conditions.get(
      tableKey(String(range.schemaname), String(range.relname)),
    );
    const isPlain =
      Object.keys(subquery).every((key) => RESTRICTION_CLAUSES.has(key)) && isStar(subquery.targetList);
    return isPlain && (conditions ?? []).some((condition) => isSameTree(condition, subquery.whereClause));
  }
}

const RESTRICTION_CLAUSES: ReadonlySet<string> = new Set([
  'targetList',
  'fromClause',
  'whereClause',
  'limitOffset',
  'limitOption',
  'op',
]);

function isStar(targets: unknown): boolean {
  return isSameTree(targets, [{ ResTarget: { val: { ColumnRef: { fields: [{ A_Star: {} }] } } } }]);
}
