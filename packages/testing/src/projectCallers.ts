import type { Principal, UserRole } from '@gatehouse/contract';
import { newKey } from '@gatehouse/service';
import type { DomainCaller } from './domainAccessTable.js';

/** Where callers are: a project of an organization. */
export interface Ground {
  organizationId: string;
  projectId: string;
}

/** A project that no other test knows. */
export function newGround(): Ground {
  return { organizationId: `o_${newKey()}`, projectId: `p_${newKey()}` };
}

function baseOf(ground: Ground, tokenType: 'project' | 'dashboard') {
  const dashboard = tokenType === 'dashboard' ? { dashboardId: 'd_one' } : {};
  return { tokenType, tokenId: newKey(), tokenExpiresAt: 4_102_444_800, ...ground, ...dashboard };
}

function userOf(userId: string, role: UserRole) {
  return { userId, userKey: `u:${userId}`, email: `${userId}@example.com`, role, groupIds: [] };
}

const tenant = { tenantId: 't_north', tenantKey: 't:north' };

/** One caller of each kind in a project. */
export function callersOf(ground: Ground) {
  const project = baseOf(ground, 'project');
  const dashboard = baseOf(ground, 'dashboard');
  return {
    orgAdmin: { kind: 'orgUser', ...project, ...userOf('ou_admin', 'ADMIN') },
    orgAuthor: { kind: 'orgUser', ...project, ...userOf('ou_author', 'AUTHOR') },
    orgViewer: { kind: 'orgUser', ...project, ...userOf('ou_viewer', 'VIEWER') },
    tenantPowerUser: { kind: 'tenantUser', ...project, ...userOf('tu_power', 'POWER_USER'), ...tenant },
    tenantViewer: { kind: 'tenantUser', ...project, ...userOf('tu_viewer', 'VIEWER'), ...tenant },
    service: { kind: 'service', ...project },
    orgAdminOnDashboard: { kind: 'orgUser', ...dashboard, ...userOf('ou_admin', 'ADMIN') },
    tenantViewerOnDashboard: {
      kind: 'tenantUser',
      ...dashboard,
      ...userOf('tu_viewer', 'VIEWER'),
      ...tenant,
    },
    anonymousOnDashboard: { kind: 'anonymous', ...dashboard },
  } as const satisfies Record<DomainCaller, unknown> as unknown as Record<DomainCaller, Principal>;
}
export type Callers = ReturnType<typeof callersOf>;
