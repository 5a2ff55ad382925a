import { succeeded, type Api, type Project, type Session } from '../api.js';
import type { Founder, KnownIds } from './founder.js';

/** The people and records that users of both tenants meet in. */
interface CrossingWorld {
  api: Api;
  author: Session;
  powerUser: Session;
  otherTenantUser: Session;
  /** The dashboard and the visual of the author. */
  dashboardId: string;
  visualId: string;
  tenantUserIds: Record<'powerUser' | 'otherTenantUser', string>;
  otherTenantId: string;
}

const ORGANIZATION_LIST = '/dashboards?scope=organization&limit=500';
/** All of it: a later part of a walk finds more than a page there. */
const LOG = '/audit-events/export';

const linkTo = (visualId: string) => ({ sheets: [{ id: 's', frames: [{ id: 'f', visualId }] }] });

/** Makes records that users of both tenants may open and change, with traces of both. Returns their ids. */
export async function addCrossings(founder: Founder, world: CrossingWorld): Promise<KnownIds> {
  await shareWithBoth(world);
  await saveByBoth(founder, world);
  for (const owner of [world.otherTenantUser, world.powerUser]) await addLinking(founder, owner, world);
  const takenId = await addTakenOver(founder, world);
  return { dashboards: [world.dashboardId, takenId], visuals: [world.visualId] };
}

async function shareWithBoth(world: CrossingWorld): Promise<void> {
  const { author, otherTenantUser, dashboardId, visualId, tenantUserIds } = world;
  const [toOne, toOther] = [tenantUserIds.powerUser, tenantUserIds.otherTenantUser].map(
    (tenantUserId) => (role: string) => ({ scope: 'specific_tenant_user', tenantUserId, role }),
  );
  const share = async (by: Session, path: string, shares: unknown[]) =>
    succeeded(await by.post(`${path}/share`, { shares }));
  await share(author, `/dashboards/${dashboardId}`, [toOne?.('CONTRIBUTOR'), toOther?.('CONTRIBUTOR')]);
  await share(author, `/visuals/${visualId}`, [toOne?.('OWNER'), toOther?.('CONTRIBUTOR')]);
  const toTenant = { scope: 'all_tenant_users', tenantId: world.otherTenantId, role: 'VIEWER' };
  await share(otherTenantUser, `/dashboards/${dashboardId}`, [toTenant]);
}

/** Commits of the dashboard that users of both tenants have made. */
async function saveByBoth(founder: Founder, world: CrossingWorld): Promise<void> {
  const { author, powerUser, otherTenantUser, dashboardId } = world;
  const [path, versions] = [`/dashboards/${dashboardId}`, `/dashboards/${dashboardId}/versions`];
  for (const session of [powerUser, otherTenantUser]) {
    const saved = founder.record('commit');
    const fields = { description: saved.text('description'), commitMessage: saved.text('message') };
    const { versionControl } = succeeded(
      await session.patch<{ versionControl: { commitSha: string } }>(path, fields),
    );
    saved.readAt(path, versions, `${versions}/${versionControl.commitSha}`, ORGANIZATION_LIST, LOG);
  }
  const found = succeeded(await author.get<{ versions: { sha: string }[] }>(versions)).versions;
  for (const { sha } of found) founder.note(['sha', 'to'], sha);
  // Those who may edit a dashboard may read what it contained before.
  founder.authorsDashboard?.readAt(...found.map(({ sha }) => `${versions}/${sha}`));
}

/** A private dashboard that links the visual. */
async function addLinking(founder: Founder, owner: Session, { visualId }: CrossingWorld): Promise<void> {
  const record = founder.record('linking dashboard');
  const fields = { title: record.text('title'), template: linkTo(visualId) };
  const { id } = await founder.create(owner, '/dashboards', fields);
  record.readAt(`/dashboards/${id}`, ORGANIZATION_LIST, LOG);
  founder.note(['dashboards', 'dashboardId', 'resourceId'], id);
}

/** A dashboard of the other tenant that an ADMIN has taken over, and shared with all tenants. */
async function addTakenOver(founder: Founder, { otherTenantUser }: CrossingWorld): Promise<string> {
  const record = founder.record('taken dashboard');
  const fields = { title: record.text('title'), commitMessage: record.text('message') };
  const { id } = await founder.create(otherTenantUser, '/dashboards', fields);
  const path = `/dashboards/${id}`;
  succeeded(await founder.admin.post(`${path}/take-ownership`));
  const shares = [{ scope: 'all_tenants_only', role: 'EDITOR' }];
  succeeded(await founder.admin.post(`${path}/share`, { shares }));
  record.readAt(path, `${path}/versions`, ORGANIZATION_LIST, LOG);
  // The record shows the id of its creator to every reader, and nothing else of that user.
  founder.people.get('otherTenantUser')?.readAt(path);
  return founder.note(['dashboards', 'dashboardId', 'resourceId'], id);
}

interface Migrated {
  migrationId: string;
  dashboard: { id: string; secret: string };
  createdResources: { visuals: { newId: string }[] };
}

/** A migration of the author, whose copied visual an ADMIN has taken over and renamed since. */
export async function addMigration(founder: Founder, { api, author }: CrossingWorld): Promise<void> {
  const record = founder.record('migration');
  const visual = await founder.create(author, '/visuals', { title: record.text('visual') });
  const fields = { title: record.text('dashboard'), template: linkTo(visual.id) };
  const source = await founder.create(author, '/dashboards', fields);
  const made = await founder.create(founder.admin, '/projects', { name: record.text('project') });
  const request = { targetProjectId: made.id, connectionMapping: {}, visualsToCreate: [visual.id] };
  const path = `/dashboards/${source.id}`;
  const migrated = succeeded(await author.post<Migrated>(`${path}/migrate`, request));
  founder.keepSecret('copy.secret', migrated.dashboard.secret);
  founder.note(['migrations'], migrated.migrationId);
  const lists = [ORGANIZATION_LIST, '/visuals?scope=organization&limit=500', '/migrations?limit=500', LOG];
  record.readAt(path, `/visuals/${visual.id}`, `/projects/${made.id}`, ...lists);

  const project: Project = { projectId: made.id, projectSecret: String(made['secret']) };
  const [adminId, authorId] = founder.ids['orgUserId'] ?? [];
  const admin = await api.openSession({ orgUserId: adminId }, project);
  const copied = `/visuals/${migrated.createdResources.visuals[0]?.newId}`;
  const renamed = founder.record('renamed visual');
  succeeded(await admin.post(`${copied}/take-ownership`));
  succeeded(await admin.patch(copied, { title: renamed.text('title') }));
  renamed.readAt(LOG);
  const authorThere = await api.openSession({ orgUserId: authorId }, project);
  succeeded(await authorThere.delete(`/dashboards/${migrated.dashboard.id}`));
}
