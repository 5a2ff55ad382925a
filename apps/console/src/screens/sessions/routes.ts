import { screen } from '../../shell/screen.js';

export const sessionScreens = [
  screen('/sessions', async () => ({ Screen: (await import('./SessionList.js')).Sessions })),
];
