import { restricted, screen } from '../../shell/screen.js';

export const modelScreens = [
  screen('/domains', async () => ({ Screen: (await import('./Models.js')).DomainList })),
  restricted('/domains/new', 'ADMIN', async () => ({ Screen: (await import('./Models.js')).NewDomain })),
  screen('/domains/$id', async () => ({ Screen: (await import('./Models.js')).DomainDetail })),
  screen('/datamodels', async () => ({ Screen: (await import('./Models.js')).DatamodelList })),
  restricted('/datamodels/new', 'AUTHOR', async () => ({
    Screen: (await import('./Models.js')).NewDatamodel,
  })),
  screen('/datamodels/$id', async () => ({ Screen: (await import('./Models.js')).DatamodelDetail })),
];
