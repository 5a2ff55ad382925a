import { defineRoute } from './define.js';

const BASE = '/api/management/v1';
const dashboard = `${BASE}/dashboards/{id}`;
const settings = { area: 'migration', tokens: 'projectOrOwnDashboard' } as const;
const ofProject = { area: 'migration' } as const;

/** Copies of dashboards in other projects. */
export const migrationRoutes = [
  defineRoute(
    ['POST', `${dashboard}/migrate`],
    {
      operationId: 'migrateDashboard',
      summary: 'Copy a dashboard into another project, with its references mapped to what is there',
      tag: 'Migration',
      procedure: 'lifecycle.migrations.migrate',
    },
    {
      lane: 'long',
      ...settings,
      errors: [
        'MISSING_MAPPING',
        'COMMIT_MESSAGE_REQUIRED',
        'TARGET_PROJECT_NOT_FOUND',
        'TARGET_RESOURCE_NOT_FOUND',
        'REPLACE_TARGET_NOT_FOUND',
        'DATA_APP_NOT_SUPPORTED',
        'MIGRATION_IN_PROGRESS',
        'COMMIT_FAILED',
      ],
    },
  ),
  defineRoute(
    ['GET', `${dashboard}/migrate/analysis`],
    {
      operationId: 'analyzeMigration',
      summary: 'List what a dashboard refers to, and what the target project offers in place of it',
      tag: 'Migration',
      procedure: 'lifecycle.migrations.analyze',
    },
    { lane: 'long', ...settings, errors: ['TARGET_PROJECT_NOT_FOUND', 'DATA_APP_NOT_SUPPORTED'] },
  ),
  defineRoute(
    ['GET', `${BASE}/migrations`],
    {
      operationId: 'listMigrations',
      summary: 'List the migrations from and into the project',
      tag: 'Migration',
      procedure: 'lifecycle.migrations.list',
    },
    ofProject,
  ),
  defineRoute(
    ['GET', `${BASE}/migrations/{id}`],
    {
      operationId: 'getMigration',
      summary: 'Read a migration: its plan, its steps and how far it is',
      tag: 'Migration',
      procedure: 'lifecycle.migrations.get',
    },
    { ...ofProject, errors: ['MIGRATION_NOT_FOUND'] },
  ),
  defineRoute(
    ['POST', `${BASE}/migrations/{id}/rollback`],
    {
      operationId: 'rollBackMigration',
      summary: 'Undo a migration, as long as nothing of it has been changed or used since',
      tag: 'Migration',
      procedure: 'lifecycle.migrations.rollback',
    },
    { lane: 'long', ...ofProject, errors: ['MIGRATION_NOT_FOUND', 'MIGRATION_IN_PROGRESS'] },
  ),
];
