import { restricted, screen } from '../../shell/screen.js';

export const assistantScreens = [
  screen('/assistants', async () => ({ Screen: (await import('./Assistants.js')).AssistantList })),
  restricted('/assistants/new', 'AUTHOR', async () => ({
    Screen: (await import('./Assistants.js')).NewAssistant,
  })),
  screen('/assistants/$id', async () => ({ Screen: (await import('./Assistants.js')).AssistantDetail })),
];
