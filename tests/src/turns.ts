import { forms, type Form } from './servers.js';

/** The Thue-Morse sequence: unlike even and odd, it falls in step with no columns of a table. */
const turnOf = (index: number) => index.toString(2).replaceAll('0', '').length % forms.length;

/**
 * The rows of a long table that run in one deployment mode. The modes differ only in the links between
 * services, so that the rows are divided between them: each row runs in one mode, and each mode gets rows of
 * every kind. With ALL_ROWS=1, every row runs in both.
 */
export function rowsOf<Row>(form: Form, rows: readonly Row[]): Row[] {
  if (process.env['ALL_ROWS'] === '1') return [...rows];
  const place = forms.findIndex((one) => one.form === form);
  return rows.filter((_, index) => turnOf(index) === place);
}
