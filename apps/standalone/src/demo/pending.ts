import type { GatewayOptions } from '@gatehouse/gateway';
import type { Logger } from '@gatehouse/service';
import type { DataDirectory } from '../dataDirectory.js';
import type { Installation } from '../installation.js';
import { completeDemo, type Demo } from './demo.js';
import { DEMO_FILE, formatDemoSettings } from './settings.js';

/** What the gateway of the demo logs: warnings at most, because no caller may use its address. */
function withoutAddress(log: Logger): Logger {
  return log.child({}, { level: log.isLevelEnabled('warn') ? 'warn' : log.level });
}

/**
 * Completes the demo organization if it is pending. It uses its own gateway on a free loopback port, because
 * the public one must serve only when all data exists.
 */
export async function loadPendingDemo(
  demo: Demo | null,
  { credentials, isAccepted }: Installation,
  { directory, parts }: { directory: DataDirectory; parts: GatewayOptions },
): Promise<void> {
  if (demo === null || demo.pending === null || !isAccepted) return;
  // Without a drain: its only callers have finished when it stops.
  const ownPlace = { HOST: '127.0.0.1', PORT: 0, RATE_LIMIT: 0, RATE_LIMIT_TOKEN: 0, DRAIN_MS: 0 };
  const config = { ...parts.config, ...ownPlace };
  parts.log.info('loading the demo organization');
  const [{ createGateway }, { loadDemo, moveDemo }] = await Promise.all([
    import('@gatehouse/gateway'),
    import('./load.js'),
  ]);
  const gateway = await createGateway({ ...parts, config, log: withoutAddress(parts.log) });
  try {
    const { url: baseUrl } = await gateway.listen();
    const { settings, servers } = demo;
    const load = demo.pending === 'load' ? loadDemo : moveDemo;
    await load({
      baseUrl,
      credentials,
      settings,
      servers,
      saveStaging: (staging) => directory.replace(DEMO_FILE, formatDemoSettings({ ...settings, staging })),
    });
  } finally {
    await gateway.stop();
  }
  await completeDemo(directory);
}
