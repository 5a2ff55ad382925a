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

/** Where a card reads: a schema of the warehouse, a semantic domain or a data model, by name. */
type DemoSource = { schema: string } | { domain: string } | { dataModel: string };

export interface DemoCard {
  title: string;
  type: string;
  source: DemoSource;
  /** A table, or a dataset of the domain or data model. */
  table: string;
  metric: string;
  groupBy: string;
  /** A column of the table that users can filter by. */
  filter?: string;
}

/** An earlier state of a dashboard: only its first cards, with another description. */
export interface DemoDraft {
  description: string;
  cards: number;
  /** The message of the commit that made it. */
  message: string;
}

export interface DemoDashboard extends DemoResource {
  cards: DemoCard[];
  /** Titles of the saved visuals that the dashboard links. */
  visuals?: string[];
  /** What it was before, the earliest first, and the message of its last commit. */
  history?: { drafts: DemoDraft[]; message: string };
}

export interface DemoVisual extends DemoResource {
  card: DemoCard;
}

/** The records of a project that are not security policies. */
export interface DemoProject {
  domains: DemoDomain[];
  dataModels: DemoDataModel[];
  visuals: DemoVisual[];
  dashboards: DemoDashboard[];
}

export interface DemoDataset {
  name: string;
  schema: string;
  table: string;
}

export interface DemoModelTemplate {
  datasets: DemoDataset[];
  relationships?: { source: string; target: string; on: { sourceColumn: string; targetColumn: string }[] }[];
  calculatedFields?: { dataset: string; name: string; expression: string; type: string }[];
}

export interface DemoDomain extends DemoModelTemplate {
  name: string;
  label: string;
  description: string;
}

export interface DemoDataModel extends DemoModelTemplate {
  name: string;
  description: string;
}
