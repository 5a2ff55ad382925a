import { screen } from '../../shell/screen.js';

export const validationScreens = [
  screen('/validation', async () => ({ Screen: (await import('./Board.js')).Board })),
  screen('/validation/$id', async () => ({ Screen: (await import('./OneDashboard.js')).OneDashboard })),
];
