import { restricted, screen } from '../../shell/screen.js';

export const projectScreens = [
  screen('/projects', async () => ({ Screen: (await import('./Projects.js')).ProjectList })),
  restricted('/projects/new', 'ADMIN', async () => ({ Screen: (await import('./Projects.js')).NewProject })),
  screen('/projects/$id', async () => ({ Screen: (await import('./Projects.js')).ProjectDetail })),
];
