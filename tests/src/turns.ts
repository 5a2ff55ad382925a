import { forms, type Form } from './servers.js';

/** The Thue-Morse sequence: unlike even and odd, it falls in step with no columns of a table. */
const turnOf = (index: number) => index.toString(2).replaceAll('0', '').length % forms.length;

/**
 * The rows of a long table that are asked of one form. The forms differ only in how the services are joined, so that the
 * rows are shared out between them: each is asked of one form, and each form is asked rows of every kind. With ALL_ROWS=1,
 * every row is asked of both.
 */
export function rowsOf<Row>(form: Form, rows: readonly Row[]): Row[] {
  if (process.env['ALL_ROWS'] === '1') return [...rows];
  const place = forms.findIndex((one) => one.form === form);
  return rows.filter((_, index) => turnOf(index) === place);
}
