/** Fixed values in place of those that differ in each run, by the form of the text. */
const FORMS: readonly (readonly [form: RegExp, fixed: string])[] = [
  [/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/, 'eyJhbGciOiJFZERTQSJ9.eyJwcm9qZWN0SWQiOiJwX21haW4ifQ.c2lnbmF0dXJl'],
  [/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/, '2026-01-15T09:30:00.000Z'],
  [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, '0b8f3c52-6d0e-4f61-9f0c-2f5b8a1d7e43'],
  [/^[0-9a-f]{64}$/, '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  [/^[0-9a-f]{40}$/, '3f786850e387550fdab836ed7e6dc881de23001b'],
];
/** An id that Gatehouse has made: its prefix, and the part that differs. */
const MADE_ID = /\b(sic|ses|d|v|sh|grp|gm|tu|ou|dom|c|dm|ap|usd|usa|ust|mig|whd|wh|p|o)_[A-Za-z0-9_-]{12,}/g;
const SECRET_FIELDS = ['nextCursor', 'secret', 'signInCode', 'seal', 'x', 'kid', 'planHash'];
/** Longer lists teach nothing. */
const ITEMS_MAX = 2;

function fixText(text: string): string {
  const form = FORMS.find(([expression]) => expression.test(text));
  return form
    ? form[1]
    : text.replaceAll(MADE_ID, '$1_example').replaceAll(/\b[0-9a-f]{40}\b/g, String(FORMS[4]?.[1]));
}

/** A response as the document shows it: without what differs in each run, and with short lists. */
export function fixResponse(value: unknown, field = ''): unknown {
  if (typeof value === 'string') return SECRET_FIELDS.includes(field) ? `example-${field}` : fixText(value);
  if (field === 'durationMs') return 12;
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((item) => fixResponse(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fixResponse(part, name)]));
}
