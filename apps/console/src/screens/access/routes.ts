import { screen } from '../../shell/screen.js';

export const accessScreens = [
  screen('/access', async () => ({ Screen: (await import('./Explorer.js')).Explorer })),
];
