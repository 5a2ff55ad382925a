import type { Node } from '@pgsql/types';
import { ALLOWED_FUNCTIONS } from '../../logic/allowedFunctions.js';
import { Refusal } from '../../logic/denials.js';
import { GRAMMAR, type FieldRule } from './grammar.js';
import { isFields, openNode, stringNode, textsOf, type Fields } from './trees.js';

/** The schema of PostgreSQL's built-in functions, types and operators. Allowed names are printed with it. */
const BUILT_IN_SCHEMA = 'pg_catalog';

const FUNCTIONS = ALLOWED_FUNCTIONS.postgres;

/**
 * Functions with arguments of any type. PostgreSQL cannot infer the type of an untyped parameter there, while
 * a literal would be text.
 */
export const ANY_ARGUMENT_FUNCTIONS: ReadonlySet<string> = new Set([
  'concat',
  'concat_ws',
  'format',
  'json_build_array',
  'json_build_object',
  'jsonb_build_array',
  'jsonb_build_object',
  'num_nonnulls',
  'num_nulls',
  'row_to_json',
  'to_json',
  'to_jsonb',
]);

/** The types allowed in casts. Types that look up a name in the catalog, such as `regclass`, are excluded. */
const TYPES: ReadonlySet<string> = new Set(
  `bit bool box bpchar bytea char cidr circle date datemultirange daterange float4 float8 inet int2
  int4 int4multirange int4range int8 int8multirange int8range interval json jsonb jsonpath line lseg
  macaddr macaddr8 money name numeric nummultirange numrange path point polygon text time timestamp
  timestamptz timetz tsmultirange tsquery tsrange tstzmultirange tstzrange tsvector uuid varbit
  varchar`.split(/\s+/),
);

/**
 * PostgreSQL's built-in operators, as `\do pg_catalog.*` lists them, and the words that the tree contains for
 * some constructs.
 */
const OPERATORS: ReadonlySet<string> = new Set(
  `+ - * / % ^ |/ ||/ @ & | # ~ << >> = <> != < > <= >= || ~~ !~~ ~~* !~~* !~ ~* !~* ^@ -> ->> #> #>> @> <@ ? ?| ?& #- @? @@
  && -|- &< &> &<| |&> <<| |>> ## <-> ?- ?# ?|| ?-| ~= <<= >>= @@@ !! ~<~ ~<=~ ~>~ ~>=~ *= *<> <^ >^`.split(
    /\s+/,
  ),
);

/**
 * A statement may aggregate but may not contain parameters. For the expression of a rule it is the other way
 * round.
 */
export type TreeContext = 'statement' | 'expression';

/**
 * Walks a parse tree and refuses everything that is not on the allowlist: kinds of nodes, fields, functions,
 * operators, types.
 * @throws {Refusal} with `position` in bytes of the parsed text
 */
export function checkTree(kind: string, fields: unknown, context: TreeContext): void {
  const rules = Object.hasOwn(GRAMMAR, kind) ? GRAMMAR[kind] : undefined;
  if (!rules || !isFields(fields)) throw forbidden(kind, fields);
  CHECKS[kind]?.(fields, context);
  for (const [name, value] of Object.entries(fields)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined || !isAllowed(rule, value, context)) throw forbidden(`${kind}.${name}`, fields);
  }
}

/** The SQL of frequent constructs. The grammar has other names for them, which a caller does not know. */
const SQL_NAMES: Readonly<Record<string, string>> = {
  'SelectStmt.lockingClause': 'a locking clause such as FOR UPDATE',
  'SelectStmt.intoClause': 'SELECT INTO',
  'SQLValueFunction.op': 'a function that describes the session, such as current_user,',
  'CommonTableExpr.search_clause': 'SEARCH',
  'CommonTableExpr.cycle_clause': 'CYCLE',
  RangeTableSample: 'TABLESAMPLE',
  RangeTableFunc: 'XMLTABLE',
  XmlExpr: 'an XML function',
  XmlSerialize: 'XMLSERIALIZE',
  JsonObjectConstructor: 'JSON_OBJECT',
  JsonArrayConstructor: 'JSON_ARRAY',
  JsonFuncExpr: 'an SQL/JSON function',
  JsonIsPredicate: 'IS JSON',
  JsonTable: 'JSON_TABLE',
};

function forbidden(what: string, fields: unknown): Refusal {
  const message = `${SQL_NAMES[what] ?? what} is not allowed`;
  return new Refusal('FORBIDDEN_CONSTRUCT', message, { position: placeOf(fields) });
}

/** The position of the fields in the text, or the nearest position below them. */
function placeOf(fields: unknown): number | null {
  if (Array.isArray(fields)) return placeOf(fields[0]);
  if (!isFields(fields)) return null;
  if (typeof fields.location === 'number' && fields.location >= 0) return fields.location;
  for (const value of Object.values(fields)) {
    const place = placeOf(value);
    if (place !== null) return place;
  }
  return null;
}

function isAllowed(rule: FieldRule, value: unknown, context: TreeContext): boolean {
  if (rule === 'node') return isAllowedNode(value, context);
  if (rule === 'nodes') return Array.isArray(value) && value.every((item) => isAllowedNode(item, context));
  if (rule === 'names') return Array.isArray(value) && value.every((item) => textOf(item) !== undefined);
  if (rule === 'name') return typeof value === 'string';
  if (rule === 'flag') return typeof value === 'boolean';
  if (rule === 'number' || rule === 'place') return typeof value === 'number';
  if ('of' in rule) {
    checkTree(rule.of, value, context);
    return true;
  }
  return typeof value === 'string' && rule.includes(value);
}

function isAllowedNode(value: unknown, context: TreeContext): boolean {
  if (!isFields(value)) return false;
  const [kind, ...others] = Object.keys(value);
  // The list of a function in FROM ends with an empty node in place of column definitions.
  if (kind === undefined) return true;
  if (others.length > 0) return false;
  checkTree(kind, value[kind], context);
  return true;
}

function textOf(node: unknown): string | undefined {
  if (!isFields(node) || !isFields(node.String)) return undefined;
  const { sval } = node.String;
  return sval === undefined ? '' : typeof sval === 'string' ? sval : undefined;
}

/** The last part of a name that has one part, or two parts of which the first is the built-in schema. */
function builtInName(names: unknown): string | undefined {
  if (!Array.isArray(names)) return undefined;
  const [first, second, ...others] = names.map(textOf);
  if (others.length > 0) return undefined;
  return second === undefined ? first : first === BUILT_IN_SCHEMA ? second : undefined;
}

function writtenName(names: unknown): string {
  return Array.isArray(names) ? names.map(textOf).join('.') : '';
}

function kindOf(node: unknown): string | undefined {
  return isFields(node) ? Object.keys(node)[0] : undefined;
}

type Check = (fields: Fields, context: TreeContext) => void;

const CHECKS: Readonly<Partial<Record<string, Check>>> = {
  FuncCall: checkFunction,
  A_Expr: (fields) => checkOperator(fields.name, fields),
  SubLink(fields) {
    if (fields.operName !== undefined) checkOperator(fields.operName, fields);
    if (kindOf(fields.subselect) !== 'SelectStmt') throw forbidden('a subquery of this kind', fields);
  },
  TypeName(fields) {
    const name = builtInName(fields.names);
    if (name === undefined || !TYPES.has(name)) {
      const message = `the type ${writtenName(fields.names)} is not allowed`;
      throw new Refusal('FORBIDDEN_TYPE', message, { position: placeOf(fields) });
    }
  },
  CommonTableExpr(fields) {
    if (kindOf(fields.ctequery) !== 'SelectStmt') throw forbidden('a data-changing WITH', fields);
  },
  RangeSubselect(fields) {
    if (kindOf(fields.subquery) !== 'SelectStmt') throw forbidden('this in FROM', fields);
  },
  // Renaming a column would turn it into a cross join.
  JoinExpr(fields, context) {
    if (context === 'expression' && fields.isNatural === true) throw forbidden('NATURAL in a rule', fields);
  },
  RangeFunction(fields) {
    const functions = Array.isArray(fields.functions) ? fields.functions : [];
    if (!functions.every(isPlainCall)) throw forbidden('a function with column definitions', fields);
  },
  CollateClause(fields) {
    if (builtInName(fields.collname) === undefined) throw forbidden('a collation of another schema', fields);
  },
  // `(row).name` may call a function of that name.
  A_Indirection(fields) {
    const parts = Array.isArray(fields.indirection) ? fields.indirection : [];
    if (!parts.every((part) => kindOf(part) === 'A_Indices'))
      throw forbidden('a part of a composite value', fields);
  },
  ColumnRef(fields, context) {
    const parts = Array.isArray(fields.fields) ? fields.fields : [];
    if (parts.length > 3) throw forbidden('a column with a database', fields);
    if (context === 'expression' && kindOf(parts.at(-1)) === 'A_Star') throw forbidden('a star', fields);
  },
  ParamRef(fields, context) {
    if (context === 'statement') throw forbidden('a parameter', fields);
  },
};

function checkOperator(names: unknown, fields: Fields): void {
  const name = builtInName(names);
  const isWord = name !== undefined && /^(?:NOT )?BETWEEN(?: SYMMETRIC)?$/.test(name);
  if (name !== undefined && (isWord || OPERATORS.has(name))) return;
  const message = `the operator ${writtenName(names)} is not allowed`;
  throw new Refusal('FORBIDDEN_OPERATOR', message, { position: placeOf(fields) });
}

function checkFunction(fields: Fields, context: TreeContext): void {
  const name = builtInName(fields.funcname);
  const isForRows = name !== undefined && FUNCTIONS.scalar.has(name);
  const isForSets =
    name !== undefined &&
    [FUNCTIONS.aggregate, FUNCTIONS.window, FUNCTIONS.setReturning].some((set) => set.has(name));
  const isPlain =
    fields.over === undefined && fields.agg_filter === undefined && fields.agg_star === undefined;
  if (context === 'expression' ? isForRows && isPlain : isForRows || isForSets) return;
  const written = Array.isArray(fields.funcname) ? fields.funcname.map(textOf).join('.') : '';
  throw new Refusal('FORBIDDEN_FUNCTION', `the function ${written} is not allowed here`, {
    position: placeOf(fields),
  });
}

function isPlainCall(entry: unknown): boolean {
  if (!isFields(entry) || !isFields(entry.List) || !Array.isArray(entry.List.items)) return false;
  const [call, definitions] = entry.List.items;
  return kindOf(call) === 'FuncCall' && kindOf(definitions) === undefined;
}

/**
 * Qualifies every function and type of a checked tree with the built-in schema, so that it cannot refer to
 * another one of the same name. Functions with a syntax of their own become plain calls.
 */
export function qualifyBuiltIns(value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) qualifyBuiltIns(item);
    return;
  }
  if (!isFields(value)) return;
  const opened = openNode(value as unknown as Node);
  if (opened?.kind === 'FuncCall') {
    opened.fields.funcname = builtIn(opened.fields.funcname);
    opened.fields.funcformat = 'COERCE_EXPLICIT_CALL';
  }
  if (opened?.kind === 'TypeCast' && opened.fields.typeName) {
    opened.fields.typeName.names = builtIn(opened.fields.typeName.names);
  }
  // SIMILAR TO is `~` with a translated pattern, which the tree already contains.
  if (opened?.kind === 'A_Expr' && opened.fields.kind === 'AEXPR_SIMILAR') opened.fields.kind = 'AEXPR_OP';
  for (const child of Object.values(value)) qualifyBuiltIns(child);
}

function builtIn(names: readonly Node[] | undefined): Node[] {
  return [BUILT_IN_SCHEMA, textsOf(names).at(-1) ?? ''].map(stringNode);
}
