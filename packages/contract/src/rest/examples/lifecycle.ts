import type { Example } from './example.js';

const dashboard = { id: '<dashboardId>' };
const version = { ...dashboard, sha: '<sha>' };
const migration = { id: '<migrationId>' };

export const lifecycleExamples = {
  validateDashboard: { body: { dashboardId: '<dashboardId>' } },
  validateAllDashboards: { body: { filter: { type: 'organization' } } },
  fixDashboard: { body: { dashboardId: '<dashboardId>' } },

  getVersionControl: {},
  putVersionControl: { step: 'make', body: { commitOnSave: 'optional', branch: 'main' } },
  deleteVersionControl: { step: 'end' },
  listDashboardVersions: { parameters: dashboard },
  getDashboardVersion: { parameters: version },
  diffDashboardVersions: { parameters: version },
  restoreDashboardVersion: { parameters: version, body: { commitMessage: 'Go back' } },

  analyzeMigration: { parameters: { ...dashboard, targetProjectId: '<exampleProjectId>' } },
  migrateDashboard: {
    parameters: dashboard,
    body: { targetProjectId: '<exampleProjectId>', connectionMapping: {} },
  },
  listMigrations: { parameters: { limit: '10' } },
  getMigration: { parameters: migration },
  rollBackMigration: { step: 'end', parameters: migration },
} as const satisfies Readonly<Record<string, Example>>;
