// Written by `npm run openapi`.

import type { CallOptions } from '../requests.js';
import type {
  AccessCheck,
  AccessLevel,
  AddGroupMembersResponse,
  AssignmentScope,
  AuditOutcome,
  BatchDashboardSharesRequestOperationCreate,
  BatchDashboardSharesRequestOperationDelete,
  BatchDashboardSharesRequestOperationUpdate,
  BatchDashboardSharesResponse,
  BatchDashboardsRequestOperationCreate,
  BatchDashboardsRequestOperationDelete,
  BatchDashboardsRequestOperationUpdate,
  BatchDashboardsResponse,
  BatchMode,
  BatchPolicyAssignmentsRequestOperationCreate,
  BatchPolicyAssignmentsRequestOperationDelete,
  BatchPolicyAssignmentsRequestOperationUpdate,
  BatchPolicyAssignmentsResponse,
  BatchTenantUsersRequestOperationCreate,
  BatchTenantUsersRequestOperationDelete,
  BatchTenantUsersRequestOperationUpdate,
  BatchTenantUsersResponse,
  BatchVisualSharesRequestOperationCreate,
  BatchVisualSharesRequestOperationDelete,
  BatchVisualSharesRequestOperationUpdate,
  BatchVisualSharesResponse,
  CalculatedFieldInput,
  CatalogInput,
  CheckAccessResponse,
  ClsConfigInput,
  CommitOnSave,
  ComparePolicyPreviewsResponse,
  CompileSqlRequestStatement,
  CompileSqlResponse,
  ConnectionConfigInput,
  ConnectionType,
  CreateAssistantProfileResponse,
  CreateConnectionResponse,
  CreateDashboardResponse,
  CreateDatamodelResponse,
  CreateDomainResponse,
  CreateGroupResponse,
  CreateManagedDomainResponse,
  CreateOrgUserResponse,
  CreatePolicyAssignmentResponse,
  CreatePolicyDefinitionResponse,
  CreatePolicyTestResponse,
  CreateProjectResponse,
  CreateSignInCodeResponse,
  CreateTenantResponse,
  CreateTenantUserResponse,
  CreateVisualResponse,
  CreateWebhookResponse,
  DatasetInput,
  DeleteAssistantProfileResponse,
  DeleteConnectionResponse,
  DeleteDashboardResponse,
  DeleteDatamodelResponse,
  DeleteDomainResponse,
  DeleteGroupResponse,
  DeleteManagedDomainResponse,
  DeleteOrgUserResponse,
  DeletePolicyAssignmentResponse,
  DeletePolicyDefinitionResponse,
  DeletePolicyTestResponse,
  DeleteTenantResponse,
  DeleteTenantUserResponse,
  DeleteVersionControlResponse,
  DeleteVisualResponse,
  DeleteWebhookResponse,
  DiffDashboardVersionsResponse,
  DraftAssignment,
  DuplicateDashboardResponse,
  DuplicateVisualResponse,
  ExplainDashboardAccessResponse,
  ExplainVisualAccessResponse,
  ExportAuditEventsLine,
  ExportAuditEventsResponse,
  FixDashboardResponse,
  GetAssistantProfileResponse,
  GetConnectionResponse,
  GetDashboardResponse,
  GetDashboardVersionResponse,
  GetDatamodelResponse,
  GetDomainResponse,
  GetDomainTemplateResponse,
  GetGroupResponse,
  GetManagedDomainResponse,
  GetManagedDomainTemplateResponse,
  GetMigrationResponse,
  GetOrgUserResponse,
  GetPolicyAssignmentResponse,
  GetPolicyCoverageResponse,
  GetPolicyDefinitionResponse,
  GetPolicyTestResponse,
  GetProjectResponse,
  GetSigningKeysResponse,
  GetTenantResponse,
  GetTenantUserResponse,
  GetVersionControlResponse,
  GetVisualResponse,
  GetWebhookDeliveryResponse,
  GetWebhookResponse,
  GrantEntry,
  GroupSort,
  GroupType,
  GroupTypeFilter,
  InlinePolicies,
  IntrospectConnectionResponse,
  InvalidateTokenResponse,
  IssueTokenResponse,
  LintPoliciesResponse,
  ListAccessLine,
  ListAccessResponse,
  ListAccessSubjectsLine,
  ListAccessSubjectsResponse,
  ListAssistantProfilesResponse,
  ListAuditEventsResponse,
  ListCatalogChangesResponse,
  ListConnectionsResponse,
  ListDashboardVersionsResponse,
  ListDashboardViewersResponse,
  ListDashboardsResponse,
  ListDatamodelsResponse,
  ListDomainsResponse,
  ListGroupMembersResponse,
  ListGroupPermissionsResponse,
  ListGroupsResponse,
  ListManagedDomainsResponse,
  ListMigrationsResponse,
  ListOrgUsersResponse,
  ListPolicyAssignmentsResponse,
  ListPolicyDefinitionsResponse,
  ListPolicyTestsResponse,
  ListProjectsResponse,
  ListSessionsResponse,
  ListTenantUsersResponse,
  ListTenantsResponse,
  ListUnifiedUsersResponse,
  ListVisualViewersResponse,
  ListVisualsResponse,
  ListWebhookDeliveriesResponse,
  ListWebhooksResponse,
  MigrateDashboardResponse,
  MigrationAnalysis,
  ModelTemplateInput,
  OrgUserRole,
  ParamValue,
  PolicyActorInput,
  PreviewPoliciesResponse,
  PreviewSide,
  PutDomainTemplateResponse,
  PutManagedDomainTemplateResponse,
  PutVersionControlResponse,
  ReferencedEntity,
  RelationshipInput,
  RemoteInput,
  RemoveGroupMemberResponse,
  RemoveGroupMembersResponse,
  ReplayFailedWebhookDeliveriesResponse,
  ReplayWebhookDeliveryResponse,
  ResourceListScope,
  ResourceSort,
  ResourceType,
  RestoreDashboardVersionResponse,
  RevokeDashboardSharesResponse,
  RevokeEntry,
  RevokeSessionResponse,
  RevokeVisualSharesResponse,
  RlsConfigInput,
  RollBackMigrationResponse,
  RotateDashboardSecretResponse,
  RotateProjectSecretResponse,
  RotateWebhookSecretResponse,
  RunPolicyTestsResponse,
  SemanticDomainAccess,
  ShareDashboardResponse,
  ShareList,
  ShareVisualResponse,
  SlsConfigInput,
  SortOrder,
  TakeDashboardOwnershipResponse,
  TakeVisualOwnershipResponse,
  TenantUserRole,
  TestExpectationInput,
  TestWebhookResponse,
  TokenType,
  UnassignedActors,
  UpdateAssistantProfileResponse,
  UpdateConnectionResponse,
  UpdateDashboardResponse,
  UpdateDatamodelResponse,
  UpdateDomainResponse,
  UpdateGroupResponse,
  UpdateManagedDomainResponse,
  UpdateOrgUserResponse,
  UpdatePolicyAssignmentResponse,
  UpdatePolicyDefinitionResponse,
  UpdatePolicyTestResponse,
  UpdateProjectResponse,
  UpdateTenantResponse,
  UpdateTenantUserResponse,
  UpdateVisualResponse,
  UpdateWebhookResponse,
  UserContext,
  UserType,
  ValidateAllDashboardsLine,
  ValidateAllDashboardsResponse,
  ValidationFilter,
  ValidationOptions,
  ValidationResult,
  WebhookDeliveryStatus,
} from './records.js';

/** The input of `issueToken`. */
export type IssueTokenInput = {
  /** The kind of token; by default that of the secret in the request */
  type?: TokenType | undefined;
  /** Limits the token: `sql:compile` allows nothing but `compileSql`, for any actor */
  scope?: 'sql:compile' | undefined;
  /** The id of the project; required with `projectSecret` */
  projectId?: string | undefined;
  /** The secret of the project; issues a project token */
  projectSecret?: string | undefined;
  /** The id of the dashboard; required with `dashboardSecret` */
  dashboardId?: string | undefined;
  /** The secret of the dashboard; issues a token that reaches this dashboard only */
  dashboardSecret?: string | undefined;
  /** The org user that the token acts as */
  orgUserId?: string | undefined;
  /** The tenant user that the token acts as, by id */
  endUserId?: string | undefined;
  /** The tenant user that the token acts as, by email; needs `tenantId` or `tenantName` */
  endUserEmail?: string | undefined;
  /** The tenant of the tenant user */
  tenantId?: string | undefined;
  /** The tenant of the tenant user, by its exact name */
  tenantName?: string | undefined;
  /** Whether to create the tenant user if there is none; by default false */
  autoCreateEndUser?: boolean | undefined;
  /** The role of a tenant user that is created; by default VIEWER */
  role?: TenantUserRole | undefined;
  /** The name of a tenant user that is created; by default the part of the email before the `@` */
  displayName?: string | undefined;
  /**
   * The seconds for which the token is valid, 60 to 86,400
   * @default 1800
   */
  tokenExpiry?: number | undefined;
  /** The semantic domains that the token may see; by default all */
  semanticDomainAccess?: SemanticDomainAccess | undefined;
  /** Values for the placeholders of security policies, by name */
  securityParams?: Record<string, ParamValue> | undefined;
  /** Security policies that the token carries, merged with the stored ones */
  policies?: InlinePolicies | undefined;
  /** The code of a sign-in link, which stands for all other fields */
  signInCode?: string | undefined;
};

/** The input of `createSignInCode`. */
export type CreateSignInCodeInput = {
  /** The kind of token; by default that of the secret in the request */
  type?: TokenType | undefined;
  /** Not allowed here */
  scope?: 'sql:compile' | undefined;
  /** The id of the project; required with `projectSecret` */
  projectId?: string | undefined;
  /** The secret of the project; issues a project token */
  projectSecret?: string | undefined;
  /** The id of the dashboard; required with `dashboardSecret` */
  dashboardId?: string | undefined;
  /** The secret of the dashboard; issues a token that reaches this dashboard only */
  dashboardSecret?: string | undefined;
  /** The org user that the token acts as */
  orgUserId?: string | undefined;
  /** The tenant user that the token acts as, by id */
  endUserId?: string | undefined;
  /** The tenant user that the token acts as, by email; needs `tenantId` or `tenantName` */
  endUserEmail?: string | undefined;
  /** The tenant of the tenant user */
  tenantId?: string | undefined;
  /** The tenant of the tenant user, by its exact name */
  tenantName?: string | undefined;
  /** Whether to create the tenant user if there is none; by default false */
  autoCreateEndUser?: boolean | undefined;
  /** The role of a tenant user that is created; by default VIEWER */
  role?: TenantUserRole | undefined;
  /** The name of a tenant user that is created; by default the part of the email before the `@` */
  displayName?: string | undefined;
  /**
   * The seconds for which the token is valid, 60 to 86,400
   * @default 1800
   */
  tokenExpiry?: number | undefined;
  /** The semantic domains that the token may see; by default all */
  semanticDomainAccess?: SemanticDomainAccess | undefined;
  /** Values for the placeholders of security policies, by name */
  securityParams?: Record<string, ParamValue> | undefined;
  /** Security policies that the token carries, merged with the stored ones */
  policies?: InlinePolicies | undefined;
  /** Not allowed here */
  signInCode?: string | undefined;
};

/** The input of `invalidateToken`. */
export type InvalidateTokenInput = Record<string, never>;

/** The input of `getSigningKeys`. */
export type GetSigningKeysInput = Record<string, never>;

/** The input of `listSessions`. */
export type ListSessionsInput = {
  /** Only sessions of this user */
  userId?: string | undefined;
  /**
   * The number of items per page
   * @default 1000
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `revokeSession`. */
export type RevokeSessionInput = {
  /** The id of the session */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `listDashboards`. */
export type ListDashboardsInput = {
  /** Only records whose title, name or email address contains this text, regardless of case */
  search?: string | undefined;
  /** Only dashboards that are private, or only those that are not */
  isPrivate?: boolean | undefined;
  /** Only dashboards that this user created */
  createdBy?: string | undefined;
  /** Only records with this tag */
  tag?: string | undefined;
  /** Only dashboards whose owner belongs to this tenant */
  tenantId?: string | undefined;
  /**
   * The number of items per page
   * @default 100
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /**
   * The field that the list is sorted by
   * @default "updatedAt"
   */
  sort?: ResourceSort | undefined;
  /** The direction of the order; by default `asc` for `title` and `desc` for the times */
  order?: SortOrder | undefined;
  /**
   * Whether the response contains `total`, which takes longer for large lists
   * @default false
   */
  includeTotal?: boolean | undefined;
  /** `organization` lists everything in the project, with or without access to it; ADMIN only */
  scope?: ResourceListScope | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `createDashboard`. */
export type CreateDashboardInput = {
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The title of the dashboard */
  title: string;
  /** What the dashboard is for, as free text; empty if there is none */
  description?: string | undefined;
  /**
   * Whether only the owner and shares grant access; if false, every user of the same organization or
   * tenant as the owner may view the dashboard
   */
  isPrivate?: boolean | undefined;
  /** The tags of the dashboard, at most 50 */
  tags?: Array<string> | undefined;
  /** Whether the dashboard is a Data App, which cannot be migrated */
  isDataApp?: boolean | undefined;
  /** The content of the dashboard as a JSON object, at most 1 MiB; null for none */
  template?: Record<string, unknown> | null | undefined;
  /** The message of the commit; required if the project commits every save */
  commitMessage?: string | undefined;
};

/** The input of `batchDashboards`. */
export type BatchDashboardsInput = {
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /**
   * Whether one operation that fails undoes the others
   * @default "atomic"
   */
  mode?: BatchMode | undefined;
  /** The operations, at most 500; `op` determines the fields of each */
  operations: Array<
    | BatchDashboardsRequestOperationCreate
    | BatchDashboardsRequestOperationUpdate
    | BatchDashboardsRequestOperationDelete
  >;
};

/** The input of `getDashboard`. */
export type GetDashboardInput = {
  /** The id of the dashboard */
  id: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `updateDashboard`. */
export type UpdateDashboardInput = {
  /** The id of the dashboard */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The title of the dashboard */
  title?: string | undefined;
  /** What the dashboard is for, as free text; empty if there is none */
  description?: string | undefined;
  /**
   * Whether only the owner and shares grant access; if false, every user of the same organization or
   * tenant as the owner may view the dashboard
   */
  isPrivate?: boolean | undefined;
  /** The tags of the dashboard, at most 50 */
  tags?: Array<string> | undefined;
  /** Whether the dashboard is a Data App, which cannot be migrated */
  isDataApp?: boolean | undefined;
  /** The content of the dashboard as a JSON object; null removes it */
  template?: Record<string, unknown> | null | undefined;
  /** The message of the commit; required if the project commits every save */
  commitMessage?: string | undefined;
};

/** The input of `deleteDashboard`. */
export type DeleteDashboardInput = {
  /** The id of the dashboard */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `duplicateDashboard`. */
export type DuplicateDashboardInput = {
  /** The id of the dashboard */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The title of the copy; by default that of the original with ` (Copy)` */
  title?: string | undefined;
  /** The message of the commit; required if the project commits every save */
  commitMessage?: string | undefined;
};

/** The input of `takeDashboardOwnership`. */
export type TakeDashboardOwnershipInput = {
  /** The id of the dashboard */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `rotateDashboardSecret`. */
export type RotateDashboardSecretInput = {
  /** The id of the dashboard */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `shareDashboard`. */
export type ShareDashboardInput = {
  /** The id of the dashboard */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The shares; all of them are granted, or none */
  shares: Array<GrantEntry>;
};

/** The input of `batchDashboardShares`. */
export type BatchDashboardSharesInput = {
  /** The id of the dashboard */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /**
   * Whether one operation that fails undoes the others
   * @default "atomic"
   */
  mode?: BatchMode | undefined;
  /** The operations, at most 500; `op` determines the fields of each */
  operations: Array<
    | BatchDashboardSharesRequestOperationCreate
    | BatchDashboardSharesRequestOperationUpdate
    | BatchDashboardSharesRequestOperationDelete
  >;
};

/** The input of `revokeDashboardShares`. */
export type RevokeDashboardSharesInput = {
  /** The id of the dashboard */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The shares to revoke, by scope and target */
  shares: Array<RevokeEntry>;
};

/** The input of `listDashboardShares`. */
export type ListDashboardSharesInput = {
  /** The id of the dashboard */
  id: string;
  /** `organization` lists those of any dashboard in the project, with or without access; ADMIN only */
  scope?: ResourceListScope | undefined;
  /**
   * The number of items per page
   * @default 1000
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `explainDashboardAccess`. */
export type ExplainDashboardAccessInput = {
  /** The id of the dashboard */
  id: string;
  /** The user whose access is explained; by default the caller */
  userId?: string | undefined;
  /** A moment in the past, whose state is derived from recorded events, as ISO 8601 */
  at?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `listDashboardViewers`. */
export type ListDashboardViewersInput = {
  /** The id of the dashboard */
  id: string;
  /**
   * The number of items per page
   * @default 100
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `listVisuals`. */
export type ListVisualsInput = {
  /** Only records whose title, name or email address contains this text, regardless of case */
  search?: string | undefined;
  /** Only visuals that are private, or only those that are not */
  isPrivate?: boolean | undefined;
  /** Only visuals that this user created */
  createdBy?: string | undefined;
  /** Only records with this tag */
  tag?: string | undefined;
  /** Only visuals whose owner belongs to this tenant */
  tenantId?: string | undefined;
  /**
   * The number of items per page
   * @default 100
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /**
   * The field that the list is sorted by
   * @default "updatedAt"
   */
  sort?: ResourceSort | undefined;
  /** The direction of the order; by default `asc` for `title` and `desc` for the times */
  order?: SortOrder | undefined;
  /**
   * Whether the response contains `total`, which takes longer for large lists
   * @default false
   */
  includeTotal?: boolean | undefined;
  /** `organization` lists everything in the project, with or without access to it; ADMIN only */
  scope?: ResourceListScope | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `createVisual`. */
export type CreateVisualInput = {
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The title of the visual */
  title: string;
  /** What the visual is for, as free text; empty if there is none */
  description?: string | undefined;
  /**
   * Whether only the owner and shares grant access; if false, every user of the same organization or
   * tenant as the owner may view the visual
   */
  isPrivate?: boolean | undefined;
  /** The tags of the visual, at most 50 */
  tags?: Array<string> | undefined;
  /** The content of the visual as a JSON object, at most 1 MiB; null for none */
  frameObject?: Record<string, unknown> | null | undefined;
};

/** The input of `getVisual`. */
export type GetVisualInput = {
  /** The id of the visual */
  id: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `updateVisual`. */
export type UpdateVisualInput = {
  /** The id of the visual */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The title of the visual */
  title?: string | undefined;
  /** What the visual is for, as free text; empty if there is none */
  description?: string | undefined;
  /**
   * Whether only the owner and shares grant access; if false, every user of the same organization or
   * tenant as the owner may view the visual
   */
  isPrivate?: boolean | undefined;
  /** The tags of the visual, at most 50 */
  tags?: Array<string> | undefined;
  /** The content of the visual as a JSON object; null removes it */
  frameObject?: Record<string, unknown> | null | undefined;
};

/** The input of `deleteVisual`. */
export type DeleteVisualInput = {
  /** The id of the visual */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `duplicateVisual`. */
export type DuplicateVisualInput = {
  /** The id of the visual */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The title of the copy; by default that of the original with ` (Copy)` */
  title?: string | undefined;
};

/** The input of `takeVisualOwnership`. */
export type TakeVisualOwnershipInput = {
  /** The id of the visual */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `shareVisual`. */
export type ShareVisualInput = {
  /** The id of the visual */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The shares; all of them are granted, or none */
  shares: Array<GrantEntry>;
};

/** The input of `batchVisualShares`. */
export type BatchVisualSharesInput = {
  /** The id of the visual */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /**
   * Whether one operation that fails undoes the others
   * @default "atomic"
   */
  mode?: BatchMode | undefined;
  /** The operations, at most 500; `op` determines the fields of each */
  operations: Array<
    | BatchVisualSharesRequestOperationCreate
    | BatchVisualSharesRequestOperationUpdate
    | BatchVisualSharesRequestOperationDelete
  >;
};

/** The input of `revokeVisualShares`. */
export type RevokeVisualSharesInput = {
  /** The id of the visual */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The shares to revoke, by scope and target */
  shares: Array<RevokeEntry>;
};

/** The input of `listVisualShares`. */
export type ListVisualSharesInput = {
  /** The id of the visual */
  id: string;
  /** `organization` lists those of any visual in the project, with or without access; ADMIN only */
  scope?: ResourceListScope | undefined;
  /**
   * The number of items per page
   * @default 1000
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `explainVisualAccess`. */
export type ExplainVisualAccessInput = {
  /** The id of the visual */
  id: string;
  /** The user whose access is explained; by default the caller */
  userId?: string | undefined;
  /** A moment in the past, whose state is derived from recorded events, as ISO 8601 */
  at?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `listVisualViewers`. */
export type ListVisualViewersInput = {
  /** The id of the visual */
  id: string;
  /**
   * The number of items per page
   * @default 100
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `checkAccess`. */
export type CheckAccessInput = {
  /** The questions, each answered at the same position of `results` */
  checks: Array<AccessCheck>;
  /**
   * Whether each decision contains the grants that lead to it
   * @default false
   */
  reasons?: boolean | undefined;
  /** A moment in the past, whose state is derived from recorded events, as ISO 8601 */
  at?: string | undefined;
};

/** The input of `listAccess`. */
export type ListAccessInput = {
  /** The user whose resources are listed; by default the caller */
  userId?: string | undefined;
  /** Whether the record is a dashboard or a visual */
  resourceType: ResourceType;
  /**
   * The lowest level of the listed resources
   * @default "VIEWER"
   */
  level?: AccessLevel | undefined;
  /** A moment in the past, whose state is derived from recorded events, as ISO 8601 */
  at?: string | undefined;
};

/** The input of `listAccessSubjects`. */
export type ListAccessSubjectsInput = {
  /** Whether the record is a dashboard or a visual */
  resourceType: ResourceType;
  /** The id of the dashboard or visual */
  resourceId: string;
  /**
   * The lowest level of the listed users
   * @default "VIEWER"
   */
  level?: AccessLevel | undefined;
  /** A moment in the past, whose state is derived from recorded events, as ISO 8601 */
  at?: string | undefined;
};

/** The input of `listGroups`. */
export type ListGroupsInput = {
  /** Only records whose title, name or email address contains this text, regardless of case */
  search?: string | undefined;
  /**
   * Only groups of this type
   * @default "all"
   */
  type?: GroupTypeFilter | undefined;
  /** Only groups of this tenant */
  tenantId?: string | undefined;
  /**
   * Whether each group in the list contains its members: at most 10,000 in all
   * @default false
   */
  includeMembers?: boolean | undefined;
  /**
   * The order of the list: by name, by creation or by the number of members
   * @default "name"
   */
  sort?: GroupSort | undefined;
  /**
   * The direction of the order
   * @default "asc"
   */
  order?: SortOrder | undefined;
  /**
   * The number of the page, from 1
   * @default 1
   */
  page?: number | undefined;
  /**
   * The number of items per page
   * @default 20
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `createGroup`. */
export type CreateGroupInput = {
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the group */
  name: string;
  /** Whether the group may have members of all kinds, or only users of one tenant */
  type: GroupType;
  /**
   * What the group is for, as free text; empty if there is none
   * @default ""
   */
  description?: string | undefined;
  /** The tenant of a `TENANT_GROUP`: required for it, and not allowed for an `ORG_GROUP` */
  tenantId?: string | undefined;
};

/** The input of `getGroup`. */
export type GetGroupInput = {
  /** The id of the group */
  id: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `updateGroupByPut`. */
export type UpdateGroupInput = {
  /** The id of the group */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the group */
  name?: string | undefined;
  /** What the group is for, as free text; empty if there is none */
  description?: string | undefined;
};

/** The input of `deleteGroup`. */
export type DeleteGroupInput = {
  /** The id of the group */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `listGroupPermissions`. */
export type ListGroupPermissionsInput = {
  /** The id of the group */
  id: string;
  /**
   * The number of items per page
   * @default 1000
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `listGroupMembers`. */
export type ListGroupMembersInput = {
  /** The id of the group */
  id: string;
  /**
   * The number of the page, from 1
   * @default 1
   */
  page?: number | undefined;
  /**
   * The number of items per page
   * @default 20
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `addGroupMembers`. */
export type AddGroupMembersInput = {
  /** The id of the group */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The ids of org users and tenant users, 1 to 100 of them */
  userIds: Array<string>;
};

/** The input of `removeGroupMembers`. */
export type RemoveGroupMembersInput = {
  /** The id of the group */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The ids of org users and tenant users, 1 to 100 of them */
  userIds: Array<string>;
};

/** The input of `removeGroupMember`. */
export type RemoveGroupMemberInput = {
  /** The id of the group */
  id: string;
  /** The id of the membership, or of the user */
  memberId: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `listUnifiedUsers`. */
export type ListUnifiedUsersInput = {
  /** Only records whose title, name or email address contains this text, regardless of case */
  search?: string | undefined;
  /** Only these dashboards, at most 10,000 */
  ids?: string | undefined;
  /** Only users of the organization itself, or only users of tenants */
  type?: UserType | undefined;
  /** Only users of this tenant */
  tenantId?: string | undefined;
  /**
   * The number of items per page
   * @default 50
   */
  limit?: number | undefined;
  /**
   * The number of items before the first one on this page, from 0
   * @default 0
   */
  offset?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `getUserContext`. */
export type GetUserContextInput = {
  /** The id of the user */
  id: string;
};

/** The input of `listTenantUsers`. */
export type ListTenantUsersInput = {
  /** Only records whose title, name or email address contains this text, regardless of case */
  search?: string | undefined;
  /** Only active users if true, only inactive ones if false */
  active?: boolean | undefined;
  /** Only users of this tenant */
  tenantId?: string | undefined;
  /** The number of users to return; use it with `offset`, not with `page` */
  limit?: number | undefined;
  /** The number of items before the first one on this page, from 0 */
  offset?: number | undefined;
  /** The number of the page, from 0; requires `pageSize` */
  page?: number | undefined;
  /** The number of users per page; requires `page` */
  pageSize?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `createTenantUser`. */
export type CreateTenantUserInput = {
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** An id of your choice, which must not begin with `ou_`; by default one is generated */
  id?: string | undefined;
  /** The id of the tenant that the user belongs to */
  tenantId: string;
  /** The email address; unique among the users of its kind, regardless of case */
  email: string;
  /** The name of the user; by default the part of the email before the `@` */
  name?: string | undefined;
  /**
   * The role of the user; a tenant user is a VIEWER or a POWER_USER
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

/** The input of `getTenantUser`. */
export type GetTenantUserInput = {
  /** The id of the tenant user */
  id: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `updateTenantUserByPut`. */
export type UpdateTenantUserInput = {
  /** The id of the tenant user */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The email address; unique among the users of its kind, regardless of case */
  email?: string | undefined;
  /** The name of the tenant user */
  name?: string | undefined;
  /** The role of the user in the organization, which caps the level of every grant */
  role?: TenantUserRole | undefined;
  /** The department of the user, as free text; empty if there is none */
  department?: string | undefined;
  /** Whether the user can sign in; tokens of an inactive user return 401 */
  isActive?: boolean | undefined;
};

/** The input of `deleteTenantUser`. */
export type DeleteTenantUserInput = {
  /** The id of the tenant user */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `batchTenantUsers`. */
export type BatchTenantUsersInput = {
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /**
   * Whether one operation that fails undoes the others
   * @default "atomic"
   */
  mode?: BatchMode | undefined;
  /** The operations, at most 500; `op` determines the fields of each */
  operations: Array<
    | BatchTenantUsersRequestOperationCreate
    | BatchTenantUsersRequestOperationUpdate
    | BatchTenantUsersRequestOperationDelete
  >;
};

/** The input of `listTenants`. */
export type ListTenantsInput = {
  /** Only records whose title, name or email address contains this text, regardless of case */
  search?: string | undefined;
  /** Only these dashboards, at most 10,000 */
  ids?: string | undefined;
  /**
   * The number of items per page
   * @default 50
   */
  limit?: number | undefined;
  /**
   * The number of items before the first one on this page, from 0
   * @default 0
   */
  offset?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `createTenant`. */
export type CreateTenantInput = {
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** An id of your choice, which must not begin with `ou_`; by default one is generated */
  id?: string | undefined;
  /** The name of the tenant */
  name: string;
};

/** The input of `getTenant`. */
export type GetTenantInput = {
  /** The id of the tenant */
  id: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `updateTenantByPut`. */
export type UpdateTenantInput = {
  /** The id of the tenant */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the tenant */
  name?: string | undefined;
  /** The tenant user who inherits what deleted users of the tenant owned; null if it is not set */
  defaultOwnerId?: string | null | undefined;
};

/** The input of `deleteTenant`. */
export type DeleteTenantInput = {
  /** The id of the tenant */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `listOrgUsers`. */
export type ListOrgUsersInput = {
  /** Only records whose title, name or email address contains this text, regardless of case */
  search?: string | undefined;
  /** Only active users if true, only inactive ones if false */
  active?: boolean | undefined;
  /**
   * The number of items per page
   * @default 50
   */
  limit?: number | undefined;
  /**
   * The number of items before the first one on this page, from 0
   * @default 0
   */
  offset?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `createOrgUser`. */
export type CreateOrgUserInput = {
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The email address; unique among the users of its kind, regardless of case */
  email: string;
  /** The name of the org user */
  name: string;
  /** The role of the user; an org user is a VIEWER, an AUTHOR or an ADMIN */
  role: OrgUserRole;
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

/** The input of `getOrgUser`. */
export type GetOrgUserInput = {
  /** The id of the org user */
  id: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `updateOrgUserByPut`. */
export type UpdateOrgUserInput = {
  /** The id of the org user */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The email address; unique among the users of its kind, regardless of case */
  email?: string | undefined;
  /** The name of the org user */
  name?: string | undefined;
  /** The role of the user in the organization, which caps the level of every grant */
  role?: OrgUserRole | undefined;
  /** The department of the user, as free text; empty if there is none */
  department?: string | undefined;
  /** Whether the user can sign in; tokens of an inactive user return 401 */
  isActive?: boolean | undefined;
};

/** The input of `deleteOrgUser`. */
export type DeleteOrgUserInput = {
  /** The id of the org user */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `listProjects`. */
export type ListProjectsInput = {
  /**
   * The number of items per page
   * @default 1000
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `createProject`. */
export type CreateProjectInput = {
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the project */
  name: string;
};

/** The input of `getProject`. */
export type GetProjectInput = {
  /** The id of the project */
  id: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `updateProjectByPut`. */
export type UpdateProjectInput = {
  /** The id of the project */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the project */
  name: string;
};

/** The input of `rotateProjectSecret`. */
export type RotateProjectSecretInput = {
  /** The id of the project */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `listDomains`. */
export type ListDomainsInput = {
  /**
   * The number of items per page
   * @default 1000
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `createDomain`. */
export type CreateDomainInput = {
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the semantic domain: lowercase letters and underscores, unique in the project */
  name: string;
  /** The name for people; by default that of `name` */
  label?: string | undefined;
  /**
   * What the semantic domain is for, as free text; empty if there is none
   * @default ""
   */
  description?: string | undefined;
};

/** The input of `getDomain`. */
export type GetDomainInput = {
  /** The id of the semantic domain */
  domainId: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `updateDomainByPut`. */
export type UpdateDomainInput = {
  /** The id of the semantic domain */
  domainId: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the semantic domain */
  name?: string | undefined;
  /** The name of the semantic domain for people */
  label?: string | undefined;
  /** What the semantic domain is for, as free text; empty if there is none */
  description?: string | undefined;
};

/** The input of `deleteDomain`. */
export type DeleteDomainInput = {
  /** The id of the semantic domain */
  domainId: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `getDomainTemplate`. */
export type GetDomainTemplateInput = {
  /** The id of the semantic domain */
  domainId: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `putDomainTemplate`. */
export type PutDomainTemplateInput = {
  /** The id of the semantic domain */
  domainId: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
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

/** The input of `listManagedDomains`. */
export type ListManagedDomainsInput = {
  /**
   * The number of items per page
   * @default 1000
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `createManagedDomain`. */
export type CreateManagedDomainInput = {
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the semantic domain: lowercase letters and underscores, unique in the project */
  name: string;
  /** The name for people; by default that of `name` */
  label?: string | undefined;
  /**
   * What the semantic domain is for, as free text; empty if there is none
   * @default ""
   */
  description?: string | undefined;
};

/** The input of `getManagedDomain`. */
export type GetManagedDomainInput = {
  /** The id of the semantic domain */
  domainId: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `updateManagedDomainByPut`. */
export type UpdateManagedDomainInput = {
  /** The id of the semantic domain */
  domainId: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the semantic domain */
  name?: string | undefined;
  /** The name of the semantic domain for people */
  label?: string | undefined;
  /** What the semantic domain is for, as free text; empty if there is none */
  description?: string | undefined;
};

/** The input of `deleteManagedDomain`. */
export type DeleteManagedDomainInput = {
  /** The id of the semantic domain */
  domainId: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `getManagedDomainTemplate`. */
export type GetManagedDomainTemplateInput = {
  /** The id of the semantic domain */
  domainId: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `putManagedDomainTemplate`. */
export type PutManagedDomainTemplateInput = {
  /** The id of the semantic domain */
  domainId: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
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

/** The input of `listConnections`. */
export type ListConnectionsInput = {
  /** Only records whose title, name or email address contains this text, regardless of case */
  search?: string | undefined;
  /**
   * The number of items per page
   * @default 1000
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `createConnection`. */
export type CreateConnectionInput = {
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the connection */
  name: string;
  /** The kind of database, which determines the fields of `config` */
  type: ConnectionType;
  /** The address of the database; `type` determines which fields it accepts */
  config: ConnectionConfigInput;
  /** The catalog of a `static` connection; the others read theirs from the database */
  catalog?: CatalogInput | undefined;
  /**
   * Whether row-level rules run before the conditions of a statement, at a cost in speed
   * @default false
   */
  rowBarrier?: boolean | undefined;
  /**
   * The access of an actor to whom no policy assignment of a governed connection applies
   * @default "deny"
   */
  unassignedActors?: UnassignedActors | undefined;
};

/** The input of `getConnection`. */
export type GetConnectionInput = {
  /** The id of the connection */
  id: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `updateConnectionByPut`. */
export type UpdateConnectionInput = {
  /** The id of the connection */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the connection */
  name?: string | undefined;
  /** Replaces the whole address; an omitted password stays, unless host, port, user or tls change */
  config?: ConnectionConfigInput | undefined;
  /** The catalog of a `static` connection; the others read theirs from the database */
  catalog?: CatalogInput | undefined;
  /** Whether row-level rules run before the conditions of a statement, at a cost in speed */
  rowBarrier?: boolean | undefined;
  /** The access of an actor to whom no policy assignment of a governed connection applies */
  unassignedActors?: UnassignedActors | undefined;
};

/** The input of `deleteConnection`. */
export type DeleteConnectionInput = {
  /** The id of the connection */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `introspectConnection`. */
export type IntrospectConnectionInput = {
  /** The id of the connection */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The catalog of a `static` connection; the others read theirs from the database */
  catalog?: CatalogInput | undefined;
};

/** The input of `listCatalogChanges`. */
export type ListCatalogChangesInput = {
  /** The id of the connection */
  id: string;
  /** The earlier version of the catalog; by default the one before `to`, and 0 for an empty one */
  from?: number | undefined;
  /** The later version of the catalog; by default the latest */
  to?: number | undefined;
  /**
   * The number of items per page
   * @default 1000
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `listDatamodels`. */
export type ListDatamodelsInput = {
  /**
   * The number of items per page
   * @default 1000
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `createDatamodel`. */
export type CreateDatamodelInput = {
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the data model */
  name: string;
  /**
   * What the data model is for, as free text; empty if there is none
   * @default ""
   */
  description?: string | undefined;
  /** The id of the connection to a database */
  connectionId: string;
  /** The datasets, relationships and calculated fields; by default none */
  template?: ModelTemplateInput | undefined;
};

/** The input of `getDatamodel`. */
export type GetDatamodelInput = {
  /** The id of the data model */
  id: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `updateDatamodelByPut`. */
export type UpdateDatamodelInput = {
  /** The id of the data model */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the data model */
  name?: string | undefined;
  /** What the data model is for, as free text; empty if there is none */
  description?: string | undefined;
  /** The id of the connection to a database */
  connectionId?: string | undefined;
  /** Replaces the datasets, relationships and calculated fields */
  template?: ModelTemplateInput | undefined;
};

/** The input of `deleteDatamodel`. */
export type DeleteDatamodelInput = {
  /** The id of the data model */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `listAssistantProfiles`. */
export type ListAssistantProfilesInput = {
  /**
   * The number of items per page
   * @default 1000
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `createAssistantProfile`. */
export type CreateAssistantProfileInput = {
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the assistant profile */
  name: string;
  /**
   * What the assistant profile is for, as free text; empty if there is none
   * @default ""
   */
  description?: string | undefined;
  /**
   * Instructions for an assistant that answers questions about the data of a dashboard
   * @default ""
   */
  instructions?: string | undefined;
};

/** The input of `getAssistantProfile`. */
export type GetAssistantProfileInput = {
  /** The id of the assistant profile */
  id: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `updateAssistantProfileByPut`. */
export type UpdateAssistantProfileInput = {
  /** The id of the assistant profile */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the assistant profile */
  name?: string | undefined;
  /** What the assistant profile is for, as free text; empty if there is none */
  description?: string | undefined;
  /** Instructions for an assistant that answers questions about the data of a dashboard */
  instructions?: string | undefined;
};

/** The input of `deleteAssistantProfile`. */
export type DeleteAssistantProfileInput = {
  /** The id of the assistant profile */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `validateDashboard`. */
export type ValidateDashboardInput = {
  /** The dashboard to validate; required without `template` */
  dashboardId?: string | undefined;
  /** The template to validate, which is not saved; required without `dashboardId` */
  template?: Record<string, unknown> | undefined;
  /**
   * What to check, and how much to report
   * @default {}
   */
  options?: ValidationOptions | undefined;
};

/** The input of `validateAllDashboards`. */
export type ValidateAllDashboardsInput = {
  /** The project of the token; another one returns 403 */
  projectId?: string | undefined;
  /**
   * What to check, and how much to report
   * @default {}
   */
  options?: ValidationOptions | undefined;
  /**
   * Which dashboards to validate; by default all
   * @default {}
   */
  filter?: ValidationFilter | undefined;
};

/** The input of `fixDashboard`. */
export type FixDashboardInput = {
  /** The dashboard to fix; required without `template` */
  dashboardId?: string | undefined;
  /** The template to fix, which is not saved; required without `dashboardId` */
  template?: Record<string, unknown> | undefined;
  /**
   * What to check, and how much to report
   * @default {}
   */
  options?: ValidationOptions | undefined;
};

/** The input of `listPolicyDefinitions`. */
export type ListPolicyDefinitionsInput = {
  /** The id of the project that the policy definition belongs to */
  projectId: string;
  /** The id of the connection to a database */
  connectionId?: string | undefined;
  /** Only records whose title, name or email address contains this text, regardless of case */
  search?: string | undefined;
  /** The kind of actor that the assignment applies to */
  scopeType?: AssignmentScope | undefined;
  /** The id of an org user */
  orgUserId?: string | undefined;
  /** The id of the tenant */
  tenantId?: string | undefined;
  /** The id of a tenant user */
  tenantUserId?: string | undefined;
  /**
   * The number of items per page
   * @default 1000
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `createPolicyDefinition`. */
export type CreatePolicyDefinitionInput = {
  /** The id of the project that the policy definition belongs to */
  projectId: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The id of the connection to a database */
  connectionId: string;
  /** The name of the policy definition, unique in its connection */
  name: string;
  /** Connection-level security: the database that queries go to */
  clsConfig?: ClsConfigInput | undefined;
  /** Schema-level security: the schemas that may be read */
  slsConfig?: SlsConfigInput | undefined;
  /** Row-level security: the rows of each table that may be read */
  rlsConfig?: RlsConfigInput | undefined;
};

/** The input of `getPolicyDefinition`. */
export type GetPolicyDefinitionInput = {
  /** The id of the project that the policy definition belongs to */
  projectId: string;
  /** The id of the policy definition */
  definitionId: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `updatePolicyDefinition`. */
export type UpdatePolicyDefinitionInput = {
  /** The id of the project that the policy definition belongs to */
  projectId: string;
  /** The id of the policy definition */
  definitionId: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the policy definition */
  name?: string | undefined;
  /** Connection-level security: the database that queries go to; null removes it */
  clsConfig?: ClsConfigInput | null | undefined;
  /** Schema-level security: the schemas that may be read; null removes it */
  slsConfig?: SlsConfigInput | null | undefined;
  /** Row-level security: the rows of each table that may be read; null removes it */
  rlsConfig?: RlsConfigInput | null | undefined;
  /** Whether to run the tests of the definition first; a failure rejects the change */
  runTests?: boolean | undefined;
};

/** The input of `deletePolicyDefinition`. */
export type DeletePolicyDefinitionInput = {
  /** The id of the project that the policy definition belongs to */
  projectId: string;
  /** The id of the policy definition */
  definitionId: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `listPolicyAssignments`. */
export type ListPolicyAssignmentsInput = {
  /** The id of the project that the policy assignment belongs to */
  projectId: string;
  /** The id of the policy definition */
  definitionId?: string | undefined;
  /** The id of the connection to a database */
  connectionId?: string | undefined;
  /** The kind of actor that the assignment applies to */
  scopeType?: AssignmentScope | undefined;
  /** The id of an org user */
  orgUserId?: string | undefined;
  /** The id of the tenant */
  tenantId?: string | undefined;
  /** The id of a tenant user */
  tenantUserId?: string | undefined;
  /** `definition` embeds the definition of each assignment */
  include?: 'definition' | undefined;
  /**
   * The number of items per page
   * @default 1000
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `createPolicyAssignment`. */
export type CreatePolicyAssignmentInput = {
  /** The id of the project that the policy assignment belongs to */
  projectId: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
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

/** The input of `getPolicyAssignment`. */
export type GetPolicyAssignmentInput = {
  /** The id of the project that the policy assignment belongs to */
  projectId: string;
  /** The id of the policy assignment */
  assignmentId: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `updatePolicyAssignment`. */
export type UpdatePolicyAssignmentInput = {
  /** The id of the project that the policy assignment belongs to */
  projectId: string;
  /** The id of the policy assignment */
  assignmentId: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
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

/** The input of `deletePolicyAssignment`. */
export type DeletePolicyAssignmentInput = {
  /** The id of the project that the policy assignment belongs to */
  projectId: string;
  /** The id of the policy assignment */
  assignmentId: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `batchPolicyAssignments`. */
export type BatchPolicyAssignmentsInput = {
  /** The id of the project that the batch policy assignment belongs to */
  projectId: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /**
   * Whether one operation that fails undoes the others
   * @default "atomic"
   */
  mode?: BatchMode | undefined;
  /** The operations, at most 500; `op` determines the fields of each */
  operations: Array<
    | BatchPolicyAssignmentsRequestOperationCreate
    | BatchPolicyAssignmentsRequestOperationUpdate
    | BatchPolicyAssignmentsRequestOperationDelete
  >;
};

/** The input of `previewPolicies`. */
export type PreviewPoliciesInput = {
  /** The id of the project that the preview policie belongs to */
  projectId: string;
  /** The id of the connection to a database */
  connectionId: string;
  /** Of the stored assignments, only this one counts */
  assignmentId?: string | undefined;
  /** An assignment that counts as if it were stored; not together with `assignmentId` */
  draftAssignment?: DraftAssignment | undefined;
  /**
   * Whether only `tokenPolicyInput` counts
   * @default false
   */
  ignorePersistedAssignments?: boolean | undefined;
  /** Values for placeholders, by name, which override all others */
  runtimeParams?: Record<string, ParamValue> | undefined;
  /** Policies as a token would carry them */
  tokenPolicyInput?: InlinePolicies | undefined;
  /** One SELECT statement in the dialect of the connection */
  sql?: string | undefined;
  /** Tables whose conditions to return, in place of `sql` */
  referencedEntities?: Array<ReferencedEntity> | undefined;
  /** The actor that the policies are resolved for */
  actor: PolicyActorInput;
};

/** The input of `comparePolicyPreviews`. */
export type ComparePolicyPreviewsInput = {
  /** The id of the project that the compare policy preview belongs to */
  projectId: string;
  /** The id of the connection to a database */
  connectionId: string;
  /** The actor that the policies are resolved for */
  actor: PolicyActorInput;
  /** One SELECT statement in the dialect of the connection */
  sql?: string | undefined;
  /** Tables whose conditions to return, in place of `sql` */
  referencedEntities?: Array<ReferencedEntity> | undefined;
  /**
   * What the first preview changes; by default nothing
   * @default {}
   */
  before?: PreviewSide | undefined;
  /** What the second preview changes */
  after: PreviewSide;
};

/** The input of `lintPolicies`. */
export type LintPoliciesInput = {
  /** The id of the project that the lint policie belongs to */
  projectId: string;
  /** The connection whose definitions to check, or of a definition that is not stored */
  connectionId?: string | undefined;
  /** The stored definition to check */
  definitionId?: string | undefined;
  /** Connection-level security: the database that queries go to */
  clsConfig?: ClsConfigInput | undefined;
  /** Schema-level security: the schemas that may be read */
  slsConfig?: SlsConfigInput | undefined;
  /** Row-level security: the rows of each table that may be read */
  rlsConfig?: RlsConfigInput | undefined;
};

/** The input of `getPolicyCoverage`. */
export type GetPolicyCoverageInput = {
  /** The id of the project that the policy coverage belongs to */
  projectId: string;
  /** The id of the connection to a database */
  connectionId: string;
  /** Only for this org user */
  orgUserId?: string | undefined;
  /** Only for this tenant */
  tenantId?: string | undefined;
  /** Only for this tenant user */
  tenantUserId?: string | undefined;
  /**
   * The number of items per page
   * @default 500
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `compileSql`. */
export type CompileSqlInput = {
  /** The connection that the statements are for */
  connectionId: string;
  /** The statements, 1 to 100 */
  statements: Array<CompileSqlRequestStatement>;
  /** Whose policies apply; required with the scope `sql:compile`, not allowed without it */
  actor?: PolicyActorInput | undefined;
  /** Values for placeholders, which override all others; allowed with the scope only */
  runtimeParams?: Record<string, ParamValue> | undefined;
};

/** The input of `listPolicyTests`. */
export type ListPolicyTestsInput = {
  /** The id of the project that the policy test belongs to */
  projectId: string;
  /** The id of the policy definition */
  definitionId: string;
  /**
   * The number of items per page
   * @default 1000
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `createPolicyTest`. */
export type CreatePolicyTestInput = {
  /** The id of the project that the policy test belongs to */
  projectId: string;
  /** The id of the policy definition */
  definitionId: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the policy test */
  name: string;
  /** The actor that the policies are resolved for */
  actor: PolicyActorInput;
  /** One SELECT statement in the dialect of the connection */
  sql: string;
  /** Values for placeholders, by name, which override all others; null for none */
  runtimeParams?: Record<string, ParamValue> | null | undefined;
  /** Rows by table, for the restricted statement to run on; null if there are none */
  sampleData?: Record<string, Array<Record<string, unknown>>> | null | undefined;
  /** The expected result; every field that is given is checked */
  expect: TestExpectationInput;
};

/** The input of `getPolicyTest`. */
export type GetPolicyTestInput = {
  /** The id of the project that the policy test belongs to */
  projectId: string;
  /** The id of the policy definition */
  definitionId: string;
  /** The id of the policy test */
  testId: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `updatePolicyTest`. */
export type UpdatePolicyTestInput = {
  /** The id of the project that the policy test belongs to */
  projectId: string;
  /** The id of the policy definition */
  definitionId: string;
  /** The id of the policy test */
  testId: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The name of the policy test */
  name?: string | undefined;
  /** The actor that the policies are resolved for */
  actor?: PolicyActorInput | undefined;
  /** One SELECT statement in the dialect of the connection */
  sql?: string | undefined;
  /** Values for placeholders, by name, which override all others; null for none */
  runtimeParams?: Record<string, ParamValue> | null | undefined;
  /** Rows by table, for the restricted statement to run on; null if there are none */
  sampleData?: Record<string, Array<Record<string, unknown>>> | null | undefined;
  /** The expected result; every field that is given is checked */
  expect?: TestExpectationInput | undefined;
};

/** The input of `deletePolicyTest`. */
export type DeletePolicyTestInput = {
  /** The id of the project that the policy test belongs to */
  projectId: string;
  /** The id of the policy definition */
  definitionId: string;
  /** The id of the policy test */
  testId: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `runPolicyTests`. */
export type RunPolicyTestsInput = {
  /** The id of the project that the run policy test belongs to */
  projectId: string;
  /** The id of the policy definition */
  definitionId: string;
};

/** The input of `migrateDashboard`. */
export type MigrateDashboardInput = {
  /** The id of the dashboard */
  id: string;
  /** The id of the project that receives the copy */
  targetProjectId: string;
  /** The connection of the target project for each connection of the source, by id */
  connectionMapping: Record<string, string>;
  /** The domain of the target project for each domain of the source, by id; null copies it */
  domainMapping?: Record<string, string | null> | undefined;
  /** The ids of the domains to copy, an alternative to `domainMapping` */
  domainsToCreate?: Array<string> | undefined;
  /** The data model of the target for each data model of the source, by id; null copies it */
  datamodelMapping?: Record<string, string | null> | undefined;
  /** The ids of the data models to copy, an alternative to `datamodelMapping` */
  datamodelsToCreate?: Array<string> | undefined;
  /**
   * The visual of the target for each visual of the source, by id; null copies it, `unlink` drops the
   * link
   */
  visualMapping?: Record<string, string | null> | undefined;
  /** The ids of the visuals to copy, an alternative to `visualMapping` */
  visualsToCreate?: Array<string> | undefined;
  /** The dashboard of the target project to replace; by default a new one is created */
  replaceExistingId?: string | undefined;
  /** The message of the commit; required if the project commits every save */
  commitMessage?: string | undefined;
  /**
   * Whether only the plan is made; nothing is written then
   * @default false
   */
  dryRun?: boolean | undefined;
};

/** The input of `analyzeMigration`. */
export type AnalyzeMigrationInput = {
  /** The id of the dashboard */
  id: string;
  /** The id of the project that receives the copy */
  targetProjectId: string;
};

/** The input of `listMigrations`. */
export type ListMigrationsInput = {
  /**
   * The number of items per page
   * @default 100
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `getMigration`. */
export type GetMigrationInput = {
  /** The id of the migration */
  id: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `rollBackMigration`. */
export type RollBackMigrationInput = {
  /** The id of the migration */
  id: string;
};

/** The input of `getVersionControl`. */
export type GetVersionControlInput = {
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `putVersionControl`. */
export type PutVersionControlInput = {
  /**
   * Whether saving a dashboard commits it
   * @default "optional"
   */
  commitOnSave?: CommitOnSave | undefined;
  /**
   * The branch that is committed to
   * @default "main"
   */
  branch?: string | undefined;
  /**
   * The remote that commits are pushed to; null for none
   * @default null
   */
  remote?: RemoteInput | null | undefined;
  /**
   * Whether to contact the remote first, and to reject the settings if it does not respond
   * @default true
   */
  verify?: boolean | undefined;
};

/** The input of `deleteVersionControl`. */
export type DeleteVersionControlInput = Record<string, never>;

/** The input of `listDashboardVersions`. */
export type ListDashboardVersionsInput = {
  /** The id of the dashboard */
  id: string;
  /**
   * The number of items per page
   * @default 20
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `getDashboardVersion`. */
export type GetDashboardVersionInput = {
  /** The id of the dashboard */
  id: string;
  /** The id of the commit, of 40 hexadecimal digits */
  sha: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `diffDashboardVersions`. */
export type DiffDashboardVersionsInput = {
  /** The id of the dashboard */
  id: string;
  /** The id of the commit, of 40 hexadecimal digits */
  sha: string;
  /** The commit to compare with; by default the dashboard as it is now */
  to?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `restoreDashboardVersion`. */
export type RestoreDashboardVersionInput = {
  /** The id of the dashboard */
  id: string;
  /** The id of the commit, of 40 hexadecimal digits */
  sha: string;
  /** The message of the commit; required if the project commits every save */
  commitMessage?: string | undefined;
};

/** The input of `listAuditEvents`. */
export type ListAuditEventsInput = {
  /** Only entries of this project */
  projectId?: string | undefined;
  /** Only entries of this user or service identity */
  actorId?: string | undefined;
  /** Only entries of this event type; `*` stands for any noun, verb or version */
  type?: string | undefined;
  /** Only entries about this kind of record, such as `dashboard_share` */
  resourceType?: string | undefined;
  /** Only entries about this record */
  resourceId?: string | undefined;
  /** Only requests that were carried out, or only those that were refused */
  outcome?: AuditOutcome | undefined;
  /** Only entries of this request */
  requestId?: string | undefined;
  /** Only entries of the access token with this `jti` */
  tokenId?: string | undefined;
  /** The earliest time of the event, inclusive, as ISO 8601 with an offset or `Z` */
  from?: string | undefined;
  /** The end of the time range, exclusive, as ISO 8601 with an offset or `Z` */
  to?: string | undefined;
  /**
   * The direction of the order
   * @default "desc"
   */
  order?: SortOrder | undefined;
  /**
   * The number of items per page
   * @default 100
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `exportAuditEvents`. */
export type ExportAuditEventsInput = {
  /** Only entries of this project */
  projectId?: string | undefined;
  /** Only entries of this user or service identity */
  actorId?: string | undefined;
  /** Only entries of this event type; `*` stands for any noun, verb or version */
  type?: string | undefined;
  /** Only entries about this kind of record, such as `dashboard_share` */
  resourceType?: string | undefined;
  /** Only entries about this record */
  resourceId?: string | undefined;
  /** Only requests that were carried out, or only those that were refused */
  outcome?: AuditOutcome | undefined;
  /** Only entries of this request */
  requestId?: string | undefined;
  /** Only entries of the access token with this `jti` */
  tokenId?: string | undefined;
  /** The earliest time of the event, inclusive, as ISO 8601 with an offset or `Z` */
  from?: string | undefined;
  /** The end of the time range, exclusive, as ISO 8601 with an offset or `Z` */
  to?: string | undefined;
};

/** The input of `listWebhooks`. */
export type ListWebhooksInput = {
  /**
   * The number of items per page
   * @default 1000
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `createWebhook`. */
export type CreateWebhookInput = {
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The URL that receives the events */
  url: string;
  /**
   * What the webhook is for, as free text; empty if there is none
   * @default ""
   */
  description?: string | undefined;
  /** The event types that are delivered; `*` stands for any part of a type, or for all types */
  eventTypes: Array<string>;
  /**
   * Deliver only events of this project; null for those of all projects
   * @default null
   */
  projectId?: string | null | undefined;
  /**
   * Whether events are delivered
   * @default true
   */
  isEnabled?: boolean | undefined;
};

/** The input of `getWebhook`. */
export type GetWebhookInput = {
  /** The id of the webhook */
  id: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `updateWebhookByPut`. */
export type UpdateWebhookInput = {
  /** The id of the webhook */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
  /** The URL that receives the events */
  url?: string | undefined;
  /** What the webhook is for, as free text; empty if there is none */
  description?: string | undefined;
  /** The event types that are delivered; `*` stands for any part of a type, or for all types */
  eventTypes?: Array<string> | undefined;
  /** Deliver only events of this project; null for those of all projects */
  projectId?: string | null | undefined;
  /** Whether events are delivered */
  isEnabled?: boolean | undefined;
};

/** The input of `deleteWebhook`. */
export type DeleteWebhookInput = {
  /** The id of the webhook */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `rotateWebhookSecret`. */
export type RotateWebhookSecretInput = {
  /** The id of the webhook */
  id: string;
  /** If true, the request passes every check and changes nothing */
  validateOnly?: boolean | undefined;
};

/** The input of `testWebhook`. */
export type TestWebhookInput = {
  /** The id of the webhook */
  id: string;
};

/** The input of `listWebhookDeliveries`. */
export type ListWebhookDeliveriesInput = {
  /** The id of the webhook */
  id: string;
  /** Only deliveries in this state */
  status?: WebhookDeliveryStatus | undefined;
  /**
   * The number of items per page
   * @default 100
   */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page; leave it out for the first page */
  cursor?: string | undefined;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `getWebhookDelivery`. */
export type GetWebhookDeliveryInput = {
  /** The id of the webhook */
  id: string;
  /** The id of the delivery */
  deliveryId: string;
  /** The fields of each record, separated by commas, such as `title,permissions.canEdit`; `id` always is */
  fields?: string | undefined;
};

/** The input of `replayWebhookDelivery`. */
export type ReplayWebhookDeliveryInput = {
  /** The id of the webhook */
  id: string;
  /** The id of the delivery */
  deliveryId: string;
};

/** The input of `replayFailedWebhookDeliveries`. */
export type ReplayFailedWebhookDeliveriesInput = {
  /** The id of the webhook */
  id: string;
  /** The earliest moment, inclusive, as ISO 8601 with an offset or `Z` */
  since: string;
};

/** The operations of the REST API. */
export interface Operations {
  /**
   * Exchange a project or dashboard secret for an access token.
   *
   * `POST /api/v1/token`
   *
   * - Takes no access token.
   * - Required role: none.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `CONFLICT` (409), `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  issueToken: (input?: IssueTokenInput, options?: CallOptions) => Promise<IssueTokenResponse>;
  /**
   * Exchange a project secret for a code that signs a user in once.
   *
   * `POST /api/v1/sign-in-codes`
   *
   * - Takes no access token.
   * - Required role: none.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `CONFLICT` (409), `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  createSignInCode: (
    input?: CreateSignInCodeInput,
    options?: CallOptions,
  ) => Promise<CreateSignInCodeResponse>;
  /**
   * Revoke the token in the Authorization header.
   *
   * `POST /api/v1/invalidate-token`
   *
   * - Takes a project or a dashboard token.
   * - Required role: none; every valid token is accepted.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  invalidateToken: (input?: InvalidateTokenInput, options?: CallOptions) => Promise<InvalidateTokenResponse>;
  /**
   * The public keys that access tokens are verified with.
   *
   * `GET /.well-known/jwks.json`
   *
   * - Takes no access token.
   * - Required role: none.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400).
   */
  getSigningKeys: (input?: GetSigningKeysInput, options?: CallOptions) => Promise<GetSigningKeysResponse>;
  /**
   * List the browsers that are signed in to the console.
   *
   * `GET /api/v1/sessions`
   *
   * - Takes a project token.
   * - Required role: any.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  listSessions: (input?: ListSessionsInput, options?: CallOptions) => Promise<ListSessionsResponse>;
  /**
   * Sign a browser out.
   *
   * `DELETE /api/v1/sessions/{id}`
   *
   * - Takes a project token.
   * - Required role: any.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PRECONDITION_FAILED` (412).
   */
  revokeSession: (input: RevokeSessionInput, options?: CallOptions) => Promise<RevokeSessionResponse>;
  /**
   * List the dashboards that the caller may see, without their templates.
   *
   * `GET /api/management/v1/dashboards`
   *
   * - Takes a project token.
   * - Required role: any.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  listDashboards: (input?: ListDashboardsInput, options?: CallOptions) => Promise<ListDashboardsResponse>;
  /**
   * Create a dashboard; its secret is shown this once.
   *
   * `POST /api/management/v1/dashboards`
   *
   * - Takes a project token.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `COMMIT_MESSAGE_REQUIRED`
   *   (400), `UNAUTHENTICATED` (401), `FORBIDDEN` (403), `CONFLICT` (409), `QUOTA_EXCEEDED` (409),
   *   `IDEMPOTENCY_KEY_REUSED` (422), `COMMIT_FAILED` (502).
   */
  createDashboard: (input: CreateDashboardInput, options?: CallOptions) => Promise<CreateDashboardResponse>;
  /**
   * Create, update and delete up to 500 dashboards.
   *
   * `POST /api/management/v1/dashboards:batch`
   *
   * - Takes a project token.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `COMMIT_MESSAGE_REQUIRED`
   *   (400), `UNAUTHENTICATED` (401), `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409),
   *   `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  batchDashboards: (input: BatchDashboardsInput, options?: CallOptions) => Promise<BatchDashboardsResponse>;
  /**
   * Read a dashboard.
   *
   * `GET /api/management/v1/dashboards/{id}`
   *
   * - Takes a project token, or the token of the dashboard that the path names.
   * - Required role: any.
   * - Required level on the dashboard: VIEWER or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getDashboard: (input: GetDashboardInput, options?: CallOptions) => Promise<GetDashboardResponse>;
  /**
   * Change fields of a dashboard.
   *
   * `PATCH /api/management/v1/dashboards/{id}`
   *
   * - Takes a project token, or the token of the dashboard that the path names.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the dashboard: EDITOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `COMMIT_MESSAGE_REQUIRED`
   *   (400), `UNAUTHENTICATED` (401), `FORBIDDEN` (403), `NOT_FOUND` (404), `QUOTA_EXCEEDED` (409),
   *   `PRECONDITION_FAILED` (412), `COMMIT_FAILED` (502).
   */
  updateDashboard: (input: UpdateDashboardInput, options?: CallOptions) => Promise<UpdateDashboardResponse>;
  /**
   * Delete a dashboard.
   *
   * `DELETE /api/management/v1/dashboards/{id}`
   *
   * - Takes a project token, or the token of the dashboard that the path names.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the dashboard: OWNER or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PRECONDITION_FAILED` (412).
   */
  deleteDashboard: (input: DeleteDashboardInput, options?: CallOptions) => Promise<DeleteDashboardResponse>;
  /**
   * Copy a dashboard; the copy belongs to the caller and has no shares.
   *
   * `POST /api/management/v1/dashboards/{id}/duplicate`
   *
   * - Takes a project token.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the dashboard: VIEWER or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `COMMIT_MESSAGE_REQUIRED`
   *   (400), `UNAUTHENTICATED` (401), `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409),
   *   `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422), `COMMIT_FAILED` (502).
   */
  duplicateDashboard: (
    input: DuplicateDashboardInput,
    options?: CallOptions,
  ) => Promise<DuplicateDashboardResponse>;
  /**
   * Make the calling ADMIN the owner of a dashboard.
   *
   * `POST /api/management/v1/dashboards/{id}/take-ownership`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  takeDashboardOwnership: (
    input: TakeDashboardOwnershipInput,
    options?: CallOptions,
  ) => Promise<TakeDashboardOwnershipResponse>;
  /**
   * Give a dashboard a new secret, shown this once; the former one ends at once.
   *
   * `POST /api/management/v1/dashboards/{id}/rotate-secret`
   *
   * - Takes a project token.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the dashboard: OWNER or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  rotateDashboardSecret: (
    input: RotateDashboardSecretInput,
    options?: CallOptions,
  ) => Promise<RotateDashboardSecretResponse>;
  /**
   * Grant access to a dashboard: all entries or none.
   *
   * `POST /api/management/v1/dashboards/{id}/share`
   *
   * - Takes a project token, or the token of the dashboard that the path names.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the dashboard: CONTRIBUTOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `QUOTA_EXCEEDED` (409),
   *   `IDEMPOTENCY_KEY_REUSED` (422).
   */
  shareDashboard: (input: ShareDashboardInput, options?: CallOptions) => Promise<ShareDashboardResponse>;
  /**
   * Grant, change and revoke up to 500 shares of a dashboard.
   *
   * `POST /api/management/v1/dashboards/{id}/shares:batch`
   *
   * - Takes a project token, or the token of the dashboard that the path names.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the dashboard: CONTRIBUTOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `QUOTA_EXCEEDED` (409),
   *   `IDEMPOTENCY_KEY_REUSED` (422).
   */
  batchDashboardShares: (
    input: BatchDashboardSharesInput,
    options?: CallOptions,
  ) => Promise<BatchDashboardSharesResponse>;
  /**
   * Revoke access to a dashboard by scope and target.
   *
   * `DELETE /api/management/v1/dashboards/{id}/share`
   *
   * - Takes a project token, or the token of the dashboard that the path names.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the dashboard: CONTRIBUTOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PRECONDITION_FAILED` (412).
   */
  revokeDashboardShares: (
    input: RevokeDashboardSharesInput,
    options?: CallOptions,
  ) => Promise<RevokeDashboardSharesResponse>;
  /**
   * List the shares of a dashboard by the kind of target.
   *
   * `GET /api/management/v1/dashboards/{id}/shares`
   *
   * - Takes a project token, or the token of the dashboard that the path names.
   * - Required role: any.
   * - Required level on the dashboard: VIEWER or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  listDashboardShares: (input: ListDashboardSharesInput, options?: CallOptions) => Promise<ShareList>;
  /**
   * Explain a user's access to a dashboard, every grant with its path.
   *
   * `GET /api/management/v1/dashboards/{id}/access`
   *
   * - Takes a project token, or the token of the dashboard that the path names.
   * - Required role: any.
   * - Required level on the dashboard: VIEWER or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  explainDashboardAccess: (
    input: ExplainDashboardAccessInput,
    options?: CallOptions,
  ) => Promise<ExplainDashboardAccessResponse>;
  /**
   * List who has access to a dashboard.
   *
   * `GET /api/management/v1/dashboards/{id}/viewers`
   *
   * - Takes a project token, or the token of the dashboard that the path names.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the dashboard: CONTRIBUTOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  listDashboardViewers: (
    input: ListDashboardViewersInput,
    options?: CallOptions,
  ) => Promise<ListDashboardViewersResponse>;
  /**
   * List the visuals that the caller may see, without their frame objects.
   *
   * `GET /api/management/v1/visuals`
   *
   * - Takes a project token.
   * - Required role: any.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  listVisuals: (input?: ListVisualsInput, options?: CallOptions) => Promise<ListVisualsResponse>;
  /**
   * Create a visual.
   *
   * `POST /api/management/v1/visuals`
   *
   * - Takes a project token.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `CONFLICT` (409), `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  createVisual: (input: CreateVisualInput, options?: CallOptions) => Promise<CreateVisualResponse>;
  /**
   * Read a visual.
   *
   * `GET /api/management/v1/visuals/{id}`
   *
   * - Takes a project token.
   * - Required role: any.
   * - Required level on the visual: VIEWER or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getVisual: (input: GetVisualInput, options?: CallOptions) => Promise<GetVisualResponse>;
  /**
   * Change fields of a visual.
   *
   * `PATCH /api/management/v1/visuals/{id}`
   *
   * - Takes a project token.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the visual: EDITOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `QUOTA_EXCEEDED` (409), `PRECONDITION_FAILED` (412).
   */
  updateVisual: (input: UpdateVisualInput, options?: CallOptions) => Promise<UpdateVisualResponse>;
  /**
   * Delete a visual that no dashboard links.
   *
   * `DELETE /api/management/v1/visuals/{id}`
   *
   * - Takes a project token.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the visual: OWNER or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  deleteVisual: (input: DeleteVisualInput, options?: CallOptions) => Promise<DeleteVisualResponse>;
  /**
   * Copy a visual; the copy belongs to the caller and has no shares.
   *
   * `POST /api/management/v1/visuals/{id}/duplicate`
   *
   * - Takes a project token.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the visual: VIEWER or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `QUOTA_EXCEEDED` (409),
   *   `IDEMPOTENCY_KEY_REUSED` (422).
   */
  duplicateVisual: (input: DuplicateVisualInput, options?: CallOptions) => Promise<DuplicateVisualResponse>;
  /**
   * Make the calling ADMIN the owner of a visual.
   *
   * `POST /api/management/v1/visuals/{id}/take-ownership`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  takeVisualOwnership: (
    input: TakeVisualOwnershipInput,
    options?: CallOptions,
  ) => Promise<TakeVisualOwnershipResponse>;
  /**
   * Grant access to a visual: all entries or none.
   *
   * `POST /api/management/v1/visuals/{id}/share`
   *
   * - Takes a project token.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the visual: CONTRIBUTOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `QUOTA_EXCEEDED` (409),
   *   `IDEMPOTENCY_KEY_REUSED` (422).
   */
  shareVisual: (input: ShareVisualInput, options?: CallOptions) => Promise<ShareVisualResponse>;
  /**
   * Grant, change and revoke up to 500 shares of a visual.
   *
   * `POST /api/management/v1/visuals/{id}/shares:batch`
   *
   * - Takes a project token.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the visual: CONTRIBUTOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `QUOTA_EXCEEDED` (409),
   *   `IDEMPOTENCY_KEY_REUSED` (422).
   */
  batchVisualShares: (
    input: BatchVisualSharesInput,
    options?: CallOptions,
  ) => Promise<BatchVisualSharesResponse>;
  /**
   * Revoke access to a visual by scope and target.
   *
   * `DELETE /api/management/v1/visuals/{id}/share`
   *
   * - Takes a project token.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the visual: CONTRIBUTOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PRECONDITION_FAILED` (412).
   */
  revokeVisualShares: (
    input: RevokeVisualSharesInput,
    options?: CallOptions,
  ) => Promise<RevokeVisualSharesResponse>;
  /**
   * List the direct shares of a visual by the kind of target.
   *
   * `GET /api/management/v1/visuals/{id}/shares`
   *
   * - Takes a project token.
   * - Required role: any.
   * - Required level on the visual: VIEWER or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  listVisualShares: (input: ListVisualSharesInput, options?: CallOptions) => Promise<ShareList>;
  /**
   * Explain a user's access to a visual, every grant with its path.
   *
   * `GET /api/management/v1/visuals/{id}/access`
   *
   * - Takes a project token.
   * - Required role: any.
   * - Required level on the visual: VIEWER or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  explainVisualAccess: (
    input: ExplainVisualAccessInput,
    options?: CallOptions,
  ) => Promise<ExplainVisualAccessResponse>;
  /**
   * List who has access to a visual.
   *
   * `GET /api/management/v1/visuals/{id}/viewers`
   *
   * - Takes a project token.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the visual: CONTRIBUTOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  listVisualViewers: (
    input: ListVisualViewersInput,
    options?: CallOptions,
  ) => Promise<ListVisualViewersResponse>;
  /**
   * Decide up to 1,000 accesses of users to dashboards and visuals at once.
   *
   * `POST /api/management/v1/access:check`
   *
   * - Takes a project token.
   * - Required role: any.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  checkAccess: (input: CheckAccessInput, options?: CallOptions) => Promise<CheckAccessResponse>;
  /**
   * List all dashboards or visuals that a user can open; as NDJSON for callers that accept it.
   *
   * `POST /api/management/v1/access:list`
   *
   * - Takes a project token.
   * - Required role: any.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  listAccess: (input: ListAccessInput, options?: CallOptions) => Promise<ListAccessResponse>;
  /**
   * List all users who can open a dashboard or visual; as NDJSON for callers that accept it.
   *
   * `POST /api/management/v1/access:subjects`
   *
   * - Takes a project token.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the dashboard: CONTRIBUTOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  listAccessSubjects: (
    input: ListAccessSubjectsInput,
    options?: CallOptions,
  ) => Promise<ListAccessSubjectsResponse>;
  /**
   * List groups.
   *
   * `GET /api/management/v1/groups`
   *
   * - Takes a project token.
   * - Required role: none; a token without a user is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  listGroups: (input?: ListGroupsInput, options?: CallOptions) => Promise<ListGroupsResponse>;
  /**
   * Create a group.
   *
   * `POST /api/management/v1/groups`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `CONFLICT` (409), `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  createGroup: (input: CreateGroupInput, options?: CallOptions) => Promise<CreateGroupResponse>;
  /**
   * Read a group.
   *
   * `GET /api/management/v1/groups/{id}`
   *
   * - Takes a project token.
   * - Required role: none; a token without a user is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getGroup: (input: GetGroupInput, options?: CallOptions) => Promise<GetGroupResponse>;
  /**
   * Change a group.
   *
   * `PATCH /api/management/v1/groups/{id}`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  updateGroup: (input: UpdateGroupInput, options?: CallOptions) => Promise<UpdateGroupResponse>;
  /**
   * Change a group.
   *
   * `PUT /api/management/v1/groups/{id}`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  updateGroupByPut: (input: UpdateGroupInput, options?: CallOptions) => Promise<UpdateGroupResponse>;
  /**
   * Delete a group that nothing is shared with.
   *
   * `DELETE /api/management/v1/groups/{id}`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  deleteGroup: (input: DeleteGroupInput, options?: CallOptions) => Promise<DeleteGroupResponse>;
  /**
   * List what is shared with a group.
   *
   * `GET /api/management/v1/groups/{id}/permissions`
   *
   * - Takes a project token.
   * - Required role: any.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  listGroupPermissions: (
    input: ListGroupPermissionsInput,
    options?: CallOptions,
  ) => Promise<ListGroupPermissionsResponse>;
  /**
   * List the members of a group.
   *
   * `GET /api/management/v1/groups/{id}/members`
   *
   * - Takes a project token.
   * - Required role: none; a token without a user is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  listGroupMembers: (
    input: ListGroupMembersInput,
    options?: CallOptions,
  ) => Promise<ListGroupMembersResponse>;
  /**
   * Add users to a group: all of them or none.
   *
   * `POST /api/management/v1/groups/{id}/members`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `QUOTA_EXCEEDED` (409),
   *   `IDEMPOTENCY_KEY_REUSED` (422).
   */
  addGroupMembers: (input: AddGroupMembersInput, options?: CallOptions) => Promise<AddGroupMembersResponse>;
  /**
   * Remove users from a group.
   *
   * `DELETE /api/management/v1/groups/{id}/members`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PRECONDITION_FAILED` (412).
   */
  removeGroupMembers: (
    input: RemoveGroupMembersInput,
    options?: CallOptions,
  ) => Promise<RemoveGroupMembersResponse>;
  /**
   * Remove one member, by membership id or user id.
   *
   * `DELETE /api/management/v1/groups/{id}/members/{memberId}`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PRECONDITION_FAILED` (412).
   */
  removeGroupMember: (
    input: RemoveGroupMemberInput,
    options?: CallOptions,
  ) => Promise<RemoveGroupMemberResponse>;
  /**
   * List org users and tenant users together.
   *
   * `GET /api/management/v1/unified-users`
   *
   * - Takes a project token.
   * - Required role: none; a token without a user is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  listUnifiedUsers: (
    input?: ListUnifiedUsersInput,
    options?: CallOptions,
  ) => Promise<ListUnifiedUsersResponse>;
  /**
   * Read a user's role and what it permits.
   *
   * `GET /api/management/v1/unified-users/{id}`
   *
   * - Takes a project token.
   * - Required role: none; a token without a user is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getUserContext: (input: GetUserContextInput, options?: CallOptions) => Promise<UserContext>;
  /**
   * List tenant users across the organization.
   *
   * `GET /api/management/v1/tenant-users`
   *
   * - Takes a project token.
   * - Required role: ADMIN. A tenant user reads its own tenant, and a token without a user reads all
   *   tenants.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  listTenantUsers: (input?: ListTenantUsersInput, options?: CallOptions) => Promise<ListTenantUsersResponse>;
  /**
   * Create a tenant user.
   *
   * `POST /api/management/v1/tenant-users`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `CONFLICT` (409), `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  createTenantUser: (
    input: CreateTenantUserInput,
    options?: CallOptions,
  ) => Promise<CreateTenantUserResponse>;
  /**
   * Read a tenant user.
   *
   * `GET /api/management/v1/tenant-users/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN. A tenant user reads its own tenant, and a token without a user reads all
   *   tenants.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getTenantUser: (input: GetTenantUserInput, options?: CallOptions) => Promise<GetTenantUserResponse>;
  /**
   * Change a tenant user.
   *
   * `PATCH /api/management/v1/tenant-users/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  updateTenantUser: (
    input: UpdateTenantUserInput,
    options?: CallOptions,
  ) => Promise<UpdateTenantUserResponse>;
  /**
   * Change a tenant user.
   *
   * `PUT /api/management/v1/tenant-users/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  updateTenantUserByPut: (
    input: UpdateTenantUserInput,
    options?: CallOptions,
  ) => Promise<UpdateTenantUserResponse>;
  /**
   * Delete a tenant user who is not its tenant's default owner.
   *
   * `DELETE /api/management/v1/tenant-users/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  deleteTenantUser: (
    input: DeleteTenantUserInput,
    options?: CallOptions,
  ) => Promise<DeleteTenantUserResponse>;
  /**
   * Create, update and delete up to 500 tenant users.
   *
   * `POST /api/management/v1/tenant-users:batch`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `QUOTA_EXCEEDED` (409),
   *   `IDEMPOTENCY_KEY_REUSED` (422).
   */
  batchTenantUsers: (
    input: BatchTenantUsersInput,
    options?: CallOptions,
  ) => Promise<BatchTenantUsersResponse>;
  /**
   * List the tenants of the organization; a tenant user sees its own.
   *
   * `GET /api/management/v1/tenants`
   *
   * - Takes a project token.
   * - Required role: none; a token without a user is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  listTenants: (input?: ListTenantsInput, options?: CallOptions) => Promise<ListTenantsResponse>;
  /**
   * Create a tenant.
   *
   * `POST /api/management/v1/tenants`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `CONFLICT` (409), `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  createTenant: (input: CreateTenantInput, options?: CallOptions) => Promise<CreateTenantResponse>;
  /**
   * Read a tenant.
   *
   * `GET /api/management/v1/tenants/{id}`
   *
   * - Takes a project token.
   * - Required role: none; a token without a user is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getTenant: (input: GetTenantInput, options?: CallOptions) => Promise<GetTenantResponse>;
  /**
   * Change a tenant.
   *
   * `PATCH /api/management/v1/tenants/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  updateTenant: (input: UpdateTenantInput, options?: CallOptions) => Promise<UpdateTenantResponse>;
  /**
   * Change a tenant.
   *
   * `PUT /api/management/v1/tenants/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  updateTenantByPut: (input: UpdateTenantInput, options?: CallOptions) => Promise<UpdateTenantResponse>;
  /**
   * Delete a tenant that has no users.
   *
   * `DELETE /api/management/v1/tenants/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  deleteTenant: (input: DeleteTenantInput, options?: CallOptions) => Promise<DeleteTenantResponse>;
  /**
   * List the users of the organization itself.
   *
   * `GET /api/management/v1/org-users`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  listOrgUsers: (input?: ListOrgUsersInput, options?: CallOptions) => Promise<ListOrgUsersResponse>;
  /**
   * Create an org user.
   *
   * `POST /api/management/v1/org-users`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `CONFLICT` (409), `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  createOrgUser: (input: CreateOrgUserInput, options?: CallOptions) => Promise<CreateOrgUserResponse>;
  /**
   * Read an org user.
   *
   * `GET /api/management/v1/org-users/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getOrgUser: (input: GetOrgUserInput, options?: CallOptions) => Promise<GetOrgUserResponse>;
  /**
   * Change an org user; the organization keeps at least one active ADMIN.
   *
   * `PATCH /api/management/v1/org-users/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  updateOrgUser: (input: UpdateOrgUserInput, options?: CallOptions) => Promise<UpdateOrgUserResponse>;
  /**
   * Change an org user; the organization keeps at least one active ADMIN.
   *
   * `PUT /api/management/v1/org-users/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  updateOrgUserByPut: (input: UpdateOrgUserInput, options?: CallOptions) => Promise<UpdateOrgUserResponse>;
  /**
   * Delete an org user; the last active ADMIN stays.
   *
   * `DELETE /api/management/v1/org-users/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  deleteOrgUser: (input: DeleteOrgUserInput, options?: CallOptions) => Promise<DeleteOrgUserResponse>;
  /**
   * List the organization's projects.
   *
   * `GET /api/management/v1/projects`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  listProjects: (input?: ListProjectsInput, options?: CallOptions) => Promise<ListProjectsResponse>;
  /**
   * Create a project; its secret is shown this once.
   *
   * `POST /api/management/v1/projects`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `CONFLICT` (409), `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  createProject: (input: CreateProjectInput, options?: CallOptions) => Promise<CreateProjectResponse>;
  /**
   * Read a project.
   *
   * `GET /api/management/v1/projects/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getProject: (input: GetProjectInput, options?: CallOptions) => Promise<GetProjectResponse>;
  /**
   * Rename a project.
   *
   * `PATCH /api/management/v1/projects/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  updateProject: (input: UpdateProjectInput, options?: CallOptions) => Promise<UpdateProjectResponse>;
  /**
   * Rename a project.
   *
   * `PUT /api/management/v1/projects/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  updateProjectByPut: (input: UpdateProjectInput, options?: CallOptions) => Promise<UpdateProjectResponse>;
  /**
   * Give a project a new secret, shown this once; the former one ends at once.
   *
   * `POST /api/management/v1/projects/{id}/rotate-secret`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  rotateProjectSecret: (
    input: RotateProjectSecretInput,
    options?: CallOptions,
  ) => Promise<RotateProjectSecretResponse>;
  /**
   * List the semantic domains of the project that the token may access.
   *
   * `GET /api/v1/domains`
   *
   * - Takes a project token.
   * - Required role: none; a token without a user is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  listDomains: (input?: ListDomainsInput, options?: CallOptions) => Promise<ListDomainsResponse>;
  /**
   * Create a semantic domain.
   *
   * `POST /api/v1/domains`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `CONFLICT` (409), `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  createDomain: (input: CreateDomainInput, options?: CallOptions) => Promise<CreateDomainResponse>;
  /**
   * Read a semantic domain.
   *
   * `GET /api/v1/domains/{domainId}`
   *
   * - Takes a project token.
   * - Required role: none; a token without a user is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getDomain: (input: GetDomainInput, options?: CallOptions) => Promise<GetDomainResponse>;
  /**
   * Change fields of a semantic domain.
   *
   * `PATCH /api/v1/domains/{domainId}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  updateDomain: (input: UpdateDomainInput, options?: CallOptions) => Promise<UpdateDomainResponse>;
  /**
   * Change fields of a semantic domain.
   *
   * `PUT /api/v1/domains/{domainId}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  updateDomainByPut: (input: UpdateDomainInput, options?: CallOptions) => Promise<UpdateDomainResponse>;
  /**
   * Delete a semantic domain for good.
   *
   * `DELETE /api/v1/domains/{domainId}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PRECONDITION_FAILED` (412).
   */
  deleteDomain: (input: DeleteDomainInput, options?: CallOptions) => Promise<DeleteDomainResponse>;
  /**
   * Read the datasets, relationships and calculated fields of a semantic domain.
   *
   * `GET /api/v1/domains/{domainId}/template`
   *
   * - Takes a project token.
   * - Required role: none; a token without a user is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getDomainTemplate: (
    input: GetDomainTemplateInput,
    options?: CallOptions,
  ) => Promise<GetDomainTemplateResponse>;
  /**
   * Replace the datasets, relationships and calculated fields of a semantic domain.
   *
   * `PUT /api/v1/domains/{domainId}/template`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `QUOTA_EXCEEDED` (409), `PRECONDITION_FAILED` (412).
   */
  putDomainTemplate: (
    input: PutDomainTemplateInput,
    options?: CallOptions,
  ) => Promise<PutDomainTemplateResponse>;
  /**
   * List the semantic domains of the project that the token may access.
   *
   * `GET /api/management/v1/domains`
   *
   * - Takes a project token.
   * - Required role: none; a token without a user is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  listManagedDomains: (
    input?: ListManagedDomainsInput,
    options?: CallOptions,
  ) => Promise<ListManagedDomainsResponse>;
  /**
   * Create a semantic domain.
   *
   * `POST /api/management/v1/domains`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `CONFLICT` (409), `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  createManagedDomain: (
    input: CreateManagedDomainInput,
    options?: CallOptions,
  ) => Promise<CreateManagedDomainResponse>;
  /**
   * Read a semantic domain.
   *
   * `GET /api/management/v1/domains/{domainId}`
   *
   * - Takes a project token.
   * - Required role: none; a token without a user is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getManagedDomain: (
    input: GetManagedDomainInput,
    options?: CallOptions,
  ) => Promise<GetManagedDomainResponse>;
  /**
   * Change fields of a semantic domain.
   *
   * `PATCH /api/management/v1/domains/{domainId}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  updateManagedDomain: (
    input: UpdateManagedDomainInput,
    options?: CallOptions,
  ) => Promise<UpdateManagedDomainResponse>;
  /**
   * Change fields of a semantic domain.
   *
   * `PUT /api/management/v1/domains/{domainId}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  updateManagedDomainByPut: (
    input: UpdateManagedDomainInput,
    options?: CallOptions,
  ) => Promise<UpdateManagedDomainResponse>;
  /**
   * Delete a semantic domain for good.
   *
   * `DELETE /api/management/v1/domains/{domainId}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PRECONDITION_FAILED` (412).
   */
  deleteManagedDomain: (
    input: DeleteManagedDomainInput,
    options?: CallOptions,
  ) => Promise<DeleteManagedDomainResponse>;
  /**
   * Read the datasets, relationships and calculated fields of a semantic domain.
   *
   * `GET /api/management/v1/domains/{domainId}/template`
   *
   * - Takes a project token.
   * - Required role: none; a token without a user is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getManagedDomainTemplate: (
    input: GetManagedDomainTemplateInput,
    options?: CallOptions,
  ) => Promise<GetManagedDomainTemplateResponse>;
  /**
   * Replace the datasets, relationships and calculated fields of a semantic domain.
   *
   * `PUT /api/management/v1/domains/{domainId}/template`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `QUOTA_EXCEEDED` (409), `PRECONDITION_FAILED` (412).
   */
  putManagedDomainTemplate: (
    input: PutManagedDomainTemplateInput,
    options?: CallOptions,
  ) => Promise<PutManagedDomainTemplateResponse>;
  /**
   * List the connections of the project.
   *
   * `GET /api/v1/connections`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  listConnections: (input?: ListConnectionsInput, options?: CallOptions) => Promise<ListConnectionsResponse>;
  /**
   * Create a connection.
   *
   * `POST /api/v1/connections`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `CONFLICT` (409), `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  createConnection: (
    input: CreateConnectionInput,
    options?: CallOptions,
  ) => Promise<CreateConnectionResponse>;
  /**
   * Read a connection.
   *
   * `GET /api/v1/connections/{id}`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getConnection: (input: GetConnectionInput, options?: CallOptions) => Promise<GetConnectionResponse>;
  /**
   * Change fields of a connection.
   *
   * `PATCH /api/v1/connections/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `QUOTA_EXCEEDED` (409), `CONFLICT` (409),
   *   `PRECONDITION_FAILED` (412).
   */
  updateConnection: (
    input: UpdateConnectionInput,
    options?: CallOptions,
  ) => Promise<UpdateConnectionResponse>;
  /**
   * Change fields of a connection.
   *
   * `PUT /api/v1/connections/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `QUOTA_EXCEEDED` (409), `CONFLICT` (409),
   *   `PRECONDITION_FAILED` (412).
   */
  updateConnectionByPut: (
    input: UpdateConnectionInput,
    options?: CallOptions,
  ) => Promise<UpdateConnectionResponse>;
  /**
   * Delete a connection.
   *
   * `DELETE /api/v1/connections/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  deleteConnection: (
    input: DeleteConnectionInput,
    options?: CallOptions,
  ) => Promise<DeleteConnectionResponse>;
  /**
   * Read the catalog from the database, or take that of a static connection.
   *
   * `POST /api/v1/connections/{id}/introspect`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `QUOTA_EXCEEDED` (409),
   *   `IDEMPOTENCY_KEY_REUSED` (422).
   */
  introspectConnection: (
    input: IntrospectConnectionInput,
    options?: CallOptions,
  ) => Promise<IntrospectConnectionResponse>;
  /**
   * List the changes between two versions of a catalog.
   *
   * `GET /api/v1/connections/{id}/catalog/changes`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  listCatalogChanges: (
    input: ListCatalogChangesInput,
    options?: CallOptions,
  ) => Promise<ListCatalogChangesResponse>;
  /**
   * List the data models of the project.
   *
   * `GET /api/v1/datamodels`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  listDatamodels: (input?: ListDatamodelsInput, options?: CallOptions) => Promise<ListDatamodelsResponse>;
  /**
   * Create a data model.
   *
   * `POST /api/v1/datamodels`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `CONFLICT` (409), `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  createDatamodel: (input: CreateDatamodelInput, options?: CallOptions) => Promise<CreateDatamodelResponse>;
  /**
   * Read a data model.
   *
   * `GET /api/v1/datamodels/{id}`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getDatamodel: (input: GetDatamodelInput, options?: CallOptions) => Promise<GetDatamodelResponse>;
  /**
   * Change fields of a data model.
   *
   * `PATCH /api/v1/datamodels/{id}`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `QUOTA_EXCEEDED` (409), `CONFLICT` (409),
   *   `PRECONDITION_FAILED` (412).
   */
  updateDatamodel: (input: UpdateDatamodelInput, options?: CallOptions) => Promise<UpdateDatamodelResponse>;
  /**
   * Change fields of a data model.
   *
   * `PUT /api/v1/datamodels/{id}`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `QUOTA_EXCEEDED` (409), `CONFLICT` (409),
   *   `PRECONDITION_FAILED` (412).
   */
  updateDatamodelByPut: (
    input: UpdateDatamodelInput,
    options?: CallOptions,
  ) => Promise<UpdateDatamodelResponse>;
  /**
   * Delete a data model.
   *
   * `DELETE /api/v1/datamodels/{id}`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PRECONDITION_FAILED` (412).
   */
  deleteDatamodel: (input: DeleteDatamodelInput, options?: CallOptions) => Promise<DeleteDatamodelResponse>;
  /**
   * List the assistant profiles of the project.
   *
   * `GET /api/v1/assistant-profiles`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  listAssistantProfiles: (
    input?: ListAssistantProfilesInput,
    options?: CallOptions,
  ) => Promise<ListAssistantProfilesResponse>;
  /**
   * Create an assistant profile.
   *
   * `POST /api/v1/assistant-profiles`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `CONFLICT` (409), `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  createAssistantProfile: (
    input: CreateAssistantProfileInput,
    options?: CallOptions,
  ) => Promise<CreateAssistantProfileResponse>;
  /**
   * Read an assistant profile.
   *
   * `GET /api/v1/assistant-profiles/{id}`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getAssistantProfile: (
    input: GetAssistantProfileInput,
    options?: CallOptions,
  ) => Promise<GetAssistantProfileResponse>;
  /**
   * Change fields of an assistant profile.
   *
   * `PATCH /api/v1/assistant-profiles/{id}`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `QUOTA_EXCEEDED` (409), `CONFLICT` (409),
   *   `PRECONDITION_FAILED` (412).
   */
  updateAssistantProfile: (
    input: UpdateAssistantProfileInput,
    options?: CallOptions,
  ) => Promise<UpdateAssistantProfileResponse>;
  /**
   * Change fields of an assistant profile.
   *
   * `PUT /api/v1/assistant-profiles/{id}`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `QUOTA_EXCEEDED` (409), `CONFLICT` (409),
   *   `PRECONDITION_FAILED` (412).
   */
  updateAssistantProfileByPut: (
    input: UpdateAssistantProfileInput,
    options?: CallOptions,
  ) => Promise<UpdateAssistantProfileResponse>;
  /**
   * Delete an assistant profile.
   *
   * `DELETE /api/v1/assistant-profiles/{id}`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PRECONDITION_FAILED` (412).
   */
  deleteAssistantProfile: (
    input: DeleteAssistantProfileInput,
    options?: CallOptions,
  ) => Promise<DeleteAssistantProfileResponse>;
  /**
   * Validate a dashboard, or a template that is not saved, against the schemas of its databases.
   *
   * `POST /api/v1/dashboard/validate`
   *
   * - Takes a project token.
   * - Required role: none; a token without a user is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  validateDashboard: (input?: ValidateDashboardInput, options?: CallOptions) => Promise<ValidationResult>;
  /**
   * Validate the dashboards of the project; as NDJSON with progress for who accepts that.
   *
   * `POST /api/v1/dashboard/validate-all`
   *
   * - Takes a project token.
   * - Required role: none; a token without a user is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  validateAllDashboards: (
    input?: ValidateAllDashboardsInput,
    options?: CallOptions,
  ) => Promise<ValidateAllDashboardsResponse>;
  /**
   * Apply the certain renames to a template, and return it with their patch; nothing is saved.
   *
   * `POST /api/v1/dashboard/fix`
   *
   * - Takes a project token.
   * - Required role: none; a token without a user is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  fixDashboard: (input?: FixDashboardInput, options?: CallOptions) => Promise<FixDashboardResponse>;
  /**
   * List the policy definitions of the project by name.
   *
   * `GET /api/management/v1/projects/{projectId}/unified-security/definitions`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404).
   */
  listPolicyDefinitions: (
    input: ListPolicyDefinitionsInput,
    options?: CallOptions,
  ) => Promise<ListPolicyDefinitionsResponse>;
  /**
   * Create a policy definition for a connection.
   *
   * `POST /api/management/v1/projects/{projectId}/unified-security/definitions`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404), `CONFLICT` (409),
   *   `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  createPolicyDefinition: (
    input: CreatePolicyDefinitionInput,
    options?: CallOptions,
  ) => Promise<CreatePolicyDefinitionResponse>;
  /**
   * Read a policy definition with its connection and the number of its assignments.
   *
   * `GET /api/management/v1/projects/{projectId}/unified-security/definitions/{definitionId}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404).
   */
  getPolicyDefinition: (
    input: GetPolicyDefinitionInput,
    options?: CallOptions,
  ) => Promise<GetPolicyDefinitionResponse>;
  /**
   * Change a policy definition; null removes a config.
   *
   * `PATCH /api/management/v1/projects/{projectId}/unified-security/definitions/{definitionId}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404), `QUOTA_EXCEEDED` (409),
   *   `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  updatePolicyDefinition: (
    input: UpdatePolicyDefinitionInput,
    options?: CallOptions,
  ) => Promise<UpdatePolicyDefinitionResponse>;
  /**
   * Delete a policy definition that has no assignments.
   *
   * `DELETE /api/management/v1/projects/{projectId}/unified-security/definitions/{definitionId}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404), `CONFLICT` (409),
   *   `PRECONDITION_FAILED` (412).
   */
  deletePolicyDefinition: (
    input: DeletePolicyDefinitionInput,
    options?: CallOptions,
  ) => Promise<DeletePolicyDefinitionResponse>;
  /**
   * List the assignments of the project with their definitions and actors.
   *
   * `GET /api/management/v1/projects/{projectId}/unified-security/assignments`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404).
   */
  listPolicyAssignments: (
    input: ListPolicyAssignmentsInput,
    options?: CallOptions,
  ) => Promise<ListPolicyAssignmentsResponse>;
  /**
   * Assign a policy definition to an actor.
   *
   * `POST /api/management/v1/projects/{projectId}/unified-security/assignments`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404), `CONFLICT` (409),
   *   `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  createPolicyAssignment: (
    input: CreatePolicyAssignmentInput,
    options?: CallOptions,
  ) => Promise<CreatePolicyAssignmentResponse>;
  /**
   * Read an assignment with its definition, connection and actor.
   *
   * `GET /api/management/v1/projects/{projectId}/unified-security/assignments/{assignmentId}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404).
   */
  getPolicyAssignment: (
    input: GetPolicyAssignmentInput,
    options?: CallOptions,
  ) => Promise<GetPolicyAssignmentResponse>;
  /**
   * Change the actor or the values of an assignment.
   *
   * `PATCH /api/management/v1/projects/{projectId}/unified-security/assignments/{assignmentId}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404), `QUOTA_EXCEEDED` (409),
   *   `CONFLICT` (409), `PRECONDITION_FAILED` (412).
   */
  updatePolicyAssignment: (
    input: UpdatePolicyAssignmentInput,
    options?: CallOptions,
  ) => Promise<UpdatePolicyAssignmentResponse>;
  /**
   * Take a policy definition from an actor.
   *
   * `DELETE /api/management/v1/projects/{projectId}/unified-security/assignments/{assignmentId}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404), `PRECONDITION_FAILED` (412).
   */
  deletePolicyAssignment: (
    input: DeletePolicyAssignmentInput,
    options?: CallOptions,
  ) => Promise<DeletePolicyAssignmentResponse>;
  /**
   * Create, update and delete up to 500 policy assignments.
   *
   * `POST /api/management/v1/projects/{projectId}/unified-security/assignments:batch`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404), `CONFLICT` (409),
   *   `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  batchPolicyAssignments: (
    input: BatchPolicyAssignmentsInput,
    options?: CallOptions,
  ) => Promise<BatchPolicyAssignmentsResponse>;
  /**
   * Resolve the policies of an actor and show the SQL that they turn into; nothing is saved.
   *
   * `POST /api/management/v1/projects/{projectId}/unified-security/preview`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404), `CONFLICT` (409),
   *   `IDEMPOTENCY_KEY_REUSED` (422).
   */
  previewPolicies: (input: PreviewPoliciesInput, options?: CallOptions) => Promise<PreviewPoliciesResponse>;
  /**
   * Compare two previews: of two actors, or with and without a draft.
   *
   * `POST /api/management/v1/projects/{projectId}/unified-security/preview/diff`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404), `CONFLICT` (409),
   *   `IDEMPOTENCY_KEY_REUSED` (422).
   */
  comparePolicyPreviews: (
    input: ComparePolicyPreviewsInput,
    options?: CallOptions,
  ) => Promise<ComparePolicyPreviewsResponse>;
  /**
   * Warn of rules that do not do what they seem to.
   *
   * `POST /api/management/v1/projects/{projectId}/unified-security/lint`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404), `CONFLICT` (409),
   *   `IDEMPOTENCY_KEY_REUSED` (422).
   */
  lintPolicies: (input: LintPoliciesInput, options?: CallOptions) => Promise<LintPoliciesResponse>;
  /**
   * List the tables of a connection that no rule governs, by actor.
   *
   * `GET /api/management/v1/projects/{projectId}/unified-security/coverage`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404).
   */
  getPolicyCoverage: (
    input: GetPolicyCoverageInput,
    options?: CallOptions,
  ) => Promise<GetPolicyCoverageResponse>;
  /**
   * Restrict SQL statements by the policies of the bearer, or of an actor; nothing is saved.
   *
   * `POST /api/management/v1/sql:compile`
   *
   * - Takes a project token, or a token of the scope `sql:compile`.
   * - Required role: any. A token with the scope `sql:compile` is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  compileSql: (input: CompileSqlInput, options?: CallOptions) => Promise<CompileSqlResponse>;
  /**
   * List the tests of a policy definition.
   *
   * `GET /api/management/v1/projects/{projectId}/unified-security/definitions/{definitionId}/tests`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404).
   */
  listPolicyTests: (input: ListPolicyTestsInput, options?: CallOptions) => Promise<ListPolicyTestsResponse>;
  /**
   * Store a test beside a policy definition.
   *
   * `POST /api/management/v1/projects/{projectId}/unified-security/definitions/{definitionId}/tests`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404), `CONFLICT` (409),
   *   `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  createPolicyTest: (
    input: CreatePolicyTestInput,
    options?: CallOptions,
  ) => Promise<CreatePolicyTestResponse>;
  /**
   * Read a test of a policy definition.
   *
   * `GET
   * /api/management/v1/projects/{projectId}/unified-security/definitions/{definitionId}/tests/{testId}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404).
   */
  getPolicyTest: (input: GetPolicyTestInput, options?: CallOptions) => Promise<GetPolicyTestResponse>;
  /**
   * Change a test of a policy definition.
   *
   * `PATCH
   * /api/management/v1/projects/{projectId}/unified-security/definitions/{definitionId}/tests/{testId}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404), `QUOTA_EXCEEDED` (409),
   *   `PRECONDITION_FAILED` (412).
   */
  updatePolicyTest: (
    input: UpdatePolicyTestInput,
    options?: CallOptions,
  ) => Promise<UpdatePolicyTestResponse>;
  /**
   * Delete a test of a policy definition.
   *
   * `DELETE
   * /api/management/v1/projects/{projectId}/unified-security/definitions/{definitionId}/tests/{testId}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404), `PRECONDITION_FAILED` (412).
   */
  deletePolicyTest: (
    input: DeletePolicyTestInput,
    options?: CallOptions,
  ) => Promise<DeletePolicyTestResponse>;
  /**
   * Run the tests of a policy definition.
   *
   * `POST /api/management/v1/projects/{projectId}/unified-security/definitions/{definitionId}/tests:run`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PROJECT_NOT_FOUND` (404), `CONFLICT` (409),
   *   `IDEMPOTENCY_KEY_REUSED` (422).
   */
  runPolicyTests: (input: RunPolicyTestsInput, options?: CallOptions) => Promise<RunPolicyTestsResponse>;
  /**
   * Copy a dashboard into another project, with its references mapped to what is there.
   *
   * `POST /api/management/v1/dashboards/{id}/migrate`
   *
   * - Takes a project token, or the token of the dashboard that the path names.
   * - Required role: AUTHOR or ADMIN.
   * - Required level on the dashboard: EDITOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `MISSING_MAPPING` (400),
   *   `COMMIT_MESSAGE_REQUIRED` (400), `UNAUTHENTICATED` (401), `FORBIDDEN` (403), `NOT_FOUND` (404),
   *   `TARGET_PROJECT_NOT_FOUND` (404), `TARGET_RESOURCE_NOT_FOUND` (404), `REPLACE_TARGET_NOT_FOUND`
   *   (404), `CONFLICT` (409), `QUOTA_EXCEEDED` (409), `DATA_APP_NOT_SUPPORTED` (409),
   *   `MIGRATION_IN_PROGRESS` (409), `IDEMPOTENCY_KEY_REUSED` (422), `COMMIT_FAILED` (502).
   */
  migrateDashboard: (
    input: MigrateDashboardInput,
    options?: CallOptions,
  ) => Promise<MigrateDashboardResponse>;
  /**
   * List what a dashboard refers to, and what the target project offers in place of it.
   *
   * `GET /api/management/v1/dashboards/{id}/migrate/analysis`
   *
   * - Takes a project token, or the token of the dashboard that the path names.
   * - Required role: AUTHOR or ADMIN.
   * - Required level on the dashboard: EDITOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `TARGET_PROJECT_NOT_FOUND` (404), `DATA_APP_NOT_SUPPORTED`
   *   (409).
   */
  analyzeMigration: (input: AnalyzeMigrationInput, options?: CallOptions) => Promise<MigrationAnalysis>;
  /**
   * List the migrations from and into the project.
   *
   * `GET /api/management/v1/migrations`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  listMigrations: (input?: ListMigrationsInput, options?: CallOptions) => Promise<ListMigrationsResponse>;
  /**
   * Read a migration: its plan, its steps and how far it is.
   *
   * `GET /api/management/v1/migrations/{id}`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `MIGRATION_NOT_FOUND` (404).
   */
  getMigration: (input: GetMigrationInput, options?: CallOptions) => Promise<GetMigrationResponse>;
  /**
   * Undo a migration, as long as nothing of it has been changed or used since.
   *
   * `POST /api/management/v1/migrations/{id}/rollback`
   *
   * - Takes a project token.
   * - Required role: AUTHOR or ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `MIGRATION_NOT_FOUND` (404), `CONFLICT` (409),
   *   `MIGRATION_IN_PROGRESS` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  rollBackMigration: (
    input: RollBackMigrationInput,
    options?: CallOptions,
  ) => Promise<RollBackMigrationResponse>;
  /**
   * Read how the project's dashboards are committed.
   *
   * `GET /api/management/v1/version-control`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getVersionControl: (
    input?: GetVersionControlInput,
    options?: CallOptions,
  ) => Promise<GetVersionControlResponse>;
  /**
   * Set up a git repository for the project, or change how it is used.
   *
   * `PUT /api/management/v1/version-control`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `PRECONDITION_FAILED` (412).
   */
  putVersionControl: (
    input?: PutVersionControlInput,
    options?: CallOptions,
  ) => Promise<PutVersionControlResponse>;
  /**
   * End version control of the project; the history stays.
   *
   * `DELETE /api/management/v1/version-control`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PRECONDITION_FAILED` (412).
   */
  deleteVersionControl: (
    input?: DeleteVersionControlInput,
    options?: CallOptions,
  ) => Promise<DeleteVersionControlResponse>;
  /**
   * List the commits of a dashboard, the newest first.
   *
   * `GET /api/management/v1/dashboards/{id}/versions`
   *
   * - Takes a project token, or the token of the dashboard that the path names.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the dashboard: EDITOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  listDashboardVersions: (
    input: ListDashboardVersionsInput,
    options?: CallOptions,
  ) => Promise<ListDashboardVersionsResponse>;
  /**
   * Read a dashboard as it was committed.
   *
   * `GET /api/management/v1/dashboards/{id}/versions/{sha}`
   *
   * - Takes a project token, or the token of the dashboard that the path names.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the dashboard: EDITOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getDashboardVersion: (
    input: GetDashboardVersionInput,
    options?: CallOptions,
  ) => Promise<GetDashboardVersionResponse>;
  /**
   * Read the JSON Patch from one version to another, or to the dashboard as it is now.
   *
   * `GET /api/management/v1/dashboards/{id}/versions/{sha}/diff`
   *
   * - Takes a project token, or the token of the dashboard that the path names.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the dashboard: EDITOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  diffDashboardVersions: (
    input: DiffDashboardVersionsInput,
    options?: CallOptions,
  ) => Promise<DiffDashboardVersionsResponse>;
  /**
   * Save what a version holds as the next version of the dashboard.
   *
   * `POST /api/management/v1/dashboards/{id}/versions/{sha}/restore`
   *
   * - Takes a project token, or the token of the dashboard that the path names.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the dashboard: EDITOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `COMMIT_MESSAGE_REQUIRED`
   *   (400), `UNAUTHENTICATED` (401), `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409),
   *   `QUOTA_EXCEEDED` (409), `PRECONDITION_FAILED` (412), `IDEMPOTENCY_KEY_REUSED` (422),
   *   `COMMIT_FAILED` (502).
   */
  restoreDashboardVersion: (
    input: RestoreDashboardVersionInput,
    options?: CallOptions,
  ) => Promise<RestoreDashboardVersionResponse>;
  /**
   * List what was done and what was refused in the organization, the latest first.
   *
   * `GET /api/management/v1/audit-events`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  listAuditEvents: (input?: ListAuditEventsInput, options?: CallOptions) => Promise<ListAuditEventsResponse>;
  /**
   * Export the entries of the audit log in their order, with what they can be verified by.
   *
   * `GET /api/management/v1/audit-events/export`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  exportAuditEvents: (
    input?: ExportAuditEventsInput,
    options?: CallOptions,
  ) => Promise<ExportAuditEventsResponse>;
  /**
   * List the webhooks of the organization.
   *
   * `GET /api/management/v1/webhooks`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  listWebhooks: (input?: ListWebhooksInput, options?: CallOptions) => Promise<ListWebhooksResponse>;
  /**
   * Create a webhook; its secret is shown this once.
   *
   * `POST /api/management/v1/webhooks`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `CONFLICT` (409), `QUOTA_EXCEEDED` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  createWebhook: (input: CreateWebhookInput, options?: CallOptions) => Promise<CreateWebhookResponse>;
  /**
   * Read a webhook.
   *
   * `GET /api/management/v1/webhooks/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getWebhook: (input: GetWebhookInput, options?: CallOptions) => Promise<GetWebhookResponse>;
  /**
   * Change a webhook; isEnabled ends and resumes its deliveries.
   *
   * `PATCH /api/management/v1/webhooks/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PRECONDITION_FAILED` (412).
   */
  updateWebhook: (input: UpdateWebhookInput, options?: CallOptions) => Promise<UpdateWebhookResponse>;
  /**
   * Change a webhook; isEnabled ends and resumes its deliveries.
   *
   * `PUT /api/management/v1/webhooks/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PRECONDITION_FAILED` (412).
   */
  updateWebhookByPut: (input: UpdateWebhookInput, options?: CallOptions) => Promise<UpdateWebhookResponse>;
  /**
   * Delete a webhook with its deliveries.
   *
   * `DELETE /api/management/v1/webhooks/{id}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `PRECONDITION_FAILED` (412).
   */
  deleteWebhook: (input: DeleteWebhookInput, options?: CallOptions) => Promise<DeleteWebhookResponse>;
  /**
   * Give a webhook a new secret, shown this once; the former one signs along for 24 hours.
   *
   * `POST /api/management/v1/webhooks/{id}/rotate-secret`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  rotateWebhookSecret: (
    input: RotateWebhookSecretInput,
    options?: CallOptions,
  ) => Promise<RotateWebhookSecretResponse>;
  /**
   * Send a test event immediately and return the result.
   *
   * `POST /api/management/v1/webhooks/{id}/test`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  testWebhook: (input: TestWebhookInput, options?: CallOptions) => Promise<TestWebhookResponse>;
  /**
   * List the deliveries of a webhook, the latest first; those that failed are the dead letters.
   *
   * `GET /api/management/v1/webhooks/{id}/deliveries`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  listWebhookDeliveries: (
    input: ListWebhookDeliveriesInput,
    options?: CallOptions,
  ) => Promise<ListWebhookDeliveriesResponse>;
  /**
   * Read a delivery with its event and its latest attempts.
   *
   * `GET /api/management/v1/webhooks/{id}/deliveries/{deliveryId}`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404).
   */
  getWebhookDelivery: (
    input: GetWebhookDeliveryInput,
    options?: CallOptions,
  ) => Promise<GetWebhookDeliveryResponse>;
  /**
   * Send an event again that was delivered or failed.
   *
   * `POST /api/management/v1/webhooks/{id}/deliveries/{deliveryId}/replay`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  replayWebhookDelivery: (
    input: ReplayWebhookDeliveryInput,
    options?: CallOptions,
  ) => Promise<ReplayWebhookDeliveryResponse>;
  /**
   * Send again all that failed since a moment.
   *
   * `POST /api/management/v1/webhooks/{id}/replay`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  replayFailedWebhookDeliveries: (
    input: ReplayFailedWebhookDeliveriesInput,
    options?: CallOptions,
  ) => Promise<ReplayFailedWebhookDeliveriesResponse>;
}

/** The lines of the operations that respond line by line. */
export interface StreamLines {
  /**
   * List all dashboards or visuals that a user can open; as NDJSON for callers that accept it.
   *
   * `POST /api/management/v1/access:list`
   *
   * - Takes a project token.
   * - Required role: any.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  listAccess: ListAccessLine;
  /**
   * List all users who can open a dashboard or visual; as NDJSON for callers that accept it.
   *
   * `POST /api/management/v1/access:subjects`
   *
   * - Takes a project token.
   * - Required role: POWER_USER, AUTHOR or ADMIN.
   * - Required level on the dashboard: CONTRIBUTOR or higher.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `NOT_FOUND` (404), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  listAccessSubjects: ListAccessSubjectsLine;
  /**
   * Validate the dashboards of the project; as NDJSON with progress for who accepts that.
   *
   * `POST /api/v1/dashboard/validate-all`
   *
   * - Takes a project token.
   * - Required role: none; a token without a user is accepted as well.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403), `CONFLICT` (409), `IDEMPOTENCY_KEY_REUSED` (422).
   */
  validateAllDashboards: ValidateAllDashboardsLine;
  /**
   * Export the entries of the audit log in their order, with what they can be verified by.
   *
   * `GET /api/management/v1/audit-events/export`
   *
   * - Takes a project token.
   * - Required role: ADMIN.
   * - Error codes, beside those of every operation: `INVALID_REQUEST` (400), `UNAUTHENTICATED` (401),
   *   `FORBIDDEN` (403).
   */
  exportAuditEvents: ExportAuditEventsLine;
}
