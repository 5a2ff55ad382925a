import type { Api, Session } from './api.js';
import { addOrgUser, addTenantUser, type Person } from './people.js';
import { DASHBOARDS, VISUALS, type Kind } from './resourceKinds.js';

/** The possible targets of a share. No role caps a level here. */
export const VIEWERS = [
  'tenant user',
  'colleague',
  'other tenant',
  'org user',
  'other org user',
  'org member',
  'tenant member',
  'tenant group member',
] as const;
export type ViewerName = (typeof VIEWERS)[number];

/** The targets that shares name: a user of each type, a tenant, and a group of each type. */
export interface ScopeWorld {
  api: Api;
  /** An AUTHOR who owns what is shared, and is none of the viewers. */
  owner: Session;
  viewers: Record<ViewerName, Person>;
  tenantId: string;
  otherTenantId: string;
  /** An ORG_GROUP of an org user and a user of the other tenant. */
  orgGroupId: string;
  /** A TENANT_GROUP of the tenant. */
  tenantGroupId: string;
  otherTenantGroupId: string;
}

export async function makeScopeWorld(api: Api): Promise<ScopeWorld> {
  const [{ id: tenantId }, { id: otherTenantId }] = await Promise.all([
    api.createTenant(),
    api.createTenant(),
  ]);
  const inTenant = () => addTenantUser(api, tenantId, 'POWER_USER');
  const inOther = () => addTenantUser(api, otherTenantId, 'POWER_USER');
  const inOrg = () => addOrgUser(api, 'AUTHOR');
  const viewers = {
    'tenant user': await inTenant(),
    colleague: await inTenant(),
    'other tenant': await inOther(),
    'org user': await inOrg(),
    'other org user': await inOrg(),
    'org member': await inOrg(),
    'tenant member': await inOther(),
    'tenant group member': await inTenant(),
  };
  const groupIdOf = async (members: ViewerName[], ofTenantId?: string) => {
    const userIds = members.map((name) => viewers[name].id);
    return (await api.createGroup(userIds, ofTenantId)).id;
  };
  return {
    api,
    owner: (await inOrg()).session,
    viewers,
    tenantId,
    otherTenantId,
    orgGroupId: await groupIdOf(['org member', 'tenant member']),
    tenantGroupId: await groupIdOf(['tenant group member'], tenantId),
    otherTenantGroupId: await groupIdOf(['tenant member'], otherTenantId),
  };
}

/** The target of each scope; a group of either type. */
export function targetsOf(world: ScopeWorld) {
  const { viewers, tenantId, orgGroupId, tenantGroupId } = world;
  return {
    specific_tenant_user: { scope: 'specific_tenant_user', tenantUserId: viewers['tenant user'].id },
    all_tenant_users: { scope: 'all_tenant_users', tenantId },
    specific_org_user: { scope: 'specific_org_user', orgUserId: viewers['org user'].id },
    all_org_users: { scope: 'all_org_users' },
    org_users_only: { scope: 'org_users_only' },
    all_tenants_only: { scope: 'all_tenants_only' },
    'group (ORG_GROUP)': { scope: 'group', groupId: orgGroupId },
    'group (TENANT_GROUP)': { scope: 'group', groupId: tenantGroupId },
  } as const;
}
export type TargetName = keyof ReturnType<typeof targetsOf>;

/** The body of a dashboard that links a visual. */
export function linking(visualId: string) {
  return { sheets: [{ id: 's1', title: 'Sheet', frames: [{ id: 'f1', visualId, cards: [] }] }] };
}

/** A kind, as a word that no other one has, for tables. */
export function kindOf(word: 'dashboard' | 'visual'): Kind {
  return word === 'dashboard' ? DASHBOARDS : VISUALS;
}
