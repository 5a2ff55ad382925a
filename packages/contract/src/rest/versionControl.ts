import type { Route } from './route.js';

/** The repository of the project, and the versions of its dashboards. */
export const versionControlRoutes = [] satisfies Route[];
