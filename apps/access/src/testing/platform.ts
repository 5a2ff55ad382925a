import {
  type AccessLevel,
  type Caller,
  type GrantEntry,
  type OutputOf,
  type PersonPrincipal,
  type Services,
} from '@gatehouse/contract';
import { inProcessLink, readQuotas, type Databases, type ServiceClients } from '@gatehouse/service';
import { startServicePlatform } from '@gatehouse/testing/platform';
import { COLLECTIONS, openAccessStores } from '../resources/store/openStores.js';
import { PART_COLLECTIONS } from '../resources/store/shareParts.js';
import { accessService } from '../service.js';
import { DirectoryStub } from './directoryStub.js';

/** Starts the access service. */
export async function startPlatform(databases: Databases) {
  const directory = new DirectoryStub();
  const platform = await startServicePlatform(accessService, {
    databases,
    collections: [...Object.values(COLLECTIONS), ...Object.values(PART_COLLECTIONS)],
    linksTo: (options) => {
      const router = directory.router(options);
      return { directory: inProcessLink(() => router) };
    },
  });
  const { as, database, config, services } = platform;
  const { access } = services;
  const stores = await openAccessStores(database, readQuotas(config));
  return {
    ...platform,
    directory,
    access,
    stores,

    async createDashboard(owner: Caller, input: Partial<DashboardInput> = {}): Promise<CreatedDashboard> {
      return (
        await access.dashboards.create.mutate({ title: 'Revenue', ...input }, { context: await as(owner) })
      ).dashboard;
    },
    async createVisual(owner: Caller, input: Partial<VisualInput> = {}) {
      return (await access.visuals.create.mutate({ title: 'Chart', ...input }, { context: await as(owner) }))
        .visual;
    },
    async share(owner: Caller, id: string, ...shares: GrantEntry[]) {
      const sharing = id.startsWith('v_') ? access.visualShares : access.dashboardShares;
      return sharing.grant.mutate({ id, shares }, { context: await as(owner) });
    },

    /** Sets the expiry of every share that has one to the past. */
    async expireShares(projectId: string, id: string) {
      const store = id.startsWith('v_') ? stores.visuals : stores.dashboards;
      const header = await store.getHeader(projectId, id);
      const past = new Date(Date.now() - 1);
      const shares = header.shares.map((share) =>
        share.expiresAt === null ? share : { ...share, expiresAt: past },
      );
      await store.changeResource(projectId, header, { change: { shares }, events: [] });
    },
  };
}
export type TestPlatform = Awaited<ReturnType<typeof startPlatform>>;

type Procedures = Services['access']['procedures'];
type DashboardInput = Parameters<ServiceClients['access']['dashboards']['create']['mutate']>[0];
type VisualInput = Parameters<ServiceClients['access']['visuals']['create']['mutate']>[0];
type CreatedDashboard = OutputOf<Procedures['dashboards']['create']>['dashboard'];

/** Creates a template that links the visuals. */
export function templateLinking(...visualIds: string[]) {
  return {
    sheets: [{ id: 's1', frames: visualIds.map((visualId, index) => ({ id: `f${index}`, visualId })) }],
  };
}

/** A time after the end of every test. */
export const LATER = new Date(Date.now() + 3_600_000).toISOString();

/** Creates a grant entry for one user. */
export function shareWith({ kind, userId }: PersonPrincipal, role: AccessLevel): GrantEntry {
  if (kind === 'orgUser') return { scope: 'specific_org_user', orgUserId: userId, role };
  return { scope: 'specific_tenant_user', tenantUserId: userId, role };
}
