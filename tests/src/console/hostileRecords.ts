import type { AssistantProfile, DataModel, Domain } from '@gatehouse/contract';
import { succeeded, type Api } from '../api.js';

/** A title that would run, were it ever taken for markup. */
export const HOSTILE_TITLE = '<img src=x onerror="document.title=1">';
/** Text that turns the direction of what follows. */
const TURNED = '\u202Egpj.exe';
const ADDRESS = 'javascript:document.title=1';

/** The ids of records whose names and texts are hostile. */
export interface HostileRecords {
  visualId: string;
  tenantId: string;
  userId: string;
  groupId: string;
  domainId: string;
  datamodelId: string;
  assistantId: string;
}

/** Creates a record of each kind with hostile names, and shares the dashboard with the group. */
export async function createHostileRecords(
  api: Api,
  { dashboardId, connectionId }: { dashboardId: string; connectionId: string },
): Promise<HostileRecords> {
  const { admin } = api;
  const long = `${ADDRESS} ${TURNED} ${'long '.repeat(900)}`;
  const texts = { title: HOSTILE_TITLE, description: long, tags: [ADDRESS, TURNED, '<b>bold</b>'] };
  const visual = await api.createVisual(admin, { ...texts, frameObject: { [HOSTILE_TITLE]: ADDRESS } });
  await api.createDashboard(admin, { ...texts, title: `${TURNED} ${'x'.repeat(180)}` });
  const tenant = await api.createTenant({ name: HOSTILE_TITLE });
  const user = await api.createTenantUser(tenant.id, 'VIEWER', { name: HOSTILE_TITLE, department: ADDRESS });
  const group = await api.createGroup([user.id], tenant.id);
  await admin.patch(`/groups/${group.id}`, { name: HOSTILE_TITLE, description: long });
  await api.share(admin, dashboardId, [{ scope: 'group', groupId: group.id, role: 'EDITOR' }]);
  const create = async <T>(path: string, body: object) => succeeded(await admin.post<T>(path, body));
  const label = { label: HOSTILE_TITLE, description: long };
  const { domain } = await create<{ domain: Domain }>('/api/v1/domains', { name: 'hostile', ...label });
  const named = { name: HOSTILE_TITLE, description: long };
  const { datamodel } = await create<{ datamodel: DataModel }>('/api/v1/datamodels', {
    ...named,
    connectionId,
  });
  const { assistantProfile } = await create<{ assistantProfile: AssistantProfile }>(
    '/api/v1/assistant-profiles',
    { ...named, instructions: long },
  );
  const data = { domainId: domain.id, datamodelId: datamodel.id, assistantId: assistantProfile.id };
  return { ...data, visualId: visual.id, tenantId: tenant.id, userId: user.id, groupId: group.id };
}
