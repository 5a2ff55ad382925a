/**
 * The allowed content of a field: `node` an optional node, `nodes` a list of nodes, `name` a text, `names` a
 * list of texts, `flag` a boolean, `number` a number, `place` a position in the text, a list of words one of
 * these words, `{ of }` the fields of that kind without its wrapper.
 */
export type FieldRule =
  | 'node'
  | 'nodes'
  | 'name'
  | 'names'
  | 'flag'
  | 'number'
  | 'place'
  | readonly string[]
  | { readonly of: string };

const SELECT: Record<string, FieldRule> = {
  distinctClause: 'nodes',
  targetList: 'nodes',
  fromClause: 'nodes',
  whereClause: 'node',
  groupClause: 'nodes',
  groupDistinct: 'flag',
  havingClause: 'node',
  windowClause: 'nodes',
  valuesLists: 'nodes',
  sortClause: 'nodes',
  limitOffset: 'node',
  limitCount: 'node',
  limitOption: ['LIMIT_OPTION_DEFAULT', 'LIMIT_OPTION_COUNT', 'LIMIT_OPTION_WITH_TIES'],
  withClause: { of: 'WithClause' },
  op: ['SETOP_NONE', 'SETOP_UNION', 'SETOP_INTERSECT', 'SETOP_EXCEPT'],
  all: 'flag',
  larg: { of: 'SelectStmt' },
  rarg: { of: 'SelectStmt' },
};

const EXPRESSIONS = [
  'AEXPR_OP',
  'AEXPR_OP_ANY',
  'AEXPR_OP_ALL',
  'AEXPR_DISTINCT',
  'AEXPR_NOT_DISTINCT',
  'AEXPR_NULLIF',
  'AEXPR_IN',
  'AEXPR_LIKE',
  'AEXPR_ILIKE',
  'AEXPR_SIMILAR',
  'AEXPR_BETWEEN',
  'AEXPR_NOT_BETWEEN',
  'AEXPR_BETWEEN_SYM',
  'AEXPR_NOT_BETWEEN_SYM',
];

/**
 * The allowed kinds of nodes in statements and rules, with their allowed fields. Everything else is refused:
 * INTO, locking clauses, ONLY's partners, and everything that a later version of PostgreSQL adds. The kinds
 * and fields are those of PostgreSQL's raw parse tree (parsenodes.h, primnodes.h).
 */
export const GRAMMAR: Readonly<Record<string, Readonly<Record<string, FieldRule>>>> = {
  SelectStmt: SELECT,
  WithClause: { ctes: 'nodes', recursive: 'flag', location: 'place' },
  CommonTableExpr: {
    ctename: 'name',
    aliascolnames: 'names',
    ctematerialized: ['CTEMaterializeDefault', 'CTEMaterializeAlways', 'CTEMaterializeNever'],
    ctequery: 'node',
    location: 'place',
  },
  ResTarget: { name: 'name', val: 'node', location: 'place' },
  RangeVar: {
    catalogname: 'name',
    schemaname: 'name',
    relname: 'name',
    inh: 'flag',
    relpersistence: ['p'],
    alias: { of: 'Alias' },
    location: 'place',
  },
  RangeSubselect: { lateral: 'flag', subquery: 'node', alias: { of: 'Alias' } },
  RangeFunction: {
    lateral: 'flag',
    ordinality: 'flag',
    is_rowsfrom: 'flag',
    functions: 'nodes',
    alias: { of: 'Alias' },
  },
  JoinExpr: {
    jointype: ['JOIN_INNER', 'JOIN_LEFT', 'JOIN_FULL', 'JOIN_RIGHT'],
    isNatural: 'flag',
    larg: 'node',
    rarg: 'node',
    usingClause: 'names',
    join_using_alias: { of: 'Alias' },
    quals: 'node',
    alias: { of: 'Alias' },
  },
  Alias: { aliasname: 'name', colnames: 'names' },
  List: { items: 'nodes' },
  ColumnRef: { fields: 'nodes', location: 'place' },
  String: { sval: 'name' },
  A_Star: {},
  A_Const: {
    ival: { of: 'Integer' },
    fval: { of: 'Float' },
    boolval: { of: 'Boolean' },
    sval: { of: 'String' },
    bsval: { of: 'BitString' },
    isnull: 'flag',
    location: 'place',
  },
  Integer: { ival: 'number' },
  Float: { fval: 'name' },
  Boolean: { boolval: 'flag' },
  BitString: { bsval: 'name' },
  ParamRef: { number: 'number', location: 'place' },
  A_Expr: {
    kind: EXPRESSIONS,
    name: 'names',
    lexpr: 'node',
    rexpr: 'node',
    rexpr_list_start: 'place',
    rexpr_list_end: 'place',
    location: 'place',
  },
  BoolExpr: { boolop: ['AND_EXPR', 'OR_EXPR', 'NOT_EXPR'], args: 'nodes', location: 'place' },
  NullTest: { arg: 'node', nulltesttype: ['IS_NULL', 'IS_NOT_NULL'], location: 'place' },
  BooleanTest: {
    arg: 'node',
    booltesttype: ['IS_TRUE', 'IS_NOT_TRUE', 'IS_FALSE', 'IS_NOT_FALSE', 'IS_UNKNOWN', 'IS_NOT_UNKNOWN'],
    location: 'place',
  },
  SubLink: {
    subLinkType: ['EXISTS_SUBLINK', 'ALL_SUBLINK', 'ANY_SUBLINK', 'EXPR_SUBLINK', 'ARRAY_SUBLINK'],
    testexpr: 'node',
    operName: 'names',
    subselect: 'node',
    location: 'place',
  },
  FuncCall: {
    funcname: 'names',
    args: 'nodes',
    agg_order: 'nodes',
    agg_filter: 'node',
    over: { of: 'WindowDef' },
    agg_within_group: 'flag',
    agg_star: 'flag',
    agg_distinct: 'flag',
    func_variadic: 'flag',
    funcformat: ['COERCE_EXPLICIT_CALL', 'COERCE_SQL_SYNTAX'],
    location: 'place',
  },
  NamedArgExpr: { name: 'name', arg: 'node', argnumber: 'number', location: 'place' },
  WindowDef: {
    name: 'name',
    refname: 'name',
    partitionClause: 'nodes',
    orderClause: 'nodes',
    frameOptions: 'number',
    startOffset: 'node',
    endOffset: 'node',
    location: 'place',
  },
  SortBy: {
    node: 'node',
    sortby_dir: ['SORTBY_DEFAULT', 'SORTBY_ASC', 'SORTBY_DESC'],
    sortby_nulls: ['SORTBY_NULLS_DEFAULT', 'SORTBY_NULLS_FIRST', 'SORTBY_NULLS_LAST'],
    location: 'place',
  },
  GroupingSet: {
    kind: [
      'GROUPING_SET_EMPTY',
      'GROUPING_SET_SIMPLE',
      'GROUPING_SET_ROLLUP',
      'GROUPING_SET_CUBE',
      'GROUPING_SET_SETS',
    ],
    content: 'nodes',
    location: 'place',
  },
  GroupingFunc: { args: 'nodes', location: 'place' },
  CaseExpr: { arg: 'node', args: 'nodes', defresult: 'node', location: 'place' },
  CaseWhen: { expr: 'node', result: 'node', location: 'place' },
  CoalesceExpr: { args: 'nodes', location: 'place' },
  MinMaxExpr: { op: ['IS_GREATEST', 'IS_LEAST'], args: 'nodes', location: 'place' },
  RowExpr: {
    args: 'nodes',
    row_format: ['COERCE_EXPLICIT_CALL', 'COERCE_IMPLICIT_CAST'],
    location: 'place',
  },
  A_ArrayExpr: { elements: 'nodes', list_start: 'place', list_end: 'place', location: 'place' },
  A_Indirection: { arg: 'node', indirection: 'nodes' },
  A_Indices: { is_slice: 'flag', lidx: 'node', uidx: 'node' },
  CollateClause: { arg: 'node', collname: 'names', location: 'place' },
  TypeCast: { arg: 'node', typeName: { of: 'TypeName' }, location: 'place' },
  TypeName: {
    names: 'names',
    typmods: 'nodes',
    typemod: 'number',
    arrayBounds: 'nodes',
    location: 'place',
  },
  SQLValueFunction: {
    op: [
      'SVFOP_CURRENT_DATE',
      'SVFOP_CURRENT_TIME',
      'SVFOP_CURRENT_TIME_N',
      'SVFOP_CURRENT_TIMESTAMP',
      'SVFOP_CURRENT_TIMESTAMP_N',
      'SVFOP_LOCALTIME',
      'SVFOP_LOCALTIME_N',
      'SVFOP_LOCALTIMESTAMP',
      'SVFOP_LOCALTIMESTAMP_N',
    ],
    typmod: 'number',
    location: 'place',
  },
};
