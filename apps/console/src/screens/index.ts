import { accessScreens } from './access/routes.js';
import { auditScreens } from './audit/routes.js';
import { homeScreens } from './home/routes.js';
import { migrationScreens } from './migrations/routes.js';
import { resourceScreens } from './resources/routes.js';
import { validationScreens } from './validation/routes.js';
import { webhookScreens } from './webhooks/routes.js';

/** All screens. A feature adds its folder here and its pages to `shell/navigation.ts`. */
export const screens = [
  ...homeScreens,
  ...resourceScreens,
  ...validationScreens,
  ...accessScreens,
  ...auditScreens,
  ...webhookScreens,
  ...migrationScreens,
];
