import type { Expression, Query } from './tree.js';

/**
 * The parser returns the same tree for `a NOT LIKE b` and `NOT a LIKE b`, likewise for IS and, in some
 * dialects, IN. The first reading is used. The comparison of the words refuses the other one, which `NOT (a
 * LIKE b)` can express too.
 */
export function negate(inner: Expression): Expression {
  const isRange = inner.kind === 'in' || inner.kind === 'inQuery' || inner.kind === 'between';
  if (isRange && !inner.isNegated) return { ...inner, isNegated: true };
  if (inner.kind === 'like') return { ...inner, operator: `NOT ${inner.operator}` };
  const [link] = inner.kind === 'chain' ? inner.rest : [];
  if (inner.kind === 'chain' && inner.rest.length === 1 && link?.operator === 'IS') {
    return { ...inner, rest: [{ ...link, operator: 'IS NOT' }] };
  }
  return { kind: 'prefix', operator: 'NOT', operand: inner };
}

/** The parser sometimes wraps the query after ANY and ALL in parentheses. */
export function unwrapQuery(query: Query): Query {
  const isBare = query.body.kind === 'parenthesizedQuery' && query.commonTables.length === 0;
  return isBare && query.body.kind === 'parenthesizedQuery' ? query.body.query : query;
}
