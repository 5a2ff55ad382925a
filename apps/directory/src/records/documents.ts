import type { MemberPart } from '../groups/logic/memberParts.js';
import type { GroupType, UserRole, UserType } from '@gatehouse/contract';
import type { Outboxed } from '@gatehouse/service';

/**
 * The fields of every record of an organization. `_id` identifies the record forever. For tenants and people
 * it is the key that facts and shares use (`t:…`, `u:…`). Unlike their public `id`, it is never reused.
 */
export interface RecordDocument extends Outboxed {
  _id: string;
  organizationId: string;
  name: string;
  /** Tombstones lack it, so a filter on it excludes them. */
  nameFolded: string;
  /** Counts the changes of the public record. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** The fields of a public record that describe its version. */
export function versionFieldsOf({ version, createdAt, updatedAt }: RecordDocument) {
  return { version, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

export interface ProjectDocument extends RecordDocument {
  secretHash: string;
  /** See `withRepeatable`. */
  repeatableHashes?: string[];
}

/** A public id that the caller may choose. Policies may compare it without regard to case. */
export interface Identified {
  id: string;
  /** The id in lower case, unique. Some records that predate the field lack it. */
  idFolded?: string;
  /** Identifies the operation that created the record, if it may be repeated. */
  creation?: string;
}

/** A record that lists find by its terms. */
export interface ListedDocument extends RecordDocument {
  /** Excluded from reads. Absent in records of a release without terms. */
  terms?: number[];
}

export interface TenantDocument extends ListedDocument, Identified {
  /** The tenant user who inherits the resources of deleted users of the tenant. */
  defaultOwner: { id: string; key: string } | null;
}

export interface UserDocument extends ListedDocument, Identified {
  email: string;
  emailFolded: string;
  searchTexts: string[];
  role: UserRole;
  department: string;
  isActive: boolean;
}

export type OrgUserDocument = UserDocument;

export interface TenantUserDocument extends UserDocument {
  tenantKey: string;
  tenantId: string;
}

/** The membership of one user in a group. */
export interface Membership {
  /** Identifies the membership: `gm_…`. */
  id: string;
  userId: string;
  userKey: string;
  userType: UserType;
  addedAt: Date;
  addedBy: string | null;
}

/** The fields of a person that decide about access, or name the person beside it. */
export type PersonFacts<T extends UserDocument> = Pick<
  T,
  '_id' | 'id' | 'name' | 'email' | 'role' | 'isActive' | Extract<keyof T, 'tenantId' | 'tenantKey'>
>;

export interface GroupDocument extends ListedDocument {
  type: GroupType;
  description: string;
  /** The tenant of a TENANT_GROUP, otherwise null. */
  tenantKey: string | null;
  tenantId: string | null;
  createdBy: string | null;
  memberCount: number;
  /** Excluded from reads unless requested: it may be long. */
  members?: Membership[];
  /** The parts of the members who joined before all of `members`; absent if there are none. */
  parts?: MemberPart[];
}
