import type { SqlDialect } from '@gatehouse/contract';

/** The functions that statements and rules of a dialect may call, in lower case. All others are refused. */
export interface AllowedFunctions {
  /**
   * Functions from one value to one value. None executes text as SQL, refers to a relation, file, connection
   * or setting, or has side effects.
   */
  scalar: ReadonlySet<string>;
  /** Functions from many rows to one value; refused in a rule. */
  aggregate: ReadonlySet<string>;
  /** Functions that require OVER; refused in a rule. Aggregates may be used with OVER too. */
  window: ReadonlySet<string>;
  /** Functions from one value to many rows; refused in a rule. */
  setReturning: ReadonlySet<string>;
}

function words(...lists: string[]): ReadonlySet<string> {
  return new Set(lists.join(' ').split(/\s+/).filter(Boolean));
}

const COMMON_SCALAR = `abs acos asin atan atan2 ceil ceiling concat cos cot degrees exp floor length ln log
  lower ltrim mod pi pow power radians replace round rtrim sign sin sqrt substr substring tan trim upper`;
const COMMON_AGGREGATE = 'avg count max min sum';
const COMMON_WINDOW =
  'cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number';

const POSTGRES: AllowedFunctions = {
  scalar: words(
    COMMON_SCALAR,
    `acosd asind atand atan2d cosd cotd sind tand sinh cosh tanh asinh acosh atanh cbrt div erf erfc
    factorial gcd lcm log10 min_scale scale trim_scale trunc width_bucket`,
    `ascii bit_length btrim char_length character_length chr concat_ws decode encode format initcap left
    like_escape lpad md5 normalize is_normalized octet_length overlay position quote_ident quote_literal
    quote_nullable regexp_count regexp_instr regexp_like regexp_match regexp_replace regexp_split_to_array
    regexp_substr repeat reverse right rpad sha224 sha256 sha384 sha512 similar_to_escape split_part
    starts_with string_to_array strpos to_ascii to_hex translate unistr casefold bit_count get_bit get_byte
    set_bit set_byte`,
    `age clock_timestamp date_bin date_part date_trunc extract isfinite justify_days justify_hours
    justify_interval make_date make_interval make_time make_timestamp make_timestamptz now overlaps
    statement_timestamp timeofday timezone to_char to_date to_number to_timestamp transaction_timestamp`,
    `array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position
    array_positions array_prepend array_remove array_replace array_to_string array_upper cardinality
    trim_array array_reverse array_sort isempty lower_inc lower_inf range_merge upper_inc upper_inf
    int4range int8range numrange daterange tsrange tstzrange`,
    `array_to_json json_array_length json_build_array json_build_object json_extract_path
    json_extract_path_text json_object json_strip_nulls json_typeof jsonb_array_length jsonb_build_array
    jsonb_build_object jsonb_contains jsonb_exists jsonb_exists_all jsonb_exists_any jsonb_extract_path
    jsonb_extract_path_text jsonb_insert jsonb_object jsonb_path_exists jsonb_path_match
    jsonb_path_query_array jsonb_path_query_first jsonb_pretty jsonb_set jsonb_set_lax jsonb_strip_nulls
    jsonb_typeof row_to_json to_json to_jsonb`,
    `num_nonnulls num_nulls uuid_extract_timestamp uuid_extract_version abbrev broadcast family host
    hostmask inet_merge inet_same_family masklen netmask network set_masklen`,
    `numnode plainto_tsquery phraseto_tsquery querytree strip to_tsquery to_tsvector ts_headline ts_rank
    ts_rank_cd websearch_to_tsquery area center diameter height radius width`,
  ),
  aggregate: words(
    COMMON_AGGREGATE,
    `any_value array_agg bit_and bit_or bit_xor bool_and bool_or corr covar_pop covar_samp every json_agg
    json_object_agg jsonb_agg jsonb_object_agg mode percentile_cont percentile_disc range_agg
    range_intersect_agg regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy
    regr_syy stddev stddev_pop stddev_samp string_agg var_pop var_samp variance`,
  ),
  window: words(COMMON_WINDOW),
  setReturning: words(
    `generate_series generate_subscripts json_array_elements json_array_elements_text json_each
    json_each_text json_object_keys jsonb_array_elements jsonb_array_elements_text jsonb_each
    jsonb_each_text jsonb_object_keys jsonb_path_query regexp_matches regexp_split_to_table string_to_table
    unnest`,
  ),
};

const MYSQL: AllowedFunctions = {
  scalar: words(
    COMMON_SCALAR,
    `ascii bin bit_count bit_length char_length character_length coalesce concat_ws conv crc32 elt field
    find_in_set format from_base64 greatest hex if ifnull instr insert isnull lcase least left locate log10
    log2 lpad md5 mid nullif octet_length oct ord position quote regexp_instr regexp_like regexp_replace
    regexp_substr repeat reverse right rpad sha sha1 sha2 soundex space strcmp substring_index to_base64
    truncate ucase unhex`,
    `adddate addtime convert_tz curdate current_date current_time current_timestamp curtime date date_add
    date_format date_sub datediff day dayname dayofmonth dayofweek dayofyear extract from_days from_unixtime
    hour last_day localtime localtimestamp makedate maketime microsecond minute month monthname now
    period_add period_diff quarter sec_to_time second str_to_date subdate subtime time time_format
    time_to_sec timediff timestamp timestampadd timestampdiff to_days to_seconds unix_timestamp utc_date
    utc_time utc_timestamp week weekday weekofyear year yearweek`,
    `json_array json_array_append json_array_insert json_contains json_contains_path json_depth json_extract
    json_insert json_keys json_length json_merge_patch json_merge_preserve json_object json_overlaps
    json_pretty json_quote json_remove json_replace json_search json_set json_type json_unquote json_valid
    json_value`,
    'char export_set inet6_aton inet6_ntoa inet_aton inet_ntoa is_ipv4 is_ipv6 make_set',
  ),
  aggregate: words(
    COMMON_AGGREGATE,
    `any_value bit_and bit_or bit_xor group_concat json_arrayagg json_objectagg std stddev stddev_pop
    stddev_samp var_pop var_samp variance`,
  ),
  window: words(COMMON_WINDOW),
  setReturning: words(''),
};

const SQLITE: AllowedFunctions = {
  scalar: words(
    COMMON_SCALAR,
    `acosh asinh atanh char coalesce concat_ws cosh format glob hex ifnull iif instr like log10 log2 nullif
    octet_length printf quote sinh tanh trunc typeof unhex unicode soundex unlikely likely likelihood`,
    `date datetime julianday strftime time timediff unixepoch`,
    `json json_array json_array_length json_extract json_insert json_object json_patch json_quote
    json_remove json_replace json_set json_type json_valid`,
  ),
  aggregate: words(COMMON_AGGREGATE, 'group_concat json_group_array json_group_object string_agg total'),
  window: words(COMMON_WINDOW),
  setReturning: words(''),
};

/**
 * The functions that the warehouses have in common. Their expressions are printed, but their statements are
 * not rewritten.
 */
const WAREHOUSE: AllowedFunctions = {
  scalar: words(
    COMMON_SCALAR,
    `coalesce concat_ws contains date_trunc endswith extract greatest ifnull least left lpad nullif
    right rpad`,
    'starts_with startswith strpos to_char to_date year month day hour minute second',
  ),
  aggregate: words(COMMON_AGGREGATE),
  window: words(COMMON_WINDOW),
  setReturning: words(''),
};

export const ALLOWED_FUNCTIONS: Readonly<Record<SqlDialect, AllowedFunctions>> = {
  postgres: POSTGRES,
  mysql: MYSQL,
  sqlite: SQLITE,
  duckdb: WAREHOUSE,
  snowflake: WAREHOUSE,
  bigquery: WAREHOUSE,
  mssql: WAREHOUSE,
};
