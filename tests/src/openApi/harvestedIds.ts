import type { Route } from '@gatehouse/contract';
import type { KnownIds } from '../badInput/randomInput.js';
import type { TextAnswer } from './documentJudge.js';

/** The newest ones; most of the earlier records are deleted by then. */
const KEPT = 8;

/** The ids of records that requests have created, for later requests to other routes. */
export class HarvestedIds {
  /** By the field that takes them, or by the collection whose `{id}` they are. */
  readonly #ids = new Map<string, string[]>();

  /** Keeps the id in the response that has created a record. */
  add({ path }: Route, { status, text }: TextAnswer): void {
    if (status !== 201) return;
    const body = JSON.parse(text) as Record<string, unknown>;
    const collection = path.slice(path.lastIndexOf('/') + 1);
    const records = Object.entries({ ...body, ...(body['data'] as object | undefined) });
    for (const [noun, record] of records) {
      const id: unknown =
        typeof record === 'object' && record !== null ? Reflect.get(record, 'id') : undefined;
      if (typeof id !== 'string') continue;
      for (const key of [`${noun}Id`, collection])
        this.#ids.set(key, [id, ...(this.#ids.get(key) ?? [])].slice(0, KEPT));
    }
  }

  /** The given ids of a route with those that were created before. */
  join(route: Route, given: KnownIds): KnownIds {
    const [, collection = ''] = /\/([\w-]+)\/\{id\}/.exec(route.path) ?? [];
    const ids = Object.entries(given).map(([field, known]) => {
      const created = this.#ids.get(field === 'id' ? collection : field) ?? [];
      return [field, [...known, ...created]] as const;
    });
    return Object.fromEntries(ids);
  }
}
