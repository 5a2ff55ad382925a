import { ASSIGNMENT_ACTOR_FIELD } from '../../services/policyActors.js';
import { SHARE_TARGET_FIELD } from '../../services/shareEntries.js';
import type { JsonSchema } from '../openapiDocument.js';

/** A rule of a request that no type expresses, as a part of `allOf`. */
type Condition = JsonSchema;

/** Names each field as a property as well, so that readers of the rule alone know it. */
const required = (...fields: string[]): Condition => ({
  properties: Object.fromEntries(fields.map((field) => [field, {}])),
  required: fields,
});
const without = (fields: readonly string[]): Condition => {
  const given = fields.map((field) => required(field));
  return { not: given.length === 1 && given[0] ? given[0] : { anyOf: given } };
};
const anyOf = (...fields: string[]): Condition => ({ anyOf: fields.map((field) => required(field)) });
const notBoth = (first: string, second: string): Condition => ({ not: required(first, second) });
const isOneOf = (field: string, values: readonly string[]): Condition => ({
  properties: { [field]: { enum: [...values] } },
  required: [field],
});

/** A requirement for what meets a condition. */
// oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
const implies = (condition: Condition, rule: Condition): Condition => ({ if: condition, then: rule });

/** With these values of `field`, `wanted` is required, and the other fields are not allowed. */
function when(
  [field, values]: readonly [string, readonly string[]],
  wanted: readonly string[],
  refused: readonly string[],
): Condition {
  const rules = [
    ...(wanted.length > 0 ? [required(...wanted)] : []),
    ...(refused.length > 0 ? [without(refused)] : []),
  ];
  return implies(isOneOf(field, values), rules.length === 1 && rules[0] ? rules[0] : { allOf: rules });
}

/** One rule for each value of `field`: the target that it requires, or null for none. */
function byTarget(field: string, targets: Readonly<Record<string, string | null>>): Condition[] {
  const all = [...new Set(Object.values(targets).filter((target) => target !== null))];
  return Object.entries(targets).map(([value, target]) =>
    when(
      [field, [value]],
      target === null ? [] : [target],
      all.filter((other) => other !== target),
    ),
  );
}

const SHARE_TARGET = byTarget('scope', SHARE_TARGET_FIELD);
const ASSIGNMENT_ACTOR = byTarget('scopeType', ASSIGNMENT_ACTOR_FIELD);
const ONE_TEMPLATE: Condition[] = [{ oneOf: [required('dashboardId'), required('template')] }];
const ONE_ASSIGNMENT: Condition[] = [notBoth('assignmentId', 'draftAssignment')];
const CONFIGS = ['clsConfig', 'slsConfig', 'rlsConfig'] as const;

const configOf = (types: readonly string[], fields: readonly string[]): Condition =>
  implies(isOneOf('type', types), {
    allOf: [required('config'), { properties: { config: required(...fields) } }],
  });

/** A new schema-level config has a field that is not null; a token may carry one without. */
const SLS_FIELDS = ['schema', 'schemaTemplate', 'allowedSchemas', 'defaultSchema'];
const NEW_SLS: Condition = {
  properties: {
    slsConfig: {
      anyOf: [
        { type: 'null' },
        ...SLS_FIELDS.map((field) => ({
          properties: { [field]: { not: { type: 'null' as const } } },
          required: [field],
        })),
      ],
    },
  },
};

/** The credentials of one type of token, which may be named as well. */
const PROJECT_CREDENTIALS: Condition = {
  allOf: [
    required('projectId', 'projectSecret'),
    without(['dashboardId', 'dashboardSecret']),
    { not: isOneOf('type', ['dashboard']) },
  ],
};
const DASHBOARD_CREDENTIALS: Condition = {
  allOf: [
    required('dashboardId', 'dashboardSecret'),
    without(['projectSecret']),
    { not: isOneOf('type', ['project']) },
  ],
};

/** A user who is named by email needs its tenant. */
const WITH_TENANT = implies(required('endUserEmail'), anyOf('tenantId', 'tenantName'));

/** The operations in batches of shares. */
const SHARE_OPERATIONS = ['Dashboard', 'Visual'].flatMap((type) =>
  ['Create', 'Update', 'Delete'].map((op) => `Batch${type}SharesRequestOperation${op}`),
);

/** The conditional rules of requests, by the name of the component. */
export const CONDITIONS: Readonly<Record<string, readonly Condition[]>> = {
  GrantEntry: SHARE_TARGET,
  RevokeEntry: SHARE_TARGET,
  ...Object.fromEntries(SHARE_OPERATIONS.map((name) => [name, SHARE_TARGET])),
  DraftAssignment: ASSIGNMENT_ACTOR,
  BatchPolicyAssignmentsRequestOperationCreate: ASSIGNMENT_ACTOR,
  CreatePolicyAssignmentRequest: ASSIGNMENT_ACTOR,
  CreatePolicyDefinitionRequest: [anyOf(...CONFIGS), NEW_SLS],
  UpdatePolicyDefinitionRequest: [anyOf('name', ...CONFIGS), NEW_SLS],
  DraftDefinition: [NEW_SLS],
  LintPoliciesRequest: [anyOf('connectionId', 'definitionId'), NEW_SLS],
  PreviewPoliciesRequest: ONE_ASSIGNMENT,
  PreviewSide: ONE_ASSIGNMENT,
  ValidateDashboardRequest: ONE_TEMPLATE,
  FixDashboardRequest: ONE_TEMPLATE,
  ValidationFilter: [
    when(['type', ['tenant']], ['tenantId'], []),
    implies(required('tenantId'), isOneOf('type', ['tenant'])),
  ],
  CreateGroupRequest: [
    when(['type', ['TENANT_GROUP']], ['tenantId'], []),
    when(['type', ['ORG_GROUP']], [], ['tenantId']),
  ],
  CreateConnectionRequest: [
    configOf(['postgres', 'mysql'], ['host', 'database', 'user']),
    configOf(['sqlite'], ['file']),
    configOf(['static'], ['dialect']),
  ],
  CatalogInput: [
    {
      oneOf: [
        { allOf: [required('schemas'), without(['databases', 'defaultDatabase'])] },
        { allOf: [required('databases'), without(['schemas', 'defaultSchema', 'lowerCaseTableNames'])] },
      ],
    },
  ],
  IssueTokenRequest: [
    { anyOf: [PROJECT_CREDENTIALS, DASHBOARD_CREDENTIALS, required('signInCode')] },
    WITH_TENANT,
  ],
  CreateSignInCodeRequest: [
    PROJECT_CREDENTIALS,
    anyOf('orgUserId', 'endUserId', 'endUserEmail'),
    without(['scope', 'signInCode']),
    WITH_TENANT,
  ],
};

/** Requests that must have at least one field. */
export const NOT_EMPTY = [
  'UpdateTenantRequest',
  'UpdateOrgUserRequest',
  'UpdateTenantUserRequest',
  'UpdateGroupRequest',
  'UpdateDashboardRequest',
  'UpdateVisualRequest',
  'UpdateDomainRequest',
  'UpdateManagedDomainRequest',
  'UpdateConnectionRequest',
  'UpdateDatamodelRequest',
  'UpdateAssistantProfileRequest',
  'UpdatePolicyAssignmentRequest',
  'UpdatePolicyTestRequest',
  'UpdateWebhookRequest',
  'ClsConfigInput',
  'SlsConfigInput',
  'TestExpectationInput',
];

/** The component with its conditional rules. */
export function withConditions(name: string, schema: JsonSchema): JsonSchema {
  const conditions = CONDITIONS[name];
  return {
    ...schema,
    ...(NOT_EMPTY.includes(name) && { minProperties: 1 }),
    ...(conditions && { allOf: [...conditions] }),
  };
}
