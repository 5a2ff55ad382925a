import type { audit } from '@gatehouse/contract';
import type { AreaParts, ServiceRuntime } from '@gatehouse/service';

/** The record of what was done and of what was refused. */
export async function startEventLog(
  _runtime: ServiceRuntime,
): Promise<AreaParts<(typeof audit)['procedures']['events']>> {
  return { handlers: {} };
}
