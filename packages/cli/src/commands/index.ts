import type { Command } from '../command.js';
import { auditCommands } from './audit.js';
import { createOperationCommands } from '../operations/operationCommands.js';
import { createCompletionCommands } from './completion.js';
import { configurationCommands } from './configuration.js';
import { consoleCommand } from './console.js';
import { dashboardCommands } from './dashboards.js';
import { dashboardChangeCommands } from './dashboardChanges.js';
import { explainCommand } from './explain.js';
import { migrateCommand } from './migrate.js';
import { previewCommand } from './preview.js';
import { profileCommands } from './profiles.js';
import { sessionCommands } from './session.js';
import { shareCommands } from './share.js';
import { validateCommand } from './validate.js';
import { whoamiCommand } from './whoami.js';

const ownCommands: readonly Command[] = [
  ...sessionCommands,
  whoamiCommand,
  consoleCommand,
  ...profileCommands,
  ...dashboardCommands,
  ...dashboardChangeCommands,
  ...shareCommands,
  explainCommand,
  previewCommand,
  validateCommand,
  migrateCommand,
  ...auditCommands,
  ...configurationCommands,
  ...createCompletionCommands(() => commands),
];

/** All commands, in the order of the help: those for frequent tasks, then one for each other operation. */
export const commands: readonly Command[] = [
  ...ownCommands,
  ...createOperationCommands(new Set(ownCommands.map(({ name }) => name))),
];
