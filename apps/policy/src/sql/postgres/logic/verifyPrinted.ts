import type { Node, SelectStmt } from '@pgsql/types';
import type { TableName } from '../../logic/catalogIndex.js';
import { Refusal } from '../../logic/denials.js';
import { parsePrinted } from './parser.js';
import { canonicalText, isFields, isSameTree, type Fields } from './trees.js';

interface Expected {
  /** Judges a table independently. */
  isGoverned: (name: TableName) => boolean;
  /** The conditions that were added. */
  conditions: ExpectedConditions;
}

/** The conditions that the tables of a statement are under. */
export class ExpectedConditions {
  readonly #byTable = new Map<string, TableConditions>();

  add({ schema, name }: { schema: string; name: string }, condition: Node): void {
    const key = tableKey(schema, name);
    const conditions = this.#byTable.get(key) ?? new TableConditions();
    conditions.add(condition);
    this.#byTable.set(key, conditions);
  }

  has(schema: string, table: string, condition: unknown): boolean {
    return this.#byTable.get(tableKey(schema, table))?.has(condition) ?? false;
  }
}

/**
 * The conditions of a table. A statement may read a table thousands of times, each time with parameters of
 * its own, so a lookup compares two conditions at most. References are usually printed in the order in which
 * they were added; texts of all conditions, which cost more, find the others.
 */
class TableConditions {
  readonly #conditions: Node[] = [];
  #texts: Set<string> | null = null;
  /** The condition that was found last. */
  #current = 0;

  add(condition: Node): void {
    // A condition without parameters is the same node in each place.
    if (this.#conditions.at(-1) !== condition) this.#conditions.push(condition);
  }

  has(condition: unknown): boolean {
    const candidates = this.#conditions.slice(this.#current, this.#current + 2);
    const index = candidates.findIndex((candidate) => isSameTree(candidate, condition));
    if (index >= 0) {
      this.#current += index;
      return true;
    }
    this.#texts ??= new Set(this.#conditions.map(canonicalText));
    return this.#texts.has(canonicalText(condition));
  }
}

/** The WITH queries visible at a place. */
interface VisibleCtes {
  names: Set<string>;
  outer: VisibleCtes | null;
}

function isVisible(name: string, ctes: VisibleCtes): boolean {
  for (let at: VisibleCtes | null = ctes; at; at = at.outer) if (at.names.has(name)) return true;
  return false;
}

/**
 * Verifies a printed statement. When parsed again, it must yield the tree that was printed, and every
 * governed table in it must be under its condition. The second check uses only the parsed tree and shares no
 * code with the restriction.
 * @throws {Refusal} NOT_VERIFIED
 */
export function verifyPrinted(text: string, tree: SelectStmt, expected: Expected): void {
  const read = parseAgain(text);
  if (!isSameTree(read, tree)) throw notVerified('what was printed reads back as another statement');
  new Verification(expected).visit({ SelectStmt: read }, { names: new Set(), outer: null });
}

/** Verifies a printed condition like `verifyPrinted`. */
export function verifyCondition(text: string, node: Node): void {
  const alone: SelectStmt = { whereClause: node, limitOption: 'LIMIT_OPTION_DEFAULT', op: 'SETOP_NONE' };
  if (!isSameTree(parseAgain(`SELECT WHERE ${text}`), alone)) {
    throw notVerified('a condition reads back as another one');
  }
}

function tableKey(schema: string, table: string): string {
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
  readonly #expected: Expected;

  constructor(expected: Expected) {
    this.#expected = expected;
  }

  /** @param ctes the WITH queries visible here */
  visit(value: unknown, ctes: VisibleCtes): void {
    if (Array.isArray(value)) {
      for (const item of value) this.visit(item, ctes);
      return;
    }
    if (!isFields(value)) return;
    if (isFields(value.RangeVar)) return this.#visitTable(value.RangeVar, ctes);
    if (this.#isRestriction(value)) return;
    const inner = isFields(value.withClause) ? this.#visitWith(value.withClause, ctes) : ctes;
    for (const key in value) {
      if (key !== 'withClause') this.visit(value[key], inner);
    }
  }

  #visitTable({ schemaname, relname, catalogname }: Fields, ctes: VisibleCtes): void {
    const table = typeof relname === 'string' ? relname : '';
    const database = typeof catalogname === 'string' ? catalogname : null;
    if (typeof schemaname === 'string') {
      if (this.#expected.isGoverned({ database, schema: schemaname, table })) {
        throw notVerified(`a reference to ${table} is not restricted`);
      }
    } else if (catalogname !== undefined || !isVisible(table, ctes)) {
      throw notVerified(`the table ${table} has no schema`);
    }
  }

  #visitWith(clause: Fields, outer: VisibleCtes): VisibleCtes {
    const ctes = Array.isArray(clause.ctes) ? clause.ctes : [];
    const queries = ctes.map((cte) =>
      isFields(cte) && isFields(cte.CommonTableExpr) ? cte.CommonTableExpr : {},
    );
    const names = queries.map((query) => String(query.ctename));
    const visible: VisibleCtes = { names: new Set(clause.recursive === true ? names : []), outer };
    queries.forEach((query, index) => {
      this.visit(query.ctequery, visible);
      visible.names.add(names[index] ?? '');
    });
    return visible;
  }

  /** Whether the value is a subquery in FROM that reads one governed table under one of its conditions. */
  #isRestriction(value: Fields): boolean {
    const subselect = isFields(value.RangeSubselect) ? value.RangeSubselect : null;
    const subquery = isFields(subselect?.subquery) ? subselect.subquery.SelectStmt : null;
    if (!isFields(subquery) || !Array.isArray(subquery.fromClause) || subquery.fromClause.length !== 1)
      return false;
    const [table] = subquery.fromClause;
    const range = isFields(table) && isFields(table.RangeVar) ? table.RangeVar : null;
    if (!range) return false;
    const isPlain =
      Object.keys(subquery).every((key) => RESTRICTION_CLAUSES.has(key)) && isStar(subquery.targetList);
    const { conditions } = this.#expected;
    return isPlain && conditions.has(String(range.schemaname), String(range.relname), subquery.whereClause);
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
