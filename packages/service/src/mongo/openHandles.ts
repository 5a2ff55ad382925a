import type { MongoClient } from 'mongodb';

/** Where an item is in its list. */
const PLACE = Symbol('place');

type Item = object & { [PLACE]?: number | undefined };

/**
 * A set of objects, each in at most one such set, with the functions that the driver uses.
 *
 * A `Set` into which objects are put and soon taken out again keeps many of them alive. V8 replaces the table
 * of a `Set` after a number of changes, and the old table refers to the new one. The frequent collections of
 * young objects do not find out that an old table is garbage once it has been moved to the old objects: from
 * then on, until the next full collection, every table since, with what was in it when it was replaced,
 * survives and is copied. An array is replaced only when it grows, and refers to nothing that was taken out.
 */
export class OpenHandles<T extends object> {
  readonly #items: (Item | null)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#items.length - this.#free.length;
  }

  add(item: T & Item): this {
    if (this.has(item)) return this;
    const place = this.#free.pop() ?? this.#items.length;
    this.#items[place] = item;
    item[PLACE] = place;
    return this;
  }

  has(item: T & Item): boolean {
    return item[PLACE] !== undefined && this.#items[item[PLACE]] === item;
  }

  delete(item: T & Item): boolean {
    const place = item[PLACE];
    if (place === undefined || !this.has(item)) return false;
    this.#items[place] = null;
    this.#free.push(place);
    item[PLACE] = undefined;
    return true;
  }

  clear(): void {
    for (const item of this) this.delete(item);
  }

  *[Symbol.iterator](): Generator<T> {
    for (const item of this.#items) if (item !== null) yield item as T;
  }
}

/** What a client keeps of its open cursors and sessions, to close them with itself. Not declared. */
interface ClientState {
  activeCursors: OpenHandles<object>;
  activeSessions: OpenHandles<object>;
}

/**
 * Keeps the open cursors and sessions of a client in {@link OpenHandles}. The driver (7.9) keeps them in sets
 * of which each command changes one or both. See `docs/decisions`.
 */
export function keepOpenHandles(client: MongoClient): ClientState {
  const state = Reflect.get(client, 's') as ClientState;
  state.activeCursors = new OpenHandles();
  state.activeSessions = new OpenHandles();
  return state;
}
