import { accessRoutes } from './access.js';
import { auditRoutes } from './audit.js';
import { migrationRoutes } from './migration.js';
import { projectRoutes, sessionRoutes, tenantRoutes, tokenRoutes } from './organization.js';
import { policyRoutes } from './policy.js';
import { dashboardRoutes, visualRoutes } from './resources.js';
import type { Route } from './route.js';
import { assistantProfileRoutes, connectionRoutes, datamodelRoutes, domainRoutes } from './semantics.js';
import { groupRoutes, orgUserRoutes, tenantUserRoutes, unifiedUserRoutes } from './users.js';
import { validationRoutes } from './validation.js';
import { versionControlRoutes } from './versionControl.js';
import { webhooksRoutes } from './webhooks.js';

/** The REST surface. The gateway, the OpenAPI document and the client are folds over this one table. */
export const routeTable = [
  ...tokenRoutes,
  ...sessionRoutes,
  ...dashboardRoutes,
  ...visualRoutes,
  ...accessRoutes,
  ...groupRoutes,
  ...unifiedUserRoutes,
  ...tenantUserRoutes,
  ...tenantRoutes,
  ...orgUserRoutes,
  ...projectRoutes,
  ...domainRoutes,
  ...connectionRoutes,
  ...datamodelRoutes,
  ...assistantProfileRoutes,
  ...validationRoutes,
  ...policyRoutes,
  ...migrationRoutes,
  ...versionControlRoutes,
  ...auditRoutes,
  ...webhooksRoutes,
] as const;

/** The same, without the types of each line. */
export const routes: readonly Route[] = [...routeTable];
