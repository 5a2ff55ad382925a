import { restricted, screen } from '../../shell/screen.js';

export const policyScreens = [
  screen('/policies/definitions', async () => ({
    Screen: (await import('./DefinitionList.js')).DefinitionList,
  })),
  restricted('/policies/definitions/new', 'ADMIN', async () => ({
    Screen: (await import('./NewDefinition.js')).NewDefinition,
  })),
  screen('/policies/definitions/$id', async () => ({
    Screen: (await import('./DefinitionDetail.js')).DefinitionDetail,
  })),
  screen('/policies/assignments', async () => ({
    Screen: (await import('./AssignmentList.js')).AssignmentList,
  })),
  restricted('/policies/assignments/new', 'ADMIN', async () => ({
    Screen: (await import('./NewAssignment.js')).NewAssignment,
  })),
  screen('/policies/assignments/$id', async () => ({
    Screen: (await import('./AssignmentDetail.js')).AssignmentDetail,
  })),
  screen('/policies/workbench', async () => ({
    Screen: (await import('./workbench/Workbench.js')).Workbench,
  })),
];
