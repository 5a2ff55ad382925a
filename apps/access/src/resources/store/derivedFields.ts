import type { ResourceType } from '@gatehouse/contract';
import type { Document } from 'mongodb';
import { factsOf, readersOf } from '../../decisions/logic/access.js';
import type { Share } from '../../sharing/logic/grants.js';
import {
  foldText,
  searchTextOf,
  type ResourceChange,
  type ResourceDocument,
  type ResourceHeader,
} from './document.js';
import { termFieldsOf } from './lists.js';
import { PACKED_MAX, packShares } from './packedShares.js';

type TextFields = Pick<ResourceDocument, 'titleFolded' | 'searchText'>;
type ReaderFields = Pick<ResourceDocument, 'readers'> & {
  packedShares: string | undefined;
  nextExpiryAt: Date | undefined;
};
type DerivedFields = TextFields & ReaderFields & ReturnType<typeof termFieldsOf>;

/** Returns the fields that sort and search a resource. */
function textFieldsOf(resource: Pick<ResourceHeader, 'title' | 'description'>): TextFields {
  return { titleFolded: foldText(resource.title), searchText: searchTextOf(resource) };
}

/** Returns the fields that find a resource for its readers and for the sweep. */
function readerFieldsOf(type: ResourceType, resource: ResourceHeader): ReaderFields {
  let nextExpiryAt: Date | undefined;
  for (const { expiresAt } of resource.shares) {
    if (expiresAt !== null && (nextExpiryAt === undefined || expiresAt < nextExpiryAt))
      nextExpiryAt = expiresAt;
  }
  const readers = readersOf(factsOf(type, resource));
  return { readers, packedShares: packShares(resource.shares), nextExpiryAt };
}

const TEXT_SOURCES = ['title', 'description'] as const;
const TERM_SOURCES = [...TEXT_SOURCES, 'tags', 'isPrivate', 'tenantId', 'createdBy'] as const;
const READER_SOURCES = ['shares', 'isPrivate', 'ownerKey', 'ownerType', 'ownerTenantKey'] as const;

/** Returns all derived fields of a resource. */
export function allDerivedFieldsOf(type: ResourceType, resource: ResourceHeader): DerivedFields {
  return { ...textFieldsOf(resource), ...termFieldsOf(resource), ...readerFieldsOf(type, resource) };
}

/** Returns the derived fields that a change affects, after the change. */
export function derivedFieldsOf(
  type: ResourceType,
  after: ResourceHeader,
  change: ResourceChange,
): Partial<DerivedFields> {
  return {
    ...(TEXT_SOURCES.some((field) => field in change) ? textFieldsOf(after) : {}),
    ...(TERM_SOURCES.some((field) => field in change) ? termFieldsOf(after) : {}),
    ...(READER_SOURCES.some((field) => field in change) ? readerFieldsOf(type, after) : {}),
  };
}

/** The parts of an update that change the shares and the readers of a resource. */
interface ListWrites {
  set: Record<string, unknown>;
  pull: Document;
  push: Document;
}

/** Sets the added and changed shares, or removes shares; sets all of them if it is neither. */
function writeShares(before: readonly Share[], after: readonly Share[]): Partial<ListWrites> {
  if (before.every((share, index) => share.id === after[index]?.id)) {
    const changed = [...after.entries()].filter(([index, share]) => share !== before[index]);
    return { set: Object.fromEntries(changed.map(([index, share]) => [`shares.${index}`, share])) };
  }
  const left = new Set(after);
  const [kept, removed] = [
    before.filter((share) => left.has(share)),
    before.filter((share) => !left.has(share)),
  ];
  const isRemoval = kept.length === after.length && kept.every((share, index) => share === after[index]);
  if (!isRemoval || after.length <= PACKED_MAX) return { set: { shares: after } };
  return { pull: { shares: { id: { $in: removed.map(({ id }) => id) } } } };
}

/** Adds or removes readers; sets all of them if it is neither. */
function writeReaders(before: readonly string[], after: readonly string[]): Partial<ListWrites> {
  const [old, current] = [new Set(before), new Set(after)];
  const added = after.filter((reader) => !old.has(reader));
  const removed = before.filter((reader) => !current.has(reader));
  if (added.length > 0 && removed.length > 0) return { set: { readers: after } };
  return {
    ...(added.length === 0 ? {} : { push: { readers: { $each: added } } }),
    ...(removed.length === 0 ? {} : { pull: { readers: { $in: removed } } }),
  };
}

/**
 * Returns the writes of changed shares and of the readers that follow from them. With very many shares only
 * the differences are written: as a whole they may have three megabytes. The update names the revision of
 * `before`, so it applies to exactly these lists. Every release derives the readers in the same way.
 */
export function listWrites(
  type: ResourceType,
  before: ResourceHeader,
  { shares, readers }: { shares: readonly Share[] | undefined; readers: readonly string[] | undefined },
): ListWrites {
  const ofShares = shares === undefined ? {} : writeShares(before.shares, shares);
  const ofReaders =
    readers === undefined
      ? {}
      : before.shares.length > PACKED_MAX
        ? writeReaders(readersOf(factsOf(type, before)), readers)
        : { set: { readers } };
  return {
    set: { ...ofShares.set, ...ofReaders.set },
    pull: { ...ofShares.pull, ...ofReaders.pull },
    push: { ...ofShares.push, ...ofReaders.push },
  };
}
