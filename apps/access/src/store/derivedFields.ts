import type { ResourceType } from '@gatehouse/contract';
import { readersOf } from '../logic/shareScope.js';
import {
  factsOf,
  type ResourceChange,
  type ResourceDocument,
  type ResourceHeader,
} from './resourceDocument.js';
import { packShares } from './packedShares.js';
import { foldText, searchTextOf } from './searchText.js';

type TextFields = Pick<ResourceDocument, 'titleFolded' | 'searchText'>;
type ReaderFields = Pick<ResourceDocument, 'readers'> & {
  packedShares: string | undefined;
  nextExpiryAt: Date | undefined;
};

/** The fields by which a resource is sorted and searched. */
export function textFieldsOf(resource: Pick<ResourceHeader, 'title' | 'description'>): TextFields {
  return { titleFolded: foldText(resource.title), searchText: searchTextOf(resource) };
}

/** The fields by which a resource is found for its readers and for the sweep. */
export function readerFieldsOf(type: ResourceType, resource: ResourceHeader): ReaderFields {
  let nextExpiryAt: Date | undefined;
  for (const { expiresAt } of resource.shares) {
    if (expiresAt !== null && (nextExpiryAt === undefined || expiresAt < nextExpiryAt))
      nextExpiryAt = expiresAt;
  }
  const readers = readersOf(factsOf(type, resource));
  return { readers, packedShares: packShares(resource.shares), nextExpiryAt };
}

const TEXT_SOURCES = ['title', 'description'] as const;
const READER_SOURCES = ['shares', 'isPrivate', 'ownerKey', 'ownerType', 'ownerTenantKey'] as const;

/** The derived fields that a change touches, as they are after it. */
export function derivedFieldsOf(
  type: ResourceType,
  after: ResourceHeader,
  change: ResourceChange,
): Partial<TextFields & ReaderFields> {
  return {
    ...(TEXT_SOURCES.some((field) => field in change) ? textFieldsOf(after) : {}),
    ...(READER_SOURCES.some((field) => field in change) ? readerFieldsOf(type, after) : {}),
  };
}
