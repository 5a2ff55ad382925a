import { screen } from '../../shell/screen.js';

export const startScreens = [screen('/', () => import('./Start.js'))];
