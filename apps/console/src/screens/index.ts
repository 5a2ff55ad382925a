import { accessScreens } from './access/routes.js';
import { assistantScreens } from './assistants/routes.js';
import { auditScreens } from './audit/routes.js';
import { connectionScreens } from './connections/routes.js';
import { groupScreens } from './groups/routes.js';
import { homeScreens } from './home/routes.js';
import { migrationScreens } from './migrations/routes.js';
import { modelScreens } from './models/routes.js';
import { peopleScreens } from './people/routes.js';
import { policyScreens } from './policies/routes.js';
import { projectScreens } from './projects/routes.js';
import { resourceScreens } from './resources/routes.js';
import { sessionScreens } from './sessions/routes.js';
import { tenantScreens } from './tenants/routes.js';
import { tokenScreens } from './tokens/routes.js';
import { validationScreens } from './validation/routes.js';
import { versionControlScreens } from './versionControl/routes.js';
import { webhookScreens } from './webhooks/routes.js';

/** All screens. A feature adds its folder here and its pages to `shell/navigation.ts`. */
export const screens = [
  ...homeScreens,
  ...resourceScreens,
  ...validationScreens,
  ...accessScreens,
  ...peopleScreens,
  ...groupScreens,
  ...tenantScreens,
  ...connectionScreens,
  ...modelScreens,
  ...assistantScreens,
  ...policyScreens,
  ...projectScreens,
  ...versionControlScreens,
  ...auditScreens,
  ...sessionScreens,
  ...tokenScreens,
  ...webhookScreens,
  ...migrationScreens,
];
