import { formatFields, formatTable, type Cell } from '../layout.js';

type Record_ = Record<string, unknown>;

const isRecord = (value: unknown): value is Record_ =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** These columns come first; then others, as long as there is room. */
const FIRST_COLUMNS = ['id', 'title', 'name', 'email', 'url', 'kind', 'type', 'role', 'status'];
const COLUMNS_MAX = 6;

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return JSON.stringify(value);
}

/** The record inside of an item, as `definition` beside its connection. */
function recordOf(item: unknown): unknown {
  if (!isRecord(item) || 'id' in item) return item;
  const inner = Object.values(item).find((value) => isRecord(value) && 'id' in value);
  return inner ?? item;
}

function formatList(items: readonly unknown[]): string {
  const records = items.map(recordOf);
  if (!records.every(isRecord)) return records.map((item) => `${String(cellOf(item))}\n`).join('');
  const [first = {}] = records;
  const scalar = Object.keys(first).filter((name) => typeof first[name] !== 'object');
  const columns = [
    ...FIRST_COLUMNS.filter((name) => scalar.includes(name)),
    ...scalar.filter((name) => !FIRST_COLUMNS.includes(name)),
  ].slice(0, COLUMNS_MAX);
  return formatTable(
    columns.map((name) => name.toUpperCase()),
    records.map((record) => columns.map((name) => cellOf(record[name]))),
  );
}

/** Any response for people: a table of the items of a list, or the fields of a record. */
export function formatAnswer(answer: unknown): string {
  if (Array.isArray(answer)) return formatList(answer);
  if (!isRecord(answer)) return `${String(cellOf(answer))}\n`;
  const { ok: _ok, data, ...others } = answer;
  if (data !== undefined && Object.keys(others).length === 0) return formatAnswer(data);
  const lists = Object.values(answer).filter((value) => Array.isArray(value));
  const [list] = lists;
  if (list && lists.length === 1) return formatList(list);
  const values = Object.values(answer);
  const inner = values.filter(isRecord);
  const record = inner.length === 1 && values.every((value) => isRecord(value) || typeof value === 'string');
  const shown = record ? inner[0] : answer;
  return formatFields(
    Object.fromEntries(Object.entries(shown ?? {}).map(([name, value]) => [name, cellOf(value)])),
  );
}

/** The ids of the records in a response, one in each line. */
export function formatIds(answer: unknown): string {
  const ids: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(recordOf(item));
      return;
    }
    if (!isRecord(value)) return;
    if (typeof value['id'] === 'string') ids.push(value['id']);
    else for (const item of Object.values(value)) visit(item);
  };
  visit(answer);
  return ids.map((id) => `${id}\n`).join('');
}
