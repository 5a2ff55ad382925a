import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, invalidField, type Principal, type ProcedureOutput } from '@gatehouse/contract';
import type { CallOrigin, Logger, ServiceClients } from '@gatehouse/service';
import type { GatewayResponse } from '../respond.js';
import { hashCanonically } from './canonicalHash.js';

const KEY = /^[\x21-\x7e]{1,255}$/;
const POLL_MIN_MS = 20;
const POLL_MAX_MS = 250;

/** Returns the key of a request. Throws INVALID_REQUEST unless it is 1 to 255 visible ASCII characters. */
export function readIdempotencyKey(header: string): string {
  if (!KEY.test(header))
    throw invalidField('Idempotency-Key', 'must be 1 to 255 visible ASCII characters', 'format');
  return header;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/**
 * Returns the identity of the caller. A token request has no principal, so its ids and secrets identify
 * it. A caller without the secret can therefore neither use another caller's key nor read its response.
 */
function identityOf(principal: Principal | null, body: Record<string, unknown>): unknown[] {
  if (principal === null) {
    return ['token', body['projectId'], body['projectSecret'], body['dashboardId'], body['dashboardSecret']];
  }
  const { projectId, dashboardId } = principal;
  return [projectId, dashboardId, 'userKey' in principal ? principal.userKey : null];
}

/**
 * Hashes everything else about the caller that a response may depend on: its role, its groups, and the
 * parameters and limits of its token. Two tokens with the same rights have the same hash.
 */
async function hashRights(principal: Principal | null): Promise<string> {
  if (principal === null) return hash('');
  const { tokenId: _id, tokenExpiresAt: _expiry, ...rights } = principal;
  const groupIds = 'groupIds' in rights ? rights.groupIds.toSorted() : [];
  return hashCanonically({ ...rights, groupIds });
}

export interface KeyedRequest {
  key: string;
  /** Null for a caller that has no token yet. */
  principal: Principal | null;
  method: string;
  path: string;
  body: Record<string, unknown>;
  /** The origin of a call to the directory. Created for each call: a wait may outlast an internal token. */
  origin: () => Promise<CallOrigin>;
  /** False for a request whose response follows from current facts alone: it runs each time. */
  isReplayable: boolean;
  /** Releases the place of the request while it waits. Resolves to a function that acquires a place again. */
  park: () => Promise<() => Promise<void>>;
  /** The principal after a wait. Throws UNAUTHENTICATED if the access of the caller has ended. */
  findAgain: () => Promise<Principal | null>;
}

interface Claim {
  scope: string;
  key: string;
  requestHash: string;
  callerHash: string;
  holder?: string;
  tenantId?: string;
}

/** The organization that a stored response counts for: for a token request, its project or dashboard. */
function holderOf({ principal, body }: Pick<KeyedRequest, 'principal' | 'body'>) {
  if (principal === null) return { holder: String(body['projectId'] ?? body['dashboardId']) };
  const { organizationId: holder } = principal;
  return principal.kind === 'tenantUser' ? { holder, tenantId: principal.tenantId } : { holder };
}

/** The stored part of a response, with the entity tag, so that a replay has the headers of the original. */
interface StoredResponse {
  contentType: string;
  entityTag: string | null;
  body: string;
  /** Absent if an earlier version stored it. */
  headers?: readonly string[];
}

export interface IdempotencyOptions {
  directory: Pick<ServiceClients['directory'], 'idempotency'>;
  /** The longest time that a request waits for the one that runs with its key, in milliseconds. */
  timeoutMs: number;
  log: Logger;
}

/**
 * Runs an operation once for each key. `run` never rejects: a failure is an error response. It sends the
 * operation key with its calls.
 */
export type RunOnce = (request: KeyedRequest, run: Run) => Promise<GatewayResponse>;
type Run = (operationKey: string) => Promise<GatewayResponse>;
type Claimed = Extract<ProcedureOutput<'directory.idempotency.claim'>, { state: 'claimed' }>;

/** Stored in place of a response that is never replayed: the key stays that of its request. */
const NOT_REPLAYED = 'null';

/**
 * Serializes a response to store. Returns null if the failure may be temporary, so that a retry may succeed.
 * Failures of token requests are not stored either: their caller is unknown, so they would count for no
 * organization.
 */
function serialize(
  { status, contentType, entityTag, body, headers }: GatewayResponse,
  { principal, isReplayable }: Pick<KeyedRequest, 'principal' | 'isReplayable'>,
): string | null {
  if (status >= 500 || status === 401 || status === 429) return null;
  if (!isReplayable) return NOT_REPLAYED;
  if (typeof body !== 'string' || (principal === null && status >= 400)) return null;
  return JSON.stringify({ contentType, entityTag, body, headers } satisfies StoredResponse);
}

/** Throws UNAUTHENTICATED if the access of the caller ended during a wait, and CONFLICT for other rights. */
async function requireSameRights({ findAgain }: Pick<KeyedRequest, 'findAgain'>, { callerHash }: Claim) {
  if ((await hashRights(await findAgain())) === callerHash) return;
  const message = 'The rights of the caller changed while the request waited';
  throw new AppError('CONFLICT', { message, retryAfterSeconds: 1 });
}

/**
 * Claims a key. While another request runs with the key, this one waits and holds no place.
 *
 * @throws CONFLICT when the other request runs for too long
 * @throws RATE_LIMITED when too many requests of the caller wait like this
 * @throws UNAUTHENTICATED or CONFLICT when the rights of the caller change meanwhile
 */
async function claimInTime(
  { directory, timeoutMs }: Pick<IdempotencyOptions, 'directory' | 'timeoutMs'>,
  wanted: Claim,
  { origin, park, findAgain }: Pick<KeyedRequest, 'origin' | 'park' | 'findAgain'>,
) {
  const { claim, release } = directory.idempotency;
  const deadline = performance.now() + timeoutMs;
  let resume: (() => Promise<void>) | undefined;
  for (let waitMs = POLL_MIN_MS; ; waitMs = Math.min(waitMs * 2, POLL_MAX_MS)) {
    const claimed = await claim.mutate(wanted, { context: await origin() });
    if (claimed.state !== 'running') {
      const proceed = async () => {
        await resume?.();
        if (resume) await requireSameRights({ findAgain }, wanted);
      };
      await proceed().catch(async (error: unknown) => {
        if (claimed.state === 'claimed')
          await release.mutate({ claimId: claimed.claimId, mayBeDone: false }, { context: await origin() });
        throw error;
      });
      return claimed;
    }
    resume ??= await park();
    if (performance.now() + waitMs > deadline) {
      const message = 'A request with this idempotency key is still running';
      throw new AppError('CONFLICT', { message, retryAfterSeconds: 1 });
    }
    await sleep(waitMs);
  }
}

/**
 * Makes POST requests with an `Idempotency-Key` safe to retry. The first response is stored for 24 hours,
 * and the same caller gets it for every retry. A request that is not replayable runs again instead. For a
 * caller whose rights have changed, the request runs again with the current rights and the same operation
 * key, so it finds the result of the first run and creates nothing twice.
 */
export function createRunOnce({ directory, timeoutMs, log }: IdempotencyOptions): RunOnce {
  const { complete, release } = directory.idempotency;

  const runClaimed = async (request: KeyedRequest, { claimId, operationKey }: Claimed, run: Run) => {
    const response = await run(operationKey);
    // A service that failed or did not respond may still have performed the operation.
    const mayBeDone = response.status >= 500;
    const body = serialize(response, request);
    const context = await request.origin();
    try {
      if (body === null) await release.mutate({ claimId, mayBeDone }, { context });
      else {
        const stored = { claimId, status: response.status, body, ...holderOf(request) };
        await complete.mutate(stored, { context });
      }
    } catch (err) {
      // The operation is complete, so the caller gets its response. The claim expires.
      log.warn(
        { err, requestId: context.requestId },
        'response to a request with an idempotency key not stored',
      );
    }
    return response;
  };

  return async (request, run) => {
    const { key, principal, method, path, body, isReplayable } = request;
    const scope = hash(JSON.stringify([...identityOf(principal, body), method, path]));
    const requestHash = await hashCanonically(body);
    const callerHash = await hashRights(principal);
    // The project that a token request names is not verified yet.
    const wanted = { scope, key, requestHash, callerHash, ...(principal !== null && holderOf(request)) };
    const claimed = await claimInTime({ directory, timeoutMs }, wanted, request);
    if (claimed.state === 'mismatch') throw new AppError('IDEMPOTENCY_KEY_REUSED');
    if (claimed.state === 'claimed') return runClaimed(request, claimed, run);
    if (claimed.state === 'changed' || !isReplayable) return run(claimed.operationKey);
    // A token request has no rights to compare, so its secret is checked before the stored token is returned.
    const decision = principal === null ? await run(claimed.operationKey) : null;
    if (decision !== null && decision.status >= 400) return decision;
    const stored = JSON.parse(claimed.body) as StoredResponse;
    const headers = [...(stored.headers ?? []), 'Idempotency-Replayed', 'true'];
    return { ...stored, status: claimed.status, headers };
  };
}
