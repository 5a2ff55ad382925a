import type { KindName } from './kinds.js';

/** The kinds whose ids may stand in templates: their ids are random, so that no other text equals one. */
export const MARKED_KINDS = [
  'connection',
  'domain',
  'datamodel',
  'assistantProfile',
  'visual',
  'dashboard',
] as const satisfies readonly KindName[];

/** Whether markers may name records of this kind. */
export function isMarkedKind(kind: string): boolean {
  return MARKED_KINDS.some((known) => known === kind);
}

/** Dollars before a brace, or an id that Gatehouse made with the dollars before it. */
const ENCODED = /(\$+)(?=\{)|(\$*)((?:dom|dm|ap|c|v|d)_[A-Za-z0-9_-]{16})/g;
/** An even number of dollars before a brace, or an odd one, of which the last begins a marker. */
const DECODED = /(?<!\$)((?:\$\$)+)\{|(?<!\$)((?:\$\$)*)\$\{(\w+):((?:[^\\}]|\\.)*)\}/gs;

const escapeKey = (key: string) => key.replaceAll(/[\\}]/g, String.raw`\$&`);
const unescapeKey = (text: string) => text.replaceAll(/\\(.)/gs, '$1');

/** Replaces all texts in JSON, the names of members included. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [change(name), mapTexts(item, change)]),
  );
}

/**
 * Replaces known ids in a text by `${kind:key}`. Dollars before a brace or a marker are doubled, so that the
 * text `${` becomes `$${`.
 */
export function markIds(
  text: string,
  find: (id: string) => { kind: string; key: string } | undefined,
): string {
  return text.replaceAll(ENCODED, (found: string, ...groups: (string | undefined)[]) => {
    const [beforeBrace, dollars = '', id = ''] = groups;
    if (beforeBrace !== undefined) return beforeBrace.repeat(2);
    const record = find(id);
    if (record === undefined) return found;
    return `${dollars.repeat(2)}\${${record.kind}:${escapeKey(record.key)}}`;
  });
}

const half = (dollars: string) => dollars.slice(dollars.length / 2);

/**
 * The reverse of `markIds`.
 *
 * @param find the id of a record; its errors are passed on
 */
export function resolveMarkers(text: string, find: (kind: string, key: string) => string): string {
  return text.replaceAll(DECODED, (_found, even: string | undefined, ...odd: (string | undefined)[]) => {
    if (even !== undefined) return `${half(even)}{`;
    const [dollars = '', kind = '', key = ''] = odd;
    return half(dollars) + find(kind, unescapeKey(key));
  });
}

/** The markers in JSON, each with the kind as it is written. */
export function findMarkers(value: unknown): { kind: string; key: string }[] {
  const found: { kind: string; key: string }[] = [];
  mapTexts(value, (text) =>
    resolveMarkers(text, (kind, key) => {
      found.push({ kind, key });
      return '';
    }),
  );
  return found;
}
