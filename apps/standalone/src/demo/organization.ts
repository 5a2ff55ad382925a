import type { DemoCard, DemoDashboard, DemoGroup, DemoOrgUser, DemoTenantUser, DemoVisual } from './shape.js';

/**
 * The demo organization as data. It is small, and still shows every share scope, access level, role and group
 * type, a linked visual, a share that expires, a user who is deactivated, and resources that are private and
 * that are not.
 */

/** The names that the first start gives to the organization, its project and its ADMIN. */
export const demoNames = {
  organizationName: 'Meridian Analytics',
  projectName: 'Retail reports',
  adminEmail: 'ada.lindqvist@meridian.example',
  adminName: 'Ada Lindqvist',
};

export const demoTenants = [
  { id: 'harbor-foods', name: 'Harbor Foods' },
  { id: 'alpine-outdoor', name: 'Alpine Outdoor' },
  { id: 'citrus-travel', name: 'Citrus Travel' },
];

const tomas = 'tomas.rivera@meridian.example';
const grace = 'grace.okafor@meridian.example';
const hugo = 'hugo.brandt@meridian.example';
const ada = demoNames.adminEmail;

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
];

export const demoGroups: DemoGroup[] = [
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

const revenueByMonth: DemoCard = {
  title: 'Revenue by month',
  type: 'line',
  schema: 'sales',
  table: 'orders',
  metric: 'total_amount',
  groupBy: 'order_month',
};
const ordersByStore: DemoCard = {
  title: 'Orders by store',
  type: 'bar',
  schema: 'sales',
  table: 'orders',
  metric: 'order_count',
  groupBy: 'store_name',
};
const stockByProduct: DemoCard = {
  title: 'Stock by product',
  type: 'table',
  schema: 'inventory',
  table: 'stock_levels',
  metric: 'units_on_hand',
  groupBy: 'product_name',
};
const bookingsByChannel: DemoCard = {
  title: 'Bookings by channel',
  type: 'pie',
  schema: 'marketing',
  table: 'bookings',
  metric: 'booking_count',
  groupBy: 'channel',
};

export const demoVisuals: DemoVisual[] = [
  {
    title: 'Revenue by month',
    description: 'The line that most dashboards begin with',
    owner: tomas,
    isPrivate: true,
    tags: ['revenue'],
    shares: [{ scope: 'specific_org_user', role: 'EDITOR', to: grace }],
    card: revenueByMonth,
  },
  {
    title: 'Orders by store',
    description: 'For authors of dashboards about stores',
    owner: tomas,
    isPrivate: false,
    tags: ['stores'],
    shares: [],
    card: ordersByStore,
  },
];

export const demoDashboards: DemoDashboard[] = [
  {
    title: 'Revenue overview',
    description:
      'Revenue of all customers; its chart is a saved visual, visible to all viewers of the dashboard',
    owner: tomas,
    isPrivate: true,
    tags: ['revenue', 'monthly'],
    shares: [
      { scope: 'all_org_users', role: 'VIEWER' },
      { scope: 'group', role: 'EDITOR', to: 'Revenue team' },
    ],
    cards: [],
    visuals: ['Revenue by month'],
  },
  {
    title: 'Store performance',
    description: 'For all of Harbor Foods; the store managers keep it in shape',
    owner: tomas,
    isPrivate: true,
    tags: ['stores'],
    shares: [
      { scope: 'all_tenant_users', role: 'VIEWER', to: 'harbor-foods' },
      { scope: 'group', role: 'EDITOR', to: 'Store managers' },
      { scope: 'specific_tenant_user', role: 'CONTRIBUTOR', to: 'maria-santos' },
    ],
    cards: [stockByProduct],
    visuals: ['Orders by store'],
  },
  {
    title: 'Welcome to your data',
    description: 'What every customer sees on the first day',
    owner: grace,
    isPrivate: false,
    tags: ['onboarding'],
    shares: [{ scope: 'all_tenants_only', role: 'VIEWER' }],
    cards: [revenueByMonth, ordersByStore],
  },
  {
    title: 'Data quality',
    description: 'For the people of Meridian alone, who may all correct it',
    owner: grace,
    isPrivate: true,
    tags: ['internal'],
    shares: [{ scope: 'org_users_only', role: 'EDITOR' }],
    cards: [stockByProduct],
  },
  {
    title: 'Board pack',
    description: 'Hugo was granted EDITOR, and his role keeps him at VIEWER',
    owner: ada,
    isPrivate: true,
    tags: ['internal', 'quarterly'],
    shares: [
      { scope: 'specific_org_user', role: 'OWNER', to: grace },
      { scope: 'specific_org_user', role: 'EDITOR', to: hugo },
    ],
    cards: [revenueByMonth],
  },
  {
    title: 'Summer campaign',
    description: 'Sofia edits it until the share expires',
    owner: grace,
    isPrivate: true,
    tags: ['campaign'],
    shares: [{ scope: 'specific_tenant_user', role: 'EDITOR', to: 'sofia-rossi', expiresInDays: 30 }],
    cards: [bookingsByChannel],
  },
  {
    title: 'Weekly orders',
    description: 'Made by a customer, and open to all users of that tenant',
    owner: 'maria-santos',
    isPrivate: false,
    tags: ['stores', 'weekly'],
    shares: [],
    cards: [ordersByStore],
  },
  {
    title: 'Trail gear margins',
    description: 'Made by a customer for one colleague',
    owner: 'noah-keller',
    isPrivate: true,
    tags: ['margins'],
    shares: [{ scope: 'specific_tenant_user', role: 'VIEWER', to: 'eva-novak' }],
    cards: [stockByProduct],
  },
];
