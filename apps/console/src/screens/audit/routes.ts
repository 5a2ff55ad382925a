import { screen } from '../../shell/screen.js';

export const auditScreens = [
  screen('/audit', async () => ({ Screen: (await import('./Timeline.js')).Timeline })),
];
