import type { Node } from '@pgsql/types';
import { ALLOWED_FUNCTIONS } from '../../logic/allowedFunctions.js';
import { openNode, stringNode, textsOf, isFields } from './trees.js';

/** The schema of PostgreSQL's built-in functions, types and operators. Allowed names are printed with it. */
export const BUILT_IN_SCHEMA = 'pg_catalog';

export const FUNCTIONS = ALLOWED_FUNCTIONS.postgres;

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
export const TYPES: ReadonlySet<string> = new Set(
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
export const OPERATORS: ReadonlySet<string> = new Set(
  `+ - * / % ^ |/ ||/ @ & | # ~ << >> = <> != < > <= >= || ~~ !~~ ~~* !~~* !~ ~* !~* ^@ -> ->> #> #>> @> <@ ? ?| ?& #- @? @@
  && -|- &< &> &<| |&> <<| |>> ## <-> ?- ?# ?|| ?-| ~= <<= >>= @@@ !! ~<~ ~<=~ ~>~ ~>=~ *= *<> <^ >^`.split(
    /\s+/,
  ),
);

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
