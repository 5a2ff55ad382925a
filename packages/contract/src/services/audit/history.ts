import type { Procedure } from '../procedure.js';

/** What was so at a moment in the past, as the record tells it. */
export const history = {} satisfies Record<string, Procedure>;
