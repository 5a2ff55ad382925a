import type { OrgUserPrincipal, TenantUserPrincipal } from '@gatehouse/contract';
import { hashSecret, newId, newKey, newSecret } from '@gatehouse/service';
import { foldPerson } from '../records/logic/foldedFields.js';
import { newUserKey } from '../records/subjectKeys.js';
import type { TestPlatform } from './platform.js';

/** Creates a new organization with a project and an ADMIN, beside the existing ones. */
export async function createOrganization(platform: TestPlatform) {
  const { stores } = platform.dependencies;
  const organizationId = newId('organization');
  const projectId = newId('project');
  const projectSecret = newSecret();
  const written = { events: [], now: new Date() };
  await stores.organizations.insert(organizationId, 'Acme', written);
  const project = { name: 'Main', nameFolded: 'main', secretHash: hashSecret(projectSecret) };
  await stores.projects.insert(organizationId, { _id: projectId, ...project }, written);
  const id = newId('orgUser');
  const person = foldPerson({ name: 'Ada Admin', email: 'ada@acme.test' });
  const settings = { role: 'ADMIN' as const, department: '', isActive: true };
  await stores.orgUsers.insert(organizationId, { _id: newUserKey(), id, ...person, ...settings }, written);
  const credentials = { projectId, projectSecret };
  const admin = await platform.login<OrgUserPrincipal>({ ...credentials, orgUserId: id });
  return { organizationId, credentials, admin, asAdmin: await platform.originOf(admin) };
}
export type TestOrganization = Awaited<ReturnType<typeof createOrganization>>;

/** Creates an org user and returns it as a principal. */
export async function addOrgUser(
  platform: TestPlatform,
  { asAdmin, credentials }: TestOrganization,
  role: 'VIEWER' | 'AUTHOR' | 'ADMIN',
): Promise<OrgUserPrincipal> {
  const name = `${role.toLowerCase()}-${newKey()}`;
  const { user } = await platform.directory.orgUsers.create.mutate(
    {
      email: `${name}@acme.test`,
      name,
      role,
    },
    { context: asAdmin },
  );
  return platform.login<OrgUserPrincipal>({ ...credentials, orgUserId: user.id });
}

/** Creates a tenant user and returns it as a principal. */
export async function addTenantUser(
  platform: TestPlatform,
  { asAdmin, credentials }: TestOrganization,
  person: { tenantId: string; id?: string; role?: 'VIEWER' | 'POWER_USER' },
): Promise<TenantUserPrincipal> {
  const email = `tenant-${newKey()}@acme.test`;
  const { user } = await platform.directory.tenantUsers.create.mutate(
    { email, ...person },
    { context: asAdmin },
  );
  return platform.login<TenantUserPrincipal>({ ...credentials, endUserId: user.id });
}

/** Creates an organization with two tenants, and a principal of every kind and role. */
export async function populate(platform: TestPlatform) {
  const organization = await createOrganization(platform);
  const { credentials, asAdmin, organizationId, admin } = organization;
  const { tenant: north } = await platform.directory.tenants.create.mutate(
    { name: 'North' },
    { context: asAdmin },
  );
  const { tenant: south } = await platform.directory.tenants.create.mutate(
    { name: 'South' },
    { context: asAdmin },
  );
  const dashboard = platform.access.addDashboard({ organizationId, projectId: credentials.projectId });
  const principals = {
    admin,
    viewer: await addOrgUser(platform, organization, 'VIEWER'),
    author: await addOrgUser(platform, organization, 'AUTHOR'),
    northViewer: await addTenantUser(platform, organization, { tenantId: north.id }),
    northPowerUser: await addTenantUser(platform, organization, { tenantId: north.id, role: 'POWER_USER' }),
    southPowerUser: await addTenantUser(platform, organization, { tenantId: south.id, role: 'POWER_USER' }),
    service: await platform.login(credentials),
    dashboardAdmin: await platform.login({ ...dashboard, orgUserId: admin.userId }),
    anonymous: await platform.login(dashboard),
  };
  return { ...organization, north, south, dashboard, principals };
}
export type Population = Awaited<ReturnType<typeof populate>>;
export type PrincipalName = keyof Population['principals'];
