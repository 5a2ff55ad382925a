import type { A_Const, Node, SQLValueFunction, WindowDef } from '@pgsql/types';
import { quoteName, quoteString } from './keywords.js';
import { textsOf } from './nodes.js';

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
