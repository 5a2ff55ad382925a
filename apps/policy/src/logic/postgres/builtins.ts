import { ALLOWED_FUNCTIONS } from '../sql/allowedFunctions.js';

/** The schema of PostgreSQL's own functions, types and operators. Everything allowed is printed with it. */
export const BUILT_IN_SCHEMA = 'pg_catalog';

export const FUNCTIONS = ALLOWED_FUNCTIONS.postgres;

/**
 * Functions that take arguments of any type. A parameter of no type among those has none that PostgreSQL could infer, where a
 * literal would be text.
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

/** The types that a cast may name. Those that look a name up in the catalog, such as `regclass`, are not here. */
export const TYPES: ReadonlySet<string> = new Set(
  `bit bool box bpchar bytea char cidr circle date datemultirange daterange float4 float8 inet int2 int4 int4multirange
  int4range int8 int8multirange int8range interval json jsonb jsonpath line lseg macaddr macaddr8 money name numeric
  nummultirange numrange path point polygon text time timestamp timestamptz timetz tsmultirange tsquery tsrange tstzmultirange
  tstzrange tsvector uuid varbit varchar`.split(/\s+/),
);

/** PostgreSQL's own operators, as `\do pg_catalog.*` lists them, and the words that the tree writes for some constructs. */
export const OPERATORS: ReadonlySet<string> = new Set(
  `+ - * / % ^ |/ ||/ @ & | # ~ << >> = <> != < > <= >= || ~~ !~~ ~~* !~~* !~ ~* !~* ^@ -> ->> #> #>> @> <@ ? ?| ?& #- @? @@
  && -|- &< &> &<| |&> <<| |>> ## <-> ?- ?# ?|| ?-| ~= <<= >>= @@@ !! ~<~ ~<=~ ~>~ ~>=~ *= *<> <^ >^`.split(
    /\s+/,
  ),
);
