import type { Route } from './route.js';

/** Dashboards copied into other projects. */
export const migrationRoutes = [] satisfies Route[];
