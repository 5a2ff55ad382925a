import { succeeded, unique } from '../api.js';
import { createDefinition, definitionBody, securityPath, testBody } from '../policyRecords.js';
import { createConnection } from '../semanticRecords.js';
import { by, withBody, type Prepare, type Refusal, type Refusals, type World } from './statusCase.js';

const inProject = ({ api: { project } }: World) => ({ projectId: project.projectId });
const list: Prepare = (world) => ({ session: world.admin, path: inProject(world) });

/** A definition of a connection of its own. */
async function definition(world: World) {
  const { id: connectionId } = await createConnection(world.admin);
  const { id: definitionId } = await createDefinition(world.api, connectionId);
  return { connectionId, definitionId };
}
const ofDefinition: Prepare = async (world) => {
  const { definitionId } = await definition(world);
  return { session: world.admin, path: { ...inProject(world), definitionId } };
};
const createdDefinition: Prepare = async (world) => {
  const { id } = await createConnection(world.admin);
  return { session: world.admin, path: inProject(world), body: definitionBody(id) };
};
const updatedDefinition = withBody(ofDefinition, () => ({ name: unique('Renamed'), runTests: true }));

async function assign(world: World, definitionId: string, actor: Record<string, unknown>) {
  const path = `${securityPath(world.api)}/assignments`;
  const made = await world.admin.post<{ data: { assignment: { id: string } } }>(path, {
    definitionId,
    ...actor,
  });
  return succeeded(made).data.assignment.id;
}
const toTenant = ({ tenantId }: World) => ({ scopeType: 'TENANT', tenantId });
const ofAssignment: Prepare = async (world) => {
  const { definitionId } = await definition(world);
  const assignmentId = await assign(world, definitionId, toTenant(world));
  return { session: world.admin, path: { ...inProject(world), assignmentId } };
};
const createdAssignment: Prepare = async (world) => {
  const { definitionId } = await definition(world);
  const body = { definitionId, ...toTenant(world), params: { region: 'north' } };
  return { session: world.admin, path: inProject(world), body };
};
const updatedAssignment = withBody(ofAssignment, ({ powerUser }) => {
  return { scopeType: 'TENANT_USER', tenantUserId: powerUser.id };
});

/** The input of a preview, with other fields. */
const previewOf =
  (fields: (world: World, ids: { definitionId: string }) => Record<string, unknown>): Prepare =>
  async (world) => {
    const { connectionId, definitionId } = await definition(world);
    await assign(world, definitionId, { scopeType: 'ALL_TENANTS' });
    const actor = { kind: 'TENANT', tenantId: world.tenantId };
    const body = { connectionId, actor, sql: 'SELECT id FROM orders', ...fields(world, { definitionId }) };
    return { session: world.admin, path: inProject(world), body };
  };
const preview = previewOf(() => ({}));
const comparison = previewOf((_, { definitionId }) => ({
  after: { draftDefinition: { definitionId, slsConfig: { schema: 'public' } } },
}));
const lint: Prepare = async (world) => {
  const { definitionId } = await definition(world);
  return { session: world.admin, path: inProject(world), body: { definitionId } };
};
const compilation: Prepare = async (world) => {
  const { connectionId } = await definition(world);
  return { session: world.admin, body: { connectionId, statements: [{ sql: 'select 1' }] } };
};
const compilationFor =
  (actor?: object): Prepare =>
  async (world) => {
    const { body } = await compilation(world);
    const session = await world.api.openSession({ scope: 'sql:compile' });
    return { session, body: { ...body, ...(actor && { actor }) } };
  };
const coverage: Prepare = async (world) => {
  const { connectionId } = await definition(world);
  return { session: world.admin, path: inProject(world), query: { connectionId, tenantId: world.tenantId } };
};

const createdTest = withBody(ofDefinition, ({ tenantId }) => testBody(tenantId));
const ofTest: Prepare = async (world) => {
  const { definitionId } = await definition(world);
  const path = `${securityPath(world.api)}/definitions/${definitionId}/tests`;
  const made = await world.admin.post<{ data: { test: { id: string } } }>(path, testBody(world.tenantId));
  const testId = succeeded(made).data.test.id;
  return { session: world.admin, path: { ...inProject(world), definitionId, testId } };
};
const updatedTest = withBody(ofTest, () => ({ name: unique('Renamed') }));

export const policySpecimens = {
  listPolicyDefinitions: list,
  createPolicyDefinition: createdDefinition,
  getPolicyDefinition: ofDefinition,
  updatePolicyDefinition: updatedDefinition,
  deletePolicyDefinition: ofDefinition,
  listPolicyAssignments: list,
  createPolicyAssignment: createdAssignment,
  getPolicyAssignment: ofAssignment,
  updatePolicyAssignment: updatedAssignment,
  deletePolicyAssignment: ofAssignment,
  previewPolicies: preview,
  comparePolicyPreviews: comparison,
  compileSql: compilation,
  lintPolicies: lint,
  getPolicyCoverage: coverage,
  listPolicyTests: ofDefinition,
  createPolicyTest: createdTest,
  getPolicyTest: ofTest,
  updatePolicyTest: updatedTest,
  deletePolicyTest: ofTest,
  runPolicyTests: withBody(ofDefinition, () => ({})),
};

const toOthers = (prepare: Prepare): Refusal[] => [
  ['FORBIDDEN', 'an AUTHOR', by('author', prepare)],
  ['FORBIDDEN', 'an org VIEWER', by('orgViewer', prepare)],
  ['FORBIDDEN', 'a tenant user', by('powerUser', prepare)],
  ['FORBIDDEN', 'a caller without a role', by('service', prepare)],
  [
    'FORBIDDEN',
    'another project of the organization',
    async (world) => {
      const request = await prepare(world);
      const { projectId } = await world.api.createProject();
      return { ...request, path: { ...request.path, projectId } };
    },
  ],
];
const invalid = (because: string, field: string, prepare: Prepare): Refusal => {
  return ['INVALID_REQUEST', because, prepare, field];
};
/** The same request with other fields in its body. */
const changed = (prepare: Prepare, fields: Record<string, unknown>): Prepare => {
  return async (world) => {
    const request = await prepare(world);
    return { ...request, body: { ...request.body, ...fields } };
  };
};
const rules = (expression: string) => ({
  rules: [{ matcher: { type: 'TABLE_LIST', tables: [{ table: 'orders' }] }, expression }],
});

/** A request about a definition, with the name of another of its connection. */
const nameOfAnother =
  (
    toRequest: (world: World, ids: { connectionId: string; definitionId: string }) => ReturnType<Prepare>,
  ): Prepare =>
  async (world) =>
    toRequest(world, await definition(world));

async function namedLike(world: World, { connectionId }: { connectionId: string }): Promise<string> {
  const name = unique('Taken');
  const path = `${securityPath(world.api)}/definitions`;
  succeeded(await world.admin.post(path, { ...definitionBody(connectionId), name }));
  return name;
}

export const policyRefusals: Refusals = {
  listPolicyDefinitions: toOthers(list),
  createPolicyDefinition: [
    ...toOthers(createdDefinition),
    invalid('no config', 'rlsConfig', changed(createdDefinition, { rlsConfig: null })),
    invalid('no such connection', 'connectionId', changed(createdDefinition, { connectionId: 'c_none' })),
    invalid(
      'an expression that is a statement',
      'rlsConfig.rules[0].expression',
      changed(createdDefinition, { rlsConfig: rules('true; delete from orders') }),
    ),
    [
      'CONFLICT',
      'another has the name',
      nameOfAnother(async (world, ids) => ({
        session: world.admin,
        path: inProject(world),
        body: { ...definitionBody(ids.connectionId), name: await namedLike(world, ids) },
      })),
      'name',
    ],
  ],
  getPolicyDefinition: toOthers(ofDefinition),
  updatePolicyDefinition: [
    ...toOthers(updatedDefinition),
    invalid(
      'the last config removed',
      'rlsConfig',
      withBody(ofDefinition, () => ({ rlsConfig: null })),
    ),
    [
      'CONFLICT',
      'another has the name',
      nameOfAnother(async (world, ids) => ({
        session: world.admin,
        path: { ...inProject(world), definitionId: ids.definitionId },
        body: { name: await namedLike(world, ids) },
      })),
      'name',
    ],
  ],
  deletePolicyDefinition: [
    ...toOthers(ofDefinition),
    [
      'CONFLICT',
      'it is assigned',
      async (world) => {
        const request = await ofDefinition(world);
        await assign(world, request.path?.['definitionId'] ?? '', toTenant(world));
        return request;
      },
    ],
  ],
  listPolicyAssignments: toOthers(list),
  createPolicyAssignment: [
    ...toOthers(createdAssignment),
    invalid('no actor', 'tenantId', changed(createdAssignment, { tenantId: undefined })),
    invalid('an unknown actor', 'tenantId', changed(createdAssignment, { tenantId: 't_none' })),
    invalid('two actors', 'orgUserId', changed(createdAssignment, { orgUserId: 'ou_none' })),
    [
      'NOT_FOUND',
      'no such definition',
      changed(createdAssignment, { definitionId: 'usd_none' }),
      'definitionId',
    ],
    [
      'CONFLICT',
      'the actor has the definition',
      async (world) => {
        const request = await createdAssignment(world);
        await assign(world, String(request.body?.['definitionId']), toTenant(world));
        return request;
      },
    ],
  ],
  getPolicyAssignment: toOthers(ofAssignment),
  updatePolicyAssignment: [
    ...toOthers(updatedAssignment),
    invalid(
      'a scope without its actor',
      'tenantUserId',
      withBody(ofAssignment, () => ({ scopeType: 'TENANT_USER' })),
    ),
    [
      'CONFLICT',
      'the actor has the definition',
      async (world) => {
        const { definitionId } = await definition(world);
        const assignmentId = await assign(world, definitionId, { scopeType: 'ALL_TENANTS' });
        await assign(world, definitionId, toTenant(world));
        return { session: world.admin, path: { ...inProject(world), assignmentId }, body: toTenant(world) };
      },
    ],
  ],
  deletePolicyAssignment: toOthers(ofAssignment),
  previewPolicies: [
    ...toOthers(preview),
    invalid('no such connection', 'connectionId', changed(preview, { connectionId: 'c_none' })),
    invalid(
      'an unknown actor',
      'actor.tenantId',
      changed(preview, { actor: { kind: 'TENANT', tenantId: 't_none' } }),
    ),
    invalid(
      'an unknown actor of a draft',
      'draftAssignment.tenantId',
      previewOf((_, { definitionId }) => ({
        draftAssignment: { definitionId, scopeType: 'TENANT', tenantId: 't_none' },
      })),
    ),
    ['NOT_FOUND', 'no such assignment', changed(preview, { assignmentId: 'usa_none' }), 'assignmentId'],
    [
      'CONFLICT',
      'a draft of what exists',
      previewOf((_, { definitionId }) => ({ draftAssignment: { definitionId, scopeType: 'ALL_TENANTS' } })),
      'draftAssignment.definitionId',
    ],
  ],
  comparePolicyPreviews: [
    ...toOthers(comparison),
    invalid('nothing to compare with', 'after', changed(comparison, { after: undefined })),
    [
      'NOT_FOUND',
      'no such assignment',
      changed(comparison, { after: { assignmentId: 'usa_none' } }),
      'after.assignmentId',
    ],
  ],
  compileSql: [
    ['FORBIDDEN', 'a caller without a user', by('service', compilation)],
    invalid('no such connection', 'connectionId', changed(compilation, { connectionId: 'c_none' })),
    invalid('no statement', 'statements', changed(compilation, { statements: [] })),
    invalid('an actor beside the bearer', 'actor', changed(compilation, { actor: { kind: 'ALL_TENANTS' } })),
    invalid('values of a user', 'runtimeParams', changed(compilation, { runtimeParams: { tenant: 'a' } })),
    invalid('no actor for a compiler', 'actor', compilationFor()),
    invalid(
      'an unknown actor',
      'actor.orgUserId',
      compilationFor({ kind: 'ORG_USER', orgUserId: 'ou_none' }),
    ),
  ],
  lintPolicies: [
    ...toOthers(lint),
    invalid('nothing to look at', 'connectionId', changed(lint, { definitionId: undefined })),
    ['NOT_FOUND', 'no such definition', changed(lint, { definitionId: 'usd_none' }), 'definitionId'],
  ],
  getPolicyCoverage: [
    ...toOthers(coverage),
    invalid('two actors', 'tenantId', async (world) => {
      const request = await coverage(world);
      return {
        ...request,
        query: { connectionId: request.query?.['connectionId'] ?? '', tenantId: 'a', orgUserId: 'b' },
      };
    }),
  ],
  listPolicyTests: toOthers(ofDefinition),
  createPolicyTest: [
    ...toOthers(createdTest),
    invalid('no expectation', 'expect', changed(createdTest, { expect: {} })),
    invalid('rows of no sample data', 'sampleData', changed(createdTest, { expect: { rows: [] } })),
  ],
  getPolicyTest: toOthers(ofTest),
  updatePolicyTest: [
    ...toOthers(updatedTest),
    invalid(
      'an unknown actor',
      'actor.orgUserId',
      withBody(ofTest, () => ({ actor: { kind: 'ORG_USER', orgUserId: 'ou_none' } })),
    ),
  ],
  deletePolicyTest: toOthers(ofTest),
  runPolicyTests: toOthers(withBody(ofDefinition, () => ({}))),
};
