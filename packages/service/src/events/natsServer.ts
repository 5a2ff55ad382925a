import type { ConnectionOptions } from '@nats-io/transport-node';

const DIAL_TIMEOUT_MS = 2_000;
// A server that hangs is detected after the third ping.
const PING_INTERVAL_MS = 1_000;
const MAX_PINGS_OUT = 2;

/**
 * Returns the connection options of a server.
 *
 * @throws TypeError if the URL is malformed
 */
export function readServer(url: string): ConnectionOptions {
  const { protocol, host, username, password } = new URL(url);
  if (protocol !== 'nats:' && protocol !== 'tls:')
    throw new TypeError('a NATS URL must begin with nats:// or tls://');
  return {
    servers: host,
    timeout: DIAL_TIMEOUT_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: MAX_PINGS_OUT,
    ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(protocol === 'tls:' && { tls: {} }),
  };
}
