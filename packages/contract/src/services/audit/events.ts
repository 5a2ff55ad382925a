import type { Procedure } from '../procedure.js';

/** The record of what was done, and of what was refused. */
export const events = {} satisfies Record<string, Procedure>;
