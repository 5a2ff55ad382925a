/** Better names for parts of schemas than those of their owner and field. Equal parts may share a name. */
const NAMES: Readonly<Record<string, string>> = {
  CatalogForm1: 'CatalogOfOneDatabase',
  CatalogForm2: 'CatalogOfDatabases',
  CatalogOfDatabasesDatabase: 'CatalogDatabase',
  CatalogInputDatabase: 'CatalogDatabaseInput',
  ConnectionConfigForm1: 'ConnectionServerConfig',
  ConnectionConfigForm2: 'ConnectionFileConfig',
  ConnectionConfigForm3: 'ConnectionStaticConfig',
  ConnectionServerConfigTls: 'TlsMode',
  ConnectionConfigInputTls: 'TlsMode',
  ConnectionSummaryUnassignedActors: 'UnassignedActors',
  CreateConnectionRequestUnassignedActors: 'UnassignedActors',
  UpdateConnectionRequestUnassignedActors: 'UnassignedActors',
  ListDashboardsRequestSort: 'ResourceSort',
  ListVisualsRequestSort: 'ResourceSort',
  ListDashboardsRequestScope: 'ResourceListScope',
  ListVisualsRequestScope: 'ResourceListScope',
  ListGroupsRequestSort: 'GroupSort',
  ListGroupsRequestType: 'GroupTypeFilter',
  CallerContextType: 'CallerType',
  ComparePolicyPreviewsRequestBefore: 'PreviewSide',
  ComparePolicyPreviewsRequestAfter: 'PreviewSide',
  PreviewSideDraftDefinition: 'DraftDefinition',
  ComparePolicyPreviewsRequestReferencedEntity: 'ReferencedEntity',
  PreviewPoliciesRequestReferencedEntity: 'ReferencedEntity',
  AssignmentItemOrgUser: 'PolicyPerson',
  AssignmentItemTenantUser: 'PolicyPerson',
  AssignmentItemTenant: 'PolicyTenant',
  CoverageGoverned: 'GovernedTable',
  CoverageUngoverned: 'UngovernedTable',
  CatalogTablePartOf: 'ContainingTable',
  DomainErrorError: 'DomainFault',
  SecurityErrorError: 'SecurityFault',
  GetDashboardVersionResponseVersion: 'DashboardVersionWithContent',
  DashboardVersionAuthor: 'CommitAuthor',
  DashboardVersionWithContentAuthor: 'CommitAuthor',
  RelationshipOn: 'JoinColumns',
  RlsConfigRule: 'RlsRule',
  RlsMatcherTableListTable: 'RlsMatcherTable',
  ValidateAllDashboardsRequestFilter: 'ValidationFilter',
  ValidateAllDashboardsLineResultResultForm2: 'FailedValidation',
  ValidateAllDashboardsResponseResultForm2: 'FailedValidation',
  ValidationResultCardResult: 'CardResult',
  ValidationResultFilterResult: 'FilterResult',
  ValidationResultJoinResult: 'JoinResult',
  ValidationResultResourceResults: 'ResourceResults',
  MigrationPreviewPlan: 'MigrationPlan',
};

/** Parts that several owners have alike. */
const PATTERNS: readonly [RegExp, string][] = [
  [/^Delete\w+Response(Deleted\w+)$/, '$1'],
  [/^DeletePolicy\w+ResponseData$/, 'DeletedPolicyRecord'],
  [/^ResourceResults\w+$/, 'ResourceResult'],
  [/^(?:Create|Update)PolicyAssignmentResponseData$/, 'AssignmentWithWarnings'],
  [/^AssignmentWithWarnings(?:OrgUser|TenantUser)$/, 'PolicyPerson'],
  [/^AssignmentWithWarningsTenant$/, 'PolicyTenant'],
  [/^(?:Create|Update)PolicyDefinitionResponseData$/, 'DefinitionWithWarnings'],
  [/^(?:Create|Update)PolicyTestResponseData$/, 'PolicyTestItem'],
];

/** The name of the part of a schema that is at this path. */
export function partNameOf(path: string): string {
  const pattern = PATTERNS.find(([expression]) => expression.test(path));
  return NAMES[path] ?? (pattern ? path.replace(...pattern) : path);
}
