import type { audit } from '@gatehouse/contract';
import type { AreaParts, ServiceRuntime } from '@gatehouse/service';

/** Webhooks: who is told of what, and the deliveries. */
export async function startWebhooks(
  _runtime: ServiceRuntime,
): Promise<AreaParts<(typeof audit)['procedures']['webhooks']>> {
  return { handlers: {} };
}
