import { z } from 'zod';
import { CommitOnSave } from './records/versionControl.js';
import { SessionMethod } from './records/session.js';
import { AccessLevel, Id, ShareScope, Timestamp, UserRole, UserType } from './vocabulary.js';

/** The previous and the new value of each changed field. Large values, such as a template, are only named. */
const Changes = z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() }));

const ResourceState = z.object({
  id: Id,
  projectId: Id,
  title: z.string(),
  ownerId: Id,
  ownerType: UserType,
  ownerKey: z.string(),
  /** The key of the owner's tenant; null if an org user owns it. */
  ownerTenantKey: z.string().nullable(),
  tenantId: Id.nullable(),
  isPrivate: z.boolean(),
  linkedVisualIds: z.array(Id).optional(),
});
const ShareState = z.object({
  id: Id,
  scope: ShareScope,
  role: AccessLevel,
  targetId: Id.nullable(),
  subject: z.string(),
  expiresAt: Timestamp.nullable(),
});
const Shares = z.object({ resourceId: Id, shares: z.array(ShareState) });
const UserState = z.object({
  id: Id,
  key: z.string(),
  email: z.string(),
  name: z.string(),
  role: UserRole,
  isActive: z.boolean(),
  tenantId: Id.nullable(),
  tenantKey: z.string().nullable(),
});
const GroupState = z.object({ id: Id, name: z.string(), type: z.string(), tenantId: Id.nullable() });
const Members = z.object({
  groupId: Id,
  members: z.array(z.object({ id: Id, userId: Id, userKey: z.string() })),
});
const Named = z.object({ id: Id, name: z.string() });
const InProject = Named.extend({ projectId: Id });
const ConnectionState = InProject.extend({ type: z.string() });
const DefinitionState = InProject.extend({ connectionId: Id });
const AssignmentState = z.object({
  id: Id,
  projectId: Id,
  definitionId: Id,
  scopeType: z.string(),
  /** The id of the actor; null for all tenants. */
  actorId: Id.nullable(),
  actorKey: z.string().nullable(),
});
const TestState = InProject.extend({ definitionId: Id });
const MigrationState = z.object({
  id: Id,
  sourceProjectId: Id,
  sourceDashboardId: Id,
  targetProjectId: Id,
  /** The dashboard that it creates or overwrites. */
  targetDashboardId: Id,
  isReplacing: z.boolean(),
});
const VersionControlState = z.object({
  projectId: Id,
  commitOnSave: CommitOnSave,
  hasRemote: z.boolean(),
  /** Counts the changes of these settings, including removals. */
  version: z.number().int(),
});
const WebhookState = z.object({
  id: Id,
  url: z.string(),
  eventTypes: z.array(z.string()),
  projectId: Id.nullable(),
  isEnabled: z.boolean(),
});
const SignInCodeState = z.object({
  id: Id,
  projectId: Id,
  /** The user that the code signs in. */
  userId: Id,
  expiresAt: Timestamp,
});
const SignInFacts = {
  method: SessionMethod,
  /** The network address and the browser of the person. */
  address: z.string(),
  userAgent: z.string(),
};
const SessionState = z.object({
  id: Id,
  userId: Id,
  userKey: z.string(),
  tenantId: Id.nullable(),
  ...SignInFacts,
});
const TenantState = Named.extend({ key: z.string(), defaultOwnerId: Id.nullable() });

/**
 * Every event that a state change publishes, with the shape of its data. Types are
 * `management.<noun>.<past-tense verb>.v1`. Consumers must handle a duplicate of an event.
 */
export const EVENT_CATALOGUE = {
  'management.organization.created.v1': Named,
  'management.project.created.v1': Named,
  'management.project.updated.v1': Named.extend({ changes: Changes }),
  'management.project_secret.rotated.v1': Named,
  'management.tenant.created.v1': TenantState,
  'management.tenant.updated.v1': TenantState.extend({ changes: Changes }),
  'management.tenant.deleted.v1': TenantState,
  'management.org_user.created.v1': UserState,
  'management.org_user.updated.v1': UserState.extend({ changes: Changes }),
  'management.org_user.deleted.v1': UserState,
  'management.tenant_user.created.v1': UserState,
  'management.tenant_user.updated.v1': UserState.extend({ changes: Changes }),
  'management.tenant_user.deleted.v1': UserState.extend({
    /** The heir of the user's records; null if the tenant has none. */
    heir: z.object({ id: Id, key: z.string() }).nullable(),
  }),
  'management.group.created.v1': GroupState,
  'management.group.updated.v1': GroupState.extend({ changes: Changes }),
  /** The members; of a group with more than 10,000, those who joined last. */
  'management.group.deleted.v1': GroupState.extend({ userIds: z.array(Id) }),
  'management.group_member.added.v1': Members,
  'management.group_member.removed.v1': Members,
  'management.token.revoked.v1': z.object({ tokenId: z.string(), expiresAt: Timestamp }),
  'management.sign_in_code.created.v1': SignInCodeState,
  'management.sign_in_code.used.v1': SignInCodeState,
  'management.session.created.v1': SessionState,
  'management.session.ended.v1': SessionState.extend({
    reason: z.enum(['signed_out', 'replaced', 'revoked', 'logged_out_by_provider', 'deactivated', 'deleted']),
  }),
  /** Not a change, but a rejected sign-in of a known organization. */
  'management.sign_in.failed.v1': z.object({
    /** Why, as a code of the documentation. */
    reason: z.string(),
    /** The person, if one was found. */
    userId: Id.nullable(),
    ...SignInFacts,
  }),
  /** A person was found, or created, at its first sign-in at a provider. */
  'management.identity.linked.v1': z.object({
    userId: Id,
    userKey: z.string(),
    tenantId: Id.nullable(),
    issuer: z.string(),
    subject: z.string(),
    by: z.enum(['email', 'creation']),
  }),
  'management.signing_key.rotated.v1': z.object({ kid: z.string() }),
  'management.dashboard.created.v1': ResourceState,
  'management.dashboard.updated.v1': ResourceState.extend({ changes: Changes }),
  'management.dashboard.taken_over.v1': ResourceState.extend({ formerOwnerId: Id }),
  'management.dashboard.deleted.v1': ResourceState,
  'management.dashboard_secret.rotated.v1': z.object({ id: Id, title: z.string() }),
  'management.dashboard_share.granted.v1': Shares,
  'management.dashboard_share.revoked.v1': Shares,
  'management.dashboard_share.expired.v1': Shares,
  'management.visual.created.v1': ResourceState,
  'management.visual.updated.v1': ResourceState.extend({ changes: Changes }),
  'management.visual.taken_over.v1': ResourceState.extend({ formerOwnerId: Id }),
  'management.visual.deleted.v1': ResourceState,
  'management.visual_share.granted.v1': Shares,
  'management.visual_share.revoked.v1': Shares,
  'management.visual_share.expired.v1': Shares,
  'management.domain.created.v1': InProject,
  'management.domain.updated.v1': InProject.extend({ changes: Changes }),
  'management.domain.deleted.v1': InProject,
  'management.domain_template.updated.v1': InProject,
  'management.connection.created.v1': ConnectionState,
  'management.connection.updated.v1': ConnectionState.extend({ changes: Changes }),
  'management.connection.deleted.v1': ConnectionState,
  /** A catalog that differs from the previous one. */
  'management.connection_catalog.updated.v1': ConnectionState.extend({
    catalogVersion: z.number().int(),
    changeCount: z.number().int(),
  }),
  'management.datamodel.created.v1': InProject,
  'management.datamodel.updated.v1': InProject.extend({ changes: Changes }),
  'management.datamodel.deleted.v1': InProject,
  'management.assistant_profile.created.v1': InProject,
  'management.assistant_profile.updated.v1': InProject.extend({ changes: Changes }),
  'management.assistant_profile.deleted.v1': InProject,
  'management.policy_definition.created.v1': DefinitionState,
  'management.policy_definition.updated.v1': DefinitionState.extend({ changes: Changes }),
  'management.policy_definition.deleted.v1': DefinitionState,
  'management.policy_assignment.created.v1': AssignmentState,
  'management.policy_assignment.updated.v1': AssignmentState.extend({ changes: Changes }),
  'management.policy_assignment.deleted.v1': AssignmentState,
  'management.policy_test.created.v1': TestState,
  'management.policy_test.updated.v1': TestState.extend({ changes: Changes }),
  'management.policy_test.deleted.v1': TestState,
  'management.migration.started.v1': MigrationState,
  'management.migration.completed.v1': MigrationState.extend({ createdIds: z.array(Id) }),
  /** The records that it had created are deleted. */
  'management.migration.failed.v1': MigrationState.extend({ reason: z.string() }),
  'management.migration.rolled_back.v1': MigrationState,
  'management.version_control.updated.v1': VersionControlState,
  'management.version_control.removed.v1': VersionControlState,
  'management.dashboard.committed.v1': z.object({ id: Id, title: z.string(), commitSha: z.string() }),
  'management.webhook.created.v1': WebhookState,
  'management.webhook.updated.v1': WebhookState.extend({ changes: Changes }),
  'management.webhook.deleted.v1': WebhookState,
  /** Disabled by a user, or by the platform when its deliveries fail. */
  'management.webhook.disabled.v1': WebhookState.extend({ reason: z.string() }),
  'management.webhook_secret.rotated.v1': z.object({ id: Id, url: z.string() }),
  /** Not a change, but a compilation of SQL, where `AUDIT_COMPILATIONS` records them. */
  'management.statement.compiled.v1': z.object({
    connectionId: Id,
    /** The actor whose policies restricted the statements. */
    actorKind: z.string(),
    /** The id of that actor; null for all tenants. */
    actorId: Id.nullable(),
    statements: z.array(
      z.object({
        status: z.string(),
        /** SHA-256 of the given statement in UTF-8, in hexadecimal: the text may contain personal data. */
        sha256: z.string(),
        /** The codes of the reasons for which it was refused. */
        reasons: z.array(z.string()),
      }),
    ),
  }),
  /**
   * Not a change, but a rejected request of a known caller: a token that is no longer valid, or a missing
   * permission.
   */
  'management.request.refused.v1': z.object({
    operation: z.string(),
    status: z.number().int(),
    code: z.string(),
    /** The resource in the path, whether it exists or not. */
    resourceId: z.string().nullable(),
    /**
     * Number of rejections in this event: 1, or the number of those with the same token, operation and code
     * that have no event of their own.
     */
    count: z.number().int(),
  }),
} as const;

export type EventType = keyof typeof EVENT_CATALOGUE;
export type EventData<T extends EventType> = z.infer<(typeof EVENT_CATALOGUE)[T]>;

/** The kinds of principal, as `Principal.kind`. */
export const ActorKind = z.enum(['orgUser', 'tenantUser', 'service', 'anonymous', 'compiler']);
export type ActorKind = z.infer<typeof ActorKind>;

/** An event in the JSON format of CloudEvents 1.0, with extension attributes in lower case as it requires. */
export const CloudEvent = z.object({
  specversion: z.literal('1.0'),
  /** Globally unique: the same event delivered twice has the same id. */
  id: z.string(),
  /** The service that published it, as `/gatehouse/access`. */
  source: z.string(),
  type: z.string(),
  /** The id of the resource that changed. */
  subject: z.string(),
  time: Timestamp,
  /**
   * The position of the event among all events of its record, as text of equal length: the first has
   * "000000000001", and there is no gap. A record that reuses an id starts again. It is set when the event is
   * published.
   */
  sequence: z.string().optional(),
  datacontenttype: z.literal('application/json'),
  organizationid: z.string(),
  projectid: z.string().optional(),
  requestid: z.string().optional(),
  /** The user, or the service identity, that made the change; absent if the platform did. */
  actorid: z.string().optional(),
  actorkind: ActorKind.optional(),
  /** The `jti` of the access token of the request. */
  tokenid: z.string().optional(),
  /**
   * The span of the change, in the CloudEvents extension for distributed tracing; only while tracing is
   * enabled.
   */
  traceparent: z.string().optional(),
  data: z.record(z.string(), z.unknown()),
});
export type CloudEvent = z.infer<typeof CloudEvent>;
