import type { Exchange } from '../respond.js';

const USER_AGENT_MAX = 200;

/** The address and the browser of a request, for the audit log. */
export function clientOf({ caller, request }: Exchange): { address: string; userAgent: string } {
  const named = request.headers['user-agent'] ?? '';
  // Browsers name themselves in ASCII. Other characters have no place in a log.
  const userAgent = named.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, USER_AGENT_MAX);
  return { address: caller.address ?? '', userAgent };
}
