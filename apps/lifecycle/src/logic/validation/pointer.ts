import type { JsonObject } from '@gatehouse/contract';

/** A JSON pointer (RFC 6901) to a part of what another points to. */
export function childPointer(pointer: string, key: string | number): string {
  if (typeof key === 'number') return `${pointer}/${key}`;
  return `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function keysOf(pointer: string): string[] {
  const keys = pointer.split('/').slice(1);
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Puts a text in the place of another, in the template itself. The pointer must lead to an existing part. */
export function replaceText(template: JsonObject, pointer: string, text: string): void {
  const keys = keysOf(pointer);
  const last = keys.pop();
  let parent: unknown = template;
  for (const key of keys) parent = (parent as Record<string, unknown>)[key];
  if (last === undefined || typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, last))
    throw new TypeError(`nothing is at ${pointer}`);
  (parent as Record<string, unknown>)[last] = text;
}
