import type { A_Const, Node, SQLValueFunction, WindowDef } from '@pgsql/types';
import { textsOf } from './trees.js';

/** The keywords of PostgreSQL 18 that must be quoted as names: all except the unreserved ones. */
const KEYWORDS: ReadonlySet<string> = new Set(
  `all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean
  both case cast char character check coalesce collate collation column concurrently constraint create
  cross current_catalog current_date current_role current_schema current_time current_timestamp
  current_user dec decimal default deferrable desc distinct do else end except exists extract false
  fetch float for foreign freeze from full grant greatest group grouping having ilike in initially
  inner inout int integer intersect interval into is isnull join json json_array json_arrayagg
  json_exists json_object json_objectagg json_query json_scalar json_serialize json_table json_value
  lateral leading least left like limit localtime localtimestamp merge_action national natural nchar
  none normalize not notnull null nullif numeric offset on only or order out outer overlaps overlay
  placing position precision primary real references returning right row select session_user setof
  similar smallint some substring symmetric system_user table tablesample then time timestamp to
  trailing treat trim true union unique user using values varchar variadic verbose when where window
  with xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot
  xmlserialize xmltable`.split(/\s+/),
);

const PLAIN = /^[a-z_][a-z0-9_]*$/;

/** A name as SQL: quoted only if it would not read back as itself. */
export function quoteName(name: string): string {
  if (PLAIN.test(name) && !KEYWORDS.has(name)) return name;
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * A string as SQL. A string with a backslash becomes an escape string, which reads the same for every setting
 * of `standard_conforming_strings`.
 */
function quoteString(value: string): string {
  const doubled = value.replaceAll("'", "''");
  return value.includes('\\') ? `E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`;
}

/** The bits of a window's `frameOptions`, as parsenodes.h of PostgreSQL numbers them. */
const FRAME = {
  nonDefault: 0x1,
  range: 0x2,
  rows: 0x4,
  groups: 0x8,
  between: 0x10,
  startUnboundedPreceding: 0x20,
  startUnboundedFollowing: 0x80,
  endUnboundedPreceding: 0x40,
  endUnboundedFollowing: 0x100,
  startCurrentRow: 0x200,
  endCurrentRow: 0x400,
  startOffsetPreceding: 0x800,
  endOffsetPreceding: 0x1000,
  excludeCurrentRow: 0x8000,
  excludeGroup: 0x10000,
  excludeTies: 0x20000,
};

export function printConstant(constant: A_Const): string {
  if (constant.isnull) return 'NULL';
  if (constant.ival) return String(constant.ival.ival ?? 0);
  if (constant.fval) return constant.fval.fval ?? '0';
  if (constant.boolval) return constant.boolval.boolval ? 'true' : 'false';
  if (!constant.bsval) return quoteString(constant.sval?.sval ?? '');
  const bits = constant.bsval.bsval ?? 'b';
  return `${bits.charAt(0)}${quoteString(bits.slice(1))}`;
}

export function printOperator(names: readonly Node[] | undefined): string {
  const [first = '', second] = textsOf(names);
  return second === undefined ? first : `OPERATOR(${quoteName(first)}.${second})`;
}

/** @param printBound prints the number of rows in `3 PRECEDING` */
export function printFrame(window: WindowDef, printBound: (node: Node | undefined) => string): string {
  const options = window.frameOptions ?? 0;
  const has = (flag: number): boolean => (options & flag) !== 0;
  if (!has(FRAME.nonDefault)) return '';
  const unit = has(FRAME.rows) ? 'ROWS' : has(FRAME.groups) ? 'GROUPS' : 'RANGE';
  const bound = (side: 'start' | 'end'): string => {
    if (has(FRAME[`${side}UnboundedPreceding`])) return 'UNBOUNDED PRECEDING';
    if (has(FRAME[`${side}UnboundedFollowing`])) return 'UNBOUNDED FOLLOWING';
    if (has(FRAME[`${side}CurrentRow`])) return 'CURRENT ROW';
    const offset = printBound(side === 'start' ? window.startOffset : window.endOffset);
    return `${offset} ${has(FRAME[`${side}OffsetPreceding`]) ? 'PRECEDING' : 'FOLLOWING'}`;
  };
  const range = has(FRAME.between) ? `BETWEEN ${bound('start')} AND ${bound('end')}` : bound('start');
  const excluded = has(FRAME.excludeCurrentRow)
    ? ' EXCLUDE CURRENT ROW'
    : has(FRAME.excludeGroup)
      ? ' EXCLUDE GROUP'
      : has(FRAME.excludeTies)
        ? ' EXCLUDE TIES'
        : '';
  return `${unit} ${range}${excluded}`;
}

export function printValueFunction({ op, typmod }: SQLValueFunction): string {
  const word = (op ?? '').replace(/^SVFOP_/, '');
  return word.endsWith('_N') ? `${word.slice(0, -2)}(${typmod ?? 0})` : word;
}
