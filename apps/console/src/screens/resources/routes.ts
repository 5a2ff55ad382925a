import { restricted, screen } from '../../shell/screen.js';

export const resourceScreens = [
  screen('/dashboards', async () => ({ Screen: (await import('./screens.js')).DashboardList })),
  restricted('/dashboards/new', 'POWER_USER', async () => ({
    Screen: (await import('./screens.js')).NewDashboard,
  })),
  screen('/dashboards/$id', async () => ({ Screen: (await import('./screens.js')).DashboardDetail })),
  screen('/visuals', async () => ({ Screen: (await import('./screens.js')).VisualList })),
  restricted('/visuals/new', 'POWER_USER', async () => ({
    Screen: (await import('./screens.js')).NewVisual,
  })),
  screen('/visuals/$id', async () => ({ Screen: (await import('./screens.js')).VisualDetail })),
];
