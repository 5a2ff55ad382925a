/**
 * The rows of the first table of a section of the results, each as a record of its cells by the heading of
 * the column.
 *
 * @throws Error if the section has no table
 */
export function readTable(results: string, section: string): Record<string, string>[] {
  const after = results.split(`\n## ${section}\n`)[1] ?? '';
  const [text = ''] = after.split('\n## ');
  const [head, , ...rows] = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
  if (head === undefined) throw new Error(`The results have no table in "${section}"`);
  const end = rows.findIndex((cells) => cells.length !== head.length);
  return rows
    .slice(0, end === -1 ? undefined : end)
    .map((cells) => Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ''])));
}
