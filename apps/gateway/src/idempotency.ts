import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, invalidField, type Principal } from '@gatehouse/contract';
import type { CallOrigin, Logger, ServiceClients } from '@gatehouse/service';
import type { Answer } from './respond.js';

const KEY = /^[\x21-\x7e]{1,255}$/;
const POLL_MIN_MS = 20;
const POLL_MAX_MS = 250;

/** The key of a request. Throws INVALID_REQUEST unless it is 1 to 255 visible ASCII characters. */
export function readIdempotencyKey(header: string): string {
  if (!KEY.test(header)) throw invalidField('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');
  return header;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** JSON with the keys of every object in order, so that two bodies that say the same are the same. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/**
 * Names the caller. A request for a token has none yet: its ids and secrets stand for it, so that nobody without the
 * secret can use up, or read the answer of, another's key.
 */
function identityOf(principal: Principal | null, body: Record<string, unknown>): unknown[] {
  if (principal === null) {
    return ['token', body['projectId'], body['projectSecret'], body['dashboardId'], body['dashboardSecret']];
  }
  const { projectId, dashboardId } = principal;
  return [projectId, dashboardId, 'userKey' in principal ? principal.userKey : null];
}

export interface KeyedRequest {
  key: string;
  /** Null where the caller has no token yet. */
  principal: Principal | null;
  method: string;
  path: string;
  body: Record<string, unknown>;
  /** Made with a token of the gateway itself. */
  origin: CallOrigin;
}

interface Claim {
  scope: string;
  key: string;
  requestHash: string;
}

/** A longer answer is made anew for each request; only reads have such. */
export const KEPT_BYTES_MAX = 4 * 1024 * 1024;

/** What is kept of an answer. The entity tag is kept too: a replay has the very headers that its body had. */
interface KeptAnswer {
  contentType: string;
  entityTag: string | null;
  body: string;
}

export interface IdempotencyOptions {
  directory: Pick<ServiceClients['directory'], 'idempotency'>;
  /** How long a request waits for the one that runs with its key. */
  timeoutMs: number;
  log: Logger;
}

/**
 * Runs an operation once for each key. `run` answers always, with an error where it failed; the key that it is given goes
 * along with the call.
 */
export type RunOnce = (request: KeyedRequest, run: Run) => Promise<Answer>;
type Run = (operationKey: string) => Promise<Answer>;
type Claimed = Extract<
  Awaited<ReturnType<IdempotencyOptions['directory']['idempotency']['claim']>>,
  { state: 'claimed' }
>;

/** The text to keep. Failures that say nothing of the request itself are not kept: the same request may succeed later. */
function textToKeep({ status, contentType, entityTag, body }: Answer): string | null {
  if (status >= 500 || status === 401 || status === 429 || typeof body !== 'string') return null;
  return JSON.stringify({ contentType, entityTag, body } satisfies KeptAnswer);
}

/**
 * Makes POST requests with an `Idempotency-Key` safe to repeat: the first answer is kept for 24 hours, and is the answer to
 * every repetition of the request by the same caller.
 */
export function createRunOnce({ directory, timeoutMs, log }: IdempotencyOptions): RunOnce {
  const { claim, complete, release } = directory.idempotency;

  const claimInTime = async (origin: CallOrigin, wanted: Claim) => {
    const deadline = performance.now() + timeoutMs;
    for (let waitMs = POLL_MIN_MS; ; waitMs = Math.min(waitMs * 2, POLL_MAX_MS)) {
      const claimed = await claim(origin, wanted);
      if (claimed.state !== 'running') return claimed;
      if (performance.now() + waitMs > deadline) {
        const message = 'A request with this idempotency key is still running';
        throw new AppError('CONFLICT', { message, retryAfterSeconds: 1 });
      }
      await sleep(waitMs);
    }
  };

  const runClaimed = async (origin: CallOrigin, { claimId, operationKey }: Claimed, run: Run) => {
    const answer = await run(operationKey);
    // Whoever answered so, or did not answer, may have done it all the same.
    const mayBeDone = answer.status >= 500;
    const body = textToKeep(answer);
    try {
      if (body === null) await release(origin, { claimId, mayBeDone });
      else await complete(origin, { claimId, status: answer.status, body });
    } catch (err) {
      // What was done is done, and is answered; the claim lapses by itself.
      log.warn(
        { err, requestId: origin.requestId },
        'the answer to a request with an idempotency key was not kept',
      );
    }
    return answer;
  };

  return async ({ key, principal, method, path, body, origin }, run) => {
    const scope = hash(JSON.stringify([...identityOf(principal, body), method, path]));
    const claimed = await claimInTime(origin, { scope, key, requestHash: hash(canonicalJson(body)) });
    if (claimed.state === 'mismatch') throw new AppError('IDEMPOTENCY_KEY_REUSED');
    if (claimed.state === 'claimed') return runClaimed(origin, claimed, run);
    const kept = JSON.parse(claimed.body) as KeptAnswer;
    return { ...kept, status: claimed.status, headers: ['Idempotency-Replayed', 'true'] };
  };
}
