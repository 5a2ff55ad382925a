import type { Procedure } from '../procedure.js';

/** Addresses that are told of events. */
export const webhooks = {} satisfies Record<string, Procedure>;
