import { isIP, Socket, type LookupFunction } from 'node:net';
import type { Destination } from '@gatehouse/service';
import { IntrospectionError, type IntrospectionRequest } from './logic/outcome.js';

/** The server to read, its checked addresses, and the time limit. */
export interface ServerJob {
  config: Exclude<IntrospectionRequest, { type: 'sqlite' }>['config'];
  destination: Destination;
  timeoutMs: number;
}

/** More than any catalog within the limits needs on the wire. */
const MAX_BYTES = 64 * 1024 * 1024;
const METER_INTERVAL_MS = 20;
/** The wait for one address before the next one is tried in parallel. */
const ATTEMPT_TIMEOUT_MS = 2000;

/**
 * A socket that connects only to the checked addresses of its destination, whatever address a driver passes,
 * and that is destroyed when the server sends more than a catalog can need.
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

/**
 * Meanings of Node's error codes and of OpenSSL's messages (X509_verify_cert_error_string): the errors of
 * some drivers have only the message.
 */
const CERTIFICATE_FAULTS: readonly (readonly [RegExp, string])[] = [
  [/CERT_HAS_EXPIRED|certificate has expired/, 'it has expired'],
  [/CERT_NOT_YET_VALID|certificate is not yet valid/, 'it is not valid yet'],
  [/ALTNAME_INVALID|does not match certificate/, 'it is for another host name'],
  [/DEPTH_ZERO_SELF_SIGNED|self[- ]signed certificate$/, 'it is self-signed'],
  [
    /SELF_SIGNED|UNABLE_TO_|self[- ]signed certificate in|unable to (get|verify)/,
    'it is of an authority that is not trusted',
  ],
  [/CERT_|certificate/, 'it cannot be used'],
];

function findTlsFault(code: string, message: string): string | null {
  // A network failure, not a failure of TLS.
  if (/ECONN|EPIPE|disconnected before/.test(message)) return null;
  const isTls = /CERT|SELF_SIGNED|UNABLE_TO_|EPROTO|^ERR_(SSL|TLS)|HANDSHAKE_SSL/.test(code);
  if (!isTls) return null;
  const fault = CERTIFICATE_FAULTS.find(([pattern]) => pattern.test(code) || pattern.test(message));
  if (fault === undefined) return 'TLS could not be set up with the server.';
  return `The server's certificate could not be verified: ${fault[1]}.`;
}

/** The connection requires TLS, and the server does not offer it. */
export function withoutTls(cause: Error): IntrospectionError {
  return new IntrospectionError(
    'untrusted',
    'The server offers no TLS, which the connection requires.',
    cause,
  );
}

/** The error of a connection when the driver reports no error of the server. */
export function explainBrokenConnection(error: unknown): IntrospectionError {
  const { code = '', message = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const fault = findTlsFault(code, message);
  if (fault !== null) return new IntrospectionError('untrusted', fault, error);
  return new IntrospectionError(
    'unreachable',
    'The server could not be reached, or it broke the connection.',
    error,
  );
}
