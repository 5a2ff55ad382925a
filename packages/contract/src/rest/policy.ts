import { BATCH_ERRORS, defineRoute } from './define.js';

const BASE = '/api/management/v1/projects/{projectId}/unified-security';
const area = 'security' as const;
const tag = 'Security policies';
const errors = ['PROJECT_NOT_FOUND'] as const;
const settings = { area, errors };

const definitions = `${BASE}/definitions`;
const definition = `${definitions}/{definitionId}`;
const definitionRoutes = [
  defineRoute(
    ['GET', definitions],
    {
      operationId: 'listPolicyDefinitions',
      summary: 'List the policy definitions of the project by name',
      tag,
      procedure: 'policy.definitions.list',
    },
    settings,
  ),
  defineRoute(
    ['POST', definitions],
    {
      operationId: 'createPolicyDefinition',
      summary: 'Create a policy definition for a connection',
      tag,
      procedure: 'policy.definitions.create',
    },
    { ...settings, success: 201, record: 'data.definition' },
  ),
  defineRoute(
    ['GET', definition],
    {
      operationId: 'getPolicyDefinition',
      summary: 'Read a policy definition with its connection and the number of its assignments',
      tag,
      procedure: 'policy.definitions.get',
    },
    { ...settings, record: 'data.definition' },
  ),
  defineRoute(
    ['PATCH', definition],
    {
      operationId: 'updatePolicyDefinition',
      summary: 'Change a policy definition; null removes a config',
      tag,
      procedure: 'policy.definitions.update',
    },
    { ...settings, errors: [...errors, 'CONFLICT'], record: 'data.definition' },
  ),
  defineRoute(
    ['DELETE', definition],
    {
      operationId: 'deletePolicyDefinition',
      summary: 'Delete a policy definition that has no assignments',
      tag,
      procedure: 'policy.definitions.delete',
    },
    { ...settings, errors: [...errors, 'CONFLICT'] },
  ),
];

const assignments = `${BASE}/assignments`;
const assignment = `${assignments}/{assignmentId}`;
const assignmentRoutes = [
  defineRoute(
    ['GET', assignments],
    {
      operationId: 'listPolicyAssignments',
      summary: 'List the assignments of the project with their definitions and actors',
      tag,
      procedure: 'policy.assignments.list',
    },
    settings,
  ),
  defineRoute(
    ['POST', assignments],
    {
      operationId: 'createPolicyAssignment',
      summary: 'Assign a policy definition to an actor',
      tag,
      procedure: 'policy.assignments.create',
    },
    { ...settings, success: 201, record: 'data.assignment' },
  ),
  defineRoute(
    ['GET', assignment],
    {
      operationId: 'getPolicyAssignment',
      summary: 'Read an assignment with its definition, connection and actor',
      tag,
      procedure: 'policy.assignments.get',
    },
    { ...settings, record: 'data.assignment' },
  ),
  defineRoute(
    ['PATCH', assignment],
    {
      operationId: 'updatePolicyAssignment',
      summary: 'Change the actor or the values of an assignment',
      tag,
      procedure: 'policy.assignments.update',
    },
    { ...settings, errors: [...errors, 'CONFLICT'], record: 'data.assignment' },
  ),
  defineRoute(
    ['DELETE', assignment],
    {
      operationId: 'deletePolicyAssignment',
      summary: 'Take a policy definition from an actor',
      tag,
      procedure: 'policy.assignments.delete',
    },
    settings,
  ),
  defineRoute(
    ['POST', `${BASE}/assignments:batch`],
    {
      operationId: 'batchPolicyAssignments',
      summary: 'Create, update and delete up to 500 policy assignments',
      tag,
      procedure: 'policy.assignments.batch',
    },
    { ...settings, lane: 'long', errors: [...errors, ...BATCH_ERRORS] },
  ),
];

const previewRoutes = [
  defineRoute(
    ['POST', `${BASE}/preview`],
    {
      operationId: 'previewPolicies',
      summary: 'Resolve the policies of an actor and show the SQL that they turn into; nothing is saved',
      tag,
      procedure: 'policy.previews.preview',
    },
    settings,
  ),
  defineRoute(
    ['POST', `${BASE}/preview/diff`],
    {
      operationId: 'comparePolicyPreviews',
      summary: 'Compare two previews: of two actors, or with and without a draft',
      tag,
      procedure: 'policy.previews.diff',
    },
    { lane: 'long', ...settings },
  ),
  defineRoute(
    ['POST', `${BASE}/lint`],
    {
      operationId: 'lintPolicies',
      summary: 'Warn of rules that do not do what they seem to',
      tag,
      procedure: 'policy.previews.lint',
    },
    { lane: 'long', ...settings },
  ),
  defineRoute(
    ['GET', `${BASE}/coverage`],
    {
      operationId: 'getPolicyCoverage',
      summary: 'List the tables of a connection that no rule governs, by actor',
      tag,
      procedure: 'policy.previews.coverage',
    },
    { lane: 'long', ...settings },
  ),
];

const compileRoutes = [
  defineRoute(
    ['POST', '/api/management/v1/sql:compile'],
    {
      operationId: 'compileSql',
      summary: 'Restrict SQL statements by the policies of the bearer, or of an actor; nothing is saved',
      tag,
      procedure: 'policy.statements.compile',
    },
    { area, tokens: 'projectOrCompiler' },
  ),
];

const tests = `${definition}/tests`;
const test = `${tests}/{testId}`;
const testRoutes = [
  defineRoute(
    ['GET', tests],
    {
      operationId: 'listPolicyTests',
      summary: 'List the tests of a policy definition',
      tag,
      procedure: 'policy.tests.list',
    },
    settings,
  ),
  defineRoute(
    ['POST', tests],
    {
      operationId: 'createPolicyTest',
      summary: 'Store a test beside a policy definition',
      tag,
      procedure: 'policy.tests.create',
    },
    { ...settings, success: 201, record: 'data.test' },
  ),
  defineRoute(
    ['GET', test],
    {
      operationId: 'getPolicyTest',
      summary: 'Read a test of a policy definition',
      tag,
      procedure: 'policy.tests.get',
    },
    { ...settings, record: 'data.test' },
  ),
  defineRoute(
    ['PATCH', test],
    {
      operationId: 'updatePolicyTest',
      summary: 'Change a test of a policy definition',
      tag,
      procedure: 'policy.tests.update',
    },
    { ...settings, record: 'data.test' },
  ),
  defineRoute(
    ['DELETE', test],
    {
      operationId: 'deletePolicyTest',
      summary: 'Delete a test of a policy definition',
      tag,
      procedure: 'policy.tests.delete',
    },
    settings,
  ),
  defineRoute(
    ['POST', `${tests}:run`],
    {
      operationId: 'runPolicyTests',
      summary: 'Run the tests of a policy definition',
      tag,
      procedure: 'policy.tests.run',
    },
    { lane: 'long', ...settings },
  ),
];

export const policyRoutes = [
  ...definitionRoutes,
  ...assignmentRoutes,
  ...previewRoutes,
  ...compileRoutes,
  ...testRoutes,
];
