import type { ResourceType } from '@gatehouse/contract';
import { factsOf, readersOf } from '../../decisions/logic/access.js';
import {
  foldText,
  searchTextOf,
  type ResourceChange,
  type ResourceDocument,
  type ResourceHeader,
} from './document.js';
import { packShares } from './packedShares.js';
import { termFieldsOf } from './lists.js';

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
