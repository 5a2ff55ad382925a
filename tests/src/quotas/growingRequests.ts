import type { OperationId } from '@gatehouse/client';
import { newKey } from '@gatehouse/service';
import { succeeded, unique } from '../api.js';
import { createConnection } from '../semanticRecords.js';
import { specimens } from '../statusCases/allCases.js';
import { withBody, type Prepare, type RouteRequest } from '../statusCases/statusCase.js';

/** Longer than a block of the bytes that are counted. */
const LONG = 'long '.repeat(1000);

const datasets = (fields: { connectionId?: string } = {}) => {
  const names = Array.from({ length: 100 }, (_, index) => `orders_of_the_year_${index}`);
  return { datasets: names.map((name) => ({ name, table: 'orders', ...fields })) };
};
const catalog = () => {
  const names = Array.from({ length: 100 }, (_, index) => `table_of_the_year_${index}`);
  const tables = names.map((name) => ({ name, columns: [{ name: 'id', type: 'bigint' }] }));
  return { catalog: { schemas: [{ name: 'public', tables }] } };
};
const longRule = () => {
  const matcher = { type: 'TABLE_LIST', tables: [{ table: 'orders' }] };
  const conditions = Array.from({ length: 200 }, (_, index) => `id <> ${index}`);
  return { rlsConfig: { rules: [{ matcher, expression: conditions.join(' and ') }] } };
};
const of = (operationId: OperationId): Prepare => specimens[operationId];

/** A dashboard whose template was long when it was committed and is short now. */
const restoring: Prepare = async ({ api, adminId }): Promise<RouteRequest> => {
  const session = await api.openSession({ orgUserId: adminId }, await api.createProject());
  succeeded(await session.put('/version-control', {}));
  const long = { title: unique('Long'), template: { text: LONG }, commitMessage: 'Make' };
  const made = await session.post<{ dashboard: { id: string }; versionControl: { commitSha: string } }>(
    '/dashboards',
    long,
  );
  const { dashboard, versionControl } = succeeded(made);
  const { id } = dashboard;
  succeeded(await session.patch(`/dashboards/${id}`, { template: {}, commitMessage: 'Shorten' }));
  const path = { id, sha: versionControl.commitSha };
  return { session, path, body: { commitMessage: unique('Restore') } };
};

const domainTemplate = withBody(of('putDomainTemplate'), async ({ admin }) =>
  datasets({ connectionId: (await createConnection(admin)).id }),
);
const datamodel = withBody(of('updateDatamodel'), () => ({ template: datasets() }));
const connection = withBody(of('updateConnection'), catalog);
const profile = withBody(of('updateAssistantProfile'), () => ({ instructions: LONG }));

/** Requests that add bytes to records that there are. */
export const LENGTHENING: Partial<Record<OperationId, Prepare>> = {
  updateDashboard: withBody(of('updateDashboard'), () => ({ template: { text: LONG } })),
  updateVisual: withBody(of('updateVisual'), () => ({ frameObject: { text: LONG } })),
  shareDashboard: of('shareDashboard'),
  shareVisual: of('shareVisual'),
  batchDashboardShares: of('batchDashboardShares'),
  batchVisualShares: of('batchVisualShares'),
  restoreDashboardVersion: restoring,
  putDomainTemplate: domainTemplate,
  putManagedDomainTemplate: domainTemplate,
  updateDatamodel: datamodel,
  updateDatamodelByPut: datamodel,
  updateConnection: connection,
  updateConnectionByPut: connection,
  introspectConnection: withBody(of('introspectConnection'), catalog),
  updateAssistantProfile: profile,
  updateAssistantProfileByPut: profile,
  updatePolicyDefinition: withBody(of('updatePolicyDefinition'), longRule),
  updatePolicyAssignment: withBody(of('updatePolicyAssignment'), () => ({ params: { text: LONG } })),
  updatePolicyTest: withBody(of('updatePolicyTest'), () => ({ runtimeParams: { text: LONG } })),
};

const newEndUser: Prepare = ({ api, tenantId }) => ({
  body: {
    ...api.project,
    tenantId,
    endUserEmail: `${newKey().toLowerCase()}@example.com`,
    autoCreateEndUser: true,
  },
});

/** Requests that add a record, where the specimen of the route adds none. */
export const ADDING: Partial<Record<OperationId, Prepare>> = {
  issueToken: newEndUser,
  createSignInCode: newEndUser,
};

/** What leaves a record of each kind, so that a limit of one is reached. */
export const SEEDS: readonly OperationId[] = ['removeGroupMember', 'getWebhook', 'getMigration'];
