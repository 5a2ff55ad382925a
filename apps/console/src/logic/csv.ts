/** Spreadsheets calculate a cell that begins with one of these characters, also in full width. */
const FORMULA = /^(?=[\t\r\n]|\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/;
/** Where the comma is the decimal sign, they separate cells by semicolons, and do not see our quotes. */
const LATER_FORMULA = /([;\t\r\n])(?=\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

function cell(value: string): string {
  const text = value.replaceAll(LATER_FORMULA, "$1'").replace(FORMULA, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A line of a CSV file (RFC 4180), in which no text is a formula. */
export function csvLine(values: readonly string[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}
