import type { SemanticDomainAccess, UserType } from '@gatehouse/contract';
import type { Outboxed, Sized } from '@gatehouse/service';
import type { Document } from 'mongodb';
import type { ShareFacts } from '../../decisions/logic/access.js';
import type { Share } from '../../sharing/logic/grants.js';
import type { PartList, SharePart } from '../logic/partedShares.js';

/** The fields of a resource that a list shows, and those that access depends on except for the shares. */
interface ResourceFields {
  _id: string;
  projectId: string;
  /** The tenant of an owner who is a tenant user, else null. */
  tenantId: string | null;
  title: string;
  description: string;
  isPrivate: boolean;
  /** Only for dashboards. */
  isDataApp?: boolean;
  tags: string[];
  ownerId: string;
  ownerKey: string;
  ownerType: UserType;
  ownerTenantKey: string | null;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
  /** Counts the changes of the public record. */
  version: number;
}

/** A resource as one reader sees it: with the shares that reach the reader. Writes never start from it. */
export interface SeenResource extends ResourceFields {
  shares: readonly ShareFacts[];
  /** Present if there are very many shares. */
  shareParts?: ListedParts;
  /** The template or frame object as JSON text, if it was read. */
  body?: string | null;
}

/** The parts of the shares of a resource with very many: see `SharePartDocument`. */
export interface ListedParts {
  list: PartList;
  /** The subjects of the shares, except for single users. There may be thousands of those. */
  subjects: readonly string[];
}

/** A resource with its shares: the input of a change. */
export interface ResourceHeader extends ResourceFields, Sized {
  organizationId: string;
  /** Counts the writes of the document. */
  revision: number;
  /** All shares or, of very many, those that a decision needs. */
  shares: readonly Share[];
  /** Present if there are very many shares. The list is absent once `parts` has been read from it. */
  shareParts?: Pick<ListedParts, 'subjects'> & Partial<ListedParts>;
  /** The number of the shares that were not read. */
  unreadShares?: number;
  /** The listed parts in their order. */
  parts?: readonly SharePart[];
  /** The parts that were read as a whole. */
  readParts?: ReadonlyMap<string, readonly Share[]>;
  /** The shares that a former release has added to the document, beside the parts. */
  sharesOutside?: readonly Share[];
  /** The visuals that a dashboard's template links and gives view access to; absent if there are none. */
  linkedVisualIds?: readonly string[];
  /** The template or frame object as JSON text, if it was read. */
  body?: string | null;
  /** See `withRepeatable`. */
  repeatableHashes?: readonly string[];
  /** The migration that created it. */
  copiedBy?: string;
  /**
   * The tenant of the user who got the dashboard's secret; null for an org user. Its tokens act only as users
   * of this tenant. In documents of a release without the field, the tenant of the owner counts.
   */
  secretTenantKey?: string | null;
  /**
   * The semantic domains that the token which got the dashboard's secret sees; null or absent for all. The
   * tokens of the secret see no others.
   */
  secretDomainAccess?: SemanticDomainAccess | null;
  /**
   * The migration that last replaced the content, and the resulting version; `isRestored` after its rollback.
   * `revision` is that of its write if the content links fewer visuals since. Its rollback links them again,
   * and readers who were added in between were not given them.
   */
  replacedBy?: { migrationId: string; version: number; isRestored: boolean; revision?: number };
  /** The last migrations that ended without replacing the content. Their late calls may not replace it. */
  abandonedBy?: readonly string[];
}

/** The fields of a resource whose shares are in parts. */
export type PartedField = 'shareParts' | 'parts' | 'unreadShares' | 'readParts' | 'sharesOutside';

/** The fields that a change may set. The derived fields follow. */
export type ResourceChange = Partial<
  Omit<ResourceHeader, '_id' | 'projectId' | 'revision' | 'quotaBytes' | PartedField>
>;

/** A dashboard or visual as stored. */
export interface ResourceDocument extends ResourceFields, Outboxed, Sized {
  organizationId: string;
  /** Empty if there are parts. */
  shares: readonly Share[];
  /** The same shares as text, for lists. Absent if a former release has written too many. */
  packedShares?: string;
  shareParts?: ListedParts;
  linkedVisualIds?: readonly string[];
  repeatableHashes?: readonly string[];
  copiedBy?: string;
  replacedBy?: NonNullable<ResourceHeader['replacedBy']>;
  abandonedBy?: readonly string[];
  /** JSON text, so that any keys and numbers survive. */
  body: string | null;
  secretHash?: string;
  secretTenantKey?: string | null;
  secretDomainAccess?: SemanticDomainAccess | null;
  /** The title for sorting without regard to case. */
  titleFolded: string;
  /** Title and description for searching without regard to case. */
  searchText: string;
  /** What filters of lists find the resource by; absent in documents of a release without terms. */
  terms?: number[];
  /** The subjects that may reach the resource. With parts, without the single users in them. */
  readers: string[];
  /** The earliest expiry of the shares; absent if none expires. */
  nextExpiryAt?: Date;
}

/**
 * The condition that resources meet, and tombstones and marks of undone copies do not: these keep only their
 * project, which a sharded database needs, and their events.
 */
export const LIVE: Document = { titleFolded: { $gte: '' } };
/** A field that every projection has, and that of {@link LIVE} as well: tombstones and marks lack it. */
export const LIVE_FIELD = 'title';

/** Projects the fields of a list and of access, without the shares. The caller knows the project. */
export const SEEN: Document = {
  tenantId: 1,
  title: 1,
  description: 1,
  isPrivate: 1,
  isDataApp: 1,
  tags: 1,
  ownerId: 1,
  ownerKey: 1,
  ownerType: 1,
  ownerTenantKey: 1,
  createdBy: 1,
  createdAt: 1,
  updatedAt: 1,
  version: 1,
};

/** Projects a resource with the shares in its document, and the list of their parts. */
export const HEADER: Document = {
  ...SEEN,
  organizationId: 1,
  projectId: 1,
  shares: 1,
  shareParts: 1,
  linkedVisualIds: 1,
  repeatableHashes: 1,
  copiedBy: 1,
  secretTenantKey: 1,
  secretDomainAccess: 1,
  replacedBy: 1,
  abandonedBy: 1,
  revision: 1,
  quotaBytes: 1,
};

/** The name of the index of the earliest expiry of the shares. */
export const EXPIRY_INDEX = 'next_expiry';

/**
 * Folds text for comparison without regard to case. Upper case unfolds characters without a single lower case
 * partner (`ß` and `SS`), but keeps those with a lower case letter of their own (`ẞ`), so lower case comes
 * before it as well. The final form of sigma depends on its neighbours, so a substring needs the other form.
 */
export function foldText(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFC');
}

/** Separates title and description. Callers can neither store nor search it. */
const BOUNDARY = '\0';

/** Returns the text that a search looks into. */
export function searchTextOf({ title, description }: { title: string; description: string }): string {
  return foldText(title) + BOUNDARY + foldText(description);
}

const SPECIAL = /[\\^$.*+?()[\]{}|]/g;

/** Returns a pattern that matches exactly the folded text. Each character is escaped: a search is data. */
export function searchPatternOf(search: string): string {
  return foldText(search).replace(SPECIAL, String.raw`\$&`);
}
