import type { ResourceType, UserType } from '@gatehouse/contract';
import type { Outboxed } from '@gatehouse/service';
import type { ResourceFacts, ShareFacts } from '../logic/facts.js';
import type { Share } from '../logic/shares.js';

/** What a list shows of a resource, and what access to it depends on but for its shares. */
interface ResourceFields {
  _id: string;
  projectId: string;
  /** The tenant of an owner who is a tenant user, else null. */
  tenantId: string | null;
  title: string;
  description: string;
  isPrivate: boolean;
  /** Of dashboards. */
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

/** A resource as one reader sees it: with those shares that reach the reader. Nothing is ever written from it. */
export interface SeenResource extends ResourceFields {
  shares: readonly ShareFacts[];
  /** The template or frame object as JSON text, where it was read. */
  body?: string | null;
}

/** A resource with all of its shares: what a change is decided on. */
export interface ResourceHeader extends ResourceFields {
  organizationId: string;
  /** Counts the writes of the document. */
  revision: number;
  shares: readonly Share[];
  /** The visuals that a dashboard's template names and that conveys view access to; absent when there are none. */
  linkedVisualIds?: readonly string[];
  /** The template or frame object as JSON text, where it was read. */
  body?: string | null;
  /** The migration that made it. */
  copiedBy?: string;
  /** The migration that last replaced what it holds, and the version that it left; `isRestored` once that was undone. */
  replacedBy?: { migrationId: string; version: number; isRestored: boolean };
}

/** What a change may set. The fields that the indexes need follow by themselves. */
export type ResourceChange = Partial<Omit<ResourceHeader, '_id' | 'projectId' | 'revision'>>;

/** A dashboard or visual as it is stored. */
export interface ResourceDocument extends ResourceFields, Outboxed {
  organizationId: string;
  shares: readonly Share[];
  /** The same for lists, as text; absent when there are very many. */
  packedShares?: string;
  linkedVisualIds?: readonly string[];
  copiedBy?: string;
  replacedBy?: NonNullable<ResourceHeader['replacedBy']>;
  /** JSON text, so that any keys and numbers survive. */
  body: string | null;
  secretHash?: string;
  /** The title as it is sorted, without regard to case. */
  titleFolded: string;
  /** Title and description as they are searched, without regard to case. */
  searchText: string;
  /** The subjects that may reach the resource. */
  readers: string[];
  /** When the first of the shares expires; absent when none does. */
  nextExpiryAt?: Date;
}

/** A resource as far as access to it is decided. */
export function factsOf(type: ResourceType, resource: SeenResource | ResourceHeader): ResourceFacts {
  const { _id, projectId, ownerKey, ownerType, ownerTenantKey, isPrivate, shares } = resource;
  return { id: _id, type, projectId, ownerKey, ownerType, ownerTenantKey, isPrivate, shares };
}
