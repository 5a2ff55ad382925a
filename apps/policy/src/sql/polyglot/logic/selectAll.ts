import { GOVERNED } from './reservedNames.js';
import type { Expression, Name, Query } from './tree.js';

/**
 * More rows than can exist. A limit keeps the optimizers of SQLite and MySQL from moving conditions into a
 * query.
 */
const NO_LIMIT: Expression = { kind: 'number', text: '9223372036854775807' };

/** `SELECT * FROM table AS name WHERE condition`: the only form in which a governed table is read. */
export function selectAll(path: Name[], condition: Expression, rowBarrier: boolean): Query {
  return {
    isRecursive: false,
    commonTables: [],
    body: {
      kind: 'select',
      isDistinct: false,
      items: [{ expression: { kind: 'star', qualifier: [] }, alias: null }],
      from: [{ kind: 'table', path, alias: { text: GOVERNED, isQuoted: true } }],
      joins: [],
      where: condition,
      groupBy: [],
      isRollup: false,
      having: null,
      windows: [],
    },
    orderBy: [],
    limit: rowBarrier ? NO_LIMIT : null,
    offset: null,
  };
}
