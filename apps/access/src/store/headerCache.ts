import { countLookup } from '@gatehouse/service';
import type { ResourceHeader } from './resourceDocument.js';

/**
 * Remembers what resources looked like when they were last read or written, so that a change usually needs one
 * operation. It may be out of date at any time: a write names the revision it was decided on, and nothing is refused
 * because of what is remembered here.
 */
export interface HeaderCache {
  find(projectId: string, id: string): ResourceHeader | undefined;
  keep(header: ResourceHeader): void;
  forget(id: string): void;
}

const MAX_BYTES = 32 * 1024 * 1024;
/** A larger header would drive out too many others. */
const MAX_HEADER_BYTES = 256 * 1024;
const FIELDS_BYTES = 1000;
const SHARE_BYTES = 400;
const LINK_BYTES = 50;

/** About what a header takes in memory; two bytes for each character. */
function bytesOf({ title, description, tags, shares, linkedVisualIds = [] }: ResourceHeader): number {
  const characters = tags.reduce((sum, tag) => sum + tag.length, title.length + description.length);
  return FIELDS_BYTES + 2 * characters + SHARE_BYTES * shares.length + LINK_BYTES * linkedVisualIds.length;
}

export function createHeaderCache(): HeaderCache {
  // A map keeps the order of insertion, which is made the order of use: the first was used least recently.
  const headers = new Map<string, ResourceHeader>();
  let bytes = 0;
  const forget = (id: string) => {
    const header = headers.get(id);
    if (header === undefined) return;
    bytes -= bytesOf(header);
    headers.delete(id);
  };
  return {
    find(projectId, id) {
      const header = headers.get(id);
      const isKnown = header?.projectId === projectId;
      countLookup('resource_headers', isKnown);
      return isKnown ? header : undefined;
    },
    keep(current) {
      const header = { ...current };
      delete header.body;
      forget(header._id);
      if (bytesOf(header) > MAX_HEADER_BYTES) return;
      headers.set(header._id, header);
      bytes += bytesOf(header);
      for (const oldest of headers.keys()) {
        if (bytes <= MAX_BYTES) return;
        forget(oldest);
      }
    },
    forget,
  };
}
