import type { ConnectionOptions } from '@nats-io/transport-node';

const DIAL_TIMEOUT_MS = 2_000;
// A server that hangs is noticed after the third ping.
const PING_INTERVAL_MS = 1_000;
const MAX_PINGS_OUT = 2;

/**
 * How to connect to a server.
 *
 * @throws TypeError when the URL is malformed.
 */
export function readServer(url: string): ConnectionOptions {
  const { protocol, host, username, password } = new URL(url);
  if (protocol !== 'nats:' && protocol !== 'tls:')
    throw new TypeError('A NATS URL begins with nats:// or tls://');
  return {
    servers: host,
    timeout: DIAL_TIMEOUT_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: MAX_PINGS_OUT,
    ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(protocol === 'tls:' && { tls: {} }),
  };
}
