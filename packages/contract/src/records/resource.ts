import { z } from 'zod';
import { AccessLevel, Id, JsonObject, ShareScope, ResourceType, Timestamp, UserType } from '../vocabulary.js';

/** What the caller may do with a record, after role and grants. */
export const ResourcePermissions = z.object({
  canEdit: z.boolean(),
  canShare: z.boolean(),
  canDelete: z.boolean(),
});
export type ResourcePermissions = z.infer<typeof ResourcePermissions>;

const ResourceSummary = {
  id: Id,
  title: z.string(),
  description: z.string(),
  projectId: Id,
  /** The tenant of an owner who is a tenant user, else null. */
  tenantId: Id.nullable(),
  isPrivate: z.boolean(),
  tags: z.array(z.string()),
  /** Counts the changes of the record; the entity tag is made of it. */
  version: z.number().int(),
  ownerId: Id,
  ownerType: UserType,
  createdBy: Id,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  permissions: ResourcePermissions,
  /** The caller's effective level; null only if an ADMIN lists a record without access to it. */
  accessLevel: AccessLevel.nullable(),
};

export const DashboardSummary = z.object({ ...ResourceSummary, isDataApp: z.boolean() });
export type DashboardSummary = z.infer<typeof DashboardSummary>;
export const Dashboard = DashboardSummary.extend({ template: JsonObject.nullable() });
export type Dashboard = z.infer<typeof Dashboard>;
/** A dashboard in the response that creates it, which alone shows its secret. */
export const DashboardWithSecret = Dashboard.extend({ secret: z.string() });
export type DashboardWithSecret = z.infer<typeof DashboardWithSecret>;

export const VisualSummary = z.object(ResourceSummary);
export type VisualSummary = z.infer<typeof VisualSummary>;
export const Visual = VisualSummary.extend({ frameObject: JsonObject.nullable() });
export type Visual = z.infer<typeof Visual>;

export const ShareRecord = z.object({
  id: Id,
  resourceId: Id,
  resourceType: ResourceType,
  scope: ShareScope,
  role: AccessLevel,
  tenantUserId: Id.optional(),
  tenantId: Id.optional(),
  orgUserId: Id.optional(),
  groupId: Id.optional(),
  createdAt: Timestamp,
  createdBy: Id,
  expiresAt: Timestamp.nullable(),
});
export type ShareRecord = z.infer<typeof ShareRecord>;

export const ShareTarget = z.object({ id: Id, name: z.string(), email: z.string().optional() });
export const ShareListEntry = z.object({
  id: Id,
  type: ResourceType,
  scope: ShareScope,
  role: AccessLevel,
  /** The target of the share; null for the scopes without one. */
  target: ShareTarget.nullable(),
  grantedAt: Timestamp,
  /** Shown from CONTRIBUTOR up. */
  grantedBy: Id.optional(),
  expiresAt: Timestamp.nullable(),
});
export type ShareListEntry = z.infer<typeof ShareListEntry>;

const Entries = z.array(ShareListEntry);
export const ShareList = z.object({
  owner: ShareTarget.extend({ type: UserType }).nullable(),
  specificTenantUsers: Entries,
  tenantWide: Entries,
  specificOrgUsers: Entries,
  orgWide: Entries,
  orgUsersOnly: Entries,
  allTenantsOnly: Entries,
  specificGroups: Entries,
  /** Absent at the end: the other fields are read as lists. */
  nextCursor: z.string().optional(),
});
export type ShareList = z.infer<typeof ShareList>;

export const GRANT_PATHS = ['ownership', 'share', 'group', 'audience', 'linked dashboard', 'token'] as const;
export const GrantPath = z.enum(GRANT_PATHS);
export type GrantPath = z.infer<typeof GrantPath>;

export const AccessGrant = z.object({
  level: AccessLevel,
  path: GrantPath,
  shareId: Id.optional(),
  scope: ShareScope.optional(),
  groupId: Id.optional(),
  dashboardId: Id.optional(),
  wins: z.boolean(),
});
export type AccessGrant = z.infer<typeof AccessGrant>;

/** The end of the recorded events that a response about the past is based on. */
export const LastEvent = z.object({
  eventId: z.string(),
  time: Timestamp,
  /** The place of the event among all events of its record. */
  sequence: z.string(),
  /** Number of earlier events that are not recorded yet, so that the response does not include them. */
  missing: z.number().int(),
});
export type LastEvent = z.infer<typeof LastEvent>;

/** The past state of a dashboard or visual, as far as access depends on it. */
export const PastResource = z.object({
  id: Id,
  type: ResourceType,
  projectId: Id,
  ownerKey: z.string(),
  ownerType: UserType,
  ownerTenantKey: z.string().nullable(),
  isPrivate: z.boolean(),
  /** The shares with the requested subjects. */
  shares: z.array(
    z.object({
      id: Id,
      scope: ShareScope,
      role: AccessLevel,
      subject: z.string(),
      expiresAt: Timestamp.nullable(),
    }),
  ),
});
export type PastResource = z.infer<typeof PastResource>;

export const AccessExplanation = z.object({
  userId: Id,
  accessLevel: AccessLevel.nullable(),
  role: z.string(),
  ceiling: AccessLevel,
  grants: z.array(AccessGrant),
  /** The requested moment; absent for the present. */
  at: Timestamp.optional(),
  /**
   * The basis of a response about the past: an event up to then that is missing here could not be taken into
   * account.
   */
  basedOn: z
    .object({
      resource: LastEvent,
      user: LastEvent,
      /** The time of the newest event of the organization that the record of events held. */
      recordedUntil: Timestamp,
    })
    .optional(),
});
export type AccessExplanation = z.infer<typeof AccessExplanation>;

/** One question: may the user, by default the requester, act on the resource at this level? */
export const AccessCheck = z.strictObject({
  resourceType: ResourceType,
  resourceId: Id,
  userId: Id.optional(),
  level: AccessLevel,
});
export type AccessCheck = z.infer<typeof AccessCheck>;

/** The code of a question that the requester may not have answered, as a single explanation returns it. */
export const CheckRejection = z.enum(['NOT_FOUND', 'FORBIDDEN']);

/** The answer to one question of a batch: a decision, or the code with which it is rejected. */
export const CheckResult = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('decided'),
    isAllowed: z.boolean(),
    accessLevel: AccessLevel.nullable(),
    /** Only if reasons are requested. */
    access: AccessExplanation.optional(),
  }),
  z.object({ status: z.literal('rejected'), code: CheckRejection }),
]);
export type CheckResult = z.infer<typeof CheckResult>;

/** A dashboard or visual that a user can open. */
export const ReachedResource = z.object({
  id: Id,
  type: ResourceType,
  title: z.string(),
  accessLevel: AccessLevel,
});
export type ReachedResource = z.infer<typeof ReachedResource>;

export const Viewer = z.object({
  type: UserType,
  id: Id,
  name: z.string(),
  email: z.string(),
  accessLevel: AccessLevel,
  path: GrantPath,
});
export type Viewer = z.infer<typeof Viewer>;
