import type { GroupType, PublicKey, UserRole, UserType } from '@gatehouse/contract';
import type { Outboxed } from '@gatehouse/service';

/**
 * What every record of an organization has. `_id` names it for ever: for tenants and people it is the key that facts and
 * shares use (`t:…`, `u:…`) and is never given again, unlike their public `id`.
 */
export interface RecordDocument extends Outboxed {
  _id: string;
  organizationId: string;
  name: string;
  /** Tombstones have none, so that asking for it leaves them out. */
  nameFolded: string;
  /** Counts the changes of the public record. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

export interface OrganizationDocument extends Outboxed {
  _id: string;
  name: string;
  createdAt: Date;
}

export interface ProjectDocument extends RecordDocument {
  secretHash: string;
}

export interface TenantDocument extends RecordDocument {
  id: string;
  /** The tenant user who inherits what deleted users of the tenant owned. */
  defaultOwner: { id: string; key: string } | null;
}

export interface UserDocument extends RecordDocument {
  id: string;
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

/** One user's place in a group. */
export interface Membership {
  /** Names the membership: `gm_…`. */
  id: string;
  userId: string;
  userKey: string;
  userType: UserType;
  addedAt: Date;
  addedBy: string | null;
}

export interface GroupDocument extends RecordDocument {
  type: GroupType;
  description: string;
  /** The tenant of a TENANT_GROUP, else null. */
  tenantKey: string | null;
  tenantId: string | null;
  createdBy: string | null;
  memberCount: number;
  /** Left out of what is read, but where it is asked for: it may be long. */
  members?: Membership[];
}

/** An access token that ended before its time. */
export interface RevocationDocument extends Outboxed {
  /** `jti` of the token. */
  _id: string;
  organizationId: string;
  /** When the token would have ended: from then on the revocation is of no use. */
  expiresAt: Date;
}

export interface SigningKeyDocument extends Outboxed {
  /** `kid`. */
  _id: string;
  publicJwk: PublicKey;
  /** The private JWK, sealed with the `kid` as context. */
  sealedPrivateJwk: string;
  createdAt: Date;
  /** On the one key that signs. */
  isActive?: true;
  /** When it stopped signing. It verifies until the last token that it signed has ended. */
  retiredAt?: Date;
}

/** The claim to, and later the answer of, a request that carries an idempotency key. */
export interface IdempotencyDocument {
  /** Hash of scope and key. */
  _id: string;
  requestHash: string;
  /** Names the attempt that runs the request. */
  claimId: string;
  /** Until when the attempt may run; afterwards another may claim. */
  leaseUntil: Date;
  expiresAt: Date;
  /** What the keys of the operations under this key are made of, sealed. */
  sealedSeed: string;
  /** On a claim that was given up without an answer: whoever comes next may claim. */
  isReleased?: true;
  answer?: { status: number; sealedBody: string };
}
