import type { IntrospectionLimits, IntrospectionOutcome, IntrospectionRequest } from './outcome.js';

export type { IntrospectionLimits, IntrospectionOutcome, IntrospectionReason, IntrospectionRequest } from './outcome.js';

/**
 * Reads the catalog of a real database over a connection of its own, in a read-only session, and closes it.
 * Never throws: what goes wrong is an outcome.
 */
export async function introspect(
  request: IntrospectionRequest,
  limits: IntrospectionLimits,
): Promise<IntrospectionOutcome> {
  return { ok: false, reason: 'notAllowed', message: `Not yet: ${request.type} ${limits.timeoutMs}` };
}
