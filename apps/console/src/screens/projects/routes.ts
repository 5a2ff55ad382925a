import { screen } from '../../shell/screen.js';

export const projectScreens = [
  screen('/projects', async () => ({ Screen: (await import('./Projects.js')).ProjectList })),
  screen('/projects/new', async () => ({ Screen: (await import('./Projects.js')).NewProject })),
  screen('/projects/$id', async () => ({ Screen: (await import('./Projects.js')).ProjectDetail })),
];
