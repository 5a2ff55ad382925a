import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '@gatehouse/contract';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

const WINDOW_SECONDS = 60;

/** Counts requests against a limit. */
export interface RateLimit {
  /**
   * Counts a request and adds the rate limit headers to `headers`.
   *
   * @param points what the request costs; by default 1
   * @throws RATE_LIMITED when the key has exceeded the limit
   */
  count(key: string, headers: string[], points?: number): Promise<void>;
  /** Returns true if the next `count` for the key throws. */
  isSpent(key: string): Promise<boolean>;
}

/**
 * Creates a limit of requests per minute and key. Returns null for 0 points, which means no
 * limit. The headers are those of draft-ietf-httpapi-ratelimit-headers-10.
 */
export function createRateLimit(name: string, limit: number): RateLimit | null {
  if (limit === 0) return null;
  const limiter = new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS });
  const policy = `"${name}";q=${limit};w=${WINDOW_SECONDS}`;
  const writeHeaders = (headers: string[], { remainingPoints, msBeforeNext }: RateLimiterRes) => {
    const resetSeconds = Math.ceil(msBeforeNext / 1000);
    // Counted again, a request has the later numbers alone.
    const former = headers.indexOf('RateLimit-Policy');
    if (former >= 0) headers.splice(former, 4);
    headers.push('RateLimit-Policy', policy, 'RateLimit', `"${name}";r=${remainingPoints};t=${resetSeconds}`);
  };
  return {
    isSpent: async (key) => ((await limiter.get(key))?.consumedPoints ?? 0) >= limit,
    async count(key, headers, points = 1) {
      try {
        writeHeaders(headers, await limiter.consume(key, points));
      } catch (rejection) {
        if (!(rejection instanceof RateLimiterRes)) throw rejection;
        writeHeaders(headers, rejection);
        throw new AppError('RATE_LIMITED', { retryAfterSeconds: Math.ceil(rejection.msBeforeNext / 1000) });
      }
    },
  };
}

const BUCKET_SALT = randomBytes(16);

/**
 * Returns the network that requests from an address count against. For an IPv6 address this is the first
 * 64 bits, because the holder of such a network has all of its addresses.
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - groups.length - after.length }, () => '0');
  return [...groups, ...zeros, ...after].slice(0, 4).join(':');
}

/**
 * Returns one of 65,536 buckets for an unverified id. The fixed number keeps invented ids from filling the
 * memory. The salt is private to the process, so a caller cannot choose an id that shares a bucket with
 * another caller.
 */
export function bucketOf(id: string): string {
  return createHash('sha256').update(BUCKET_SALT).update(id).digest('hex').slice(0, 4);
}
