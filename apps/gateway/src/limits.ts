import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '@gatehouse/contract';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

const WINDOW_SECONDS = 60;

/** Counts requests against a limit and gives the headers that tell of it. Throws RATE_LIMITED, once past the limit. */
export interface RateLimit {
  count(key: string, headers: string[]): Promise<void>;
}

/**
 * A limit of `points` requests a minute for each key; null where there is no limit. Its state is told in the fields of
 * draft-ietf-httpapi-ratelimit-headers-10.
 */
export function createRateLimit(name: string, points: number): RateLimit | null {
  if (points === 0) return null;
  const limiter = new RateLimiterMemory({ points, duration: WINDOW_SECONDS });
  const policy = `"${name}";q=${points};w=${WINDOW_SECONDS}`;
  const tell = (headers: string[], { remainingPoints, msBeforeNext }: RateLimiterRes) => {
    const resetSeconds = Math.ceil(msBeforeNext / 1000);
    headers.push('RateLimit-Policy', policy, 'RateLimit', `"${name}";r=${remainingPoints};t=${resetSeconds}`);
  };
  return {
    async count(key, headers) {
      try {
        tell(headers, await limiter.consume(key));
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        tell(headers, refusal);
        throw new AppError('RATE_LIMITED', { retryAfterSeconds: Math.ceil(refusal.msBeforeNext / 1000) });
      }
    },
  };
}

const BUCKET_SALT = randomBytes(16);

/**
 * What stands for the sender of a request in its limit: of an IPv6 address the first 64 bits, because whoever has one
 * such network has all of its addresses.
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
 * One of 65,536 buckets for an id that nobody has verified. Made-up ids cannot fill the memory so, nor, as the salt is
 * this process's own, be chosen to fall together with another's.
 */
export function bucketOf(id: string): string {
  return createHash('sha256').update(BUCKET_SALT).update(id).digest('hex').slice(0, 4);
}
