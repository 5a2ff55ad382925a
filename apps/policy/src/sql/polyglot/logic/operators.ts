type Operators = Readonly<Record<string, string>>;

/** The operators whose nodes have a left and a right side. */
export const SIDED: Operators = {
  and: 'AND',
  or: 'OR',
  eq: '=',
  neq: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  add: '+',
  sub: '-',
  mul: '*',
  div: '/',
  mod: '%',
  bitwise_and: '&',
  bitwise_or: '|',
  bitwise_xor: '^',
  bitwise_left_shift: '<<',
  bitwise_right_shift: '>>',
  concat: '||',
  is: 'IS',
  null_safe_eq: 'IS NOT DISTINCT FROM',
  null_safe_neq: 'IS DISTINCT FROM',
};
/** The operators whose nodes have a `this` and an `expression`. */
export const PAIRED: Operators = { xor: 'XOR', int_div: 'DIV' };
/** The operators whose nodes have a `this` and a `path`. */
export const ARROWS: Operators = { json_extract: '->', json_extract_scalar: '->>' };
export const LIKES: Operators = {
  like: 'LIKE',
  i_like: 'ILIKE',
  glob: 'GLOB',
  regexp_like: 'REGEXP',
};
export const COMPARISONS: Operators = {
  Eq: '=',
  Neq: '<>',
  Lt: '<',
  Lte: '<=',
  Gt: '>',
  Gte: '>=',
};

/** AND and OR, which combine any number of conditions. */
export const isJunction = (kind: string): boolean => kind === 'and' || kind === 'or';
