import { countLookup, currentDryRun, findAppError, retryOnConflict } from '@gatehouse/service';
import { LRUCache } from 'lru-cache';
import type { ResourceHeader } from './document.js';
import type { createHeaderReads, NeededShares } from './headers.js';
import type { createResourceWrites, ResourceWrite } from './writes.js';

/** A change of one resource, decided on exactly the state that it overwrites. */
export interface ResourceUpdate {
  id: string;
  /**
   * Returns the write for this state; null for no change. Throws to deny. May be called again on a later
   * state.
   */
  decide: (header: ResourceHeader) => Promise<ResourceWrite | null>;
  /** True if the response needs the body. */
  readsBody?: boolean;
  /** True if the decision needs the body, so that a header is not enough. */
  decidesOnBody?: boolean;
  /** The shares that the decision needs; all by default. A resource may have thousands. */
  needed?: NeededShares;
}

/** Reads and writes of headers. */
type HeaderStore = ReturnType<typeof createHeaderReads> & ReturnType<typeof createResourceWrites>;

type HeaderWrites = Pick<HeaderStore, 'changeResource' | 'changeResourceWithBody'>;

/** Decides on a header and writes it once. Throws WriteConflict if the header is stale. */
async function changeOnce(
  store: HeaderWrites,
  header: ResourceHeader,
  { decide, readsBody = false }: ResourceUpdate,
): Promise<ResourceHeader> {
  const write = await decide(header);
  if (write === null) return header;
  // A body that was read with the header, or that is written, is not read again.
  const readsAgain = readsBody && header.body === undefined && write.change.body === undefined;
  const change = readsAgain ? store.changeResourceWithBody : store.changeResource;
  return change(header.projectId, header, write);
}

/** Changes resources as stored, and again on the new state after a conflict. */
function createChanges(store: HeaderStore) {
  return {
    /**
     * Changes a resource and returns its new state. Throws NOT_FOUND, the errors of `decide`, and UNAVAILABLE
     * after repeated conflicts.
     */
    change: (projectId: string, update: ResourceUpdate): Promise<ResourceHeader> =>
      retryOnConflict(async () => {
        const read = update.readsBody || update.decidesOnBody ? store.getHeaderWithBody : store.getHeader;
        return changeOnce(store, await read(projectId, update.id, update.needed), update);
      }),
  };
}

const MAX_BYTES = 32 * 1024 * 1024;
/** A larger header would evict too many others. */
const MAX_HEADER_BYTES = 256 * 1024;
const FIELDS_BYTES = 1000;
const SHARE_BYTES = 400;
const LINK_BYTES = 50;
const PART_BYTES = 200;
/** A longer body is read again: it would evict too many headers. */
const MAX_BODY_CHARACTERS = 16 * 1024;

/** Estimates the memory of a header, with two bytes for each character. */
function bytesOf(header: ResourceHeader): number {
  const { title, description, tags, shares, shareParts, parts = [], linkedVisualIds = [], body } = header;
  const text = title.length + description.length + (body?.length ?? 0);
  const characters = tags.reduce((sum, tag) => sum + tag.length, text);
  const links = LINK_BYTES * (linkedVisualIds.length + (shareParts?.subjects.length ?? 0));
  return FIELDS_BYTES + 2 * characters + SHARE_BYTES * shares.length + PART_BYTES * parts.length + links;
}

function withoutLongBody(header: ResourceHeader): ResourceHeader {
  if ((header.body?.length ?? 0) <= MAX_BODY_CHARACTERS) return header;
  const { body: _body, ...others } = header;
  return others;
}

/** Of very many shares, each decision needs others: only the list of their parts is kept. */
function withoutParts(header: ResourceHeader): ResourceHeader {
  if (header.shareParts === undefined) return header;
  const { unreadShares: _unread, readParts: _read, sharesOutside = [], ...others } = header;
  return { ...others, shares: sharesOutside };
}

/** Changes a cached header; null if there is nothing to change. */
async function changeCached(
  store: HeaderStore,
  cached: ResourceHeader,
  update: ResourceUpdate,
): Promise<ResourceHeader | null> {
  const header = await store.addNeeded(cached, update.needed);
  const changed = await changeOnce(store, header, update);
  return changed === header ? null : changed;
}

type Headers = LRUCache<string, ResourceHeader>;

/** Keeps the headers that writes return. A write that fails in any way may have happened. */
function keepWritten(store: HeaderStore, headers: Headers): HeaderStore {
  const keep = (current: ResourceHeader): ResourceHeader => {
    // What a dry run writes is not stored.
    if (!currentDryRun()) headers.set(current._id, withoutParts(withoutLongBody(current)));
    return current;
  };
  const keepChanged = async ({ _id }: ResourceHeader, write: Promise<ResourceHeader>) => {
    try {
      return keep(await write);
    } catch (error) {
      headers.delete(_id);
      throw error;
    }
  };
  return {
    ...store,
    changeResource: (projectId, header, write) =>
      keepChanged(header, store.changeResource(projectId, header, write)),
    changeResourceWithBody: (projectId, header, write) =>
      keepChanged(header, store.changeResourceWithBody(projectId, header, write)),
    insertResource: async (projectId, resource, write) =>
      keep(await store.insertResource(projectId, resource, write)),
    async deleteResource(projectId, header, write) {
      try {
        await store.deleteResource(projectId, header, write);
      } finally {
        headers.delete(header._id);
      }
    },
  };
}

/**
 * Caches the headers that the writes of a store return. `change` decides on a cached header first, so that
 * it usually needs one database operation. A cached header may be stale, so only a write that succeeded
 * counts: it names the revision of the header. Every other outcome, such as a denial, is decided again on
 * the stored state.
 */
export function cacheHeaders(store: HeaderStore): HeaderStore & ReturnType<typeof createChanges> {
  const headers: Headers = new LRUCache({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_HEADER_BYTES,
    sizeCalculation: bytesOf,
  });
  const caching = keepWritten(store, headers);
  const changes = createChanges(caching);
  const findCached = (projectId: string, id: string): ResourceHeader | undefined => {
    const known = headers.get(id);
    const isKnown = known?.projectId === projectId;
    countLookup('resource_headers', isKnown);
    return isKnown ? known : undefined;
  };
  return {
    ...caching,
    async change(projectId, update) {
      const cached = update.decidesOnBody ? undefined : findCached(projectId, update.id);
      const changed = cached && (await changeCached(caching, cached, update).catch(ignoreAppError));
      if (changed) return changed;
      return changes.change(projectId, update);
    },
  };
}

function ignoreAppError(error: unknown): null {
  if (findAppError(error)) return null;
  throw error;
}
