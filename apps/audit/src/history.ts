import type { audit } from '@gatehouse/contract';
import type { AreaParts, ServiceRuntime } from '@gatehouse/service';

/** What was so at a moment in the past. */
export async function startHistory(
  _runtime: ServiceRuntime,
): Promise<AreaParts<(typeof audit)['procedures']['history']>> {
  return { handlers: {} };
}
