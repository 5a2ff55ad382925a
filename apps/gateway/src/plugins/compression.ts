import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { FairShares } from '@gatehouse/service';
import { accepts } from '../accepts.js';
import type { Caller } from '../admission/caller.js';
import type { GatewayResponse } from '../respond.js';

const compressBytes = promisify(gzip);

/** Smaller responses are sent as they are: compressing them gains less than it costs. */
const BYTES_MIN = 1024;
/** Most of the gain, for a fraction of the CPU time of the default level. */
const LEVEL = constants.Z_BEST_SPEED;
/** One response at a time: zlib has four threads, which would take both cores from the main thread. */
const LIMITS = { capacity: 1, perShare: 1, waitingPerShare: 1000, waiting: 10_000, waitMs: 2000 };

/**
 * Only reads are compressed: the responses that hold a secret or a token are those of writes, and a read
 * that is marked.
 */
export function mayCompress(
  { method, headers }: IncomingMessage,
  { body, status, holdsSecret }: GatewayResponse,
): boolean {
  if (holdsSecret || typeof body !== 'string' || status === 304 || Buffer.byteLength(body) < BYTES_MIN)
    return false;
  return (method === 'GET' || method === 'HEAD') && accepts(headers['accept-encoding'], 'gzip');
}

/** Compresses responses with gzip, fairly between callers. */
export class Compression {
  readonly #shares = new FairShares(LIMITS);
  /** The compressed form of each fixed body. */
  readonly #fixed = new Map<string, Promise<Buffer>>();

  /** Resolves to the compressed body; null if the body must be sent as it is. Never rejects. */
  async run({ share }: Caller, { body, isFixed }: GatewayResponse): Promise<Buffer | null> {
    if (typeof body !== 'string') return null;
    const compress = () => compressBytes(body, { level: LEVEL });
    if (!isFixed) return this.#shares.run(share, compress).catch(() => null);
    const compressed = this.#fixed.get(body) ?? compress();
    this.#fixed.set(body, compressed);
    return compressed.catch(() => null);
  }
}
