// Written by `npm run openapi`.

export type AccessCheck = {
  /** Whether the record is a dashboard or a visual */
  resourceType: ResourceType;
  /** The id of the dashboard or visual */
  resourceId: string;
  /** The user whose access is decided; by default the caller */
  userId?: string | undefined;
  /** The level that the user needs */
  level: AccessLevel;
};

export type AccessExplanation = {
  /** The id of the user, either of the organization or of a tenant */
  userId: string;
  /** The effective level of the user; null if the user has no access */
  accessLevel: AccessLevel | null;
  /** The role of the user in the organization */
  role: string;
  /** The highest level that the role of the user permits */
  ceiling: AccessLevel;
  /** Every grant of the user, the effective one first */
  grants: Array<AccessGrant>;
  /** The moment in the past; absent for the present */
  at?: string | undefined;
  /** The recorded events behind a response about the past; absent for the present and for tenant users */
  basedOn?: AccessExplanationBasedOn | undefined;
};

export type AccessExplanationBasedOn = {
  /** The last recorded event of the dashboard or visual */
  resource: LastEvent;
  /** The last recorded event of the user */
  user: LastEvent;
  /** The time of the newest recorded event of the organization, as ISO 8601 in UTC */
  recordedUntil: string;
};

export type AccessGrant = {
  /** The level that the grant gives */
  level: AccessLevel;
  /** The way in which the access was granted */
  path: GrantPath;
  /** The id of the share; absent for a grant without one */
  shareId?: string | undefined;
  /** The scope of the share; absent for a grant without one */
  scope?: ShareScope | undefined;
  /** The group through which the user has the grant; absent without one */
  groupId?: string | undefined;
  /** The dashboard whose link to the visual is the grant; absent without one */
  dashboardId?: string | undefined;
  /** Whether this grant determines the effective level */
  wins: boolean;
};

/**
 * A level of access to a dashboard or visual. Each level includes those before it.
 *
 * - `VIEWER`: May view it
 * - `EDITOR`: May change it
 * - `CONTRIBUTOR`: May share it
 * - `OWNER`: May delete it and renew its secret
 */
export type AccessLevel = 'VIEWER' | 'EDITOR' | 'CONTRIBUTOR' | 'OWNER';

/**
 * The kind of actor.
 *
 * - `orgUser`: An org user
 * - `tenantUser`: A tenant user
 * - `service`: The project itself: a project token without a user
 * - `anonymous`: A dashboard token without a user
 * - `compiler`: A token with the scope `sql:compile`
 */
export type ActorKind = 'orgUser' | 'tenantUser' | 'service' | 'anonymous' | 'compiler';

/** The response of `addGroupMembers`. */
export type AddGroupMembersResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The new members; users who were members before are not among them */
  addedMembers: Array<GroupMember>;
};

export type AnalyzedConnection = {
  /** The id of the record in the source project, as the dashboard refers to it */
  sourceId: string;
  /** The name of the record; null if the caller finds no such record in the source project */
  name: string | null;
  /** The record of the target project that fits best; null if none fits */
  suggestedTargetId: string | null;
  /** The records of the target project that fit */
  candidates: Array<MigrationCandidate>;
  /** The kind of database; null if the connection is not found */
  type: string | null;
};

export type AnalyzedResource = {
  /** The id of the record in the source project, as the dashboard refers to it */
  sourceId: string;
  /** The name of the record; null if the caller finds no such record in the source project */
  name: string | null;
  /** The record of the target project that fits best; null if none fits */
  suggestedTargetId: string | null;
  /** The records of the target project that fit */
  candidates: Array<MigrationCandidate>;
};

export type AppliedAssignment = {
  /** The id of the assignment; null for a draft and for the policies of the token */
  id: string | null;
  /** The id of the policy definition; null if it is not stored */
  definitionId: string | null;
  /** The name of the policy definition; null if it is not stored */
  definitionName: string | null;
  /** The kind of actor; null for the policies of the token */
  scopeType: AssignmentScope | null;
  /** Whether the assignment is stored, a draft, or part of a token */
  source: PolicySource;
};

export type AssignmentItem = {
  /** The policy assignment */
  assignment: PolicyAssignment;
  /** The policy definition */
  definition: PolicyDefinition;
  /** The connection of the definition; null if it was deleted */
  connection: PolicyConnection | null;
  /** The org user of the assignment; null for another scope */
  orgUser: PolicyPerson | null;
  /** The tenant of the assignment; null for another scope */
  tenant: PolicyTenant | null;
  /** The tenant user of the assignment; null for another scope */
  tenantUser: PolicyPerson | null;
};

/**
 * The kind of actor that a policy assignment applies to.
 *
 * - `ALL_TENANTS`: Every tenant and its users
 * - `TENANT`: One tenant and its users
 * - `TENANT_USER`: One tenant user
 * - `ORG_USER`: One org user, whom no other scope reaches
 */
export type AssignmentScope = 'ALL_TENANTS' | 'TENANT' | 'TENANT_USER' | 'ORG_USER';

export type AssignmentWithWarnings = {
  /** The policy assignment */
  assignment: PolicyAssignment;
  /** The policy definition */
  definition: PolicyDefinition;
  /** The connection of the definition; null if it was deleted */
  connection: PolicyConnection | null;
  /** The org user of the assignment; null for another scope */
  orgUser: PolicyPerson | null;
  /** The tenant of the assignment; null for another scope */
  tenant: PolicyTenant | null;
  /** The tenant user of the assignment; null for another scope */
  tenantUser: PolicyPerson | null;
  /** Likely mistakes; they do not prevent the save */
  warnings: Array<LintWarning>;
};

export type AssistantProfile = {
  /** The id of the assistant profile */
  id: string;
  /** The id of the project that the assistant profile belongs to */
  projectId: string;
  /** The name of the assistant profile */
  name: string;
  /** What the assistant profile is for, as free text; empty if there is none */
  description: string;
  /** Instructions for an assistant that answers questions about the data of a dashboard */
  instructions: string;
  /** The id of the user who created the assistant profile; null if that is not known */
  createdBy: string | null;
  /** When the assistant profile was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the assistant profile was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /**
   * Counts the changes of the assistant profile, from 1; the entity tag in `ETag` is made of it, for
   * `If-Match`
   */
  version: number;
};

export type AuditEvent = {
  /** The id of the event */
  id: string;
  /** The place of the entry in the log of its organization, from 1 */
  sequence: number;
  /** The id of the organization that the event belongs to */
  organizationId: string;
  /** The project of the request; null if it belongs to none */
  projectId: string | null;
  /** The type of the event, such as `management.dashboard.created.v1` */
  type: string;
  /** Whether the request was carried out or refused */
  outcome: AuditOutcome;
  /** The kind of record, such as `dashboard_share` */
  resourceType: string;
  /** The id of the record; null if a refused request named none */
  resourceId: string | null;
  /** The user or service identity that made the request; null if the platform acted by itself */
  actorId: string | null;
  /** The kind of the actor; null if the platform acted by itself */
  actorKind: ActorKind | null;
  /** The `jti` of the access token; null if there was none */
  tokenId: string | null;
  /** The id of the request; null if the platform acted by itself */
  requestId: string | null;
  /** The part of the platform that published the event, such as `/gatehouse/access` */
  source: string;
  /** When it happened, as ISO 8601 in UTC */
  time: string;
  /** When the entry was added to the log, as ISO 8601 in UTC */
  recordedAt: string;
  /** The data of the event: for a change, the changed fields */
  data: Record<string, unknown>;
  /** The hash of the entry before; 64 zeros in the first */
  previousHash: string;
  /** SHA-256 of the entry without this field, as canonical JSON (RFC 8785), in hexadecimal */
  hash: string;
};

export type AuditHead = {
  /** The place of the last entry in the log */
  sequence: number;
  /** The hash of the last entry */
  hash: string;
  /** Proves the end of the log; only the keys of the installation can create and verify it */
  seal: string;
};

/**
 * The outcome of a request.
 *
 * - `done`: The request was carried out
 * - `refused`: The request was refused
 */
export type AuditOutcome = 'done' | 'refused';

export type BatchDashboardSharesRequestOperationCreate = {
  /** The kind of target; it determines which id is required */
  scope: ShareScope;
  /** The tenant user; required for the scope `specific_tenant_user` and only allowed for it */
  tenantUserId?: string | undefined;
  /** The tenant; required for the scope `all_tenant_users` and only allowed for it */
  tenantId?: string | undefined;
  /** The org user; required for the scope `specific_org_user` and only allowed for it */
  orgUserId?: string | undefined;
  /** The group; required for the scope `group` and only allowed for it */
  groupId?: string | undefined;
  /** When the share ends, as ISO 8601 with an offset or `Z`; null if it does not end */
  expiresAt?: string | null | undefined;
  /** The role of the user in the organization, which caps the level of every grant */
  role: AccessLevel;
  /** The operation of the patch */
  op: 'create';
};

export type BatchDashboardSharesRequestOperationDelete = {
  /** The kind of target; it determines which id is required */
  scope: ShareScope;
  /** The tenant user; required for the scope `specific_tenant_user` and only allowed for it */
  tenantUserId?: string | undefined;
  /** The tenant; required for the scope `all_tenant_users` and only allowed for it */
  tenantId?: string | undefined;
  /** The org user; required for the scope `specific_org_user` and only allowed for it */
  orgUserId?: string | undefined;
  /** The group; required for the scope `group` and only allowed for it */
  groupId?: string | undefined;
  /** When the share ends, as ISO 8601 with an offset or `Z`; null if it does not end */
  expiresAt?: string | null | undefined;
  /** The role of the user in the organization, which caps the level of every grant */
  role?: AccessLevel | undefined;
  /** The operation of the patch */
  op: 'delete';
};

export type BatchDashboardSharesRequestOperationUpdate = {
  /** The kind of target; it determines which id is required */
  scope: ShareScope;
  /** The tenant user; required for the scope `specific_tenant_user` and only allowed for it */
  tenantUserId?: string | undefined;
  /** The tenant; required for the scope `all_tenant_users` and only allowed for it */
  tenantId?: string | undefined;
  /** The org user; required for the scope `specific_org_user` and only allowed for it */
  orgUserId?: string | undefined;
  /** The group; required for the scope `group` and only allowed for it */
  groupId?: string | undefined;
  /** When the share ends, as ISO 8601 with an offset or `Z`; null if it does not end */
  expiresAt?: string | null | undefined;
  /** The role of the user in the organization, which caps the level of every grant */
  role: AccessLevel;
  /** The operation of the patch */
  op: 'update';
};

/** The response of `batchDashboardShares`. */
export type BatchDashboardSharesResponse = {
  /** A result for each operation, in the order of the request */
  results: Array<BatchDashboardSharesResponseResult>;
};

export type BatchDashboardSharesResponseResult = {
  /** The operation, as in the request */
  op: BatchOp;
  /** The status that the single request would have */
  status: number;
  /** A sentence for people about the result; programs use the status and the other fields */
  message?: string | undefined;
  /** The share that was granted or changed */
  shares?: Array<ShareRecord> | undefined;
  /** The share that was revoked; empty if there was none */
  removed?: Array<ShareRecord> | undefined;
  /** Why the operation failed; absent if it succeeded */
  error?: BatchError | undefined;
};

export type BatchDashboardsRequestOperationCreate = {
  /** The operation of the patch */
  op: 'create';
  /** The title of the batch dashboards request operation create */
  title: string;
  /** What the batch dashboards request operation create is for, as free text; empty if there is none */
  description?: string | undefined;
  /**
   * Whether only the owner and shares grant access; if false, every user of the same organization or
   * tenant as the owner may view the batch dashboards request operation create
   */
  isPrivate?: boolean | undefined;
  /** The tags of the batch dashboards request operation create, at most 50 */
  tags?: Array<string> | undefined;
  /** Whether the dashboard is a Data App, which cannot be migrated */
  isDataApp?: boolean | undefined;
  /** The content of the batch dashboards request operation create; null if it has none */
  template?: Record<string, unknown> | null | undefined;
  /** The message of the commit; required if the project commits every save */
  commitMessage?: string | undefined;
};

export type BatchDashboardsRequestOperationDelete = {
  /** The operation of the patch */
  op: 'delete';
  /** The id of the batch dashboards request operation delete */
  id: string;
};

export type BatchDashboardsRequestOperationUpdate = {
  /** The operation of the patch */
  op: 'update';
  /** The id of the batch dashboards request operation update */
  id: string;
  /** The title of the batch dashboards request operation update */
  title?: string | undefined;
  /** What the batch dashboards request operation update is for, as free text; empty if there is none */
  description?: string | undefined;
  /**
   * Whether only the owner and shares grant access; if false, every user of the same organization or
   * tenant as the owner may view the batch dashboards request operation update
   */
  isPrivate?: boolean | undefined;
  /** The tags of the batch dashboards request operation update, at most 50 */
  tags?: Array<string> | undefined;
  /** Whether the dashboard is a Data App, which cannot be migrated */
  isDataApp?: boolean | undefined;
  /** The content of the batch dashboards request operation update; null if it has none */
  template?: Record<string, unknown> | null | undefined;
  /** The message of the commit; required if the project commits every save */
  commitMessage?: string | undefined;
};

/** The response of `batchDashboards`. */
export type BatchDashboardsResponse = {
  /** The result of each dashboard */
  results: Array<BatchDashboardsResponseResult>;
};

export type BatchDashboardsResponseResult = {
  /** The operation, as in the request */
  op: BatchOp;
  /** The status that the single request would have */
  status: number;
  /** The dashboard that was created or changed; with its secret if it was created */
  dashboard?: BatchDashboardsResponseResultDashboard | undefined;
  /** The commit that belongs to this save; absent if none was due */
  versionControl?: CommitResult | undefined;
  /** A sentence for people about the result; programs use the status and the other fields */
  message?: string | undefined;
  /** The dashboard that was deleted */
  deletedDashboard?: DeletedDashboard | undefined;
  /** Why the operation failed; absent if it succeeded */
  error?: BatchError | undefined;
};

export type BatchDashboardsResponseResultDashboard = {
  /** The id of the batch dashboards response result dashboard */
  id: string;
  /** The title of the batch dashboards response result dashboard */
  title: string;
  /** What the batch dashboards response result dashboard is for, as free text; empty if there is none */
  description: string;
  /** The id of the project that the batch dashboards response result dashboard belongs to */
  projectId: string;
  /** The id of the tenant; null if the batch dashboards response result dashboard belongs to no tenant */
  tenantId: string | null;
  /**
   * Whether only the owner and shares grant access; if false, every user of the same organization or
   * tenant as the owner may view the batch dashboards response result dashboard
   */
  isPrivate: boolean;
  /** The tags of the batch dashboards response result dashboard, at most 50 */
  tags: Array<string>;
  /**
   * Counts the changes of the batch dashboards response result dashboard, from 1; the entity tag in
   * `ETag` is made of it, for `If-Match`
   */
  version: number;
  /** The id of the user who owns the batch dashboards response result dashboard */
  ownerId: string;
  /** Whether the owner is an org user or a tenant user */
  ownerType: UserType;
  /** The id of the user who created the batch dashboards response result dashboard */
  createdBy: string;
  /** When the batch dashboards response result dashboard was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the batch dashboards response result dashboard was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /** What the caller may do with the batch dashboards response result dashboard */
  permissions: ResourcePermissions;
  /** The effective level of the caller; null only if an ADMIN lists a record without access */
  accessLevel: AccessLevel | null;
  /** Whether the dashboard is a Data App, which cannot be migrated */
  isDataApp: boolean;
  /** The content of the batch dashboards response result dashboard; null if it has none */
  template: Record<string, unknown> | null;
  /** The secret; only this response contains it, so store it now */
  secret?: string | undefined;
};

export type BatchError = {
  /** The code of the error */
  code: ErrorCode;
  /** The error */
  message: string;
  /** The invalid fields */
  fieldErrors?: Array<FieldError> | undefined;
};

/**
 * Whether one operation that fails undoes the others.
 *
 * - `atomic`: All operations or none, with one error for all; deletions run last
 * - `each`: Every operation for itself, in order, with a result for each
 */
export type BatchMode = 'atomic' | 'each';

/**
 * What an operation does.
 *
 * - `create`: Creates a record
 * - `update`: Changes the fields of a record that are given
 * - `delete`: Deletes a record
 */
export type BatchOp = 'create' | 'update' | 'delete';

export type BatchPolicyAssignmentsRequestOperationCreate = {
  /** The operation of the patch */
  op: 'create';
  /** The id of the policy definition */
  definitionId: string;
  /** The kind of actor that the assignment applies to */
  scopeType: AssignmentScope;
  /** The id of an org user */
  orgUserId?: string | undefined;
  /** The id of the tenant */
  tenantId?: string | undefined;
  /** The id of a tenant user */
  tenantUserId?: string | undefined;
  /** Values for placeholders, by name; secrets are shown as `***` */
  params?: Record<string, ParamValue> | undefined;
};

export type BatchPolicyAssignmentsRequestOperationDelete = {
  /** The operation of the patch */
  op: 'delete';
  /** The id of the policy assignment */
  assignmentId: string;
};

export type BatchPolicyAssignmentsRequestOperationUpdate = {
  /** The operation of the patch */
  op: 'update';
  /** The id of the policy assignment */
  assignmentId: string;
  /** The kind of actor; a new one clears the former actor; null is the same as absent */
  scopeType?: AssignmentScope | null | undefined;
  /** The org user; required for a change to the scope `ORG_USER`; null is the same as absent */
  orgUserId?: string | null | undefined;
  /** The tenant; required for a change to the scope `TENANT`; null is the same as absent */
  tenantId?: string | null | undefined;
  /** The tenant user; required for a change to the scope `TENANT_USER`; null is the same as absent */
  tenantUserId?: string | null | undefined;
  /** Replaces the values for placeholders; `***` keeps a stored secret, and null removes all */
  params?: Record<string, ParamValue> | null | undefined;
};

/** The response of `batchPolicyAssignments`. */
export type BatchPolicyAssignmentsResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: BatchPolicyAssignmentsResponseData;
};

export type BatchPolicyAssignmentsResponseData = {
  /** The result of each dashboard */
  results: Array<BatchPolicyAssignmentsResponseDataResult>;
};

export type BatchPolicyAssignmentsResponseDataResult = {
  /** The operation, as in the request */
  op: BatchOp;
  /** The status that the single request would have */
  status: number;
  /** The policy assignment */
  assignment?: PolicyAssignment | undefined;
  /** The policy definition */
  definition?: PolicyDefinition | undefined;
  /** The connection of the definition; null if it was deleted */
  connection?: PolicyConnection | null | undefined;
  /** The org user of the assignment; null for another scope */
  orgUser?: PolicyPerson | null | undefined;
  /** The tenant of the assignment; null for another scope */
  tenant?: PolicyTenant | null | undefined;
  /** The tenant user of the assignment; null for another scope */
  tenantUser?: PolicyPerson | null | undefined;
  /** Likely mistakes; they do not prevent the save */
  warnings?: Array<LintWarning> | undefined;
  /** The id of a deleted assignment */
  id?: string | undefined;
  /** Why the operation failed; absent if it succeeded */
  error?: BatchError | undefined;
};

export type BatchTenantUsersRequestOperationCreate = {
  /** The operation of the patch */
  op: 'create';
  /** The id of the batch tenant users request operation create */
  id?: string | undefined;
  /** The id of the tenant */
  tenantId: string;
  /** The email address; unique among the users of its kind, regardless of case */
  email: string;
  /** The name of the batch tenant users request operation create */
  name?: string | undefined;
  /**
   * The role of the user in the organization, which caps the level of every grant
   * @default "VIEWER"
   */
  role?: TenantUserRole | undefined;
  /**
   * The department of the user, as free text; empty if there is none
   * @default ""
   */
  department?: string | undefined;
  /**
   * Whether the user can sign in; tokens of an inactive user return 401
   * @default true
   */
  isActive?: boolean | undefined;
};

export type BatchTenantUsersRequestOperationDelete = {
  /** The operation of the patch */
  op: 'delete';
  /** The id of the batch tenant users request operation delete */
  id: string;
};

export type BatchTenantUsersRequestOperationUpdate = {
  /** The operation of the patch */
  op: 'update';
  /** The id of the batch tenant users request operation update */
  id: string;
  /** The email address; unique among the users of its kind, regardless of case */
  email?: string | undefined;
  /** The name of the batch tenant users request operation update */
  name?: string | undefined;
  /** The role of the user in the organization, which caps the level of every grant */
  role?: TenantUserRole | undefined;
  /** The department of the user, as free text; empty if there is none */
  department?: string | undefined;
  /** Whether the user can sign in; tokens of an inactive user return 401 */
  isActive?: boolean | undefined;
};

/** The response of `batchTenantUsers`. */
export type BatchTenantUsersResponse = {
  /** The result of each dashboard */
  results: Array<BatchTenantUsersResponseResult>;
};

export type BatchTenantUsersResponseResult = {
  /** The operation, as in the request */
  op: BatchOp;
  /** The status that the single request would have */
  status: number;
  /** The user that was created or changed */
  user?: TenantUser | undefined;
  /** A sentence for people about the result; programs use the status and the other fields */
  message?: string | undefined;
  /** The user that was deleted */
  deletedUser?: DeletedUser | undefined;
  /** Why the operation failed; absent if it succeeded */
  error?: BatchError | undefined;
};

export type BatchVisualSharesRequestOperationCreate = {
  /** The kind of target; it determines which id is required */
  scope: ShareScope;
  /** The tenant user; required for the scope `specific_tenant_user` and only allowed for it */
  tenantUserId?: string | undefined;
  /** The tenant; required for the scope `all_tenant_users` and only allowed for it */
  tenantId?: string | undefined;
  /** The org user; required for the scope `specific_org_user` and only allowed for it */
  orgUserId?: string | undefined;
  /** The group; required for the scope `group` and only allowed for it */
  groupId?: string | undefined;
  /** When the share ends, as ISO 8601 with an offset or `Z`; null if it does not end */
  expiresAt?: string | null | undefined;
  /** The role of the user in the organization, which caps the level of every grant */
  role: AccessLevel;
  /** The operation of the patch */
  op: 'create';
};

export type BatchVisualSharesRequestOperationDelete = {
  /** The kind of target; it determines which id is required */
  scope: ShareScope;
  /** The tenant user; required for the scope `specific_tenant_user` and only allowed for it */
  tenantUserId?: string | undefined;
  /** The tenant; required for the scope `all_tenant_users` and only allowed for it */
  tenantId?: string | undefined;
  /** The org user; required for the scope `specific_org_user` and only allowed for it */
  orgUserId?: string | undefined;
  /** The group; required for the scope `group` and only allowed for it */
  groupId?: string | undefined;
  /** When the share ends, as ISO 8601 with an offset or `Z`; null if it does not end */
  expiresAt?: string | null | undefined;
  /** The role of the user in the organization, which caps the level of every grant */
  role?: AccessLevel | undefined;
  /** The operation of the patch */
  op: 'delete';
};

export type BatchVisualSharesRequestOperationUpdate = {
  /** The kind of target; it determines which id is required */
  scope: ShareScope;
  /** The tenant user; required for the scope `specific_tenant_user` and only allowed for it */
  tenantUserId?: string | undefined;
  /** The tenant; required for the scope `all_tenant_users` and only allowed for it */
  tenantId?: string | undefined;
  /** The org user; required for the scope `specific_org_user` and only allowed for it */
  orgUserId?: string | undefined;
  /** The group; required for the scope `group` and only allowed for it */
  groupId?: string | undefined;
  /** When the share ends, as ISO 8601 with an offset or `Z`; null if it does not end */
  expiresAt?: string | null | undefined;
  /** The role of the user in the organization, which caps the level of every grant */
  role: AccessLevel;
  /** The operation of the patch */
  op: 'update';
};

/** The response of `batchVisualShares`. */
export type BatchVisualSharesResponse = {
  /** A result for each operation, in the order of the request */
  results: Array<BatchVisualSharesResponseResult>;
};

export type BatchVisualSharesResponseResult = {
  /** The operation, as in the request */
  op: BatchOp;
  /** The status that the single request would have */
  status: number;
  /** A sentence for people about the result; programs use the status and the other fields */
  message?: string | undefined;
  /** The share that was granted or changed */
  shares?: Array<ShareRecord> | undefined;
  /** The share that was revoked; empty if there was none */
  removed?: Array<ShareRecord> | undefined;
  /** Why the operation failed; absent if it succeeded */
  error?: BatchError | undefined;
};

export type BlockingRecord = {
  /** The id of the record */
  id: string;
  /** The title or name of the record */
  title: string;
};

export type CalculatedField = {
  /** The name of the dataset that has the field */
  dataset: string;
  /** The name of the field, unique in its dataset */
  name: string;
  /** The SQL expression of the value */
  expression: string;
  /** The type of the value */
  type?: string | undefined;
};

export type CalculatedFieldInput = {
  /** The name of the dataset that has the field */
  dataset: string;
  /** The name of the field, unique in its dataset */
  name: string;
  /** The SQL expression of the value */
  expression: string;
  /** The type of the value */
  type?: string | undefined;
};

export type CallerContext = {
  /** The kind of caller; `project` for a token without a user */
  type: CallerType;
  /** The id of the user; null for a token without a user */
  userId: string | null;
  /** The id of the tenant; null unless the caller is a tenant user */
  tenantId: string | null;
  /** The id of the organization that the caller context belongs to */
  organizationId: string;
  /** The role of the user; null for a token without a user */
  role: UserRole | null;
  /** Whether the caller is an ADMIN of the organization */
  isSuperAdmin: boolean;
  /** What the role of the caller permits */
  permissions: CallerContextPermissions;
};

export type CallerContextPermissions = {
  /** Whether the role may share with tenants as a whole */
  canShareWithTenants: boolean;
  /** Whether the role may share with org users */
  canShareWithOrgUsers: boolean;
  /** Whether the role may share with tenants other than its own */
  canShareWithOtherTenants: boolean;
};

/**
 * The kind of caller.
 *
 * - `organization`: An org user
 * - `tenant`: A tenant user
 * - `project`: The project itself: a token without a user
 */
export type CallerType = 'organization' | 'tenant' | 'project';

/**
 * Why a record of the target project fits.
 *
 * - `sameName`: It has the same name
 * - `sameDialect`: It is the only one with the same dialect
 */
export type CandidateReason = 'sameName' | 'sameDialect';

export type CardResult = {
  /** The card, as a JSON pointer (RFC 6901) */
  path: string;
  /** Whether no issue is an error */
  isValid: boolean;
  /** The id of the card; null if it has none */
  cardId: string | null;
  /** The title of the card; null if none */
  title: string | null;
  /** The number of issues in the card */
  issueCount: number;
};

export type Catalog = CatalogOfOneDatabase | CatalogOfDatabases;

export type CatalogChange = {
  /** What has changed */
  kind: CatalogChangeKind;
  /** The name of the database; absent in a catalog of one database */
  database?: string | undefined;
  /** The name of the schema */
  schema: string;
  /** The name of the table; absent for a change of a schema */
  table?: string | undefined;
  /** The name of the column; absent for a change of a schema or table */
  column?: string | undefined;
  /** The former type or name; absent unless one changed */
  from?: string | undefined;
  /** The present type or name; absent unless one changed */
  to?: string | undefined;
};

/**
 * The kind of difference between two catalogs.
 *
 * - `schemaAdded`: A schema was added
 * - `schemaRemoved`: A schema was removed
 * - `tableAdded`: A table was added
 * - `tableRemoved`: A table was removed
 * - `columnAdded`: A column was added
 * - `columnRemoved`: A column was removed
 * - `columnTypeChanged`: The type of a column changed
 * - `columnRenamed`: A column was removed and one of the same type added, so it was most likely
 *   renamed
 * - `tableRenamed`: A table was removed and one with the same columns added, so it was most likely
 *   renamed
 */
export type CatalogChangeKind =
  | 'schemaAdded'
  | 'schemaRemoved'
  | 'tableAdded'
  | 'tableRemoved'
  | 'columnAdded'
  | 'columnRemoved'
  | 'columnTypeChanged'
  | 'columnRenamed'
  | 'tableRenamed';

export type CatalogColumn = {
  /** The name of the column */
  name: string;
  /**
   * The type of the column, as the database names it; empty if unknown
   * @default ""
   */
  type: string;
  /** The collation of a text column that ignores case or accents; absent for all others */
  collation?: string | undefined;
};

export type CatalogColumnInput = {
  /** The name of the column */
  name: string;
  /**
   * The type of the column, as the database names it; empty if unknown
   * @default ""
   */
  type?: string | undefined;
  /** The collation of a text column that ignores case or accents; absent for all others */
  collation?: string | undefined;
};

export type CatalogDatabase = {
  /** The name of the database */
  name: string;
  /** The schema of unqualified tables; null or absent for that of the dialect */
  defaultSchema?: string | null | undefined;
  /** The schemas of the database */
  schemas: Array<CatalogSchema>;
};

export type CatalogDatabaseInput = {
  /** The name of the database */
  name: string;
  /** The schema of unqualified tables; null or absent for that of the dialect */
  defaultSchema?: string | null | undefined;
  /** The schemas of the database */
  schemas: Array<CatalogSchemaInput>;
};

export type CatalogInput = {
  /** The schema of unqualified tables; null or absent for that of the dialect */
  defaultSchema?: string | null | undefined;
  /** The setting `lower_case_table_names` of a MySQL or MariaDB server; absent if unknown */
  lowerCaseTableNames?: 0 | 1 | 2 | undefined;
  /** The schemas of the database */
  schemas?: Array<CatalogSchemaInput> | undefined;
  /** The database of unqualified tables; null or absent if there is none */
  defaultDatabase?: string | null | undefined;
  /** The databases, for a connection that reaches several */
  databases?: Array<CatalogDatabaseInput> | undefined;
};

export type CatalogOfDatabases = {
  /** The database of unqualified tables; null or absent if there is none */
  defaultDatabase?: string | null | undefined;
  /** The databases, for a connection that reaches several */
  databases: Array<CatalogDatabase>;
};

export type CatalogOfOneDatabase = {
  /** The schema of unqualified tables; null or absent for that of the dialect */
  defaultSchema?: string | null | undefined;
  /** The setting `lower_case_table_names` of a MySQL or MariaDB server; absent if unknown */
  lowerCaseTableNames?: 0 | 1 | 2 | undefined;
  /** The schemas of the database */
  schemas: Array<CatalogSchema>;
};

export type CatalogSchema = {
  /** The name of the schema */
  name: string;
  /** The tables */
  tables: Array<CatalogTable>;
};

export type CatalogSchemaInput = {
  /** The name of the schema */
  name: string;
  /** The tables */
  tables: Array<CatalogTableInput>;
};

export type CatalogTable = {
  /** The name of the table */
  name: string;
  /**
   * Whether it is a table or a view
   * @default "table"
   */
  kind: CatalogTableKind;
  /** The columns of the table */
  columns: Array<CatalogColumn>;
  /** The tables whose rows include those of this one; rules on them govern it too */
  partOf?: Array<ContainingTable> | undefined;
  /**
   * Further columns of the table, which the user of the connection may not read; absent if there are
   * none
   */
  unreadableColumns?: Array<string> | undefined;
};

export type CatalogTableInput = {
  /** The name of the table */
  name: string;
  /**
   * Whether it is a table or a view
   * @default "table"
   */
  kind?: CatalogTableKind | undefined;
  /** The columns of the table */
  columns: Array<CatalogColumnInput>;
  /** The tables whose rows include those of this one; rules on them govern it too */
  partOf?: Array<ContainingTableInput> | undefined;
  /**
   * Further columns of the table, which the user of the connection may not read; absent if there are
   * none
   */
  unreadableColumns?: Array<string> | undefined;
};

/**
 * The kind of table.
 *
 * - `table`: A table
 * - `view`: A view
 * - `materializedView`: A materialized view
 */
export type CatalogTableKind = 'table' | 'view' | 'materializedView';

/** The response of `checkAccess`. */
export type CheckAccessResponse = {
  /** The answers, in the order of the questions */
  results: Array<CheckResult>;
};

/**
 * The reason for which a question has no answer.
 *
 * - `NOT_FOUND`: The caller cannot see the resource, or does not know the user, or there is none
 * - `FORBIDDEN`: The caller lacks CONTRIBUTOR on the resource, which answers about other users need
 */
export type CheckRejection = 'NOT_FOUND' | 'FORBIDDEN';

export type CheckResult = CheckResultDecided | CheckResultRejected;

export type CheckResultDecided = {
  /** The state of the check result decided */
  status: 'decided';
  /** Whether the user has at least the level of the question */
  isAllowed: boolean;
  /** The effective level of the user; null for no access */
  accessLevel: AccessLevel | null;
  /** The explanation of the level; only if `reasons` is true */
  access?: AccessExplanation | undefined;
};

export type CheckResultRejected = {
  /** The state of the check result rejected */
  status: 'rejected';
  /** The code of the error that the explanation of this access returns to the caller */
  code: CheckRejection;
};

export type ClsConfig = {
  /** The connection string, with placeholders; not together with `filePathTemplates`; null for none */
  connectionTemplate?: string | null | undefined;
  /** The paths of files by name, with placeholders; not together with `connectionTemplate` */
  filePathTemplates?: Record<string, string> | undefined;
  /** Values for placeholders, by name; secrets are shown as `***` */
  params?: Record<string, string | number | boolean> | undefined;
};

export type ClsConfigInput = {
  /** The connection string, with placeholders; not together with `filePathTemplates`; null for none */
  connectionTemplate?: string | null | undefined;
  /** The paths of files by name, with placeholders; not together with `connectionTemplate` */
  filePathTemplates?: Record<string, string> | undefined;
  /** Values for placeholders, by name; secrets are shown as `***` */
  params?: Record<string, string | number | boolean> | undefined;
};

export type CommitAuthor = {
  /** The name of the author */
  name: string;
  /** The email address of the author */
  email: string;
};

/**
 * Whether saving a dashboard commits it.
 *
 * - `off`: Never
 * - `optional`: If the request has a commit message
 * - `required`: Always, so that a commit message is required
 */
export type CommitOnSave = 'off' | 'optional' | 'required';

export type CommitResult = {
  /** The result of the commit */
  status: CommitStatus;
  /** The id of the commit; null if there is none */
  commitSha: string | null;
  /** A page of the remote, or a path of this API, that shows the commit; null if there is none */
  commitUrl: string | null;
};

/**
 * The result of a commit.
 *
 * - `committed`: It was committed
 * - `unchanged`: The repository has this content already
 * - `failed`: It was not committed
 * - `not_configured`: The project has no repository, or saving does not commit
 */
export type CommitStatus = 'committed' | 'unchanged' | 'failed' | 'not_configured';

/** The response of `comparePolicyPreviews`. */
export type ComparePolicyPreviewsResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: PreviewDiff;
};

export type CompileSqlRequestStatement = {
  /** One SELECT statement in the dialect of the connection */
  sql: string;
};

/** The response of `compileSql`. */
export type CompileSqlResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: CompileSqlResponseData;
};

export type CompileSqlResponseData = {
  /** The dialect of the connection */
  dialect: SqlDialect;
  /** One result for each statement, in the order of the request */
  results: Array<CompiledStatement>;
};

export type Compiled = CompiledWithSql | CompiledWithoutSql;

export type CompiledCondition = {
  /** The name of the table */
  table: string;
  /** The alias of the table in the statement; null or absent if it has none */
  alias: string | null;
  /** The schema of the table; null if it is not known */
  schema: string | null;
  /** The condition, with literals, in the dialect of the connection */
  expression: string;
  /** The names of the rules that it consists of */
  rules: Array<string>;
};

export type CompiledReason = {
  /** A stable code for programs, such as `MISSING_VALUE` */
  code: string;
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The name of the rule that the reason is about; null or absent if it is about none */
  rule?: string | null | undefined;
  /** The place in the statement, in UTF-16 units from its start; null or absent if unknown */
  position?: number | null | undefined;
};

export type CompiledStatement =
  | CompiledStatementCompiled
  | CompiledStatementDenied
  | CompiledStatementInvalidSql;

export type CompiledStatementCompiled = {
  /** Always `compiled` */
  status: 'compiled';
  /** The restricted statement with placeholders for values: run this one */
  sql: string;
  /** The values for the placeholders in `sql`, in order; an array is one value */
  parameters: Array<unknown>;
  /** Always empty */
  reasons: Array<CompiledReason>;
};

export type CompiledStatementDenied = {
  /** Always `denied`: the policies refuse the statement */
  status: 'denied';
  /** Always null */
  sql: null;
  /** Always empty */
  parameters: Array<unknown>;
  /** Why the statement was denied or is invalid; empty otherwise */
  reasons: Array<CompiledReason>;
};

export type CompiledStatementInvalidSql = {
  /** Always `invalid_sql`: the statement is not valid in the dialect */
  status: 'invalid_sql';
  /** Always null */
  sql: null;
  /** Always empty */
  parameters: Array<unknown>;
  /** Why the statement was denied or is invalid; empty otherwise */
  reasons: Array<CompiledReason>;
};

/**
 * The result of restricting a statement.
 *
 * - `not_requested`: The request has neither a statement nor tables
 * - `compiled`: The statement is restricted: run `sql` with `parameters`
 * - `conditions_only`: Only conditions: tables were given, or the dialect has no proven rewriter
 * - `denied`: The policy fails closed; `reasons` explains why
 * - `invalid_sql`: The statement is not valid in the dialect
 */
export type CompiledStatus = 'not_requested' | 'compiled' | 'conditions_only' | 'denied' | 'invalid_sql';

export type CompiledWithSql = {
  /** Always `compiled` */
  status: 'compiled';
  /** The SQL dialect of the connection */
  dialect: SqlDialect;
  /** The restricted statement with placeholders for values: run this one */
  sql: string;
  /** The values for the placeholders in `sql`, in order; an array is one value */
  parameters: Array<unknown>;
  /** The same statement with literals */
  inlineSql: string;
  /** The condition of each governed table in the statement */
  conditions: Array<CompiledCondition>;
  /** Why the statement was denied or is invalid; empty otherwise */
  reasons: Array<CompiledReason>;
};

export type CompiledWithoutSql = {
  /** Why there is no statement */
  status: UncompiledStatus;
  /** The SQL dialect of the connection */
  dialect: SqlDialect;
  /** Always null */
  sql: null;
  /** The values for the placeholders in `sql`, in order; an array is one value */
  parameters: Array<unknown>;
  /** Always null */
  inlineSql: null;
  /** The condition of each governed table in the statement */
  conditions: Array<CompiledCondition>;
  /** Why the statement was denied or is invalid; empty otherwise */
  reasons: Array<CompiledReason>;
};

export type Connection = {
  /** The id of the connection */
  id: string;
  /** The id of the project that the connection belongs to */
  projectId: string;
  /** The name of the connection */
  name: string;
  /** The kind of database, which determines the fields of `config` */
  type: ConnectionType;
  /** The SQL dialect of the connection */
  dialect: SqlDialect;
  /** The address of the database, without its secrets */
  config: ConnectionConfig;
  /** Whether row-level rules run before the conditions of a statement, at a cost in speed */
  rowBarrier: boolean;
  /** The access of an actor to whom no policy assignment of a governed connection applies */
  unassignedActors: UnassignedActors;
  /** The number of different catalogs that were read, from 1; null if there is none yet */
  catalogVersion: number | null;
  /** When the catalog was last read, as ISO 8601 in UTC; null if it was never read */
  catalogReadAt: string | null;
  /** How long that reading took, in milliseconds; absent for a static connection, and if it is not known */
  catalogReadDurationMs?: number | undefined;
  /** The id of the user who created the connection; null if that is not known */
  createdBy: string | null;
  /** Counts the changes of the connection, from 1; the entity tag in `ETag` is made of it, for `If-Match` */
  version: number;
  /** When the connection was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the connection was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /** The schemas, tables and columns that the connection reaches; null until they are read */
  catalog: Catalog | null;
};

export type ConnectionConfig = ConnectionServerConfig | ConnectionFileConfig | ConnectionStaticConfig;

export type ConnectionConfigInput = {
  /** The host name or address of the database server; for `postgres` and `mysql` */
  host?: string | undefined;
  /** The port of the database server, by default that of the type; for `postgres` and `mysql` */
  port?: number | undefined;
  /** The name of the database; for `postgres` and `mysql` */
  database?: string | undefined;
  /** The user of the database; for `postgres` and `mysql` */
  user?: string | undefined;
  /** How the connection is encrypted and verified; for `postgres` and `mysql` */
  tls?: TlsMode | undefined;
  /** The password of the user, stored sealed and never returned; for `postgres` and `mysql` */
  password?: string | undefined;
  /** The path of the file, relative to the folder of the organization; for `sqlite` */
  file?: string | undefined;
  /** The SQL dialect; for `static` */
  dialect?: SqlDialect | undefined;
};

export type ConnectionFileConfig = {
  /** The path of the SQLite file, relative to the folder of the organization */
  file: string;
};

export type ConnectionServerConfig = {
  /** The host name or address of the database server; the operator must allow it */
  host: string;
  /** The port of the database server; by default that of the type */
  port?: number | undefined;
  /** The name of the database */
  database: string;
  /** The user of the database */
  user: string;
  /** How the connection is encrypted and verified */
  tls: TlsMode;
  /** Whether a password is stored */
  hasPassword: boolean;
};

export type ConnectionStaticConfig = {
  /** The SQL dialect of the connection */
  dialect: SqlDialect;
};

export type ConnectionSummary = {
  /** The id of the connection */
  id: string;
  /** The id of the project that the connection belongs to */
  projectId: string;
  /** The name of the connection */
  name: string;
  /** The kind of database, which determines the fields of `config` */
  type: ConnectionType;
  /** The SQL dialect of the connection */
  dialect: SqlDialect;
  /** The address of the database, without its secrets */
  config: ConnectionConfig;
  /** Whether row-level rules run before the conditions of a statement, at a cost in speed */
  rowBarrier: boolean;
  /** The access of an actor to whom no policy assignment of a governed connection applies */
  unassignedActors: UnassignedActors;
  /** The number of different catalogs that were read, from 1; null if there is none yet */
  catalogVersion: number | null;
  /** When the catalog was last read, as ISO 8601 in UTC; null if it was never read */
  catalogReadAt: string | null;
  /** How long that reading took, in milliseconds; absent for a static connection, and if it is not known */
  catalogReadDurationMs?: number | undefined;
  /** The id of the user who created the connection; null if that is not known */
  createdBy: string | null;
  /** Counts the changes of the connection, from 1; the entity tag in `ETag` is made of it, for `If-Match` */
  version: number;
  /** When the connection was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the connection was last changed, as ISO 8601 in UTC */
  updatedAt: string;
};

/**
 * The kind of database.
 *
 * - `postgres`: PostgreSQL
 * - `mysql`: MySQL or MariaDB
 * - `sqlite`: A SQLite file
 * - `static`: No database: the catalog is part of the request
 */
export type ConnectionType = 'postgres' | 'mysql' | 'sqlite' | 'static';

export type ContainingTable = {
  /** The schema of the containing table */
  schema: string;
  /** The containing table */
  table: string;
};

export type ContainingTableInput = {
  /** The schema of the containing table */
  schema: string;
  /** The containing table */
  table: string;
};

export type Coverage = {
  /** The actor that the policies are resolved for */
  actor: PolicyActor;
  /** Whether the connection has policies at all */
  isGoverned: boolean;
  /** The number of tables in the catalog */
  totalTables: number;
  /** The tables that at least one rule governs */
  governed: Array<GovernedTable>;
  /** The tables that no rule governs */
  ungoverned: Array<UngovernedTable>;
};

/** The response of `createAssistantProfile`. */
export type CreateAssistantProfileResponse = {
  /** The assistant profile */
  assistantProfile: AssistantProfile;
};

/** The response of `createConnection`. */
export type CreateConnectionResponse = {
  /** The connection to a database */
  connection: Connection;
};

/** The response of `createDashboard`. */
export type CreateDashboardResponse = {
  /** The dashboard */
  dashboard: DashboardWithSecret;
  /** The commit that belongs to this save; absent if none was due */
  versionControl?: CommitResult | undefined;
};

/** The response of `createDatamodel`. */
export type CreateDatamodelResponse = {
  /** The data model */
  datamodel: DataModel;
};

/** The response of `createDomain`. */
export type CreateDomainResponse = {
  /** The semantic domain */
  domain: Domain;
};

/** The response of `createGroup`. */
export type CreateGroupResponse = {
  /** The group */
  group: Group;
};

/** The response of `createManagedDomain`. */
export type CreateManagedDomainResponse = {
  /** The semantic domain */
  domain: Domain;
};

/** The response of `createOrgUser`. */
export type CreateOrgUserResponse = {
  /** The user */
  user: OrgUser;
};

/** The response of `createPolicyAssignment`. */
export type CreatePolicyAssignmentResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: AssignmentWithWarnings;
};

/** The response of `createPolicyDefinition`. */
export type CreatePolicyDefinitionResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: DefinitionWithWarnings;
};

/** The response of `createPolicyTest`. */
export type CreatePolicyTestResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: PolicyTestItem;
};

/** The response of `createProject`. */
export type CreateProjectResponse = {
  /** The project */
  project: ProjectWithSecret;
};

/** The response of `createSignInCode`. */
export type CreateSignInCodeResponse = {
  /** The code, for `POST /api/v1/token`; it works once */
  signInCode: string;
  /** When the code ends, as ISO 8601 in UTC */
  expiresAt: string;
};

/** The response of `createTenant`. */
export type CreateTenantResponse = {
  /** The tenant */
  tenant: Tenant;
};

/** The response of `createTenantUser`. */
export type CreateTenantUserResponse = {
  /** The user */
  user: TenantUser;
};

/** The response of `createVisual`. */
export type CreateVisualResponse = {
  /** The visual */
  visual: Visual;
};

/** The response of `createWebhook`. */
export type CreateWebhookResponse = {
  /** The webhook */
  webhook: WebhookWithSecret;
};

export type CreatedResource = {
  /** The id of the record that was copied */
  sourceId: string;
  /** The id of the copy */
  newId: string;
  /** The name of the copy */
  name: string;
};

export type CreatedResources = {
  /** The copies of semantic domains */
  domains: Array<CreatedResource>;
  /** The copies of data models */
  datamodels: Array<CreatedResource>;
  /** The copies of visuals */
  visuals: Array<CreatedResource>;
};

export type Dashboard = {
  /** The id of the dashboard */
  id: string;
  /** The title of the dashboard */
  title: string;
  /** What the dashboard is for, as free text; empty if there is none */
  description: string;
  /** The id of the project that the dashboard belongs to */
  projectId: string;
  /** The tenant of an owner who is a tenant user; null for an org user */
  tenantId: string | null;
  /**
   * Whether only the owner and shares grant access; if false, every user of the same organization or
   * tenant as the owner may view the dashboard
   */
  isPrivate: boolean;
  /** The tags of the dashboard, at most 50 */
  tags: Array<string>;
  /** Counts the changes of the dashboard, from 1; the entity tag in `ETag` is made of it, for `If-Match` */
  version: number;
  /** The id of the user who owns the dashboard */
  ownerId: string;
  /** Whether the owner is an org user or a tenant user */
  ownerType: UserType;
  /** The id of the user who created the dashboard */
  createdBy: string;
  /** When the dashboard was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the dashboard was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /** What the caller may do with the dashboard */
  permissions: ResourcePermissions;
  /** The effective level of the caller; null only if an ADMIN lists a record without access */
  accessLevel: AccessLevel | null;
  /** Whether the dashboard is a Data App, which cannot be migrated */
  isDataApp: boolean;
  /** The content of the dashboard; null if it has none */
  template: Record<string, unknown> | null;
};

export type DashboardContent = {
  /** The id of the dashboard */
  id: string;
  /** The title of the dashboard */
  title: string;
  /** What the dashboard is for, as free text; empty if there is none */
  description: string;
  /** The tags of the dashboard, at most 50 */
  tags: Array<string>;
  /** Whether the dashboard is a Data App, which cannot be migrated */
  isDataApp: boolean;
  /** The content of the dashboard; null if it has none */
  template: Record<string, unknown> | null;
};

export type DashboardSummary = {
  /** The id of the dashboard */
  id: string;
  /** The title of the dashboard */
  title: string;
  /** What the dashboard is for, as free text; empty if there is none */
  description: string;
  /** The id of the project that the dashboard belongs to */
  projectId: string;
  /** The tenant of an owner who is a tenant user; null for an org user */
  tenantId: string | null;
  /**
   * Whether only the owner and shares grant access; if false, every user of the same organization or
   * tenant as the owner may view the dashboard
   */
  isPrivate: boolean;
  /** The tags of the dashboard, at most 50 */
  tags: Array<string>;
  /** Counts the changes of the dashboard, from 1; the entity tag in `ETag` is made of it, for `If-Match` */
  version: number;
  /** The id of the user who owns the dashboard */
  ownerId: string;
  /** Whether the owner is an org user or a tenant user */
  ownerType: UserType;
  /** The id of the user who created the dashboard */
  createdBy: string;
  /** When the dashboard was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the dashboard was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /** What the caller may do with the dashboard */
  permissions: ResourcePermissions;
  /** The effective level of the caller; null only if an ADMIN lists a record without access */
  accessLevel: AccessLevel | null;
  /** Whether the dashboard is a Data App, which cannot be migrated */
  isDataApp: boolean;
};

export type DashboardVersion = {
  /** The id of the commit, of 40 hexadecimal digits */
  sha: string;
  /** The message of the commit */
  message: string;
  /** The author of the commit */
  author: CommitAuthor;
  /** When it was committed, as ISO 8601 in UTC */
  committedAt: string;
  /** The version of the dashboard that was saved; null for a commit of others in the remote */
  dashboardVersion: number | null;
  /** A page of the remote, or a path of this API, that shows the commit */
  commitUrl: string;
};

export type DashboardVersionWithContent = {
  /** The id of the commit, of 40 hexadecimal digits */
  sha: string;
  /** The message of the commit */
  message: string;
  /** The author of the commit */
  author: CommitAuthor;
  /** When it was committed, as ISO 8601 in UTC */
  committedAt: string;
  /** The version of the dashboard that was saved; null for a commit of others in the remote */
  dashboardVersion: number | null;
  /** A page of the remote, or a path of this API, that shows the commit */
  commitUrl: string;
  /** The dashboard as it was committed */
  content: DashboardContent;
};

export type DashboardWithSecret = {
  /** The id of the dashboard */
  id: string;
  /** The title of the dashboard */
  title: string;
  /** What the dashboard is for, as free text; empty if there is none */
  description: string;
  /** The id of the project that the dashboard belongs to */
  projectId: string;
  /** The tenant of an owner who is a tenant user; null for an org user */
  tenantId: string | null;
  /**
   * Whether only the owner and shares grant access; if false, every user of the same organization or
   * tenant as the owner may view the dashboard
   */
  isPrivate: boolean;
  /** The tags of the dashboard, at most 50 */
  tags: Array<string>;
  /** Counts the changes of the dashboard, from 1; the entity tag in `ETag` is made of it, for `If-Match` */
  version: number;
  /** The id of the user who owns the dashboard */
  ownerId: string;
  /** Whether the owner is an org user or a tenant user */
  ownerType: UserType;
  /** The id of the user who created the dashboard */
  createdBy: string;
  /** When the dashboard was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the dashboard was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /** What the caller may do with the dashboard */
  permissions: ResourcePermissions;
  /** The effective level of the caller; null only if an ADMIN lists a record without access */
  accessLevel: AccessLevel | null;
  /** Whether the dashboard is a Data App, which cannot be migrated */
  isDataApp: boolean;
  /** The content of the dashboard; null if it has none */
  template: Record<string, unknown> | null;
  /** The secret of the dashboard; only this response contains it, so store it now */
  secret: string;
};

export type DataModel = {
  /** The id of the data model */
  id: string;
  /** The id of the project that the data model belongs to */
  projectId: string;
  /** The name of the data model */
  name: string;
  /** What the data model is for, as free text; empty if there is none */
  description: string;
  /** The id of the connection to a database */
  connectionId: string;
  /** The id of the user who created the data model; null if that is not known */
  createdBy: string | null;
  /** When the data model was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the data model was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /** Counts the changes of the data model, from 1; the entity tag in `ETag` is made of it, for `If-Match` */
  version: number;
  /** The datasets, relationships and calculated fields */
  template: ModelTemplate;
};

export type DataModelSummary = {
  /** The id of the data model */
  id: string;
  /** The id of the project that the data model belongs to */
  projectId: string;
  /** The name of the data model */
  name: string;
  /** What the data model is for, as free text; empty if there is none */
  description: string;
  /** The id of the connection to a database */
  connectionId: string;
  /** The id of the user who created the data model; null if that is not known */
  createdBy: string | null;
  /** When the data model was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the data model was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /** Counts the changes of the data model, from 1; the entity tag in `ETag` is made of it, for `If-Match` */
  version: number;
};

export type Dataset = {
  /** The name of the dataset, which dashboards use */
  name: string;
  /** The connection of the table; absent in a data model, which has one for all datasets */
  connectionId?: string | undefined;
  /** The name of the database; absent in a catalog of one database */
  database?: string | undefined;
  /** The schema of the table; by default that of the connection */
  schema?: string | undefined;
  /** The name of the table */
  table: string;
  /** The name of the dataset for people */
  label?: string | undefined;
  /** What the dataset contains */
  description?: string | undefined;
};

export type DatasetInput = {
  /** The name of the dataset, which dashboards use */
  name: string;
  /** The connection of the table; absent in a data model, which has one for all datasets */
  connectionId?: string | undefined;
  /** The name of the database; absent in a catalog of one database */
  database?: string | undefined;
  /** The schema of the table; by default that of the connection */
  schema?: string | undefined;
  /** The name of the table */
  table: string;
  /** The name of the dataset for people */
  label?: string | undefined;
  /** What the dataset contains */
  description?: string | undefined;
};

export type DefinitionItem = {
  /** The policy definition */
  definition: PolicyDefinition;
  /** The connection of the definition; null if it was deleted */
  connection: PolicyConnection | null;
  /** The number of assignments of the definition */
  assignmentCount: number;
};

export type DefinitionWithWarnings = {
  /** The policy definition */
  definition: PolicyDefinition;
  /** The connection of the definition; null if it was deleted */
  connection: PolicyConnection | null;
  /** The number of assignments of the definition */
  assignmentCount: number;
  /** Likely mistakes; they do not prevent the save */
  warnings: Array<LintWarning>;
};

/** The response of `deleteAssistantProfile`. */
export type DeleteAssistantProfileResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The assistant profile that was deleted */
  deletedAssistantProfile: DeletedAssistantProfile;
};

/** The response of `deleteConnection`. */
export type DeleteConnectionResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The connection that was deleted */
  deletedConnection: DeletedConnection;
};

/** The response of `deleteDashboard`. */
export type DeleteDashboardResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The dashboard that was deleted */
  deletedDashboard: DeletedDashboard;
};

/** The response of `deleteDatamodel`. */
export type DeleteDatamodelResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The data model that was deleted */
  deletedDatamodel: DeletedDatamodel;
};

/** The response of `deleteDomain`. */
export type DeleteDomainResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The semantic domain that was deleted */
  deletedDomain: DeletedDomain;
};

/** The response of `deleteGroup`. */
export type DeleteGroupResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The group that was deleted */
  deletedGroup: DeletedGroup;
};

/** The response of `deleteManagedDomain`. */
export type DeleteManagedDomainResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The semantic domain that was deleted */
  deletedDomain: DeletedDomain;
};

/** The response of `deleteOrgUser`. */
export type DeleteOrgUserResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The user that was deleted */
  deletedUser: DeletedUser;
};

/** The response of `deletePolicyAssignment`. */
export type DeletePolicyAssignmentResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: DeletedPolicyRecord;
};

/** The response of `deletePolicyDefinition`. */
export type DeletePolicyDefinitionResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: DeletedPolicyRecord;
};

/** The response of `deletePolicyTest`. */
export type DeletePolicyTestResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: DeletedPolicyRecord;
};

/** The response of `deleteTenant`. */
export type DeleteTenantResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The tenant that was deleted */
  deletedTenant: DeletedTenant;
};

/** The response of `deleteTenantUser`. */
export type DeleteTenantUserResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The user that was deleted */
  deletedUser: DeletedUser;
};

/** The response of `deleteVersionControl`. */
export type DeleteVersionControlResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The settings that were deleted */
  deletedVersionControl: DeletedVersionControl;
};

/** The response of `deleteVisual`. */
export type DeleteVisualResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The visual that was deleted */
  deletedVisual: DeletedVisual;
};

/** The response of `deleteWebhook`. */
export type DeleteWebhookResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The webhook that was deleted */
  deletedWebhook: DeletedWebhook;
};

export type DeletedAssistantProfile = {
  /** The id of the assistant profile */
  id: string;
  /** The name of the assistant profile */
  name: string;
};

export type DeletedConnection = {
  /** The id of the connection */
  id: string;
  /** The name of the connection */
  name: string;
};

export type DeletedDashboard = {
  /** The id of the dashboard */
  id: string;
  /** The title of the dashboard */
  title: string;
};

export type DeletedDatamodel = {
  /** The id of the data model */
  id: string;
  /** The name of the data model */
  name: string;
};

export type DeletedDomain = {
  /** The id of the semantic domain */
  id: string;
  /** The name of the semantic domain */
  name: string;
};

export type DeletedGroup = {
  /** The id of the group */
  id: string;
  /** The name of the group */
  name: string;
};

export type DeletedPolicyRecord = {
  /** The id of the record */
  id: string;
};

export type DeletedTenant = {
  /** The id of the tenant */
  id: string;
  /** The name of the tenant */
  name: string;
};

export type DeletedUser = {
  /** The id of the user */
  id: string;
  /** The email address; unique among the users of its kind, regardless of case */
  email: string;
  /** The name of the user */
  name: string;
};

export type DeletedVersionControl = {
  /** The id of the project that the version control belongs to */
  projectId: string;
};

export type DeletedVisual = {
  /** The id of the visual */
  id: string;
  /** The title of the visual */
  title: string;
};

export type DeletedWebhook = {
  /** The id of the webhook */
  id: string;
  /** The URL that receives the events */
  url: string;
};

/** The response of `diffDashboardVersions`. */
export type DiffDashboardVersionsResponse = {
  /** The id of the first commit */
  from: string;
  /** The id of the second commit; null for the dashboard as it is now */
  to: string | null;
  /** The changes from the first to the second, as a JSON Patch (RFC 6902) */
  patch: Array<JsonPatchOperation>;
};

export type Domain = {
  /** The id of the semantic domain */
  id: string;
  /** The id of the project that the semantic domain belongs to */
  projectId: string;
  /** The name of the semantic domain: lowercase letters and underscores, unique in the project */
  name: string;
  /** The name of the semantic domain for people */
  label: string;
  /** What the semantic domain is for, as free text; empty if there is none */
  description: string;
  /** The id of the user who created the semantic domain; null if that is not known */
  createdBy: string | null;
  /** When the semantic domain was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the semantic domain was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /**
   * Counts the changes of the semantic domain, from 1; the entity tag in `ETag` is made of it, for
   * `If-Match`
   */
  version: number;
};

export type DraftAssignment = {
  /** The id of the policy definition to apply */
  definitionId: string;
  /** The kind of actor; it determines which id is required */
  scopeType: AssignmentScope;
  /** The org user; required for the scope `ORG_USER` and only allowed for it */
  orgUserId?: string | undefined;
  /** The tenant; required for the scope `TENANT` and only allowed for it */
  tenantId?: string | undefined;
  /** The tenant user; required for the scope `TENANT_USER` and only allowed for it */
  tenantUserId?: string | undefined;
  /** Values for the placeholders of the definition, by name; `***` keeps a stored secret */
  params?: Record<string, ParamValue> | undefined;
};

export type DraftDefinition = {
  /** The id of the stored definition that the draft replaces */
  definitionId: string;
  /** Connection-level security: the database that queries go to; null if there is none */
  clsConfig?: ClsConfigInput | null | undefined;
  /** Schema-level security: the schemas that may be read; null if there is none */
  slsConfig?: SlsConfigInput | null | undefined;
  /** Row-level security: the rows of each table that may be read; null if there is none */
  rlsConfig?: RlsConfigInput | null | undefined;
};

/** The response of `duplicateDashboard`. */
export type DuplicateDashboardResponse = {
  /** The dashboard */
  dashboard: DashboardWithSecret;
  /** The commit that belongs to this save; absent if none was due */
  versionControl?: CommitResult | undefined;
};

/** The response of `duplicateVisual`. */
export type DuplicateVisualResponse = {
  /** The visual */
  visual: Visual;
};

/**
 * The code of an error.
 *
 * - `INVALID_REQUEST`: A field is missing, unknown, or breaks a rule. `fieldErrors` lists up to 100 of
 *   them.
 * - `MISSING_MAPPING`: A migration needs a resource of the dashboard that the request neither maps nor
 *   copies.
 * - `COMMIT_MESSAGE_REQUIRED`: The project commits every saved dashboard, and the request has no
 *   message.
 * - `UNAUTHENTICATED`: The access token is missing, malformed, expired or revoked, or its user is
 *   inactive or deleted.
 * - `FORBIDDEN`: The role, the level on the record, or the kind of token does not permit the
 *   operation.
 * - `CSRF_REJECTED`: A request with a session cookie has no valid `X-CSRF-Token`, or another site has
 *   sent it.
 * - `NOT_FOUND`: There is no such route, or no such record that the caller may see.
 * - `PROJECT_NOT_FOUND`: The path of a security policy names a project that does not exist.
 * - `TARGET_PROJECT_NOT_FOUND`: A migration names a target project that the organization does not
 *   have.
 * - `TARGET_RESOURCE_NOT_FOUND`: A mapping of a migration names a record that the target project does
 *   not have.
 * - `REPLACE_TARGET_NOT_FOUND`: `replaceExistingId` names no dashboard of the target project that the
 *   caller may see.
 * - `MIGRATION_NOT_FOUND`: There is no such migration, or another user started it.
 * - `METHOD_NOT_ALLOWED`: The path exists, but not with this method.
 * - `REQUEST_TIMEOUT`: The request took too long to arrive, and the connection was closed.
 * - `CONFLICT`: The current state forbids the change: a name is taken, a record is in use, or another
 *   request runs.
 * - `QUOTA_EXCEEDED`: The organization has reached the quota that the message names.
 * - `DATA_APP_NOT_SUPPORTED`: The dashboard is a Data App.
 * - `MIGRATION_IN_PROGRESS`: Another migration of the same dashboard, or into the same target, is
 *   running.
 * - `PRECONDITION_FAILED`: The record has changed since the entity tag in `If-Match` was read.
 * - `PAYLOAD_TOO_LARGE`: The body is larger than the operation accepts.
 * - `UNSUPPORTED_MEDIA_TYPE`: The body is not JSON, or its encoding is not supported.
 * - `IDEMPOTENCY_KEY_REUSED`: The idempotency key belongs to another request of the last 24 hours.
 * - `RATE_LIMITED`: The caller has sent more requests than its limit permits.
 * - `HEADERS_TOO_LARGE`: The request has more than 100 headers, or more than 64 KiB of them.
 * - `INTERNAL_ERROR`: Gatehouse has a fault. The log has the details under the id of the request.
 * - `COMMIT_FAILED`: The dashboard was saved, but the commit to its repository failed.
 * - `UNAVAILABLE`: A part of Gatehouse is down, starting or overloaded.
 */
export type ErrorCode =
  | 'INVALID_REQUEST'
  | 'MISSING_MAPPING'
  | 'COMMIT_MESSAGE_REQUIRED'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'CSRF_REJECTED'
  | 'NOT_FOUND'
  | 'PROJECT_NOT_FOUND'
  | 'TARGET_PROJECT_NOT_FOUND'
  | 'TARGET_RESOURCE_NOT_FOUND'
  | 'REPLACE_TARGET_NOT_FOUND'
  | 'MIGRATION_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'CONFLICT'
  | 'QUOTA_EXCEEDED'
  | 'DATA_APP_NOT_SUPPORTED'
  | 'MIGRATION_IN_PROGRESS'
  | 'PRECONDITION_FAILED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'RATE_LIMITED'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL_ERROR'
  | 'COMMIT_FAILED'
  | 'UNAVAILABLE';

/** The response of `explainDashboardAccess`. */
export type ExplainDashboardAccessResponse = {
  /** The effective access of the user, and every grant that contributes to it */
  access: AccessExplanation;
};

/** The response of `explainVisualAccess`. */
export type ExplainVisualAccessResponse = {
  /** The effective access of the user, and every grant that contributes to it */
  access: AccessExplanation;
};

/** A line of the response of `exportAuditEvents`. */
export type ExportAuditEventsLine =
  | ExportAuditEventsLineAuditEvent
  | ExportAuditEventsLineProgress
  | ExportAuditEventsLineSummary
  | ExportAuditEventsLineError;

export type ExportAuditEventsLineAuditEvent = {
  /** Always `auditEvent` */
  type: 'auditEvent';
  /** One entry of the audit log */
  auditEvent: AuditEvent;
};

export type ExportAuditEventsLineError = {
  /** Always `error` */
  type: 'error';
  /** The message, a sentence for people */
  error: string;
  /** The faults of the fields in one sentence; empty if there are none */
  details?: string | undefined;
  /** The code of the error, for programs; see the catalogue of errors */
  code: ErrorCode;
  /** The faults of the fields of the request, at most 100 */
  fieldErrors?: Array<FieldError> | undefined;
  /** The records that prevent the operation, at most ten */
  blockedBy?: Array<BlockingRecord> | undefined;
  /** Always true: the dashboard was saved, although its commit failed */
  dashboardSaved?: true | undefined;
  /** The dashboard as it was saved; present with `COMMIT_FAILED` */
  dashboard?: Record<string, unknown> | undefined;
  /** The result of the commit; present with `COMMIT_FAILED` */
  versionControl?: CommitResult | undefined;
  /** The id of the request, as in `X-Request-Id`, in the log and in the audit log */
  requestId: string;
};

export type ExportAuditEventsLineProgress = {
  /** Always `progress` */
  type: 'progress';
  /** The number of items so far */
  done: number;
  /** The number of all items */
  total: number;
};

export type ExportAuditEventsLineSummary = {
  /** Always `summary` */
  type: 'summary';
  /** The id of the organization whose log it is */
  organizationId: string;
  /** Whether the export contains every entry of the log, because nothing was filtered */
  isWhole: boolean;
  /** The end of the log; null until an entry is recorded */
  head: AuditHead | null;
  /** The number of entries in the export */
  total: number;
};

/** The response of `exportAuditEvents`. */
export type ExportAuditEventsResponse = {
  /** The entries of the audit log */
  auditEvents: Array<AuditEvent>;
  /** The id of the organization whose log it is */
  organizationId: string;
  /** Whether the export contains every entry of the log, because nothing was filtered */
  isWhole: boolean;
  /** The end of the log; null until an entry is recorded */
  head: AuditHead | null;
  /** The number of entries in the export */
  total: number;
};

export type FailedValidation = {
  /** The id of the dashboard */
  dashboardId: string;
  /** Why it could not be validated; the fault is not in its template */
  error: string;
};

export type FieldError = {
  /** The path of the field, such as `shares[1].tenantUserId` */
  field: string;
  /** The rule that the field breaks, as a phrase about the field */
  message: string;
  /** The kind of fault */
  code: FieldErrorCode;
};

/**
 * The kind of fault in a field.
 *
 * - `required`: It is missing
 * - `type`: It has another JSON type
 * - `enum`: It is not one of the allowed values
 * - `range`: A number or time is outside its bounds
 * - `length`: A text, array or object is too short or too long
 * - `format`: A text does not have its form
 * - `unknown`: It is no field of the operation, or not in this part of the request
 * - `duplicate`: It is given twice, or used by another record
 * - `reference`: It names no record that can be used here
 * - `conflict`: It does not go with another field
 * - `invalid`: It breaks another rule; see the message
 */
export type FieldErrorCode =
  | 'required'
  | 'type'
  | 'enum'
  | 'range'
  | 'length'
  | 'format'
  | 'unknown'
  | 'duplicate'
  | 'reference'
  | 'conflict'
  | 'invalid';

export type FilterResult = {
  /** The filter, as a JSON pointer (RFC 6901) */
  path: string;
  /** Whether no issue is an error */
  isValid: boolean;
  /** The table or dataset; null if the filter names none */
  entity: string | null;
  /** The column; null if the filter names none */
  field: string | null;
};

/** The response of `fixDashboard`. */
export type FixDashboardResponse = {
  /** The id of the dashboard; null for a template that is not saved */
  dashboardId: string | null;
  /** The changes as a JSON Patch (RFC 6902) */
  patch: Array<PatchOperation>;
  /** The renames that the patch applies */
  fixes: Array<TemplateFix>;
  /** The template with the renames; null if the dashboard has none */
  template: Record<string, unknown> | null;
  /** The result of validation after the patch */
  result: ValidationResult;
};

/** The response of `getAssistantProfile`. */
export type GetAssistantProfileResponse = {
  /** The assistant profile */
  assistantProfile: AssistantProfile;
};

/** The response of `getConnection`. */
export type GetConnectionResponse = {
  /** The connection to a database */
  connection: Connection;
};

/** The response of `getDashboard`. */
export type GetDashboardResponse = {
  /** The dashboard */
  dashboard: Dashboard;
};

/** The response of `getDashboardVersion`. */
export type GetDashboardVersionResponse = {
  /** The commit, with the dashboard as it was committed */
  version: DashboardVersionWithContent;
};

/** The response of `getDatamodel`. */
export type GetDatamodelResponse = {
  /** The data model */
  datamodel: DataModel;
};

/** The response of `getDomain`. */
export type GetDomainResponse = {
  /** The semantic domain */
  domain: Domain;
};

/** The response of `getDomainTemplate`. */
export type GetDomainTemplateResponse = {
  /** The semantic domain */
  domain: Domain;
  /** The datasets, relationships and calculated fields */
  template: ModelTemplate;
};

/** The response of `getGroup`. */
export type GetGroupResponse = {
  /** The group */
  group: Group;
};

/** The response of `getManagedDomain`. */
export type GetManagedDomainResponse = {
  /** The semantic domain */
  domain: Domain;
};

/** The response of `getManagedDomainTemplate`. */
export type GetManagedDomainTemplateResponse = {
  /** The semantic domain */
  domain: Domain;
  /** The datasets, relationships and calculated fields */
  template: ModelTemplate;
};

/** The response of `getMigration`. */
export type GetMigrationResponse = {
  /** The migration */
  migration: Migration;
};

/** The response of `getOrgUser`. */
export type GetOrgUserResponse = {
  /** The user */
  user: OrgUser;
};

/** The response of `getPolicyAssignment`. */
export type GetPolicyAssignmentResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: AssignmentItem;
};

/** The response of `getPolicyCoverage`. */
export type GetPolicyCoverageResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: GetPolicyCoverageResponseData;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

export type GetPolicyCoverageResponseData = {
  /** The id of the connection to a database */
  connectionId: string;
  /** The coverage of each actor */
  actors: Array<Coverage>;
  /** The actor whose coverage is too large; null for none */
  omitted: OmittedActor | null;
};

/** The response of `getPolicyDefinition`. */
export type GetPolicyDefinitionResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: DefinitionItem;
};

/** The response of `getPolicyTest`. */
export type GetPolicyTestResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: GetPolicyTestResponseData;
};

export type GetPolicyTestResponseData = {
  /** The policy test */
  test: PolicyTest;
};

/** The response of `getProject`. */
export type GetProjectResponse = {
  /** The project */
  project: Project;
};

/** The response of `getSigningKeys`. */
export type GetSigningKeysResponse = {
  /** The keys that verify access tokens; a rotated key stays until its last token has expired */
  keys: Array<PublicKey>;
};

/** The response of `getTenant`. */
export type GetTenantResponse = {
  /** The tenant */
  tenant: Tenant;
};

/** The response of `getTenantUser`. */
export type GetTenantUserResponse = {
  /** The user */
  user: TenantUser;
};

/** The response of `getVersionControl`. */
export type GetVersionControlResponse = {
  /** The settings of the project */
  versionControl: VersionControl;
};

/** The response of `getVisual`. */
export type GetVisualResponse = {
  /** The visual */
  visual: Visual;
};

/** The response of `getWebhookDelivery`. */
export type GetWebhookDeliveryResponse = {
  /** The delivery */
  delivery: WebhookDeliveryWithEvent;
};

/** The response of `getWebhook`. */
export type GetWebhookResponse = {
  /** The webhook */
  webhook: Webhook;
};

export type GovernedTable = {
  /** The name of the schema */
  schema: string;
  /** The name of the table */
  table: string;
  /** The names of the rules that govern the table */
  rules: Array<string>;
};

export type GrantEntry = {
  /** The kind of target; it determines which id is required */
  scope: ShareScope;
  /** The tenant user; required for the scope `specific_tenant_user` and only allowed for it */
  tenantUserId?: string | undefined;
  /** The tenant; required for the scope `all_tenant_users` and only allowed for it */
  tenantId?: string | undefined;
  /** The org user; required for the scope `specific_org_user` and only allowed for it */
  orgUserId?: string | undefined;
  /** The group; required for the scope `group` and only allowed for it */
  groupId?: string | undefined;
  /** When the share ends, as ISO 8601 with an offset or `Z`; null or absent if it does not end */
  expiresAt?: string | null | undefined;
  /** The level to grant, capped by the role of each user */
  role: AccessLevel;
};

/**
 * The way in which access was granted.
 *
 * - `ownership`: The user owns the record
 * - `share`: A share names the user or the tenant of the user
 * - `group`: A share names a group of the user
 * - `audience`: A share names an audience, or the record is not private
 * - `linked dashboard`: A dashboard that the user may view links the visual
 * - `token`: The token of the dashboard itself
 */
export type GrantPath = 'ownership' | 'share' | 'group' | 'audience' | 'linked dashboard' | 'token';

export type Group = {
  /** The id of the group */
  id: string;
  /** The name of the group */
  name: string;
  /** What the group is for, as free text; empty if there is none */
  description: string;
  /** Whether the group may have members of all kinds, or only users of one tenant */
  type: GroupType;
  /** The id of the organization that the group belongs to */
  organizationId: string;
  /** The tenant of a `TENANT_GROUP`; null for an `ORG_GROUP` */
  tenantId: string | null;
  /** The id of the user who created the group; null if that is not known */
  createdBy: string | null;
  /** The number of members of the group */
  memberCount: number;
  /** What the caller may do with the group */
  permissions: GroupPermissions;
  /** The members of the group; present only if the request includes them */
  members?: Array<GroupMember> | undefined;
  /** Counts the changes of the group, from 1; the entity tag in `ETag` is made of it, for `If-Match` */
  version: number;
  /** When the group was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the group was last changed, as ISO 8601 in UTC */
  updatedAt: string;
};

export type GroupMember = {
  /** The id of the membership */
  id: string;
  /** The id of the user, either of the organization or of a tenant */
  userId: string;
  /** Whether the member is an org user or a tenant user */
  userType: UserType;
  /** The name of the user */
  name: string;
  /** The email address of the user */
  email: string;
  /** When the user became a member of the group, as ISO 8601 in UTC */
  addedAt: string;
  /** The id of the user who added the member; null if that is not known */
  addedBy: string | null;
};

export type GroupPermission = {
  /** The id of the share */
  shareId: string;
  /** Whether the resource is a dashboard or a visual */
  resourceType: ResourceType;
  /** The id of the dashboard or visual */
  resourceId: string;
  /** The title of the dashboard or visual */
  title: string;
  /** The level that the share grants */
  role: AccessLevel;
  /** When the share was granted, as ISO 8601 in UTC */
  grantedAt: string;
  /** When the share ends, as ISO 8601; null if it does not end */
  expiresAt: string | null;
};

export type GroupPermissions = {
  /** Whether the caller may change it */
  canEdit: boolean;
  /** Whether the caller may delete it */
  canDelete: boolean;
  /** Whether the caller may add and remove members */
  canManageMembers: boolean;
};

/**
 * The order of a list of groups.
 *
 * - `name`: By name
 * - `created`: By the time of creation
 * - `members`: By the number of members
 */
export type GroupSort = 'name' | 'created' | 'members';

/**
 * The members that a group may have.
 *
 * - `ORG_GROUP`: Org users and tenant users
 * - `TENANT_GROUP`: Users of one tenant
 */
export type GroupType = 'ORG_GROUP' | 'TENANT_GROUP';

/**
 * The groups that a list contains.
 *
 * - `ORG_GROUP`: Only org groups
 * - `TENANT_GROUP`: Only tenant groups
 * - `all`: All groups
 */
export type GroupTypeFilter = 'ORG_GROUP' | 'TENANT_GROUP' | 'all';

export type InlinePolicies = {
  /** Connection-level security */
  cls?: ClsConfigInput | undefined;
  /** Schema-level security */
  sls?: SlsConfigInput | undefined;
  /** Row-level security */
  rls?: RlsConfigInput | undefined;
};

/** The response of `introspectConnection`. */
export type IntrospectConnectionResponse = {
  /** The connection to a database */
  connection: Connection;
  /** The differences, in the order of the names */
  changes: Array<CatalogChange>;
};

/** The response of `invalidateToken`. */
export type InvalidateTokenResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
};

/** The response of `issueToken`. */
export type IssueTokenResponse = {
  /** The token, for the header `Authorization: Bearer <token>` */
  accessToken: string;
  /** When the token expires, as ISO 8601 in UTC */
  expiresAt: string;
};

export type JoinColumn = {
  /** The column of the dataset in `source` */
  sourceColumn: string;
  /** The column of the dataset in `target` */
  targetColumn: string;
};

export type JoinColumnInput = {
  /** The column of the dataset in `source` */
  sourceColumn: string;
  /** The column of the dataset in `target` */
  targetColumn: string;
};

export type JoinResult = {
  /** The join, as a JSON pointer (RFC 6901) */
  path: string;
  /** Whether no issue is an error */
  isValid: boolean;
  /** The first entity; null if the join names none */
  source: string | null;
  /** The second entity; null if the join names none */
  target: string | null;
};

export type JsonPatchOperation = JsonPatchOperationAdd | JsonPatchOperationReplace | JsonPatchOperationRemove;

export type JsonPatchOperationAdd = {
  /** Always `add` */
  op: 'add';
  /** The new place, as a JSON pointer (RFC 6901) */
  path: string;
  /** The new value */
  value: unknown;
};

export type JsonPatchOperationRemove = {
  /** Always `remove` */
  op: 'remove';
  /** The removed place, as a JSON pointer (RFC 6901) */
  path: string;
};

export type JsonPatchOperationReplace = {
  /** Always `replace` */
  op: 'replace';
  /** The changed place, as a JSON pointer (RFC 6901) */
  path: string;
  /** The new value */
  value: unknown;
};

export type LastEvent = {
  /** The id of the event */
  eventId: string;
  /** When the event happened, as ISO 8601 in UTC */
  time: string;
  /** The place of the event among all events of its record */
  sequence: string;
  /** The number of earlier events that are not recorded yet, so that they are not included */
  missing: number;
};

/**
 * The kind of likely mistake in a policy.
 *
 * - `ALWAYS_TRUE`: The rule excludes no row
 * - `ALWAYS_FALSE`: The rule excludes every row
 * - `CONTRADICTION`: Two rules exclude every row together
 * - `MATCHES_NO_TABLE`: The rule governs no table of the catalog
 * - `UNKNOWN_COLUMN`: The expression names a column that a governed table lacks
 * - `INEXACT_COMPARISON`: The server compares the values inexactly
 * - `UNFILLED_PLACEHOLDER`: Nothing gives the placeholder a value
 * - `SHADOWED_ASSIGNMENT`: Another assignment is always effective in its place
 * - `DEFAULT_SCHEMA_NOT_ALLOWED`: The schema of unqualified tables may not be read
 */
export type LintCode =
  | 'ALWAYS_TRUE'
  | 'ALWAYS_FALSE'
  | 'CONTRADICTION'
  | 'MATCHES_NO_TABLE'
  | 'UNKNOWN_COLUMN'
  | 'INEXACT_COMPARISON'
  | 'UNFILLED_PLACEHOLDER'
  | 'SHADOWED_ASSIGNMENT'
  | 'DEFAULT_SCHEMA_NOT_ALLOWED';

/** The response of `lintPolicies`. */
export type LintPoliciesResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: LintPoliciesResponseData;
};

export type LintPoliciesResponseData = {
  /** Likely mistakes; they do not prevent the save */
  warnings: Array<LintWarning>;
};

export type LintWarning = {
  /** The kind of mistake */
  code: LintCode;
  /** The location, such as `rlsConfig.rules[0].expression` */
  path: string;
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The id of the policy definition; null if it is not stored */
  definitionId: string | null;
  /** The id of the policy assignment; null if the warning is about none */
  assignmentId: string | null;
};

/** A line of the response of `listAccess`. */
export type ListAccessLine =
  | ListAccessLineResource
  | ListAccessLineProgress
  | ListAccessLineSummary
  | ListAccessLineError;

export type ListAccessLineError = {
  /** The kind of the access line error */
  type: 'error';
  /** The message, a sentence for people */
  error: string;
  /** The faults of the fields in one sentence; empty if there are none */
  details?: string | undefined;
  /** The code of the error, for programs; see the catalogue of errors */
  code: ErrorCode;
  /** The faults of the fields of the request, at most 100 */
  fieldErrors?: Array<FieldError> | undefined;
  /** The records that prevent the operation, at most ten */
  blockedBy?: Array<BlockingRecord> | undefined;
  /** Always true: the dashboard was saved, although its commit failed */
  dashboardSaved?: true | undefined;
  /** The dashboard */
  dashboard?: Record<string, unknown> | undefined;
  /** The commit that belongs to this save; absent if none was due */
  versionControl?: CommitResult | undefined;
  /** The id of the request, as in `X-Request-Id`, in the log and in the audit log */
  requestId: string;
};

export type ListAccessLineProgress = {
  /** The kind of the access line progre */
  type: 'progress';
  /** The number of items so far */
  done: number;
};

export type ListAccessLineResource = {
  /** The kind of the access line resource */
  type: 'resource';
  /** The last recorded event of the dashboard or visual */
  resource: ReachedResource;
};

export type ListAccessLineSummary = {
  /** The kind of the access line */
  type: 'summary';
  /** The id of the user, either of the organization or of a tenant */
  userId: string;
};

/** The response of `listAccess`. */
export type ListAccessResponse = {
  /** The id of the user, either of the organization or of a tenant */
  userId: string;
  /** The resources that the user can open, the newest first; those of the past by id */
  resources: Array<ReachedResource>;
};

/** A line of the response of `listAccessSubjects`. */
export type ListAccessSubjectsLine =
  | ListAccessSubjectsLineSubject
  | ListAccessSubjectsLineProgress
  | ListAccessSubjectsLineSummary
  | ListAccessSubjectsLineError;

export type ListAccessSubjectsLineError = {
  /** The kind of the access subjects line error */
  type: 'error';
  /** The message, a sentence for people */
  error: string;
  /** The faults of the fields in one sentence; empty if there are none */
  details?: string | undefined;
  /** The code of the error, for programs; see the catalogue of errors */
  code: ErrorCode;
  /** The faults of the fields of the request, at most 100 */
  fieldErrors?: Array<FieldError> | undefined;
  /** The records that prevent the operation, at most ten */
  blockedBy?: Array<BlockingRecord> | undefined;
  /** Always true: the dashboard was saved, although its commit failed */
  dashboardSaved?: true | undefined;
  /** The dashboard */
  dashboard?: Record<string, unknown> | undefined;
  /** The commit that belongs to this save; absent if none was due */
  versionControl?: CommitResult | undefined;
  /** The id of the request, as in `X-Request-Id`, in the log and in the audit log */
  requestId: string;
};

export type ListAccessSubjectsLineProgress = {
  /** The kind of the access subjects line progre */
  type: 'progress';
  /** The number of items so far */
  done: number;
};

export type ListAccessSubjectsLineSubject = {
  /** The kind of the access subjects line subject */
  type: 'subject';
  /** What the step is about */
  subject: Viewer;
};

export type ListAccessSubjectsLineSummary = {
  /** The kind of the access subjects line */
  type: 'summary';
  /** The id of the dashboard or visual */
  resourceId: string;
};

/** The response of `listAccessSubjects`. */
export type ListAccessSubjectsResponse = {
  /** The id of the dashboard or visual */
  resourceId: string;
  /** The users who can open the resource, org users first, each kind by id; those of the past by id */
  subjects: Array<Viewer>;
};

/** The response of `listAssistantProfiles`. */
export type ListAssistantProfilesResponse = {
  /** The assistant profiles of the project */
  assistantProfiles: Array<AssistantProfile>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listAuditEvents`. */
export type ListAuditEventsResponse = {
  /** The entries of the audit log */
  auditEvents: Array<AuditEvent>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listCatalogChanges`. */
export type ListCatalogChangesResponse = {
  /** The id of the connection to a database */
  connectionId: string;
  /** The earlier version of the catalog; 0 stands for the time before the first one */
  from: number;
  /** The later version of the catalog */
  to: number;
  /** The differences, in the order of the names */
  changes: Array<CatalogChange>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listConnections`. */
export type ListConnectionsResponse = {
  /** The connections of the project */
  connections: Array<ConnectionSummary>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listDashboardVersions`. */
export type ListDashboardVersionsResponse = {
  /** The commits on this page, the newest first */
  versions: Array<DashboardVersion>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listDashboardViewers`. */
export type ListDashboardViewersResponse = {
  /** The users on this page who have access */
  viewers: Array<Viewer>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listDashboards`. */
export type ListDashboardsResponse = {
  /** The dashboards on this page, without their templates */
  dashboards: Array<DashboardSummary>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
  /** The number of items on all pages, exact up to 10,000; present with `includeTotal` */
  total?: number | undefined;
  /** True if there are more items than `total` */
  totalIsLowerBound?: boolean | undefined;
};

/** The response of `listDatamodels`. */
export type ListDatamodelsResponse = {
  /** The data models of the project */
  datamodels: Array<DataModelSummary>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listDomains`. */
export type ListDomainsResponse = {
  /** The semantic domains that the token may see, by name */
  domains: Array<Domain>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listGroupMembers`. */
export type ListGroupMembersResponse = {
  /** The members of the group */
  members: Array<GroupMember>;
  /** The number of items on all pages */
  total: number;
  /** The number of the page, from 1 */
  page: number;
  /** The number of items per page */
  limit: number;
  /** Whether there are further pages */
  hasMore: boolean;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listGroupPermissions`. */
export type ListGroupPermissionsResponse = {
  /** The id of the group */
  groupId: string;
  /** The dashboards and visuals that are shared with the group, as far as the caller may see them */
  permissions: Array<GroupPermission>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listGroups`. */
export type ListGroupsResponse = {
  /** The groups on this page */
  groups: Array<Group>;
  /** The number of items on all pages, exact up to 10,000 */
  total: number;
  /** True if there are more items than `total` */
  totalIsLowerBound?: boolean | undefined;
  /** The number of the page, from 1 */
  page: number;
  /** The number of items per page */
  limit: number;
  /** Whether there are further pages */
  hasMore: boolean;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listManagedDomains`. */
export type ListManagedDomainsResponse = {
  /** The semantic domains that the token may see, by name */
  domains: Array<Domain>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listMigrations`. */
export type ListMigrationsResponse = {
  /** The migrations on this page, the newest first */
  migrations: Array<Migration>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listOrgUsers`. */
export type ListOrgUsersResponse = {
  /** The users on this page */
  users: Array<OrgUser>;
  /** The number of items on all pages, exact up to 10,000 */
  total: number;
  /** True if there are more items than `total` */
  totalIsLowerBound?: boolean | undefined;
  /** The number of items per page */
  limit: number;
  /** The number of items before the first one on this page, from 0 */
  offset: number;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listPolicyAssignments`. */
export type ListPolicyAssignmentsResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The assignments */
  data: Array<ListedAssignment>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listPolicyDefinitions`. */
export type ListPolicyDefinitionsResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The definitions, by name */
  data: Array<DefinitionItem>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listPolicyTests`. */
export type ListPolicyTestsResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The tests of the definition */
  data: Array<PolicyTest>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listProjects`. */
export type ListProjectsResponse = {
  /** The projects of the organization */
  projects: Array<Project>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listSessions`. */
export type ListSessionsResponse = {
  /** The sessions, the oldest first */
  sessions: Array<Session>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listTenantUsers`. */
export type ListTenantUsersResponse = {
  /** The users on this page */
  users: Array<TenantUser>;
  /** The number of items on all pages */
  total: number;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
  /** The caller: its kind, its role and its permissions to share */
  userContext: CallerContext;
};

/** The response of `listTenants`. */
export type ListTenantsResponse = {
  /** The tenants on this page */
  tenants: Array<Tenant>;
  /** The number of items on all pages, exact up to 10,000 */
  total: number;
  /** True if there are more items than `total` */
  totalIsLowerBound?: boolean | undefined;
  /** The number of items per page */
  limit: number;
  /** The number of items before the first one on this page, from 0 */
  offset: number;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listUnifiedUsers`. */
export type ListUnifiedUsersResponse = {
  /** The users on this page */
  users: Array<UnifiedUser>;
  /** The number of items on all pages, exact up to 10,000 */
  total: number;
  /** True if there are more items than `total` */
  totalIsLowerBound?: boolean | undefined;
  /** The number of items per page */
  limit: number;
  /** The number of items before the first one on this page, from 0 */
  offset: number;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listVisualViewers`. */
export type ListVisualViewersResponse = {
  /** The users on this page who have access */
  viewers: Array<Viewer>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listVisuals`. */
export type ListVisualsResponse = {
  /** The visuals on this page, without their frame objects */
  visuals: Array<VisualSummary>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
  /** The number of items on all pages, exact up to 10,000; present with `includeTotal` */
  total?: number | undefined;
  /** True if there are more items than `total` */
  totalIsLowerBound?: boolean | undefined;
};

/** The response of `listWebhookDeliveries`. */
export type ListWebhookDeliveriesResponse = {
  /** The deliveries on this page, the latest first */
  deliveries: Array<WebhookDelivery>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

/** The response of `listWebhooks`. */
export type ListWebhooksResponse = {
  /** The webhooks of the organization */
  webhooks: Array<Webhook>;
  /** The `cursor` of the next page; null on the last page */
  nextCursor: string | null;
};

export type ListedAssignment = {
  /** The policy assignment */
  assignment: PolicyAssignment;
  /** The definition: its id and name, or with `include` all of it */
  definition: PolicyDefinition | ListedAssignmentDefinitionForm2;
  /** The connection of the definition; null if it was deleted */
  connection: PolicyConnection | null;
  /** The org user of the assignment; null for another scope */
  orgUser: ListedAssignmentOrgUser | null;
  /** The tenant of the assignment; null for another scope */
  tenant: ListedAssignmentTenant | null;
  /** The tenant user of the assignment; null for another scope */
  tenantUser: ListedAssignmentTenantUser | null;
};

export type ListedAssignmentDefinitionForm2 = {
  /** The id of the listed assignment definition form2 */
  id: string;
  /** The name of the listed assignment definition form2 */
  name: string;
};

export type ListedAssignmentOrgUser = {
  /** The id of the listed assignment org user */
  id: string;
  /** The name of the listed assignment org user */
  name: string;
  /** The email address; unique among the users of its kind, regardless of case */
  email: string;
};

export type ListedAssignmentTenant = {
  /** The id of the listed assignment tenant */
  id: string;
  /** The name of the listed assignment tenant */
  name: string;
};

export type ListedAssignmentTenantUser = {
  /** The id of the listed assignment tenant user */
  id: string;
  /** The name of the listed assignment tenant user */
  name: string;
  /** The email address; unique among the users of its kind, regardless of case */
  email: string;
};

/** The response of `migrateDashboard`. */
export type MigrateDashboardResponse = MigrationResult | MigrationPreview;

export type Migration = {
  /** The id of the migration */
  id: string;
  /** The state of the migration */
  status: MigrationStatus;
  /** The id of the project that the dashboard is copied from */
  sourceProjectId: string;
  /** The id of the dashboard that is copied */
  sourceDashboardId: string;
  /** The id of the project that receives the copy */
  targetProjectId: string;
  /** The id of the dashboard that is created or replaced */
  targetDashboardId: string;
  /** Whether an existing dashboard is replaced */
  isReplacing: boolean;
  /** Identifies the states of all records that the plan is based on */
  planHash: string;
  /** The steps, in their order */
  steps: Array<MigrationStep>;
  /** The copies that the migration created */
  createdResources: CreatedResources;
  /** The commit of the dashboard in the target project; null until it is known */
  versionControl: CommitResult | null;
  /** Why it failed or is being undone; null otherwise */
  reason: string | null;
  /** The id of the user who created the migration */
  createdBy: string;
  /** When the migration was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the migration was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /** When it ended, as ISO 8601 in UTC; null while it runs */
  endedAt: string | null;
};

/**
 * What a step of a migration does.
 *
 * - `verify`: Compares the records with the plan
 * - `createDomain`: Copies a semantic domain
 * - `createDatamodel`: Copies a data model
 * - `createVisual`: Copies a visual
 * - `createDashboard`: Creates the dashboard
 * - `replaceDashboard`: Replaces the dashboard
 * - `commit`: Commits the dashboard
 */
export type MigrationAction =
  | 'verify'
  | 'createDomain'
  | 'createDatamodel'
  | 'createVisual'
  | 'createDashboard'
  | 'replaceDashboard'
  | 'commit';

/** The response of `analyzeMigration`. */
export type MigrationAnalysis = {
  /** The dashboard to copy */
  dashboard: MigrationAnalysisDashboard;
  /** The project that receives the copy */
  targetProject: MigrationAnalysisTargetProject;
  /** The connections that the dashboard and its copies refer to */
  connections: Array<AnalyzedConnection>;
  /** The semantic domains that the dashboard and its copies refer to */
  domains: Array<AnalyzedResource>;
  /** The data models that the dashboard and its copies refer to */
  datamodels: Array<AnalyzedResource>;
  /** The visuals that the dashboard links */
  visuals: Array<AnalyzedResource>;
  /** The assistant profiles that the dashboard refers to */
  assistantProfiles: Array<AnalyzedResource>;
  /** A body for the migration; it is accepted unchanged if `problems` is empty */
  suggestedRequest: Record<string, unknown>;
  /** The reasons for which the suggested body would be rejected */
  problems: Array<MigrationAnalysisProblem>;
};

export type MigrationAnalysisDashboard = {
  /** The id of the dashboard */
  id: string;
  /** The title of the dashboard */
  title: string;
  /** The id of the project that the dashboard belongs to */
  projectId: string;
  /** Counts the changes of the dashboard, from 1; the entity tag in `ETag` is made of it, for `If-Match` */
  version: number;
};

export type MigrationAnalysisProblem = {
  /** The field of the body, such as `connectionMapping.c_1` */
  field: string;
  /** The reason, as a phrase about the field */
  message: string;
};

export type MigrationAnalysisTargetProject = {
  /** The id of the project */
  id: string;
  /** The name of the project */
  name: string;
};

export type MigrationCandidate = {
  /** Its id */
  id: string;
  /** The name of the record */
  name: string;
  /** Why the record fits */
  reason: CandidateReason;
};

export type MigrationPlan = {
  /** The id of the project that receives the copy */
  targetProjectId: string;
  /** The dashboard that would be replaced; null for a new one */
  replaces: MigrationPlanReplaces | null;
  /** The steps, in their order */
  steps: Array<MigrationPlanStep>;
  /** The existing records of the target project that are used in place of copies */
  reused: Array<MigrationPlanReused>;
  /** The references that the copies lose */
  dropped: Array<MigrationPlanDropped>;
  /** Identifies the states of all records that the plan is based on */
  planHash: string;
};

export type MigrationPlanDropped = {
  /** The kind of record, such as `visual` */
  noun: string;
  /** The id of the record in the source project */
  sourceId: string;
};

export type MigrationPlanReplaces = {
  /** The id of the dashboard */
  id: string;
  /** The title of the dashboard */
  title: string;
};

export type MigrationPlanReused = {
  /** The kind of record, such as `visual` */
  noun: string;
  /** The id of the record in the source project */
  sourceId: string;
  /** The id of the record in the target project */
  targetId: string;
};

export type MigrationPlanStep = {
  /** Identifies the step in its migration, such as `createVisual v_1` */
  name: string;
  /** What the step does */
  action: MigrationAction;
  /** The id of the record in the source project; null if nothing is copied */
  sourceId: string | null;
  /** The title or name of the created record; null if none is created */
  title: string | null;
};

export type MigrationPreview = {
  /** Whether the request succeeded */
  success: true;
  /** Whether only the plan is made; nothing is written then */
  dryRun: true;
  /** What the migration would do */
  plan: MigrationPlan;
};

export type MigrationResult = {
  /** Whether the request succeeded */
  success: true;
  /** The id of the migration */
  migrationId: string;
  /** The new or replaced dashboard */
  dashboard: MigrationResultDashboard;
  /** The copies that the migration created */
  createdResources: CreatedResources;
  /** Whether an existing dashboard was replaced */
  replaced: boolean;
  /** The commit of the dashboard in the target project */
  versionControl: CommitResult;
};

export type MigrationResultDashboard = {
  /** The id of the dashboard */
  id: string;
  /** The title of the dashboard */
  title: string;
  /** The id of the target project */
  projectId: string;
  /** The secret of the new dashboard, shown only here; null if a dashboard was replaced */
  secret: string | null;
  /** The tags of the dashboard, at most 50 */
  tags: Array<string>;
};

/**
 * The state of a migration.
 *
 * - `planned`: The plan is stored, and no step has run
 * - `running`: The steps are running
 * - `completed`: All steps are done
 * - `failed`: It could not be carried out, and what it had created was undone
 * - `rolling_back`: It is being undone
 * - `rolled_back`: A caller requested the rollback, and it is done
 */
export type MigrationStatus = 'planned' | 'running' | 'completed' | 'failed' | 'rolling_back' | 'rolled_back';

export type MigrationStep = {
  /** Identifies the step in its migration, such as `createVisual v_1` */
  name: string;
  /** What the step does */
  action: MigrationAction;
  /** The id of the record in the source project; null if nothing is copied */
  sourceId: string | null;
  /** The title or name of the created record; null if none is created */
  title: string | null;
  /** The id of the record in the target project; null if there is none */
  targetId: string | null;
  /** How far the step is */
  state: StepState;
};

export type ModelTemplate = {
  /**
   * The tables, under the names that dashboards use
   * @default []
   */
  datasets: Array<Dataset>;
  /**
   * How the datasets are joined
   * @default []
   */
  relationships: Array<Relationship>;
  /**
   * Fields whose values are expressions
   * @default []
   */
  calculatedFields: Array<CalculatedField>;
};

export type ModelTemplateInput = {
  /**
   * The tables, under the names that dashboards use
   * @default []
   */
  datasets?: Array<DatasetInput> | undefined;
  /**
   * How the datasets are joined
   * @default []
   */
  relationships?: Array<RelationshipInput> | undefined;
  /**
   * Fields whose values are expressions
   * @default []
   */
  calculatedFields?: Array<CalculatedFieldInput> | undefined;
};

export type OmittedActor = {
  /** The actor that the policies are resolved for */
  actor: PolicyActor;
  /** The limit that the coverage exceeds, and how to reduce it */
  reason: string;
};

export type OrgUser = {
  /** The id of the org user */
  id: string;
  /** The email address; unique among the users of its kind, regardless of case */
  email: string;
  /** The name of the org user */
  name: string;
  /** The role of the user in the organization, which caps the level of every grant */
  role: UserRole;
  /** The department of the user, as free text; empty if there is none */
  department: string;
  /** Whether the user can sign in; tokens of an inactive user return 401 */
  isActive: boolean;
  /** The id of the organization that the org user belongs to */
  organizationId: string;
  /** The name of the organization of the user */
  organizationName: string;
  /** Always `organization`: the user belongs to the organization itself */
  type: 'organization';
  /** Counts the changes of the org user, from 1; the entity tag in `ETag` is made of it, for `If-Match` */
  version: number;
  /** When the org user was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the org user was last changed, as ISO 8601 in UTC */
  updatedAt: string;
};

/**
 * The role of an org user.
 *
 * - `VIEWER`: Views what is shared with the user, and changes nothing
 * - `AUTHOR`: An org user who creates and edits dashboards and visuals, and manages groups and data
 *   models
 * - `ADMIN`: Administers the organization: users, tenants, projects, policies and webhooks
 */
export type OrgUserRole = 'VIEWER' | 'AUTHOR' | 'ADMIN';

export type ParamValue = string | number | boolean | Array<string> | Array<number>;

export type PatchOperation = {
  /** Always `replace` */
  op: 'replace';
  /** The changed text, as a JSON pointer (RFC 6901) */
  path: string;
  /** The new value */
  value: string;
};

export type PolicyActor =
  | PolicyActorOrgUser
  | PolicyActorTenant
  | PolicyActorTenantUser
  | PolicyActorAllTenants;

export type PolicyActorAllTenants = {
  /** Always `ALL_TENANTS` */
  kind: 'ALL_TENANTS';
};

export type PolicyActorAllTenantsInput = {
  /** Always `ALL_TENANTS` */
  kind: 'ALL_TENANTS';
};

export type PolicyActorInput =
  | PolicyActorOrgUserInput
  | PolicyActorTenantInput
  | PolicyActorTenantUserInput
  | PolicyActorAllTenantsInput;

export type PolicyActorOrgUser = {
  /** Always `ORG_USER` */
  kind: 'ORG_USER';
  /** The id of an org user */
  orgUserId: string;
};

export type PolicyActorOrgUserInput = {
  /** Always `ORG_USER` */
  kind: 'ORG_USER';
  /** The id of an org user */
  orgUserId: string;
};

export type PolicyActorTenant = {
  /** Always `TENANT` */
  kind: 'TENANT';
  /** The id of the tenant */
  tenantId: string;
};

export type PolicyActorTenantInput = {
  /** Always `TENANT` */
  kind: 'TENANT';
  /** The id of the tenant */
  tenantId: string;
};

export type PolicyActorTenantUser = {
  /** Always `TENANT_USER` */
  kind: 'TENANT_USER';
  /** The id of a tenant user */
  tenantUserId: string;
};

export type PolicyActorTenantUserInput = {
  /** Always `TENANT_USER` */
  kind: 'TENANT_USER';
  /** The id of a tenant user */
  tenantUserId: string;
};

export type PolicyAssignment = {
  /** The id of the policy assignment */
  id: string;
  /** The id of the project that the policy assignment belongs to */
  projectId: string;
  /** The id of the policy definition */
  definitionId: string;
  /** The kind of actor that the assignment applies to */
  scopeType: AssignmentScope;
  /** The org user; null unless the scope is `ORG_USER` */
  orgUserId: string | null;
  /** The tenant; null unless the scope is `TENANT` */
  tenantId: string | null;
  /** The tenant user; null unless the scope is `TENANT_USER` */
  tenantUserId: string | null;
  /** Values for placeholders, by name, secrets as `***`; null if there are none */
  params: Record<string, ParamValue> | null;
  /** The id of the user who created the policy assignment; null if that is not known */
  createdBy: string | null;
  /** When the policy assignment was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the policy assignment was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /**
   * Counts the changes of the policy assignment, from 1; the entity tag in `ETag` is made of it, for
   * `If-Match`
   */
  version: number;
};

export type PolicyConnection = {
  /** The id of the connection */
  id: string;
  /** The name of the connection */
  name: string;
  /** The kind of database */
  type: ConnectionType;
  /** The SQL dialect of the connection */
  dialect: SqlDialect;
};

export type PolicyDefinition = {
  /** The id of the policy definition */
  id: string;
  /** The id of the project that the policy definition belongs to */
  projectId: string;
  /** The id of the connection to a database */
  connectionId: string;
  /** The name of the policy definition, unique in its connection */
  name: string;
  /** Connection-level security: the database that queries go to; null if there is none */
  clsConfig: ClsConfig | null;
  /** Schema-level security: the schemas that may be read; null if there is none */
  slsConfig: SlsConfig | null;
  /** Row-level security: the rows of each table that may be read; null if there is none */
  rlsConfig: RlsConfig | null;
  /** The id of the user who created the policy definition; null if that is not known */
  createdBy: string | null;
  /** When the policy definition was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the policy definition was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /**
   * Counts the changes of the policy definition, from 1; the entity tag in `ETag` is made of it, for
   * `If-Match`
   */
  version: number;
};

export type PolicyPerson = {
  /** The id of the user */
  id: string;
  /** The name of the user */
  name: string;
  /** The email address; unique among the users of its kind, regardless of case */
  email: string;
};

/**
 * Where a rule, a config or a value comes from.
 *
 * - `persisted`: A stored definition or assignment
 * - `draft`: A draft in the request
 * - `token`: The policies of a token
 */
export type PolicySource = 'persisted' | 'draft' | 'token';

export type PolicyTenant = {
  /** The id of the tenant */
  id: string;
  /** The name of the tenant */
  name: string;
};

export type PolicyTest = {
  /** The id of the policy test */
  id: string;
  /** The id of the policy definition */
  definitionId: string;
  /** The name of the policy test */
  name: string;
  /** The actor that the policies are resolved for */
  actor: PolicyActor;
  /** One SELECT statement in the dialect of the connection */
  sql: string;
  /** Values for placeholders, by name; null if there are none */
  runtimeParams: Record<string, ParamValue> | null;
  /** Rows by table, for the restricted statement to run on; null if there are none */
  sampleData: Record<string, Array<Record<string, unknown>>> | null;
  /** The expected result; every field that is given is checked */
  expect: TestExpectation;
  /**
   * Counts the changes of the policy test, from 1; the entity tag in `ETag` is made of it, for
   * `If-Match`
   */
  version: number;
  /** When the policy test was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the policy test was last changed, as ISO 8601 in UTC */
  updatedAt: string;
};

export type PolicyTestItem = {
  /** The policy test */
  test: PolicyTest;
};

export type PolicyTestOutcome = {
  /** The id of the policy test */
  testId: string;
  /** The name of the policy test */
  name: string;
  /** Whether the test passed */
  passed: boolean;
  /** The differences from the expected result, a sentence each */
  failures: Array<string>;
  /** The restricted statement or its conditions; null if it is too large to return */
  compiled: Compiled | null;
  /** The rows that the restricted statement returns; null if it did not run */
  rows: Array<Record<string, unknown>> | null;
  /** Whether the results were too large: `compiled` and `rows` are left out, and `failures` are shortened */
  isCut: boolean;
};

export type Preview = {
  /** The actor that the policies are resolved for */
  actor: PreviewActor;
  /** The connection to a database */
  connection: PolicyConnection;
  /** The assignments that apply to the actor */
  assignments: Array<AppliedAssignment>;
  /** The effective connection-level security; null if there is none */
  cls: ResolvedCls | null;
  /** The effective schema-level security; null if there is none */
  sls: ResolvedSls | null;
  /** Row-level security */
  rls: PreviewRls;
  /** The restricted statement or its conditions */
  compiled: Compiled;
  /** Each step of the resolution, in order */
  trace: Array<TraceEntry>;
};

export type PreviewActor = {
  /** The kind of actor */
  kind: AssignmentScope;
  /** The id of the actor; null for all tenants */
  id: string | null;
  /** The name of the actor; null for all tenants */
  name: string | null;
  /** The email address of a user; null for tenants */
  email: string | null;
  /** The tenant of the actor; null for an org user and for all tenants */
  tenantId: string | null;
  /** The role of a user; null for tenants */
  role: UserRole | null;
};

export type PreviewDiff = {
  /** The first preview */
  before: Preview;
  /** The second preview */
  after: Preview;
  /** Whether both sides are equal */
  isSame: boolean;
  /** Whether connection-level security is equal */
  cls: PreviewDiffCls;
  /** Whether schema-level security is equal */
  sls: PreviewDiffSls;
  /** The tables whose conditions differ */
  tables: Array<TableDifference>;
  /** The restricted statements of both previews */
  sql: PreviewDiffSql;
};

export type PreviewDiffCls = {
  /** Whether both sides are equal */
  isSame: boolean;
};

export type PreviewDiffSls = {
  /** Whether both sides are equal */
  isSame: boolean;
};

export type PreviewDiffSql = {
  /** Whether both sides are equal */
  isSame: boolean;
  /** The first restricted statement; null if there is none */
  before: string | null;
  /** The second restricted statement; null if there is none */
  after: string | null;
};

/** The response of `previewPolicies`. */
export type PreviewPoliciesResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: Preview;
};

export type PreviewRls = {
  /** The rules; all of them hold at once */
  rules: Array<ResolvedRuleRecord>;
};

export type PreviewSide = {
  /** The actor of this side; by default that of the request */
  actor?: PolicyActorInput | undefined;
  /** Of the stored assignments, only this one counts */
  assignmentId?: string | undefined;
  /** An assignment that counts as if it were stored; not together with `assignmentId` */
  draftAssignment?: DraftAssignment | undefined;
  /** Configs that replace those of the stored definition, unsaved */
  draftDefinition?: DraftDefinition | undefined;
  /**
   * Whether only `tokenPolicyInput` counts
   * @default false
   */
  ignorePersistedAssignments?: boolean | undefined;
  /** Values for placeholders, by name, which override all others */
  runtimeParams?: Record<string, ParamValue> | undefined;
  /** Policies as a token would carry them */
  tokenPolicyInput?: InlinePolicies | undefined;
};

export type Project = {
  /** The id of the project */
  id: string;
  /** The name of the project */
  name: string;
  /** The id of the organization that the project belongs to */
  organizationId: string;
  /** Counts the changes of the project, from 1; the entity tag in `ETag` is made of it, for `If-Match` */
  version: number;
  /** When the project was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the project was last changed, as ISO 8601 in UTC */
  updatedAt: string;
};

export type ProjectWithSecret = {
  /** The id of the project */
  id: string;
  /** The name of the project */
  name: string;
  /** The id of the organization that the project belongs to */
  organizationId: string;
  /** Counts the changes of the project, from 1; the entity tag in `ETag` is made of it, for `If-Match` */
  version: number;
  /** When the project was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the project was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /** The secret; only this response contains it, so store it now */
  secret: string;
};

export type PublicKey = {
  /** The key type, `OKP` (RFC 8037) */
  kty: 'OKP';
  /** The curve, `Ed25519` */
  crv: 'Ed25519';
  /** The public key, base64url */
  x: string;
  /** The id of the key, as in the header of a token */
  kid: string;
  /** The algorithm, `EdDSA` */
  alg: 'EdDSA';
  /** The use of the key, `sig` for signatures */
  use: 'sig';
};

/** The response of `putDomainTemplate`. */
export type PutDomainTemplateResponse = {
  /** The semantic domain */
  domain: Domain;
  /** The datasets, relationships and calculated fields */
  template: ModelTemplate;
};

/** The response of `putManagedDomainTemplate`. */
export type PutManagedDomainTemplateResponse = {
  /** The semantic domain */
  domain: Domain;
  /** The datasets, relationships and calculated fields */
  template: ModelTemplate;
};

/** The response of `putVersionControl`. */
export type PutVersionControlResponse = {
  /** The settings of the project */
  versionControl: VersionControl;
};

export type ReachedResource = {
  /** The id of the reached resource */
  id: string;
  /** The kind of resource */
  type: ResourceType;
  /** The title of the reached resource */
  title: string;
  /** The effective level of the user */
  accessLevel: AccessLevel;
};

export type ReferencedEntity = {
  /** The name of the table */
  table: string;
  /** The schema of the table; by default that of the connection */
  schema?: string | undefined;
  /** The database of the table; by default that of the connection */
  database?: string | undefined;
  /** The alias of the table in the statement */
  alias?: string | undefined;
};

export type Relationship = {
  /** The name of the first dataset */
  source: string;
  /** The name of the second dataset */
  target: string;
  /** The pairs of columns that must be equal */
  on: Array<JoinColumn>;
  /**
   * The kind of join
   * @default "inner"
   */
  type: RelationshipType;
};

export type RelationshipInput = {
  /** The name of the first dataset */
  source: string;
  /** The name of the second dataset */
  target: string;
  /** The pairs of columns that must be equal */
  on: Array<JoinColumnInput>;
  /**
   * The kind of join
   * @default "inner"
   */
  type?: RelationshipType | undefined;
};

/**
 * The kind of join.
 *
 * - `inner`: Only rows with a match
 * - `left`: All rows of the source
 * - `right`: All rows of the target
 * - `full`: All rows of both
 */
export type RelationshipType = 'inner' | 'left' | 'right' | 'full';

export type RemoteInput = {
  /** The https address of the repository, without user information */
  url: string;
  /** The user name for the remote; null or absent for none */
  username?: string | null | undefined;
  /** The token for the remote, stored sealed and never returned; absent keeps it, null removes it */
  token?: string | null | undefined;
  /**
   * The URL of a commit page, with `{sha}` for the commit; null or absent derives it for well-known
   * hosts
   */
  webUrl?: string | null | undefined;
};

/** The response of `removeGroupMember`. */
export type RemoveGroupMemberResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The member that was removed */
  removedMember: GroupMember;
};

/** The response of `removeGroupMembers`. */
export type RemoveGroupMembersResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The members that were removed; users who were no members are not among them */
  removedMembers: Array<GroupMember>;
};

/** The response of `replayFailedWebhookDeliveries`. */
export type ReplayFailedWebhookDeliveriesResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The number of deliveries that are sent again */
  replayed: number;
};

/** The response of `replayWebhookDelivery`. */
export type ReplayWebhookDeliveryResponse = {
  /** The delivery */
  delivery: WebhookDelivery;
};

export type ResolvedCls = {
  /** The connection string with its values, secrets as `***`; null if there is none */
  connectionString: string | null;
  /** The paths of files by name, with their values; null if there are none */
  filePaths: Record<string, string> | null;
  /** Values for placeholders, by name; secrets are shown as `***` */
  params: Record<string, ParamValue>;
  /** The id of the policy assignment; null if it is not stored */
  assignmentId: string | null;
  /** The id of the policy definition; null if it is not stored */
  definitionId: string | null;
  /** Whether it comes from a stored record, a draft, or a token */
  source: PolicySource;
};

export type ResolvedRuleRecord = {
  /** The name of the rule */
  name: string;
  /** The id of the policy definition; null if it is not stored */
  definitionId: string | null;
  /** The id of the policy assignment; null if it is not stored */
  assignmentId: string | null;
  /** Whether it comes from a stored record, a draft, or a token */
  source: PolicySource;
  /** The tables that the rule governs */
  matcher: RlsMatcher;
  /** The expression of the rule, with its placeholders */
  expression: string;
  /** The expression with its values as literals; null if a value is missing */
  resolvedExpression: string | null;
  /** Values for placeholders, by name; secrets are shown as `***` */
  params: Record<string, ParamValue>;
};

export type ResolvedSls = {
  /** The schema of unqualified tables; null if there is none */
  schema: string | null;
  /** The schemas that may be read; null allows all of them */
  allowedSchemas: Array<string> | null;
  /** The id of the policy assignment; null if it is not stored */
  assignmentId: string | null;
  /** The id of the policy definition; null if it is not stored */
  definitionId: string | null;
  /** Whether it comes from a stored record, a draft, or a token */
  source: PolicySource;
};

/**
 * Which records a list contains.
 *
 * - `organization`: Everything in the project, with or without access to it
 */
export type ResourceListScope = 'organization';

export type ResourcePermissions = {
  /** Whether the caller may change it */
  canEdit: boolean;
  /** Whether the caller may share it */
  canShare: boolean;
  /** Whether the caller may delete it */
  canDelete: boolean;
};

export type ResourceResult = {
  /** The id of the record; for a dataset its source and its name */
  id: string;
  /** The name of the record; null if it is not found */
  name: string | null;
  /** Whether the record exists and is valid */
  isValid: boolean;
};

export type ResourceResults = {
  /** The connections that the dashboard refers to */
  connections: Array<ResourceResult>;
  /** The tables and datasets that the dashboard refers to */
  datasets: Array<ResourceResult>;
  /** The data models that the dashboard refers to */
  datamodels: Array<ResourceResult>;
  /** The visuals that the dashboard links */
  visuals: Array<ResourceResult>;
  /** The semantic domains that the dashboard refers to */
  domains: Array<ResourceResult>;
  /** The assistant profiles that the dashboard refers to */
  assistantProfiles: Array<ResourceResult>;
};

/**
 * The field that a list is sorted by.
 *
 * - `updatedAt`: By the time of the last change
 * - `createdAt`: By the time of creation
 * - `title`: By title
 */
export type ResourceSort = 'updatedAt' | 'createdAt' | 'title';

/**
 * The kind of resource.
 *
 * - `dashboard`: A dashboard
 * - `visual`: A visual
 */
export type ResourceType = 'dashboard' | 'visual';

/** The response of `restoreDashboardVersion`. */
export type RestoreDashboardVersionResponse = {
  /** The dashboard */
  dashboard: Dashboard;
  /** The commit that belongs to this save; absent if none was due */
  versionControl?: CommitResult | undefined;
};

/** The response of `revokeDashboardShares`. */
export type RevokeDashboardSharesResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The shares that were revoked */
  removed: Array<ShareRecord>;
};

export type RevokeEntry = {
  /** The kind of target; it determines which id is required */
  scope: ShareScope;
  /** The tenant user; required for the scope `specific_tenant_user` and only allowed for it */
  tenantUserId?: string | undefined;
  /** The tenant; required for the scope `all_tenant_users` and only allowed for it */
  tenantId?: string | undefined;
  /** The org user; required for the scope `specific_org_user` and only allowed for it */
  orgUserId?: string | undefined;
  /** The group; required for the scope `group` and only allowed for it */
  groupId?: string | undefined;
  /** Accepted and ignored, also null, so that the entry of a grant can be sent again */
  expiresAt?: string | null | undefined;
  /** Accepted and ignored, so that the entry of a grant can be sent again */
  role?: AccessLevel | undefined;
};

/** The response of `revokeSession`. */
export type RevokeSessionResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The session that ended */
  deletedSession: RevokeSessionResponseDeletedSession;
};

export type RevokeSessionResponseDeletedSession = {
  /** The id of the revoke session response deleted session */
  id: string;
  /** The id of the user, either of the organization or of a tenant */
  userId: string;
};

/** The response of `revokeVisualShares`. */
export type RevokeVisualSharesResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The shares that were revoked */
  removed: Array<ShareRecord>;
};

export type RlsConfig = {
  /** The rules; all of them hold at once */
  rules: Array<RlsRule>;
};

export type RlsConfigInput = {
  /** The rules; all of them hold at once */
  rules: Array<RlsRuleInput>;
};

export type RlsMatcher = RlsMatcherAllTablesWithColumn | RlsMatcherTableList | RlsMatcherSchema;

export type RlsMatcherAllTablesWithColumn = {
  /** Always `ALL_TABLES_WITH_COLUMN` */
  type: 'ALL_TABLES_WITH_COLUMN';
  /** The rule governs every table that has this column */
  column: string;
};

export type RlsMatcherAllTablesWithColumnInput = {
  /** Always `ALL_TABLES_WITH_COLUMN` */
  type: 'ALL_TABLES_WITH_COLUMN';
  /** The rule governs every table that has this column */
  column: string;
};

export type RlsMatcherInput =
  | RlsMatcherAllTablesWithColumnInput
  | RlsMatcherTableListInput
  | RlsMatcherSchemaInput;

export type RlsMatcherSchema = {
  /** Always `SCHEMA` */
  type: 'SCHEMA';
  /** The rule governs the tables of this schema */
  schema: string;
  /** The database of the schema; absent for any */
  database?: string | undefined;
  /** Only the tables of the schema that have this column; absent for all of them */
  column?: string | undefined;
};

export type RlsMatcherSchemaInput = {
  /** Always `SCHEMA` */
  type: 'SCHEMA';
  /** The rule governs the tables of this schema */
  schema: string;
  /** The database of the schema; absent for any */
  database?: string | undefined;
  /** Only the tables of the schema that have this column; absent for all of them */
  column?: string | undefined;
};

export type RlsMatcherTable = {
  /** The name of the table */
  table: string;
  /** The schema of the table; absent for any */
  schema?: string | undefined;
  /** The database of the table; absent for any */
  database?: string | undefined;
};

export type RlsMatcherTableInput = {
  /** The name of the table */
  table: string;
  /** The schema of the table; absent for any */
  schema?: string | undefined;
  /** The database of the table; absent for any */
  database?: string | undefined;
};

export type RlsMatcherTableList = {
  /** Always `TABLE_LIST` */
  type: 'TABLE_LIST';
  /** The tables that the rule governs */
  tables: Array<RlsMatcherTable>;
};

export type RlsMatcherTableListInput = {
  /** Always `TABLE_LIST` */
  type: 'TABLE_LIST';
  /** The tables that the rule governs */
  tables: Array<RlsMatcherTableInput>;
};

export type RlsRule = {
  /** The name of the rule, for traces and reasons */
  name?: string | undefined;
  /** What the rule is for; null or absent if nothing is stated */
  description?: string | null | undefined;
  /** The tables that the rule governs */
  matcher: RlsMatcher;
  /** One boolean SQL expression in the dialect of the connection, with placeholders */
  expression: string;
  /** Values for the placeholders of the expression, by name */
  params?: Record<string, ParamValue> | undefined;
  /**
   * Whether the rule applies
   * @default true
   */
  enabled: boolean;
};

export type RlsRuleInput = {
  /** The name of the rule, for traces and reasons */
  name?: string | undefined;
  /** What the rule is for; null or absent if nothing is stated */
  description?: string | null | undefined;
  /** The tables that the rule governs */
  matcher: RlsMatcherInput;
  /** One boolean SQL expression in the dialect of the connection, with placeholders */
  expression: string;
  /** Values for the placeholders of the expression, by name */
  params?: Record<string, ParamValue> | undefined;
  /**
   * Whether the rule applies
   * @default true
   */
  enabled?: boolean | undefined;
};

/** The response of `rollBackMigration`. */
export type RollBackMigrationResponse = {
  /** The migration */
  migration: Migration;
};

/** The response of `rotateDashboardSecret`. */
export type RotateDashboardSecretResponse = {
  /** The dashboard */
  dashboard: DashboardWithSecret;
};

/** The response of `rotateProjectSecret`. */
export type RotateProjectSecretResponse = {
  /** The project */
  project: ProjectWithSecret;
};

/** The response of `rotateWebhookSecret`. */
export type RotateWebhookSecretResponse = {
  /** The webhook */
  webhook: WebhookWithSecret;
};

/** The response of `runPolicyTests`. */
export type RunPolicyTestsResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: RunPolicyTestsResponseData;
};

export type RunPolicyTestsResponseData = {
  /** The number of tests that passed */
  passed: number;
  /** The number of tests that failed */
  failed: number;
  /** The result of each test */
  outcomes: Array<PolicyTestOutcome>;
};

export type SemanticDomainAccess =
  | SemanticDomainAccessAll
  | SemanticDomainAccessNone
  | SemanticDomainAccessInclude
  | SemanticDomainAccessExclude;

export type SemanticDomainAccessAll = {
  /** Which semantic domains the token may see */
  mode: 'all';
};

export type SemanticDomainAccessExclude = {
  /** Which semantic domains the token may see */
  mode: 'exclude';
  /** The names and ids of the domains that the token may not see */
  domains: Array<string>;
};

export type SemanticDomainAccessInclude = {
  /** Which semantic domains the token may see */
  mode: 'include';
  /** The names and ids of the domains that the token may see */
  domains: Array<string>;
};

export type SemanticDomainAccessNone = {
  /** Which semantic domains the token may see */
  mode: 'none';
};

export type Session = {
  /** The id of the session */
  id: string;
  /** The id of the user, either of the organization or of a tenant */
  userId: string;
  /** Whether the user belongs to the organization itself or to a tenant */
  userType: UserType;
  /** The id of the tenant; null for an org user */
  tenantId: string | null;
  /** How the user signed in: with a one-time code, or at an OpenID provider */
  method: SessionMethod;
  /** The network address of the sign-in; of IPv6, the first 64 bits */
  address: string;
  /** The browser of the sign-in, as it names itself, at most 200 characters */
  userAgent: string;
  /** When the user signed in, as ISO 8601 in UTC */
  createdAt: string;
  /** When the session was last used, to within two minutes, as ISO 8601 in UTC */
  lastUsedAt: string;
  /** When the session ends without further use, as ISO 8601 in UTC */
  expiresAt: string;
  /** Whether this request belongs to the session */
  isCurrent: boolean;
};

/**
 * How a user signed in.
 *
 * - `code`: With a one-time code
 * - `oidc`: At an OpenID provider
 */
export type SessionMethod = 'code' | 'oidc';

/** The response of `shareDashboard`. */
export type ShareDashboardResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The shares; all of them are granted, or none */
  shares: Array<ShareRecord>;
};

/** The response of `listDashboardShares`. */
export type ShareList = {
  /** The owner; null if the owner is not visible to the caller */
  owner: ShareListOwner | null;
  /** The shares with single tenant users */
  specificTenantUsers: Array<ShareListEntry>;
  /** The shares with all users of a tenant */
  tenantWide: Array<ShareListEntry>;
  /** The shares with single org users */
  specificOrgUsers: Array<ShareListEntry>;
  /** The shares with all users of the organization and of its tenants */
  orgWide: Array<ShareListEntry>;
  /** The shares with all org users */
  orgUsersOnly: Array<ShareListEntry>;
  /** The shares with all users of all tenants */
  allTenantsOnly: Array<ShareListEntry>;
  /** The shares with groups */
  specificGroups: Array<ShareListEntry>;
  /** The `cursor` of the next page */
  nextCursor?: string | undefined;
};

export type ShareListEntry = {
  /** The id of the list entry */
  id: string;
  /** Whether a dashboard or a visual is shared */
  type: ResourceType;
  /** The kind of target */
  scope: ShareScope;
  /** The level that the share grants */
  role: AccessLevel;
  /** The target of the share; null for the scopes without one */
  target: ShareTarget | null;
  /** When the share was granted, as ISO 8601 in UTC */
  grantedAt: string;
  /** The id of the user who granted the share; present from the level CONTRIBUTOR up */
  grantedBy?: string | undefined;
  /** When the share ends, as ISO 8601 with an offset or `Z`; null if it does not end */
  expiresAt: string | null;
};

export type ShareListOwner = {
  /** The id of the owner */
  id: string;
  /** The name of the owner */
  name: string;
  /** The email address of the owner */
  email?: string | undefined;
  /** Whether the owner is an org user or a tenant user */
  type: UserType;
};

export type ShareRecord = {
  /** The id of the share */
  id: string;
  /** The id of the dashboard or visual */
  resourceId: string;
  /** Whether the record is a dashboard or a visual */
  resourceType: ResourceType;
  /** The kind of target */
  scope: ShareScope;
  /** The level that the share grants */
  role: AccessLevel;
  /** The tenant user; present for the scope `specific_tenant_user` */
  tenantUserId?: string | undefined;
  /** The tenant; present for the scope `all_tenant_users` */
  tenantId?: string | undefined;
  /** The org user; present for the scope `specific_org_user` */
  orgUserId?: string | undefined;
  /** The group; present for the scope `group` */
  groupId?: string | undefined;
  /** When the share was created, as ISO 8601 in UTC */
  createdAt: string;
  /** The id of the user who created the share */
  createdBy: string;
  /** When the share ends, as ISO 8601 with an offset or `Z`; null if it does not end */
  expiresAt: string | null;
};

/**
 * The users that a share reaches.
 *
 * - `specific_tenant_user`: One tenant user, named by `tenantUserId`
 * - `all_tenant_users`: All users of one tenant, named by `tenantId`
 * - `specific_org_user`: One org user, named by `orgUserId`
 * - `all_org_users`: All org users
 * - `org_users_only`: All org users, and no tenant users
 * - `all_tenants_only`: All users of all tenants, and no org users
 * - `group`: All members of one group, named by `groupId`
 */
export type ShareScope =
  | 'specific_tenant_user'
  | 'all_tenant_users'
  | 'specific_org_user'
  | 'all_org_users'
  | 'org_users_only'
  | 'all_tenants_only'
  | 'group';

export type ShareTarget = {
  /** The id of the user, tenant or group */
  id: string;
  /** The name of the user, tenant or group */
  name: string;
  /** The email address of a user; absent for a tenant and a group */
  email?: string | undefined;
};

/** The response of `shareVisual`. */
export type ShareVisualResponse = {
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The shares; all of them are granted, or none */
  shares: Array<ShareRecord>;
};

export type SlsConfig = {
  /** The schema of unqualified tables; not together with `schemaTemplate`; null for none */
  schema?: string | null | undefined;
  /** The schema of unqualified tables, with placeholders; not together with `schema`; null for none */
  schemaTemplate?: string | null | undefined;
  /** The schemas that may be read; by default all of them */
  allowedSchemas?: Array<string> | undefined;
  /** The schema of unqualified tables among `allowedSchemas`; null for none */
  defaultSchema?: string | null | undefined;
};

export type SlsConfigInput = {
  /** The schema of unqualified tables; not together with `schemaTemplate`; null for none */
  schema?: string | null | undefined;
  /** The schema of unqualified tables, with placeholders; not together with `schema`; null for none */
  schemaTemplate?: string | null | undefined;
  /** The schemas that may be read; by default all of them */
  allowedSchemas?: Array<string> | undefined;
  /** The schema of unqualified tables among `allowedSchemas`; null for none */
  defaultSchema?: string | null | undefined;
};

/**
 * The direction of an order.
 *
 * - `asc`: The smallest or earliest first
 * - `desc`: The largest or latest first
 */
export type SortOrder = 'asc' | 'desc';

/**
 * The SQL dialect of statements and rules.
 *
 * - `postgres`: PostgreSQL
 * - `mysql`: MySQL and MariaDB
 * - `sqlite`: SQLite
 * - `duckdb`: DuckDB
 * - `snowflake`: Snowflake
 * - `bigquery`: BigQuery
 * - `mssql`: SQL Server
 */
export type SqlDialect = 'postgres' | 'mysql' | 'sqlite' | 'duckdb' | 'snowflake' | 'bigquery' | 'mssql';

/**
 * The state of a step of a migration.
 *
 * - `pending`: It has not run
 * - `done`: It has run
 * - `undone`: It was undone
 * - `kept`: It was not undone, because the created record was changed or used in the meantime
 */
export type StepState = 'pending' | 'done' | 'undone' | 'kept';

export type TableDifference = {
  /** The name of the table */
  table: string;
  /** The name of the schema; null if it is not known */
  schema: string | null;
  /** How the condition of the table differs */
  change: TableDifferenceChange;
  /** The condition in the first preview; null if there is none */
  before: string | null;
  /** The condition in the second preview; null if there is none */
  after: string | null;
};

/**
 * How the condition of a table differs between two previews.
 *
 * - `added`: Only the second preview has one
 * - `removed`: Only the first preview has one
 * - `changed`: Both have one, and they differ
 */
export type TableDifferenceChange = 'added' | 'removed' | 'changed';

/** The response of `takeDashboardOwnership`. */
export type TakeDashboardOwnershipResponse = {
  /** The dashboard */
  dashboard: Dashboard;
};

/** The response of `takeVisualOwnership`. */
export type TakeVisualOwnershipResponse = {
  /** The visual */
  visual: Visual;
};

export type TemplateFix = {
  /** The renamed text, as a JSON pointer (RFC 6901) */
  path: string;
  /** The kind of issue that the rename fixes */
  code: ValidationCode;
  /** The former name */
  from: string;
  /** The new name */
  to: string;
  /** Why the rename is certain */
  reason: TemplateFixReason;
};

/**
 * Why a rename is certain.
 *
 * - `catalogRename`: The catalog shows that it was renamed
 * - `oneCandidate`: It is the only name that differs by one edit
 */
export type TemplateFixReason = 'catalogRename' | 'oneCandidate';

export type Tenant = {
  /** The id of the tenant */
  id: string;
  /** The name of the tenant */
  name: string;
  /** The id of the organization that the tenant belongs to */
  organizationId: string;
  /** The tenant user who inherits what deleted users of the tenant owned; null if it is not set */
  defaultOwnerId: string | null;
  /** Counts the changes of the tenant, from 1; the entity tag in `ETag` is made of it, for `If-Match` */
  version: number;
  /** When the tenant was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the tenant was last changed, as ISO 8601 in UTC */
  updatedAt: string;
};

export type TenantUser = {
  /** The id of the tenant user */
  id: string;
  /** The email address; unique among the users of its kind, regardless of case */
  email: string;
  /** The name of the tenant user */
  name: string;
  /** The role of the user in the organization, which caps the level of every grant */
  role: UserRole;
  /** The department of the user, as free text; empty if there is none */
  department: string;
  /** Whether the user can sign in; tokens of an inactive user return 401 */
  isActive: boolean;
  /** The id of the tenant that the user belongs to */
  tenantId: string;
  /** The name of the tenant */
  tenantName: string;
  /** The name of the organization of the user */
  organizationName: string;
  /** Always `tenant`: the user belongs to a tenant */
  type: 'tenant';
  /**
   * Counts the changes of the tenant user, from 1; the entity tag in `ETag` is made of it, for
   * `If-Match`
   */
  version: number;
  /** When the tenant user was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the tenant user was last changed, as ISO 8601 in UTC */
  updatedAt: string;
};

/**
 * The role of a tenant user.
 *
 * - `VIEWER`: Views what is shared with the user, and changes nothing
 * - `POWER_USER`: A tenant user who creates and edits dashboards and visuals
 */
export type TenantUserRole = 'VIEWER' | 'POWER_USER';

export type TestExpectation = {
  /** The expected status of the compilation */
  status?: CompiledStatus | undefined;
  /** The code of a reason that must be among those of a denial */
  reason?: string | undefined;
  /** The expected condition of each table, by its name */
  conditions?: Record<string, string> | undefined;
  /** The governed tables, in any order */
  tables?: Array<string> | undefined;
  /** The rows that the restricted statement returns on `sampleData`, in any order */
  rows?: Array<Record<string, unknown>> | undefined;
};

export type TestExpectationInput = {
  /** The expected status of the compilation */
  status?: CompiledStatus | undefined;
  /** The code of a reason that must be among those of a denial */
  reason?: string | undefined;
  /** The expected condition of each table, by its name */
  conditions?: Record<string, string> | undefined;
  /** The governed tables, in any order */
  tables?: Array<string> | undefined;
  /** The rows that the restricted statement returns on `sampleData`, in any order */
  rows?: Array<Record<string, unknown>> | undefined;
};

/** The response of `testWebhook`. */
export type TestWebhookResponse = {
  /** The result of the test */
  test: WebhookTest;
};

/**
 * How a connection is protected.
 *
 * - `disable`: Not encrypted
 * - `require`: Encrypted, without verifying the server
 * - `verify`: Encrypted, and the certificate and name of the server are verified
 */
export type TlsMode = 'disable' | 'require' | 'verify';

/**
 * The kind of token.
 *
 * - `project`: Reaches the project
 * - `dashboard`: Reaches one dashboard
 */
export type TokenType = 'project' | 'dashboard';

export type TraceEntry = {
  /** What the step is about */
  subject: TraceEntrySubject;
  /** What the step is about: the id of an assignment, the name of a rule, placeholder or table */
  name: string;
  /** The result of the step */
  outcome: TraceEntryOutcome;
  /** A sentence with the reason */
  why: string;
  /** The id of the assignment; null or absent if it is not stored */
  assignmentId?: string | null | undefined;
  /** The id of the definition; null or absent if it is not stored */
  definitionId?: string | null | undefined;
  /** Where the value of a placeholder comes from; absent for other steps */
  valueSource?: ValueSource | undefined;
};

/**
 * The result of a step of a resolution.
 *
 * - `applies`: It applies to the actor
 * - `skipped`: It does not apply to the actor
 * - `wins`: It is effective
 * - `loses`: A more specific one is effective in its place
 * - `conflict`: Two of the same rank differ, so nothing may be read
 * - `filled`: The placeholder has a value
 * - `missing`: The placeholder has no value
 * - `merged`: It is combined with others
 * - `governed`: At least one rule governs the table
 * - `free`: No rule governs the table
 */
export type TraceEntryOutcome =
  | 'applies'
  | 'skipped'
  | 'wins'
  | 'loses'
  | 'conflict'
  | 'filled'
  | 'missing'
  | 'merged'
  | 'governed'
  | 'free';

/**
 * What a step of a resolution is about.
 *
 * - `assignment`: An assignment
 * - `cls`: Connection-level security
 * - `sls`: Schema-level security
 * - `rule`: A row-level rule
 * - `value`: The value of a placeholder
 * - `table`: A table of the statement
 */
export type TraceEntrySubject = 'assignment' | 'cls' | 'sls' | 'rule' | 'value' | 'table';

/**
 * The access of an actor to whom no policy assignment applies.
 *
 * - `deny`: The actor may read nothing
 * - `allow`: The actor may read everything
 */
export type UnassignedActors = 'deny' | 'allow';

/**
 * Why there is no restricted statement.
 *
 * - `not_requested`: The request has neither a statement nor tables
 * - `conditions_only`: Only conditions: tables were given, or the dialect has no proven rewriter
 * - `denied`: The policy fails closed; `reasons` explains why
 * - `invalid_sql`: The statement is not valid in the dialect
 */
export type UncompiledStatus = 'not_requested' | 'conditions_only' | 'denied' | 'invalid_sql';

export type UngovernedTable = {
  /** The name of the schema */
  schema: string;
  /** The name of the table */
  table: string;
};

export type UnifiedUser = {
  /** The id of the user */
  id: string;
  /** Whether the user belongs to the organization itself or to a tenant */
  type: UserType;
  /** The email address; unique among the users of its kind, regardless of case */
  email: string;
  /** The name of the user */
  name: string;
  /** The role of the user in the organization, which caps the level of every grant */
  role: UserRole;
  /** Whether the user can sign in; tokens of an inactive user return 401 */
  isActive: boolean;
  /** The id of the tenant; null for an org user */
  tenantId: string | null;
  /** The name of the tenant; null for an org user */
  tenantName: string | null;
  /** When the user was created, as ISO 8601 in UTC */
  createdAt: string;
};

/** The response of `updateAssistantProfile`. */
export type UpdateAssistantProfileResponse = {
  /** The assistant profile */
  assistantProfile: AssistantProfile;
};

/** The response of `updateConnection`. */
export type UpdateConnectionResponse = {
  /** The connection to a database */
  connection: Connection;
};

/** The response of `updateDashboard`. */
export type UpdateDashboardResponse = {
  /** The dashboard */
  dashboard: Dashboard;
  /** The commit that belongs to this save; absent if none was due */
  versionControl?: CommitResult | undefined;
};

/** The response of `updateDatamodel`. */
export type UpdateDatamodelResponse = {
  /** The data model */
  datamodel: DataModel;
};

/** The response of `updateDomain`. */
export type UpdateDomainResponse = {
  /** The semantic domain */
  domain: Domain;
};

/** The response of `updateGroup`. */
export type UpdateGroupResponse = {
  /** The group */
  group: Group;
};

/** The response of `updateManagedDomain`. */
export type UpdateManagedDomainResponse = {
  /** The semantic domain */
  domain: Domain;
};

/** The response of `updateOrgUser`. */
export type UpdateOrgUserResponse = {
  /** The user */
  user: OrgUser;
};

/** The response of `updatePolicyAssignment`. */
export type UpdatePolicyAssignmentResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: AssignmentWithWarnings;
};

/** The response of `updatePolicyDefinition`. */
export type UpdatePolicyDefinitionResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: DefinitionWithWarnings;
};

/** The response of `updatePolicyTest`. */
export type UpdatePolicyTestResponse = {
  /** Always true: the request succeeded */
  ok: true;
  /** The result of the request */
  data: PolicyTestItem;
};

/** The response of `updateProject`. */
export type UpdateProjectResponse = {
  /** The project */
  project: Project;
};

/** The response of `updateTenant`. */
export type UpdateTenantResponse = {
  /** The tenant */
  tenant: Tenant;
};

/** The response of `updateTenantUser`. */
export type UpdateTenantUserResponse = {
  /** The user */
  user: TenantUser;
};

/** The response of `updateVisual`. */
export type UpdateVisualResponse = {
  /** The visual */
  visual: Visual;
};

/** The response of `updateWebhook`. */
export type UpdateWebhookResponse = {
  /** The webhook */
  webhook: Webhook;
};

/** The response of `getUserContext`. */
export type UserContext = {
  /** The id of the user, either of the organization or of a tenant */
  userId: string;
  /** Whether the user belongs to the organization itself or to a tenant */
  type: UserType;
  /** The role of the user in the organization, which caps the level of every grant */
  role: UserRole;
  /** What the role of the user permits, independent of any grant */
  permissions: UserPermissions;
};

export type UserPermissions = {
  /** Whether the role may change dashboards and visuals */
  canEdit: boolean;
  /** Whether the role may create dashboards */
  canCreateDashboard: boolean;
  /** Whether the role may share dashboards and visuals */
  canShare: boolean;
  /** Whether the role may share with tenants as a whole */
  canShareWithTenants: boolean;
  /** Whether the role may share with org users */
  canShareWithOrgUsers: boolean;
  /** Whether the role may share with tenants other than its own */
  canShareWithOtherTenants: boolean;
  /** Whether the role may create, change and delete groups */
  canManageGroups: boolean;
  /** Whether the role may create, change and delete users, tenants and projects */
  canManageUsers: boolean;
  /** Whether the role may read and change security policies */
  canManageSecurity: boolean;
};

/**
 * The role of a user, which caps the level of every grant.
 *
 * - `VIEWER`: Views what is shared with the user, and changes nothing
 * - `POWER_USER`: A tenant user who creates and edits dashboards and visuals
 * - `AUTHOR`: An org user who creates and edits dashboards and visuals, and manages groups and data
 *   models
 * - `ADMIN`: Administers the organization: users, tenants, projects, policies and webhooks
 */
export type UserRole = 'VIEWER' | 'POWER_USER' | 'AUTHOR' | 'ADMIN';

/**
 * The kind of user.
 *
 * - `organization`: A user of the organization itself
 * - `tenant`: A user of a tenant
 */
export type UserType = 'organization' | 'tenant';

/** A line of the response of `validateAllDashboards`. */
export type ValidateAllDashboardsLine =
  | ValidateAllDashboardsLineResult
  | ValidateAllDashboardsLineProgress
  | ValidateAllDashboardsLineSummary
  | ValidateAllDashboardsLineError;

export type ValidateAllDashboardsLineError = {
  /** Always `error` */
  type: 'error';
  /** The message, a sentence for people */
  error: string;
  /** The code of the error, for programs; see the catalogue of errors */
  code: ErrorCode;
  /** The faults of the fields in one sentence; empty if there are none */
  details: string;
  /** The faults of the fields of the request, at most 100 */
  fieldErrors?: Array<FieldError> | undefined;
  /** The id of the request, as in `X-Request-Id`, in the log and in the audit log */
  requestId: string;
};

export type ValidateAllDashboardsLineProgress = {
  /** Always `progress` */
  type: 'progress';
  /** The number of items so far */
  done: number;
  /** The number of all items */
  total: number;
};

export type ValidateAllDashboardsLineResult = {
  /** Always `result` */
  type: 'result';
  /** The result of one dashboard */
  result: ValidationResult | FailedValidation;
};

export type ValidateAllDashboardsLineSummary = {
  /** Always `summary` */
  type: 'summary';
  /** The id of the project */
  projectId: string;
  /** The number of dashboards in the batch */
  totalDashboards: number;
  /** The number of dashboards that are valid */
  validDashboards: number;
  /** The number of dashboards that are invalid */
  invalidDashboards: number;
  /** The number of dashboards that could not be validated */
  failedDashboards: number;
};

/** The response of `validateAllDashboards`. */
export type ValidateAllDashboardsResponse = {
  /** The id of the project */
  projectId: string;
  /** The number of dashboards in the batch */
  totalDashboards: number;
  /** The number of dashboards that are valid */
  validDashboards: number;
  /** The number of dashboards that are invalid */
  invalidDashboards: number;
  /** The number of dashboards that could not be validated */
  failedDashboards: number;
  /** The result of each dashboard */
  results: Array<ValidationResult | FailedValidation>;
};

/**
 * The kind of issue in a dashboard.
 *
 * - `TEMPLATE_MISSING`: The dashboard has no template
 * - `CONNECTION_NOT_FOUND`: The connection does not exist, or a card with columns has no data source
 * - `CATALOG_UNAVAILABLE`: The catalog was never read, or the caller may not read it; a warning
 * - `ENTITY_NOT_FOUND`: The table or dataset does not exist, or the card does not select it
 * - `FIELD_NOT_FOUND`: The column does not exist
 * - `FILTER_FIELD_NOT_FOUND`: The column of a filter does not exist
 * - `JOIN_KEY_NOT_FOUND`: The column of a join does not exist
 * - `DOMAIN_NOT_FOUND`: The semantic domain does not exist
 * - `DATAMODEL_NOT_FOUND`: The data model does not exist
 * - `VISUAL_NOT_FOUND`: The linked visual does not exist
 * - `VISUAL_INVALID`: The linked visual is invalid, or links an invalid one
 * - `ASSISTANT_PROFILE_NOT_FOUND`: The assistant profile does not exist
 * - `AI_CONTEXT_INVALID`: An entity of the assistant is in none of the data sources
 * - `TEMPLATE_MALFORMED`: A part does not have the type that it must have to be understood
 */
export type ValidationCode =
  | 'TEMPLATE_MISSING'
  | 'CONNECTION_NOT_FOUND'
  | 'CATALOG_UNAVAILABLE'
  | 'ENTITY_NOT_FOUND'
  | 'FIELD_NOT_FOUND'
  | 'FILTER_FIELD_NOT_FOUND'
  | 'JOIN_KEY_NOT_FOUND'
  | 'DOMAIN_NOT_FOUND'
  | 'DATAMODEL_NOT_FOUND'
  | 'VISUAL_NOT_FOUND'
  | 'VISUAL_INVALID'
  | 'ASSISTANT_PROFILE_NOT_FOUND'
  | 'AI_CONTEXT_INVALID'
  | 'TEMPLATE_MALFORMED';

export type ValidationFilter = {
  /**
   * Which owners the dashboards have
   * @default "all"
   */
  type?: ValidationFilterType | undefined;
  /** The tenant; required with type `tenant` and only allowed for it */
  tenantId?: string | undefined;
  /** Only these dashboards, at most 10,000 */
  ids?: Array<string> | undefined;
  /** Only dashboards that refer to a table which changed at this moment or later */
  changedSince?: string | undefined;
};

/**
 * The owners of the dashboards to validate.
 *
 * - `organization`: Dashboards of org users
 * - `tenant`: Dashboards of users of one tenant, named by `tenantId`
 * - `all`: All dashboards
 * - `all-tenants`: Dashboards of users of any tenant
 */
export type ValidationFilterType = 'organization' | 'tenant' | 'all' | 'all-tenants';

export type ValidationIssue = {
  /** The kind of issue */
  code: ValidationCode;
  /** Whether the issue makes the dashboard invalid */
  severity: ValidationIssueSeverity;
  /** The invalid text, or the object that lacks it, as a JSON pointer (RFC 6901) */
  path: string;
  /** A sentence for people about the result; programs use the status and the other fields */
  message: string;
  /** The column; absent if the issue is about none */
  field?: string | undefined;
  /** The table or dataset; absent if the issue is about none */
  entity?: string | undefined;
  /** The closest names; absent if there are none */
  suggestions?: Array<string> | undefined;
  /** The columns of the entity; absent if they were not requested */
  availableColumns?: Array<string> | undefined;
};

/**
 * The weight of an issue.
 *
 * - `error`: The dashboard is invalid
 * - `warning`: The dashboard may still be valid, but not everything was checked
 */
export type ValidationIssueSeverity = 'error' | 'warning';

export type ValidationOptions = {
  /**
   * Whether to check the columns of filters
   * @default true
   */
  validateFilters?: boolean | undefined;
  /**
   * Whether to check the columns of joins
   * @default true
   */
  validateJoins?: boolean | undefined;
  /**
   * Whether to check the entities of the assistant
   * @default true
   */
  validateAIContext?: boolean | undefined;
  /**
   * Whether to check the assistant profile
   * @default true
   */
  validateAssistantProfile?: boolean | undefined;
  /**
   * Whether to check the visuals that the dashboard links
   * @default true
   */
  validateLinkedVisuals?: boolean | undefined;
  /**
   * Whether an issue lists the columns of its entity
   * @default true
   */
  includeAvailableColumns?: boolean | undefined;
  /**
   * Whether an issue suggests similar names
   * @default true
   */
  includeSuggestions?: boolean | undefined;
  /**
   * The highest number of suggestions for one issue
   * @default 3
   */
  maxSuggestionsPerField?: number | undefined;
};

/** The response of `validateDashboard`. */
export type ValidationResult = {
  /** The id of the dashboard; null for a template that is not saved */
  dashboardId: string | null;
  /** The title of the dashboard; null for a template that is not saved */
  dashboardTitle: string | null;
  /** Whether no issue is an error */
  isValid: boolean;
  /** When it was validated, as ISO 8601 in UTC */
  validatedAt: string;
  /** The numbers of checked, valid and invalid parts */
  summary: ValidationSummary;
  /** The result of each card */
  cardResults: Array<CardResult>;
  /** The result of each filter */
  filterResults: Array<FilterResult>;
  /** The result of each join */
  joinResults: Array<JoinResult>;
  /** The result of each record that the dashboard refers to */
  resourceResults: ResourceResults;
  /** What is wrong, and where */
  issues: Array<ValidationIssue>;
};

export type ValidationSummary = {
  /** The number of cards that were checked */
  totalCards: number;
  /** The number of cards that are valid */
  validCards: number;
  /** The number of cards that are invalid */
  invalidCards: number;
  /** The number of fields that were checked */
  totalFields: number;
  /** The number of fields that are valid */
  validFields: number;
  /** The number of fields that are invalid */
  invalidFields: number;
  /** The number of filters that were checked */
  totalFilters: number;
  /** The number of filters that are valid */
  validFilters: number;
  /** The number of filters that are invalid */
  invalidFilters: number;
  /** The number of joins that were checked */
  totalJoins: number;
  /** The number of joins that are valid */
  validJoins: number;
  /** The number of joins that are invalid */
  invalidJoins: number;
  /** The number of connections that were checked */
  totalConnections: number;
  /** The number of connections that are valid */
  validConnections: number;
  /** The number of connections that are invalid */
  invalidConnections: number;
  /** The number of datasets that were checked */
  totalDatasets: number;
  /** The number of datasets that are valid */
  validDatasets: number;
  /** The number of datasets that are invalid */
  invalidDatasets: number;
  /** The number of data models that were checked */
  totalDatamodels: number;
  /** The number of data models that are valid */
  validDatamodels: number;
  /** The number of data models that are invalid */
  invalidDatamodels: number;
};

/**
 * Where the value of a placeholder comes from. Later sources override earlier ones.
 *
 * - `definition`: The `params` of the config in the definition
 * - `rule`: The `params` of the rule
 * - `assignment`: The `params` of the assignment
 * - `token`: The `securityParams` of the token
 * - `runtime`: The `runtimeParams` of the request
 * - `actor`: A built-in value of the actor, which nothing overrides
 */
export type ValueSource = 'definition' | 'rule' | 'assignment' | 'token' | 'runtime' | 'actor';

export type VersionControl = {
  /** The id of the project that the version control belongs to */
  projectId: string;
  /** Whether saving a dashboard commits it */
  commitOnSave: CommitOnSave;
  /** The branch that is committed to */
  branch: string;
  /** The remote that commits are pushed to; null for none */
  remote: VersionControlRemote | null;
  /** The last attempt to push; null if there was none */
  lastPush: VersionControlLastPush | null;
  /**
   * Counts the changes of the version control, from 1; the entity tag in `ETag` is made of it, for
   * `If-Match`
   */
  version: number;
  /** When the version control was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the version control was last changed, as ISO 8601 in UTC */
  updatedAt: string;
};

export type VersionControlLastPush = {
  /** When it was attempted, as ISO 8601 in UTC */
  at: string;
  /** Whether the push succeeded */
  status: VersionControlLastPushStatus;
  /** Why it failed; null if it succeeded */
  reason: string | null;
  /** The id of the commit; null if there is none */
  commitSha: string | null;
};

/**
 * The result of a push.
 *
 * - `pushed`: The remote has the commits
 * - `failed`: The remote does not have the commits
 */
export type VersionControlLastPushStatus = 'pushed' | 'failed';

export type VersionControlRemote = {
  /** The https address of the repository */
  url: string;
  /** The user name for the remote; null if there is none */
  username: string | null;
  /** Whether a token for the remote is stored */
  hasCredentials: boolean;
  /** The URL of a commit page, with `{sha}` for the commit; null if there is none */
  webUrl: string | null;
};

export type Viewer = {
  /** Whether the user belongs to the organization itself or to a tenant */
  type: UserType;
  /** The id of the user */
  id: string;
  /** The name of the user */
  name: string;
  /** The email address of the user */
  email: string;
  /** The effective level of the user */
  accessLevel: AccessLevel;
  /** The way in which the access was granted */
  path: GrantPath;
};

export type Visual = {
  /** The id of the visual */
  id: string;
  /** The title of the visual */
  title: string;
  /** What the visual is for, as free text; empty if there is none */
  description: string;
  /** The id of the project that the visual belongs to */
  projectId: string;
  /** The tenant of an owner who is a tenant user; null for an org user */
  tenantId: string | null;
  /**
   * Whether only the owner and shares grant access; if false, every user of the same organization or
   * tenant as the owner may view the visual
   */
  isPrivate: boolean;
  /** The tags of the visual, at most 50 */
  tags: Array<string>;
  /** Counts the changes of the visual, from 1; the entity tag in `ETag` is made of it, for `If-Match` */
  version: number;
  /** The id of the user who owns the visual */
  ownerId: string;
  /** Whether the owner is an org user or a tenant user */
  ownerType: UserType;
  /** The id of the user who created the visual */
  createdBy: string;
  /** When the visual was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the visual was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /** What the caller may do with the visual */
  permissions: ResourcePermissions;
  /** The effective level of the caller; null only if an ADMIN lists a record without access */
  accessLevel: AccessLevel | null;
  /** The content of the visual as a JSON object; null if it has none */
  frameObject: Record<string, unknown> | null;
};

export type VisualSummary = {
  /** The id of the visual */
  id: string;
  /** The title of the visual */
  title: string;
  /** What the visual is for, as free text; empty if there is none */
  description: string;
  /** The id of the project that the visual belongs to */
  projectId: string;
  /** The tenant of an owner who is a tenant user; null for an org user */
  tenantId: string | null;
  /**
   * Whether only the owner and shares grant access; if false, every user of the same organization or
   * tenant as the owner may view the visual
   */
  isPrivate: boolean;
  /** The tags of the visual, at most 50 */
  tags: Array<string>;
  /** Counts the changes of the visual, from 1; the entity tag in `ETag` is made of it, for `If-Match` */
  version: number;
  /** The id of the user who owns the visual */
  ownerId: string;
  /** Whether the owner is an org user or a tenant user */
  ownerType: UserType;
  /** The id of the user who created the visual */
  createdBy: string;
  /** When the visual was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the visual was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /** What the caller may do with the visual */
  permissions: ResourcePermissions;
  /** The effective level of the caller; null only if an ADMIN lists a record without access */
  accessLevel: AccessLevel | null;
};

export type Webhook = {
  /** The id of the webhook */
  id: string;
  /** The URL that receives the events */
  url: string;
  /** What the webhook is for, as free text; empty if there is none */
  description: string;
  /** The event types that are delivered; `*` stands for any part of a type, or for all types */
  eventTypes: Array<string>;
  /** Only events of this project are delivered; null for those of all projects */
  projectId: string | null;
  /** Whether events are delivered */
  isEnabled: boolean;
  /** Why the webhook is disabled; null while it is enabled */
  disabledReason: WebhookDisabledReason | null;
  /** When the webhook was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the webhook was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /** Counts the changes of the webhook, from 1; the entity tag in `ETag` is made of it, for `If-Match` */
  version: number;
};

export type WebhookAttempt = {
  /** When the attempt began, as ISO 8601 in UTC */
  attemptedAt: string;
  /** The duration of the attempt, in milliseconds */
  durationMs: number;
  /** The HTTP status of the receiver; null if no response arrived */
  statusCode: number | null;
  /** Why the attempt failed; null if the event was delivered */
  failure: WebhookFailure | null;
};

export type WebhookDelivery = {
  /** The id of the webhook delivery */
  id: string;
  /** The id of the webhook */
  webhookId: string;
  /** The id of the event; receivers use it to ignore repetitions */
  eventId: string;
  /** The type of the event, such as `management.dashboard.created.v1` */
  eventType: string;
  /** The state of the webhook delivery */
  status: WebhookDeliveryStatus;
  /** The latest attempts, the oldest first */
  attempts: Array<WebhookAttempt>;
  /** When the next attempt is due, as ISO 8601 in UTC; null if none is due */
  nextAttemptAt: string | null;
  /** When the webhook delivery was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the webhook delivery was last changed, as ISO 8601 in UTC */
  updatedAt: string;
};

/**
 * The state of a delivery.
 *
 * - `pending`: It is being sent, or a further attempt is due
 * - `delivered`: The receiver accepted it
 * - `failed`: All attempts failed
 */
export type WebhookDeliveryStatus = 'pending' | 'delivered' | 'failed';

export type WebhookDeliveryWithEvent = {
  /** The id of the webhook delivery */
  id: string;
  /** The id of the webhook */
  webhookId: string;
  /** The id of the event; receivers use it to ignore repetitions */
  eventId: string;
  /** The type of the event, such as `management.dashboard.created.v1` */
  eventType: string;
  /** The state of the webhook delivery */
  status: WebhookDeliveryStatus;
  /** The latest attempts, the oldest first */
  attempts: Array<WebhookAttempt>;
  /** When the next attempt is due, as ISO 8601 in UTC; null if none is due */
  nextAttemptAt: string | null;
  /** When the webhook delivery was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the webhook delivery was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /** The event as it is sent */
  event: Record<string, unknown>;
};

/**
 * Why a webhook is disabled.
 *
 * - `manual`: A user disabled it
 * - `gone`: Its receiver returned 410
 * - `failing`: Its deliveries failed for too long
 * - `overloaded`: Too many of its deliveries waited
 */
export type WebhookDisabledReason = 'manual' | 'gone' | 'failing' | 'overloaded';

/**
 * Why an attempt failed.
 *
 * - `not_allowed`: The operator does not allow the host, or an address of it
 * - `unresolved`: The name of the host has no address
 * - `unreachable`: The host accepts no connection
 * - `untrusted`: The certificate of the host is not trusted
 * - `timed_out`: The response took too long
 * - `malformed`: The response is not valid HTTP
 * - `redirected`: The receiver redirects; redirects are not followed
 * - `refused`: The receiver returned a status that is neither success nor redirection
 * - `interrupted`: The sending process ended
 */
export type WebhookFailure =
  | 'not_allowed'
  | 'unresolved'
  | 'unreachable'
  | 'untrusted'
  | 'timed_out'
  | 'malformed'
  | 'redirected'
  | 'refused'
  | 'interrupted';

export type WebhookTest = {
  /** When the attempt began, as ISO 8601 in UTC */
  attemptedAt: string;
  /** The duration of the attempt, in milliseconds */
  durationMs: number;
  /** The HTTP status of the receiver; null if no response arrived */
  statusCode: number | null;
  /** Why the attempt failed; null if the event was delivered */
  failure: WebhookFailure | null;
  /** The id of the event; receivers use it to ignore repetitions */
  eventId: string;
  /** Whether the receiver accepted the event */
  isDelivered: boolean;
};

export type WebhookWithSecret = {
  /** The id of the webhook */
  id: string;
  /** The URL that receives the events */
  url: string;
  /** What the webhook is for, as free text; empty if there is none */
  description: string;
  /** The event types that are delivered; `*` stands for any part of a type, or for all types */
  eventTypes: Array<string>;
  /** Only events of this project are delivered; null for those of all projects */
  projectId: string | null;
  /** Whether events are delivered */
  isEnabled: boolean;
  /** Why the webhook is disabled; null while it is enabled */
  disabledReason: WebhookDisabledReason | null;
  /** When the webhook was created, as ISO 8601 in UTC */
  createdAt: string;
  /** When the webhook was last changed, as ISO 8601 in UTC */
  updatedAt: string;
  /** Counts the changes of the webhook, from 1; the entity tag in `ETag` is made of it, for `If-Match` */
  version: number;
  /** The secret that signs events: `whsec_` and the key in base64; only this response contains it */
  secret: string;
};
