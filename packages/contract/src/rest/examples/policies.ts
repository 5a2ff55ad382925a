import type { Example } from './example.js';

const project = { projectId: '<projectId>' };
const definition = { ...project, definitionId: '<definitionId>' };
const assignment = { ...project, assignmentId: '<assignmentId>' };
const test = { ...definition, testId: '<policyTestId>' };
const actor = { kind: 'TENANT', tenantId: '<tenantId>' };
const sql = 'SELECT id, total_amount FROM sales.orders';
const rlsConfig = {
  rules: [
    {
      name: 'own orders',
      matcher: { type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' },
      expression: 'tenant_id = {{ actor.tenantId }}',
    },
  ],
};

export const policyExamples = {
  listPolicyDefinitions: { parameters: { ...project, search: 'example' } },
  createPolicyDefinition: {
    step: 'make',
    parameters: project,
    body: { connectionId: '<connectionId>', name: 'Example policy', rlsConfig },
  },
  getPolicyDefinition: { parameters: definition },
  updatePolicyDefinition: { parameters: definition, body: { rlsConfig } },
  deletePolicyDefinition: { step: 'end', parameters: definition },

  listPolicyAssignments: { parameters: project },
  createPolicyAssignment: {
    step: 'make',
    parameters: project,
    body: { definitionId: '<definitionId>', scopeType: 'TENANT', tenantId: '<tenantId>' },
  },
  getPolicyAssignment: { parameters: assignment },
  updatePolicyAssignment: {
    parameters: assignment,
    body: { scopeType: 'TENANT', tenantId: '<tenantId>', params: { region: 'north' } },
  },
  deletePolicyAssignment: { step: 'end', parameters: assignment },
  batchPolicyAssignments: {
    parameters: project,
    body: {
      mode: 'each',
      operations: [{ op: 'update', assignmentId: '<assignmentId>', params: { region: 'south' } }],
    },
  },

  previewPolicies: { parameters: project, body: { connectionId: '<connectionId>', actor, sql } },
  comparePolicyPreviews: {
    parameters: project,
    body: { connectionId: '<connectionId>', actor, sql, after: { ignorePersistedAssignments: true } },
  },
  compileSql: { body: { connectionId: '<connectionId>', statements: [{ sql }] } },
  lintPolicies: { parameters: project, body: { definitionId: '<definitionId>' } },
  getPolicyCoverage: {
    parameters: { ...project, connectionId: '<connectionId>', tenantId: '<tenantId>' },
  },

  createPolicyTest: {
    step: 'make',
    parameters: definition,
    body: { name: 'Example test', actor, sql, expect: { status: 'compiled' } },
  },
  listPolicyTests: { parameters: definition },
  getPolicyTest: { parameters: test },
  updatePolicyTest: { parameters: test, body: { sql } },
  runPolicyTests: { parameters: definition },
  deletePolicyTest: { step: 'end', parameters: test },
} as const satisfies Readonly<Record<string, Example>>;
