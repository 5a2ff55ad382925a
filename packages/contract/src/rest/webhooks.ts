import type { Route } from './route.js';

/** Webhooks and their deliveries. */
export const webhooksRoutes = [] satisfies Route[];
