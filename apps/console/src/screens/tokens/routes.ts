import { restricted } from '../../shell/screen.js';

export const tokenScreens = [
  restricted('/tokens', 'ADMIN', async () => ({ Screen: (await import('./Tokens.js')).Tokens })),
];
