import { restricted, screen } from '../../shell/screen.js';

export const groupScreens = [
  screen('/groups', async () => ({ Screen: (await import('./GroupList.js')).GroupList })),
  restricted('/groups/new', 'AUTHOR', async () => ({ Screen: (await import('./NewGroup.js')).NewGroup })),
  screen('/groups/$id', async () => ({ Screen: (await import('./GroupDetail.js')).GroupDetail })),
];
