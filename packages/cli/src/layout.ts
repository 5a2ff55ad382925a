import { showable } from './terminal.js';

export type Cell = string | number | boolean | null | undefined;

function textOf(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return showable(String(cell));
}

const segmenter = new Intl.Segmenter();
// East Asian and emoji characters take two columns of a terminal, combining accents none.
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

function joinAligned(rows: readonly (readonly string[])[], gap: string): string {
  const columnCount = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columnCount }, (_, column) =>
    Math.max(0, ...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const lines = rows.map((row) =>
    row
      .map((text, column) => text + ' '.repeat((widths[column] ?? 0) - widthOf(text)))
      .join(gap)
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}

/** Aligned rows below their headings; a sentence if there are no rows. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  whenEmpty = 'None.',
): string {
  return rows.length === 0
    ? `${whenEmpty}\n`
    : joinAligned([headings, ...rows.map((row) => row.map(textOf))], '  ');
}

/** One record: the names of its fields beside their values. */
export function formatFields(fields: Readonly<Record<string, Cell>>): string {
  return joinAligned(
    Object.entries(fields).map(([name, value]) => [name, textOf(value)]),
    '  ',
  );
}

/** Some text under a heading. */
export function formatSection(heading: string, text: string): string {
  return `${heading}\n${text.replace(/^(?=.)/gm, '  ')}`;
}
