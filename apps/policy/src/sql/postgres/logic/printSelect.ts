import type {
  Alias,
  CommonTableExpr,
  JoinExpr,
  Node,
  RangeFunction,
  RangeVar,
  SelectStmt,
} from '@pgsql/types';
import { quoteName } from './printParts.js';
import { openNode } from './trees.js';
import { printExpression, printList, printNames, printWindow } from './printExpression.js';

/**
 * Prints a SELECT of the nodes that `GRAMMAR` allows, in one line and without comments. Parsing the result
 * yields the same tree. Every printed text that is returned is checked for that.
 */
export function printSelect(select: SelectStmt): string {
  const clauses = [
    printWith(select),
    printBody(select),
    select.sortClause ? `ORDER BY ${printList(select.sortClause, printSelect)}` : '',
    printLimit(select),
  ];
  return clauses.filter(Boolean).join(' ');
}

/** Prints a single expression. */
export function printNode(node: Node): string {
  return printExpression(node, printSelect);
}

function printWith({ withClause }: SelectStmt): string {
  if (!withClause) return '';
  const ctes = (withClause.ctes ?? []).map((cte) =>
    'CommonTableExpr' in cte ? printCte(cte.CommonTableExpr) : '',
  );
  return `WITH ${withClause.recursive ? 'RECURSIVE ' : ''}${ctes.join(', ')}`;
}

function printCte({ ctename, aliascolnames, ctematerialized, ctequery }: CommonTableExpr): string {
  const columns = aliascolnames ? ` (${printNames(aliascolnames)})` : '';
  const hint =
    ctematerialized === 'CTEMaterializeAlways'
      ? 'MATERIALIZED '
      : ctematerialized === 'CTEMaterializeNever'
        ? 'NOT MATERIALIZED '
        : '';
  const query = ctequery && 'SelectStmt' in ctequery ? printSelect(ctequery.SelectStmt) : '';
  return `${quoteName(ctename ?? '')}${columns} AS ${hint}(${query})`;
}

const SET_OPERATORS = { SETOP_UNION: 'UNION', SETOP_INTERSECT: 'INTERSECT', SETOP_EXCEPT: 'EXCEPT' };

function printBody(select: SelectStmt): string {
  if (select.op && select.op !== 'SETOP_NONE' && select.larg && select.rarg) {
    const operator = `${SET_OPERATORS[select.op]}${select.all ? ' ALL' : ''}`;
    return `(${printSelect(select.larg)}) ${operator} (${printSelect(select.rarg)})`;
  }
  if (select.valuesLists) return `VALUES ${printList(select.valuesLists, printSelect)}`;
  const windows = (select.windowClause ?? []).map((node) =>
    'WindowDef' in node
      ? `${quoteName(node.WindowDef.name ?? '')} AS ${printWindow(node.WindowDef, printSelect)}`
      : '',
  );
  const clauses = [
    `SELECT ${[printDistinct(select), printList(select.targetList, printSelect)].filter(Boolean).join(' ')}`,
    select.fromClause ? `FROM ${select.fromClause.map(printFrom).join(', ')}` : '',
    select.whereClause ? `WHERE ${printNode(select.whereClause)}` : '',
    select.groupClause
      ? `GROUP BY ${select.groupDistinct ? 'DISTINCT ' : ''}${printList(select.groupClause, printSelect)}`
      : '',
    select.havingClause ? `HAVING ${printNode(select.havingClause)}` : '',
    windows.length > 0 ? `WINDOW ${windows.join(', ')}` : '',
  ];
  return clauses.filter(Boolean).join(' ');
}

function printDistinct({ distinctClause }: SelectStmt): string {
  const [first] = distinctClause ?? [];
  if (!first) return '';
  return openNode(first) === null ? 'DISTINCT' : `DISTINCT ON (${printList(distinctClause, printSelect)})`;
}

function printLimit({ limitCount, limitOffset, limitOption }: SelectStmt): string {
  const offset = limitOffset ? `OFFSET ${printNode(limitOffset)}` : '';
  if (!limitCount) return offset;
  const count = printNode(limitCount);
  const isWithTies = limitOption === 'LIMIT_OPTION_WITH_TIES';
  const limit = isWithTies ? `FETCH FIRST (${count}) ROWS WITH TIES` : `LIMIT ${count}`;
  return isWithTies ? [offset, limit].filter(Boolean).join(' ') : [limit, offset].filter(Boolean).join(' ');
}

function printAlias(alias: Alias | undefined): string {
  if (!alias) return '';
  return ` AS ${quoteName(alias.aliasname ?? '')}${alias.colnames ? ` (${printNames(alias.colnames)})` : ''}`;
}

function printFrom(node: Node): string {
  if ('RangeVar' in node) return printTable(node.RangeVar);
  if ('RangeSubselect' in node) {
    const { lateral, subquery, alias } = node.RangeSubselect;
    const select = subquery && 'SelectStmt' in subquery ? printSelect(subquery.SelectStmt) : '';
    return `${lateral ? 'LATERAL ' : ''}(${select})${printAlias(alias)}`;
  }
  if ('RangeFunction' in node) return printFunction(node.RangeFunction);
  if ('JoinExpr' in node) return printJoin(node.JoinExpr);
  throw new Error('cannot print this in FROM');
}

function printTable({ catalogname, schemaname, relname, inh, alias }: RangeVar): string {
  const name = [catalogname, schemaname, relname].filter((part) => part !== undefined).map(quoteName);
  return `${inh ? '' : 'ONLY '}${name.join('.')}${printAlias(alias)}`;
}

function printFunction({ lateral, ordinality, is_rowsfrom, functions, alias }: RangeFunction): string {
  const calls = (functions ?? []).map((entry) => {
    const call = 'List' in entry ? entry.List.items?.[0] : undefined;
    return call ? printNode(call) : '';
  });
  const source = is_rowsfrom ? `ROWS FROM (${calls.join(', ')})` : calls.join(', ');
  return `${lateral ? 'LATERAL ' : ''}${source}${ordinality ? ' WITH ORDINALITY' : ''}${printAlias(alias)}`;
}

const JOINS: Readonly<Record<string, string>> = {
  JOIN_INNER: 'JOIN',
  JOIN_LEFT: 'LEFT JOIN',
  JOIN_RIGHT: 'RIGHT JOIN',
  JOIN_FULL: 'FULL JOIN',
};

function printJoin(join: JoinExpr): string {
  const isCross = join.jointype === 'JOIN_INNER' && !join.isNatural && !join.usingClause && !join.quals;
  const word = isCross ? 'CROSS JOIN' : `${join.isNatural ? 'NATURAL ' : ''}${JOINS[join.jointype ?? '']}`;
  const using = join.usingClause
    ? ` USING (${printNames(join.usingClause)})${printAlias(join.join_using_alias)}`
    : '';
  const on = join.quals ? ` ON ${printNode(join.quals)}` : '';
  const joined = `${printSide(join.larg)} ${word} ${printSide(join.rarg)}${using}${on}`;
  return join.alias ? `(${joined})${printAlias(join.alias)}` : joined;
}

function printSide(node: Node | undefined): string {
  if (!node) return '';
  const text = printFrom(node);
  return 'JoinExpr' in node && !node.JoinExpr.alias ? `(${text})` : text;
}
