import { isIP, Socket, type LookupFunction } from 'node:net';
import type { Destination } from '@gatehouse/service';
import { IntrospectionError, type IntrospectionRequest } from './outcome.js';

/** How to reach a server, and how long reading it may take. */
export interface ServerJob {
  config: Exclude<IntrospectionRequest, { type: 'sqlite' }>['config'];
  destination: Destination;
  timeoutMs: number;
}

/** More than any catalog within the limits takes on the wire. */
const MAX_BYTES = 64 * 1024 * 1024;
const METER_INTERVAL_MS = 20;
/** How long one of several addresses may take to answer before the next is tried beside it. */
const ATTEMPT_TIMEOUT_MS = 2000;

/**
 * A socket that connects to the checked addresses of its destination and to nothing else, whatever a driver asks for, and
 * that breaks when the server sends more than a catalog can be.
 */
export class ServerSocket extends Socket {
  readonly #destination: Destination;

  constructor(destination: Destination) {
    super();
    this.#destination = destination;
    const meter = setInterval(() => {
      if (this.bytesRead > MAX_BYTES) this.destroy(new Error('The server has sent too much'));
    }, METER_INTERVAL_MS);
    this.once('close', () => clearInterval(meter));
  }

  override connect(): this {
    const { host, port, addresses } = this.#destination;
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    const lookup: LookupFunction = (_name, { all }, give) => {
      const [first] = found;
      if (all) give(null, found);
      else if (first) give(null, first.address, first.family);
    };
    return super.connect({
      host,
      port,
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
    });
  }
}

/** What is left when the server has said nothing that its driver knows as an error of the server. */
export function explainBrokenConnection(error: unknown): IntrospectionError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/CERT|SELF_SIGNED|UNABLE_TO_|^ERR_(SSL|TLS)|HANDSHAKE_SSL/.test(code)) {
    return new IntrospectionError(
      'unreachable',
      "TLS could not be set up, or the server's certificate could not be verified.",
      error,
    );
  }
  return new IntrospectionError(
    'unreachable',
    'The server could not be reached, or it broke the connection.',
    error,
  );
}
