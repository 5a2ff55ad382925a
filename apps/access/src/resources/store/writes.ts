import type { CloudEvent, ResourceType } from '@gatehouse/contract';
import {
  blockBytes,
  fieldBytes,
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
import {
  foldText,
  LIVE,
  searchTextOf,
  type PartedField,
  type ResourceChange,
  type ResourceDocument,
  type ResourceHeader,
} from './document.js';
import { countShares, WITH_BODY } from './headers.js';
import { termFieldsOf } from './lists.js';
import { documentFields, planShares, replaceParts, type ShareWrite } from './shareWrites.js';
import type { ShareParts } from './shareParts.js';

/** A change and its events. One atomic update writes both. */
export interface ResourceWrite {
  change: ResourceChange;
  /** The hash of a new secret. */
  secretHash?: string;
  events: CloudEvent[];
}

/** The fields that a deleted resource keeps: those of the shard key. */
const TOMBSTONE_FIELDS = ['projectId'];

/** The fields of a new resource, which has no shares. */
export type NewResource = Omit<
  ResourceHeader,
  'revision' | 'projectId' | 'body' | 'quotaBytes' | PartedField
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

function afterChange(header: ResourceHeader, change: ResourceChange, written: ShareWrite): ResourceHeader {
  const { shareParts: _list, unreadShares: _unread, ...others } = header;
  const { parts: _parts, readParts: _read, sharesOutside: _outside, ...unparted } = others;
  const after = { ...unparted, ...change, ...written.after, revision: header.revision + 1 };
  return { ...after, quotaBytes: bytesAfter(header, change, countShares(after)) };
}

/** The approximate size of a share, including its copies for lists and readers. */
const SHARE_BYTES = 512;
const shareBytes = (count: number) => blockBytes(count * SHARE_BYTES);

/** Returns the bytes of a resource after a change. An unchanged body does not have to be read. */
function bytesAfter(header: ResourceHeader, { body, shares }: ResourceChange, count: number): number {
  const { quotaBytes } = header;
  if (body === undefined && shares === undefined && quotaBytes !== undefined) return quotaBytes;
  const before = shareBytes(countShares(header));
  const kept = quotaBytes === undefined ? fieldBytes(header.body) : quotaBytes - recordBytes(before);
  return recordBytes(body === undefined ? kept : fieldBytes(body), shareBytes(count));
}

/** The quotas of a resource: those of its organization and of its owner's tenant. */
const scopeOf = ({ organizationId, tenantId }: ResourceHeader) => ({ organizationId, tenantId });

/** Returns the bytes that a change adds to the quota. */
function growthOf(header: ResourceHeader, after: ResourceHeader) {
  return { records: 0, bytes: (after.quotaBytes ?? 0) - (header.quotaBytes ?? after.quotaBytes ?? 0) };
}

type TextFields = Pick<ResourceDocument, 'titleFolded' | 'searchText'>;
type DerivedFields = TextFields & ReturnType<typeof termFieldsOf>;

/** Returns the fields that sort and search a resource. */
function textFieldsOf(resource: Pick<ResourceHeader, 'title' | 'description'>): TextFields {
  return { titleFolded: foldText(resource.title), searchText: searchTextOf(resource) };
}

const TEXT_SOURCES = ['title', 'description'] as const;
const TERM_SOURCES = [...TEXT_SOURCES, 'tags', 'isPrivate', 'tenantId', 'createdBy'] as const;

/** Returns the fields of lists that derive from others, except for the shares and readers. */
function allDerivedFieldsOf(resource: ResourceHeader): DerivedFields {
  return { ...textFieldsOf(resource), ...termFieldsOf(resource) };
}

/** Returns those of these fields that a change affects, after the change. */
function derivedFieldsOf(after: ResourceHeader, change: ResourceChange): Partial<DerivedFields> {
  return {
    ...(TEXT_SOURCES.some((field) => field in change) ? textFieldsOf(after) : {}),
    ...(TERM_SOURCES.some((field) => field in change) ? termFieldsOf(after) : {}),
  };
}

/** The state before a write, and after it. */
interface Planned {
  header: ResourceHeader;
  after: ResourceHeader;
  written: ShareWrite;
}

function updateOf(
  { header, after, written }: Planned,
  { change, secretHash, events }: ResourceWrite,
): UpdateFilter<ResourceDocument> {
  const { shares: _shares, ...fields } = change;
  const size = after.quotaBytes === header.quotaBytes ? {} : { quotaBytes: after.quotaBytes };
  const update = splitUndefined({
    ...fields,
    ...written.fields,
    ...derivedFieldsOf(after, change),
    ...size,
    ...(secretHash === undefined ? {} : { secretHash }),
  });
  return withEvents<ResourceDocument>(update, events);
}

/** The dependencies of writes. */
interface WriteParts {
  resources: ScopedCollection<ResourceDocument>;
  parts: ShareParts;
  type: ResourceType;
  quota: Quota;
}

/** Changes existing resources. */
function createResourceChanges({ resources, parts, type, quota }: WriteParts) {
  /** Writes a change and the parts of its shares, within the quotas of the organization and its tenant. */
  async function writeChange<T>(
    header: ResourceHeader,
    write: ResourceWrite,
    run: (update: UpdateFilter<ResourceDocument>, after: ResourceHeader) => Promise<T>,
  ): Promise<T> {
    const written = await planShares(parts, type, { before: header, change: write.change });
    const after = afterChange(header, write.change, written);
    const update = updateOf({ header, after, written }, write);
    return quota.change(scopeOf(header), growthOf(header, after), () =>
      replaceParts(parts, header, { ...written, write: () => run(update, after) }),
    );
  }
  return {
    /**
     * Returns the new header. Throws QUOTA_EXCEEDED, and WriteConflict if the state has changed since the
     * read.
     */
    changeResource(projectId: string, header: ResourceHeader, write: ResourceWrite): Promise<ResourceHeader> {
      return writeChange(header, write, async (update, after) => {
        if (!(await resources.updateOne(projectId, asRead(header), { update }))) throw new WriteConflict();
        return after;
      });
    },

    /** Does the same as `changeResource` and reads the body in the same operation. */
    changeResourceWithBody(
      projectId: string,
      header: ResourceHeader,
      write: ResourceWrite,
    ): Promise<ResourceHeader> {
      return writeChange(header, write, async (update, after) => {
        const change = { update, projection: { body: 1 } };
        const found = await resources.findOneAndUpdate(projectId, asRead(header), change);
        if (found === null) throw new WriteConflict();
        return { ...after, body: found.body };
      });
    },
  };
}

/** Inserts and deletes resources. */
function createResourceLifecycle({ resources, parts, type, quota }: WriteParts) {
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
      const quotaBytes = recordBytes(fieldBytes(body), shareBytes(fields.shares.length));
      const header = { ...fields, projectId, quotaBytes, revision: outbox.revision };
      const document = {
        ...header,
        ...allDerivedFieldsOf(header),
        ...documentFields(type, header),
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
      return earlier ?? header;
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
      const obsolete = (header.parts ?? []).map(({ id }) => id);
      await replaceParts(parts, header, {
        added: [],
        obsolete,
        async write() {
          if (!(await resources.updateOne(projectId, asRead(header), { update }))) throw new WriteConflict();
        },
      });
      quota.release(scopeOf(header), { records: 1, bytes: header.quotaBytes ?? 0 });
    },
  };
}

/** Writes resources, each with its events, only on the state that was read. */
export function createResourceWrites(parts: WriteParts) {
  return { ...createResourceChanges(parts), ...createResourceLifecycle(parts) };
}
