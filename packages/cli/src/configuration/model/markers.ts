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

/** The form of the ids that Gatehouse makes. */
const GENERATED_ID = /(?:dom|dm|ap|c|v|d)_[A-Za-z0-9_-]{16}/g;
const MARKER = /\$\$\{|\$\{(\w+):((?:[^\\}]|\\.)*)\}/gs;

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

/** Replaces known ids in a text by `${kind:key}`; `${` itself becomes `$${`. */
export function markIds(
  text: string,
  find: (id: string) => { kind: string; key: string } | undefined,
): string {
  return text.replaceAll('${', '$$${').replaceAll(GENERATED_ID, (id) => {
    const found = find(id);
    return found === undefined ? id : `\${${found.kind}:${escapeKey(found.key)}}`;
  });
}

/**
 * The reverse of `markIds`.
 *
 * @param find the id of a record; its errors are passed on
 */
export function resolveMarkers(text: string, find: (kind: string, key: string) => string): string {
  return text.replaceAll(MARKER, (_marker, kind: string | undefined, key: string | undefined) =>
    kind === undefined ? '${' : find(kind, unescapeKey(key ?? '')),
  );
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
