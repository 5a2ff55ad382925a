import type { Procedure } from '../procedure.js';

/** Dashboards copied into other projects. */
export const migrations = {} satisfies Record<string, Procedure>;
