import { ALLOWED_FUNCTIONS } from '../../logic/allowedFunctions.js';
import type { PolyglotDialect } from './lexicon.js';
import { checkOperatorOrder } from './operatorOrder.js';
import { refuse, refuseWithoutAlias } from './refuse.js';
import type { Call, CallForm, Expression, Join, Query } from './tree.js';
import { isQueryExpression, walkTree } from './walk.js';

const LOGICAL: ReadonlySet<string> = new Set(
  ['AND', 'OR', 'XOR', '=', '<>', '<', '<=', '>', '>='].concat([
    'IS',
    'IS NOT',
    'IS DISTINCT FROM',
    'IS NOT DISTINCT FROM',
  ]),
);

/**
 * Refuses constructs that a rule must not contain.
 * @throws Refusal
 */
export function checkRule(expression: Expression, dialect: PolyglotDialect): void {
  if (!isCondition(expression)) refuse('SYNTAX_ERROR', 'a rule is a condition, and this is none');
  checkOperatorOrder(expression);
  walkTree(expression, (node) => {
    if (node.kind === 'over') refuse('FORBIDDEN_CONSTRUCT', 'a window function is not allowed in a rule');
    if (node.kind === 'groupConcat') refuse('FORBIDDEN_FUNCTION', 'an aggregate is not allowed in a rule');
    if (node.kind === 'call') checkCall(node, dialect);
    if (node.kind === 'derived' && node.alias === null) refuseWithoutAlias();
    if (isQueryExpression(node) || node.kind === 'derived') checkQuery(node.query);
    if (node.kind === 'select' || node.kind === 'group') node.joins.forEach(checkJoin);
    return undefined;
  });
}

/**
 * A rule reads other tables by plain SELECTs. Constructs that are not needed for that are not inspected
 * either.
 */
function checkQuery({ commonTables, orderBy, limit, offset, body }: Query): void {
  const isPlain =
    commonTables.length === 0 &&
    orderBy.length === 0 &&
    limit === null &&
    offset === null &&
    body.kind === 'select' &&
    body.groupBy.length === 0 &&
    body.having === null &&
    body.windows.length === 0;
  if (!isPlain) {
    refuse(
      'FORBIDDEN_CONSTRUCT',
      'a query in a rule may have SELECT, FROM, JOIN and WHERE, and nothing else',
    );
  }
}

/**
 * Renaming a column turns NATURAL JOIN into a cross join. The columns that USING merges belong to a different
 * side in each kind of outer join.
 */
function checkJoin({ word, using }: Join): void {
  if (word.startsWith('NATURAL')) {
    refuse('FORBIDDEN_CONSTRUCT', 'a rule names the columns of a join: NATURAL is not allowed');
  }
  if (using.length > 0 && word !== 'JOIN' && word !== 'LEFT JOIN') {
    refuse('FORBIDDEN_CONSTRUCT', `a rule joins by ON: USING is not allowed with ${word}`);
  }
}

/** The name of a form that only statements may have; null for others. */
function nameOfStatementForm(form: CallForm): string | null {
  if (form.form === 'trim') return 'TRIM with FROM';
  if (form.form === 'using') return 'CONVERT with USING';
  if (form.form === 'plus') return 'a plus sign before an operand';
  return form.form === 'unit' ? form.name : null;
}

function checkCall({ form, arguments: items, isDistinct, filter }: Call, dialect: PolyglotDialect): void {
  const refused = nameOfStatementForm(form);
  if (refused !== null) refuse('FORBIDDEN_CONSTRUCT', `${refused} is not allowed in a rule`);
  if (form.form !== 'function') return;
  const { scalar, aggregate, window } = ALLOWED_FUNCTIONS[dialect];
  const name = form.name.toLowerCase();
  // SQLite's MAX and MIN with several arguments work on one row.
  const isOfOneRow = dialect === 'sqlite' && /^(?:max|min)$/.test(name) && items.length > 1;
  const isScalar = scalar.has(name) || isOfOneRow;
  if (!isScalar && (aggregate.has(name) || window.has(name))) {
    refuse('FORBIDDEN_FUNCTION', `the function ${name} looks at several rows, which a rule may not do`);
  }
  if (isDistinct || filter !== null) refuse('FORBIDDEN_CONSTRUCT', 'DISTINCT and FILTER are for aggregates');
}

/** Whether the expression yields a boolean, as far as that is visible without types. */
function isCondition(node: Expression): boolean {
  switch (node.kind) {
    case 'chain':
      return LOGICAL.has(node.rest.at(-1)?.operator ?? '');
    case 'prefix':
      return node.operator === 'NOT';
    case 'parenthesized':
      return isCondition(node.inner);
    case 'constant':
      return node.word !== 'NULL';
    case 'column':
    case 'case':
    case 'between':
    case 'like':
    case 'in':
    case 'inQuery':
    case 'exists':
    case 'quantified':
      return true;
    case 'call':
      return node.form.form === 'function';
    case 'star':
    case 'number':
    case 'string':
    case 'placeholder':
    case 'value':
    case 'scalarQuery':
    case 'tuple':
    case 'collate':
    case 'groupConcat':
    case 'over':
      return false;
  }
}
