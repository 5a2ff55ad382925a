import { isIP } from 'node:net';

const EVERY_ADDRESS = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** The address at which this machine reaches a server that listens on `host`. */
export function baseUrlOf(host: string, port: number): string {
  const reachable = EVERY_ADDRESS.get(host) ?? host;
  return `http://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`;
}
