import { restricted, screen } from '../../shell/screen.js';

export const migrationScreens = [
  screen('/migrations', async () => ({ Screen: (await import('./MigrationList.js')).MigrationList })),
  restricted('/migrations/new', 'AUTHOR', async () => ({
    Screen: (await import('./NewMigration.js')).NewMigration,
  })),
  screen('/migrations/$id', async () => ({ Screen: (await import('./MigrationDetail.js')).MigrationDetail })),
];
