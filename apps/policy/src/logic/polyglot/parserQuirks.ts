import type { Expression, Query } from './tree.js';

/**
 * The parser gives `a NOT LIKE b` the tree of `NOT a LIKE b`, and so with IS and, in some dialects, with IN. The first
 * reading is taken; the comparison of the words refuses the other, which `NOT (a LIKE b)` says as well.
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

/** The parser puts the query after ANY and ALL into parentheses at times. */
export function unwrapQuery(query: Query): Query {
  const isBare = query.body.kind === 'parenthesizedQuery' && query.commonTables.length === 0;
  return isBare && query.body.kind === 'parenthesizedQuery' ? query.body.query : query;
}
