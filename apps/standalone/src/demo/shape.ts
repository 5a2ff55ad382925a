import type { AccessLevel, OrgUserRole, ShareScope, TenantUserRole } from '@gatehouse/contract';

/** Refers to a user: a tenant user by id, an org user by e-mail address. */
type UserName = string;

export interface DemoOrgUser {
  email: string;
  name: string;
  role: OrgUserRole;
  department: string;
}

export interface DemoTenantUser {
  id: string;
  tenantId: string;
  email: string;
  name: string;
  role: TenantUserRole;
  department: string;
  isActive?: false;
}

export interface DemoGroup {
  name: string;
  description: string;
  /** Present in a TENANT_GROUP. */
  tenantId?: string;
  members: UserName[];
}

export interface DemoShare {
  scope: ShareScope;
  role: AccessLevel;
  /** The target of the scope: a user, a tenant's id or a group's name. */
  to?: string;
  expiresInDays?: number;
}

export interface DemoResource {
  title: string;
  description: string;
  owner: UserName;
  isPrivate: boolean;
  tags: string[];
  shares: DemoShare[];
}

export interface DemoCard {
  title: string;
  type: string;
  schema: string;
  table: string;
  metric: string;
  groupBy: string;
}

export interface DemoDashboard extends DemoResource {
  cards: DemoCard[];
  /** Titles of the saved visuals that the dashboard links. */
  visuals?: string[];
}

export interface DemoVisual extends DemoResource {
  card: DemoCard;
}
