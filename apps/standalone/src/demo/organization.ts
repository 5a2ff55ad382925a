import type { DemoGroup, DemoOrgUser, DemoTenantUser } from './shape.js';

/** The people of the demo organization as data: every role, both types of groups, and a deactivated user. */

/** The second project: its dashboards are migrated to the first. */
export const stagingName = 'Retail staging';

/** The names that the first start gives to the organization, its project and its ADMIN. */
export const demoNames = {
  organizationName: 'Meridian Analytics',
  projectName: 'Retail production',
  adminEmail: 'ada.lindqvist@meridian.example',
  adminName: 'Ada Lindqvist',
};

export const demoTenants = [
  { id: 'harbor-foods', name: 'Harbor Foods' },
  { id: 'alpine-outdoor', name: 'Alpine Outdoor' },
  { id: 'citrus-travel', name: 'Citrus Travel' },
  { id: 'nordic-bikes', name: 'Nordic Bikes' },
];

export const tomas = 'tomas.rivera@meridian.example';
export const grace = 'grace.okafor@meridian.example';
export const hugo = 'hugo.brandt@meridian.example';
export const ada = demoNames.adminEmail;

export const demoOrgUsers: DemoOrgUser[] = [
  { email: tomas, name: 'Tomás Rivera', role: 'AUTHOR', department: 'Sales analytics' },
  { email: grace, name: 'Grace Okafor', role: 'AUTHOR', department: 'Customer success' },
  { email: hugo, name: 'Hugo Brandt', role: 'VIEWER', department: 'Finance' },
];

export const demoTenantUsers: DemoTenantUser[] = [
  {
    id: 'maria-santos',
    tenantId: 'harbor-foods',
    email: 'maria.santos@harborfoods.example',
    name: 'Maria Santos',
    role: 'POWER_USER',
    department: 'Operations',
  },
  {
    id: 'ben-carter',
    tenantId: 'harbor-foods',
    email: 'ben.carter@harborfoods.example',
    name: 'Ben Carter',
    role: 'VIEWER',
    department: 'Stores',
  },
  {
    id: 'lena-fischer',
    tenantId: 'harbor-foods',
    email: 'lena.fischer@harborfoods.example',
    name: 'Lena Fischer',
    role: 'VIEWER',
    department: 'Stores',
    isActive: false,
  },
  {
    id: 'noah-keller',
    tenantId: 'alpine-outdoor',
    email: 'noah.keller@alpineoutdoor.example',
    name: 'Noah Keller',
    role: 'POWER_USER',
    department: 'Merchandising',
  },
  {
    id: 'eva-novak',
    tenantId: 'alpine-outdoor',
    email: 'eva.novak@alpineoutdoor.example',
    name: 'Eva Novak',
    role: 'VIEWER',
    department: 'Purchasing',
  },
  {
    id: 'sofia-rossi',
    tenantId: 'citrus-travel',
    email: 'sofia.rossi@citrustravel.example',
    name: 'Sofia Rossi',
    role: 'POWER_USER',
    department: 'Marketing',
  },
  {
    id: 'ingrid-dahl',
    tenantId: 'nordic-bikes',
    email: 'ingrid.dahl@nordicbikes.example',
    name: 'Ingrid Dahl',
    role: 'POWER_USER',
    department: 'Sales',
  },
  {
    id: 'oskar-lind',
    tenantId: 'nordic-bikes',
    email: 'oskar.lind@nordicbikes.example',
    name: 'Oskar Lind',
    role: 'VIEWER',
    department: 'Workshop',
  },
];

export const demoGroups: DemoGroup[] = [
  {
    name: 'Governance',
    description: 'Reviews who may see the dashboards of Meridian',
    members: [ada],
  },
  {
    name: 'Revenue team',
    description: 'Revenue planners, at Meridian and at its customers',
    members: [grace, hugo, 'sofia-rossi'],
  },
  {
    name: 'Store managers',
    description: 'Run the stores of Harbor Foods',
    tenantId: 'harbor-foods',
    members: ['maria-santos', 'ben-carter', 'lena-fischer'],
  },
];
