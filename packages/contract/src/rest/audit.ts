import type { Route } from './route.js';

/** The record of what happened. */
export const auditRoutes = [] satisfies Route[];
