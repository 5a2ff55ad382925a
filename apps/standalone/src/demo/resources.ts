import { ada, grace, hugo, tomas } from './organization.js';
import type { DemoCard, DemoDashboard, DemoShare, DemoVisual } from './shape.js';

/**
 * The visuals and dashboards of the first project as data. They show every share scope and access level, a
 * linked visual, a share that expires, and resources that are private and that are not.
 */

const revenueByMonth: DemoCard = {
  title: 'Revenue by month',
  type: 'line',
  source: { domain: 'retail_sales' },
  table: 'orders',
  metric: 'net_amount',
  groupBy: 'order_month',
};
const ordersByStore: DemoCard = {
  title: 'Orders by store',
  type: 'bar',
  source: { schema: 'sales' },
  table: 'orders',
  metric: 'order_count',
  groupBy: 'store_name',
  filter: 'region',
};
const revenueByRegion: DemoCard = {
  title: 'Revenue by region',
  type: 'bar',
  source: { schema: 'sales' },
  table: 'orders',
  metric: 'total_amount',
  groupBy: 'region',
  filter: 'status',
};
const stockByProduct: DemoCard = {
  title: 'Stock by product',
  type: 'table',
  source: { dataModel: 'Stock' },
  table: 'stock',
  metric: 'units_on_hand',
  groupBy: 'product_name',
};
const marginByProduct: DemoCard = {
  title: 'Margin by product',
  type: 'bar',
  source: { schema: 'inventory' },
  table: 'stock_levels',
  metric: 'unit_margin',
  groupBy: 'product_name',
};
const bookingsByChannel: DemoCard = {
  title: 'Bookings by channel',
  type: 'pie',
  source: { domain: 'retail_marketing' },
  table: 'bookings',
  metric: 'booking_count',
  groupBy: 'channel',
};
const budgetByCampaign: DemoCard = {
  title: 'Budget by campaign',
  type: 'table',
  source: { schema: 'marketing' },
  table: 'campaigns',
  metric: 'budget_amount',
  groupBy: 'campaign_name',
  filter: 'starts_on',
};
/** The database renames this column later: see `RENAME_COLUMN`. */
const shipmentsByDay: DemoCard = {
  title: 'Days to ship by day of shipment',
  type: 'line',
  source: { schema: 'sales' },
  table: 'orders',
  metric: 'days_to_ship',
  groupBy: 'shipped_on',
  filter: 'shipped_on',
};

/** Lets the ADMIN review who has access, which takes CONTRIBUTOR: see docs/api.md. */
const reviewed: DemoShare = { scope: 'group', role: 'CONTRIBUTOR', to: 'Governance' };

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
  {
    title: 'Bookings by channel',
    description: 'Where the bookings of a campaign come from',
    owner: grace,
    isPrivate: true,
    tags: ['campaign'],
    shares: [{ scope: 'specific_org_user', role: 'CONTRIBUTOR', to: tomas }],
    card: bookingsByChannel,
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
      reviewed,
    ],
    cards: [revenueByRegion],
    visuals: ['Revenue by month'],
    history: {
      drafts: [
        { description: 'A first sketch', cards: 0, message: 'Add the revenue of all customers' },
        { description: 'Revenue of all customers', cards: 0, message: 'Describe the dashboard' },
      ],
      message: 'Add the revenue by region',
    },
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
      reviewed,
    ],
    cards: [stockByProduct],
    visuals: ['Orders by store'],
    history: {
      drafts: [{ description: 'Orders of each store', cards: 0, message: 'Add the orders of each store' }],
      message: 'Add the stock',
    },
  },
  {
    title: 'Welcome to your data',
    description: 'What every customer sees on the first day',
    owner: grace,
    isPrivate: false,
    tags: ['onboarding'],
    shares: [{ scope: 'all_tenants_only', role: 'VIEWER' }, reviewed],
    cards: [revenueByMonth, ordersByStore],
  },
  {
    title: 'Data quality',
    description: 'For the people of Meridian alone, who may all correct it',
    owner: grace,
    isPrivate: true,
    tags: ['internal'],
    shares: [{ scope: 'org_users_only', role: 'EDITOR' }, reviewed],
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
    cards: [revenueByMonth, revenueByRegion],
  },
  {
    title: 'Summer campaign',
    description: 'Sofia edits it until the share expires',
    owner: grace,
    isPrivate: true,
    tags: ['campaign'],
    shares: [
      { scope: 'specific_tenant_user', role: 'EDITOR', to: 'sofia-rossi', expiresInDays: 30 },
      reviewed,
    ],
    cards: [budgetByCampaign],
    visuals: ['Bookings by channel'],
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
    cards: [marginByProduct],
  },
  {
    title: 'Fulfilment',
    description: 'A column of the database has a new name since: validation finds it, and fix repairs it',
    owner: tomas,
    isPrivate: true,
    tags: ['stores'],
    shares: [{ scope: 'all_org_users', role: 'VIEWER' }, reviewed],
    cards: [ordersByStore, shipmentsByDay],
  },
  {
    title: 'Stock alerts',
    description: 'For all of Alpine Outdoor',
    owner: grace,
    isPrivate: true,
    tags: ['stores'],
    shares: [{ scope: 'all_tenant_users', role: 'VIEWER', to: 'alpine-outdoor' }, reviewed],
    cards: [stockByProduct, marginByProduct],
  },
  {
    title: 'Campaign results',
    description: 'Tomás shares it further, and Citrus Travel reads it',
    owner: grace,
    isPrivate: true,
    tags: ['campaign', 'quarterly'],
    shares: [
      { scope: 'all_tenant_users', role: 'VIEWER', to: 'citrus-travel' },
      { scope: 'specific_org_user', role: 'CONTRIBUTOR', to: tomas },
      reviewed,
    ],
    cards: [bookingsByChannel, budgetByCampaign],
  },
  {
    title: 'Bike sales',
    description: 'Made by a customer for its workshop',
    owner: 'ingrid-dahl',
    isPrivate: true,
    tags: ['weekly'],
    shares: [{ scope: 'specific_tenant_user', role: 'VIEWER', to: 'oskar-lind' }],
    cards: [revenueByRegion],
  },
];
