import { screen } from '../../shell/screen.js';

export const connectionScreens = [
  screen('/connections', async () => ({ Screen: (await import('./ConnectionList.js')).ConnectionList })),
  screen('/connections/new', async () => ({ Screen: (await import('./NewConnection.js')).NewConnection })),
  screen('/connections/$id', async () => ({
    Screen: (await import('./ConnectionDetail.js')).ConnectionDetail,
  })),
];
