import { screen } from '../../shell/screen.js';

export const homeScreens = [screen('/', async () => ({ Screen: (await import('./Home.js')).Home }))];
