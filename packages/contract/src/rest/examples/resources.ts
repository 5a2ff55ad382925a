import type { Example } from './example.js';

const dashboard = { id: '<dashboardId>' };
const visual = { id: '<visualId>' };
const target = { scope: 'specific_tenant_user', tenantUserId: '<tenantUserId>' };
const changeShares = {
  operations: [
    { op: 'create', ...target, role: 'VIEWER' },
    { op: 'delete', ...target },
  ],
};
const template = {
  sheets: [
    {
      id: 'sheet-1',
      title: 'Overview',
      frames: [{ id: 'frame-1', cards: [{ id: 'card-1', title: 'Orders', type: 'table' }] }],
    },
  ],
  filters: [],
};

export const resourceExamples = {
  listDashboards: { parameters: { scope: 'organization', sort: 'title', limit: '20' } },
  createDashboard: {
    step: 'make',
    body: { title: 'Example dashboard', description: 'Made from the reference', tags: ['example'], template },
  },
  getDashboard: { parameters: dashboard },
  updateDashboard: {
    parameters: dashboard,
    body: { tags: ['example', 'changed'], commitMessage: 'Tag the example' },
  },
  duplicateDashboard: { step: 'make', parameters: dashboard, body: { title: 'Example copy' } },
  takeDashboardOwnership: { parameters: dashboard },
  rotateDashboardSecret: { parameters: dashboard },
  shareDashboard: { parameters: dashboard, body: { shares: [{ ...target, role: 'EDITOR' }] } },
  listDashboardShares: { parameters: dashboard },
  explainDashboardAccess: { parameters: { ...dashboard, userId: '<tenantUserId>' } },
  listDashboardViewers: { parameters: { ...dashboard, limit: '20' } },
  revokeDashboardShares: { parameters: dashboard, body: { shares: [target] } },
  batchDashboardShares: { parameters: dashboard, body: changeShares },
  batchDashboards: { body: { operations: [{ op: 'update', id: '<dashboardId>', tags: ['example'] }] } },
  deleteDashboard: { step: 'end', parameters: { id: '<anyDashboardId>' } },

  listVisuals: { parameters: { scope: 'organization', limit: '20' } },
  createVisual: {
    step: 'make',
    body: { title: 'Example visual', frameObject: { id: 'frame-1', cards: [] } },
  },
  getVisual: { parameters: visual },
  updateVisual: { parameters: visual, body: { description: 'Changed from the reference' } },
  duplicateVisual: { step: 'make', parameters: visual, body: { title: 'Example copy' } },
  takeVisualOwnership: { parameters: visual },
  shareVisual: { parameters: visual, body: { shares: [{ ...target, role: 'VIEWER' }] } },
  listVisualShares: { parameters: visual },
  explainVisualAccess: { parameters: { ...visual, userId: '<tenantUserId>' } },
  listVisualViewers: { parameters: { ...visual, limit: '20' } },
  revokeVisualShares: { parameters: visual, body: { shares: [target] } },
  batchVisualShares: { parameters: visual, body: changeShares },
  checkAccess: {
    body: {
      checks: [
        { resourceType: 'dashboard', resourceId: '<dashboardId>', level: 'EDITOR' },
        { resourceType: 'dashboard', resourceId: '<dashboardId>', userId: '<tenantUserId>', level: 'VIEWER' },
        { resourceType: 'visual', resourceId: '<visualId>', userId: '<tenantUserId>', level: 'OWNER' },
      ],
      reasons: true,
    },
  },
  listAccess: { body: { resourceType: 'dashboard', userId: '<tenantUserId>' } },
  listAccessSubjects: { body: { resourceType: 'dashboard', resourceId: '<dashboardId>', level: 'EDITOR' } },
  deleteVisual: { step: 'end', parameters: { id: '<anyVisualId>' } },
} as const satisfies Readonly<Record<string, Example>>;
