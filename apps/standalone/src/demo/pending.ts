import { createGateway, type GatewayOptions } from '@gatehouse/gateway';
import type { DataDirectory } from '../dataDirectory.js';
import { completeDemo, type Installation } from '../installation.js';
import { loadDemo } from './load.js';

/**
 * Loads the demo organization if the first start is not complete without it. It uses its own gateway on a
 * free loopback port, because the public one must serve only when all data exists.
 */
export async function loadPendingDemo(
  { credentials, isDemoPending }: Installation,
  directory: DataDirectory,
  parts: GatewayOptions,
): Promise<void> {
  if (!isDemoPending) return;
  const ownPlace = { HOST: '127.0.0.1', PORT: 0, RATE_LIMIT: 0, RATE_LIMIT_TOKEN: 0 };
  const gateway = await createGateway({ ...parts, config: { ...parts.config, ...ownPlace } });
  try {
    const { url } = await gateway.listen();
    await loadDemo(url, credentials);
  } finally {
    await gateway.stop();
  }
  await completeDemo(directory);
}
