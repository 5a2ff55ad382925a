import { screen } from '../../shell/screen.js';

export const versionControlScreens = [
  screen('/version-control', async () => ({
    Screen: (await import('./VersionControl.js')).VersionControl,
  })),
];
