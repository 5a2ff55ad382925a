import type { CloudEvent, ResourceType } from '@gatehouse/contract';
import {
  blockBytes,
  fieldBytes,
  orNotFound,
  outboxOf,
  recordBytes,
  tombstone,
  undoneMark,
  withEvents,
  WriteConflict,
  type Quota,
  type ScopedCollection,
} from '@gatehouse/service';
import type { Document, UpdateFilter } from 'mongodb';
import type { Share } from '../../sharing/logic/grants.js';
import { allDerivedFieldsOf, derivedFieldsOf, listWrites } from './derivedFields.js';
import {
  HEADER,
  LIVE,
  LIVE_FIELD,
  type ResourceChange,
  type ResourceDocument,
  type ResourceHeader,
} from './document.js';
import { bucketFields, bucketsOf, PACKED_MAX } from './packedShares.js';

/** A change and its events. One atomic update writes both. */
export interface ResourceWrite {
  change: ResourceChange;
  /** The hash of a new secret. */
  secretHash?: string;
  events: CloudEvent[];
}

/** The fields that a deleted resource keeps: those of the shard key. */
const TOMBSTONE_FIELDS = ['projectId'];

const WITH_BODY = { ...HEADER, body: 1 } as const;

/** The fields of a new resource. */
export type NewResource = Omit<
  ResourceHeader,
  'revision' | 'projectId' | 'body' | 'quotaBytes' | 'shareBuckets'
> & {
  body: string | null;
  secretHash?: string;
};

/** Returns the condition of a write: exactly the state that it was decided on. */
function asRead({ _id, revision }: ResourceHeader): Document {
  return { _id, revision };
}

/** Unsets undefined fields. Partial and sparse indexes omit a document without the field. */
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
  const quotaBytes = bytesAfter(header, change);
  const { shareBuckets: _, ...others } = header;
  const after = { ...others, ...change, quotaBytes, revision: header.revision + 1 };
  return { ...after, ...bucketState(after) };
}

/** The state of the buckets after a write: see {@link bucketFields}. */
function bucketState({ shares, revision }: Pick<ResourceHeader, 'shares' | 'revision'>) {
  return shares.length > PACKED_MAX ? { shareBuckets: { revision } } : {};
}

/** The approximate size of a share in the document, including its copies for lists and readers. */
const SHARE_BYTES = 512;
const shareBytes = (shares: readonly Share[]) => blockBytes(shares.length * SHARE_BYTES);

/** Returns the bytes of a resource after a change. An unchanged body does not have to be read. */
function bytesAfter(header: ResourceHeader, { body, shares }: ResourceChange): number {
  const { quotaBytes } = header;
  if (body === undefined && shares === undefined && quotaBytes !== undefined) return quotaBytes;
  const kept =
    quotaBytes === undefined ? fieldBytes(header.body) : quotaBytes - recordBytes(shareBytes(header.shares));
  return recordBytes(body === undefined ? kept : fieldBytes(body), shareBytes(shares ?? header.shares));
}

/** The quotas of a resource: those of its organization and of its owner's tenant. */
const scopeOf = ({ organizationId, tenantId }: ResourceHeader) => ({ organizationId, tenantId });

/** Returns the bytes that a change adds to the quota. */
function growthOf(header: ResourceHeader, after: ResourceHeader) {
  return { records: 0, bytes: (after.quotaBytes ?? 0) - (header.quotaBytes ?? after.quotaBytes ?? 0) };
}

function updateOf(
  type: ResourceType,
  header: ResourceHeader,
  { change, secretHash, events }: ResourceWrite,
): UpdateFilter<ResourceDocument> {
  const { shares, ...fields } = change;
  const after = afterChange(header, change);
  const { readers, ...derived } = derivedFieldsOf(type, after, change);
  const { set, pull, push } = listWrites(type, header, { shares, readers });
  const size = after.quotaBytes === header.quotaBytes ? {} : { quotaBytes: after.quotaBytes };
  const update = splitUndefined({
    ...fields,
    ...set,
    ...derived,
    ...bucketFields(header, after),
    ...size,
    ...(secretHash === undefined ? {} : { secretHash }),
  });
  const lists = {
    ...(Object.keys(pull).length > 0 ? { $pull: pull } : {}),
    ...(Object.keys(push).length > 0 ? { $push: push } : {}),
  };
  return withEvents<ResourceDocument>({ ...update, ...lists }, events);
}

/** Reads resources with all of their shares, to change them. */
export function createHeaderReads(resources: ScopedCollection<ResourceDocument>) {
  const findHeader = async (projectId: string, id: string, projection: Document) =>
    orNotFound(await resources.findById<ResourceHeader>(projectId, id, { live: LIVE_FIELD, projection }));
  return {
    /** Returns the header without the body. Throws NOT_FOUND. */
    getHeader(projectId: string, id: string): Promise<ResourceHeader> {
      return findHeader(projectId, id, HEADER);
    },

    /** Throws NOT_FOUND. */
    getHeaderWithBody(projectId: string, id: string): Promise<ResourceHeader> {
      return findHeader(projectId, id, WITH_BODY);
    },
  };
}

/** The dependencies of writes. */
interface WriteParts {
  resources: ScopedCollection<ResourceDocument>;
  type: ResourceType;
  quota: Quota;
}

/** Changes existing resources. */
function createResourceChanges({ resources, type, quota }: WriteParts) {
  /** Writes a change within the quotas of the organization and its tenant. */
  const withinQuota = <T>(header: ResourceHeader, { change }: ResourceWrite, write: () => Promise<T>) =>
    quota.change(scopeOf(header), growthOf(header, afterChange(header, change)), write);
  return {
    /**
     * Returns the new header. Throws QUOTA_EXCEEDED, and WriteConflict if the state has changed since the
     * read.
     */
    async changeResource(
      projectId: string,
      header: ResourceHeader,
      write: ResourceWrite,
    ): Promise<ResourceHeader> {
      const update = updateOf(type, header, write);
      return withinQuota(header, write, async () => {
        if (!(await resources.updateOne(projectId, asRead(header), { update }))) throw new WriteConflict();
        return afterChange(header, write.change);
      });
    },

    /** Does the same as `changeResource` and reads the body in the same operation. */
    async changeResourceWithBody(
      projectId: string,
      header: ResourceHeader,
      write: ResourceWrite,
    ): Promise<ResourceHeader> {
      const change = { update: updateOf(type, header, write), projection: { body: 1 } };
      return withinQuota(header, write, async () => {
        const found = await resources.findOneAndUpdate(projectId, asRead(header), change);
        if (found === null) throw new WriteConflict();
        return { ...afterChange(header, write.change), body: found.body };
      });
    },
  };
}

/** Inserts and deletes resources. */
function createResourceLifecycle({ resources, type, quota }: WriteParts) {
  return {
    /**
     * Returns the header, with the body if a previous run of the same operation inserted it. Throws
     * QUOTA_EXCEEDED.
     */
    async insertResource(
      projectId: string,
      { body, secretHash, ...fields }: NewResource,
      { events }: Pick<ResourceWrite, 'events'>,
    ): Promise<ResourceHeader> {
      const outbox = outboxOf(events);
      const quotaBytes = recordBytes(fieldBytes(body), shareBytes(fields.shares));
      const header = { ...fields, projectId, quotaBytes, revision: outbox.revision };
      const document = {
        ...header,
        ...allDerivedFieldsOf(type, header),
        shareBuckets: bucketsOf(header.shares, header.revision),
        body,
        secretHash,
        ...outbox,
      } as ResourceDocument;
      const earlier = await quota.insert(scopeOf(header), quotaBytes, {
        insert: () => resources.insertOne(projectId, document),
        findEarlier: () =>
          resources.findOne<ResourceHeader>(
            projectId,
            { _id: header._id, ...LIVE },
            { projection: WITH_BODY },
          ),
      });
      return earlier ?? { ...header, ...bucketState(header) };
    },

    /**
     * Deletes all fields except the project and events. If `isUndo`, the id stays taken: see `undoneMark`.
     * Throws WriteConflict if the state has changed since the read.
     */
    async deleteResource(
      projectId: string,
      header: ResourceHeader,
      { events, now, isUndo = false }: Pick<ResourceWrite, 'events'> & { now: Date; isUndo?: boolean },
    ): Promise<void> {
      const update = isUndo
        ? undoneMark(events, now, TOMBSTONE_FIELDS)
        : tombstone(events, now, TOMBSTONE_FIELDS);
      if (!(await resources.updateOne(projectId, asRead(header), { update }))) throw new WriteConflict();
      quota.release(scopeOf(header), { records: 1, bytes: header.quotaBytes ?? 0 });
    },
  };
}

/** Writes resources, each with its events, only on the state that was read. */
export function createResourceWrites(parts: WriteParts) {
  return { ...createResourceChanges(parts), ...createResourceLifecycle(parts) };
}
