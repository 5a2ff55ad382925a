import type { CloudEvent, ResourceType } from '@gatehouse/contract';
import { insertOnce, outboxOf, tombstone, withEvents } from '@gatehouse/service';
import type { Collection, Document, Filter, UpdateFilter } from 'mongodb';
import type { Share } from '../logic/shares.js';
import { derivedFieldsOf, readerFieldsOf, textFieldsOf } from './derivedFields.js';
import { HEADER } from './projections.js';
import type { ResourceChange, ResourceDocument, ResourceHeader } from './resourceDocument.js';

/** A change and the events that tell of it: they are written together or not at all. */
export interface ResourceWrite {
  change: ResourceChange;
  /** Of a new secret. */
  secretHash?: string;
  events: CloudEvent[];
}

const WITH_BODY = { ...HEADER, body: 1 } as const;

/** What a new resource is made of. */
export type NewResource = Omit<ResourceHeader, 'revision' | 'projectId' | 'body'> & {
  body: string | null;
  secretHash?: string;
};

/** A write happens on exactly the state that it was decided on, or not at all. */
function stateOf(projectId: string, header: ResourceHeader): Filter<ResourceDocument> {
  return { _id: header._id, projectId, revision: header.revision };
}

/** Removes fields that are undefined: absent in the document, so that partial and sparse indexes leave it out. */
function splitUndefined(fields: Record<string, unknown>): { $set?: Document; $unset?: Document } {
  const entries = Object.entries(fields);
  const present = entries.filter(([, value]) => value !== undefined);
  const absent = entries.filter(([, value]) => value === undefined);
  return {
    ...(present.length > 0 ? { $set: Object.fromEntries(present) } : {}),
    ...(absent.length > 0 ? { $unset: Object.fromEntries(absent.map(([field]) => [field, ''])) } : {}),
  };
}

function afterChange(header: ResourceHeader, change: ResourceChange): ResourceHeader {
  return { ...header, ...change, revision: header.revision + 1 };
}

/** Shares are mostly added or changed: then only those travel and not, with them, up to ten thousand others. */
function shareFields(before: readonly Share[], after: readonly Share[] | undefined): Record<string, unknown> {
  if (after === undefined) return {};
  if (before.some((share, index) => share.id !== after[index]?.id)) return { shares: after };
  const changed = [...after.entries()].filter(([index, share]) => share !== before[index]);
  return Object.fromEntries(changed.map(([index, share]) => [`shares.${index}`, share]));
}

function updateOf(
  type: ResourceType,
  header: ResourceHeader,
  { change, secretHash, events }: ResourceWrite,
): UpdateFilter<ResourceDocument> {
  const { shares, ...fields } = change;
  const derived = derivedFieldsOf(type, afterChange(header, change), change);
  const secret = secretHash === undefined ? {} : { secretHash };
  const update = splitUndefined({ ...fields, ...shareFields(header.shares, shares), ...derived, ...secret });
  return withEvents<ResourceDocument>(update, events);
}

/** Changes resources, each with its events, and only on the state that was read. */
export function createResourceWrites(collection: Collection<ResourceDocument>, type: ResourceType) {
  return {
    /** Gives the header; with the body where an earlier run of the same operation has inserted the resource. */
    async insertResource(
      projectId: string,
      { body, secretHash, ...fields }: NewResource,
      { events }: Pick<ResourceWrite, 'events'>,
    ): Promise<ResourceHeader> {
      const outbox = outboxOf(events);
      const header = { ...fields, projectId, revision: outbox.revision };
      const derived = { ...textFieldsOf(header), ...readerFieldsOf(type, header) };
      const earlier = await insertOnce(
        () => collection.insertOne({ ...header, ...derived, body, secretHash, ...outbox }),
        () => collection.findOne<ResourceHeader>({ _id: header._id, projectId }, { projection: WITH_BODY }),
      );
      return earlier ?? header;
    },

    /** The header as it is now; null, and nothing written, when it is not any more as it was read. */
    async changeResource(
      projectId: string,
      header: ResourceHeader,
      write: ResourceWrite,
    ): Promise<ResourceHeader | null> {
      const update = updateOf(type, header, write);
      const { matchedCount } = await collection.updateOne(stateOf(projectId, header), update);
      return matchedCount === 0 ? null : afterChange(header, write.change);
    },

    /** As `changeResource`, and reads the body in the same operation. */
    async changeResourceWithBody(
      projectId: string,
      header: ResourceHeader,
      write: ResourceWrite,
    ): Promise<ResourceHeader | null> {
      const options = { returnDocument: 'after', projection: { body: 1 } } as const;
      const update = updateOf(type, header, write);
      const found = await collection.findOneAndUpdate(stateOf(projectId, header), update, options);
      return found === null ? null : { ...afterChange(header, write.change), body: found.body };
    },

    /** Leaves nothing but the events. False, and nothing written, when it is not any more as it was read. */
    async deleteResource(
      projectId: string,
      header: ResourceHeader,
      { events, now }: Pick<ResourceWrite, 'events'> & { now: Date },
    ): Promise<boolean> {
      const state = stateOf(projectId, header);
      const { matchedCount } = await collection.updateOne(state, tombstone(events, now, []));
      return matchedCount > 0;
    },
  };
}
