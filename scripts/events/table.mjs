/**
 * A dead letter, its store and what was done with it.
 * @typedef {object} ShownLetter
 * @property {string} bus
 * @property {import('@gatehouse/service').KeptLetter} letter
 * @property {import('@gatehouse/service').ReplayOutcome | 'kept' | 'dropped'} outcome
 */

/** @type {readonly [string, (shown: ShownLetter) => string][]} */
const COLUMNS = [
  ['EVENT ID', ({ letter }) => letter.event.id],
  ['TYPE', ({ letter }) => letter.event.type],
  ['SUBJECT', ({ letter }) => letter.event.subject],
  ['CONSUMER', ({ letter }) => letter.consumer],
  ['BUS', ({ bus }) => bus],
  ['REASON', ({ letter }) => letter.reason],
  ['TRIES', ({ letter }) => String(letter.deliveries)],
  ['GIVEN UP', ({ letter }) => letter.time],
  ['NOW', ({ outcome }) => outcome],
];

/**
 * Dead letters as a table.
 * @param {readonly ShownLetter[]} shown
 */
export function formatLetters(shown) {
  if (shown.length === 0) return 'No dead letters.\n';
  const rows = [
    COLUMNS.map(([title]) => title),
    ...shown.map((each) => COLUMNS.map(([, read]) => read(each))),
  ];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
