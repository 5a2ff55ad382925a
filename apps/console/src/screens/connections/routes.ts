import { restricted, screen } from '../../shell/screen.js';

export const connectionScreens = [
  screen('/connections', async () => ({ Screen: (await import('./ConnectionList.js')).ConnectionList })),
  restricted('/connections/new', 'ADMIN', async () => ({
    Screen: (await import('./NewConnection.js')).NewConnection,
  })),
  screen('/connections/$id', async () => ({
    Screen: (await import('./ConnectionDetail.js')).ConnectionDetail,
  })),
];
