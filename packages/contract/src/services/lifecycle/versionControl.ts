import type { Procedure } from '../procedure.js';

/** The git repository of a project, and the commits of its dashboards. */
export const versionControl = {} satisfies Record<string, Procedure>;
