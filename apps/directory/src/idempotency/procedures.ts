import { createHash } from 'node:crypto';
import { AppError } from '@gatehouse/contract';
import {
  type CallContext,
  findAppError,
  newKey,
  newSecret,
  retryOnConflict,
  type SealedField,
} from '@gatehouse/service';
import type { Directory, DirectoryHandlers, Input, Output } from '../directory.js';
import { claimStateOf } from './logic/claimState.js';
import { countedFor, type IdempotencyDocument } from './store.js';

/** The lease of a claim. It is longer than any request may take. */
const LEASE_MS = 60_000;
/** The retention of a stored response. */
const RETENTION_MS = 86_400_000;
/** Keys expire one by one: some are free again after this time. */
const SURPLUS_RETRY_SECONDS = 60;
/** The size limit of a stored body. A document holds 16 MiB, and sealing enlarges a body by a third. */
const BODY_BYTES_MAX = 10 * 1024 * 1024;

const SEPARATOR = '.';
/** A claim id starts with the id of its document, which contains no separator. */
const documentIdOf = (claimId: string) => claimId.split(SEPARATOR, 1)[0] ?? '';

/** The sealing context of a seed. It differs from that of the response, which is the document id alone. */
const seedContextOf = (documentId: string) => `${documentId}${SEPARATOR}seed`;

export const SEALED_RESPONSE_FIELDS: readonly SealedField[] = [
  { collection: 'idempotency', path: ['sealedSeed'], contextOf: ({ _id }) => seedContextOf(_id) },
  { collection: 'idempotency', path: ['answer', 'sealedBody'], contextOf: ({ _id }) => _id },
];

/** An organization that uses so many keys can send requests without one, and those that it repeats. */
function refuseSurplus(error: unknown): never {
  if (findAppError(error)?.code !== 'QUOTA_EXCEEDED') throw error;
  const message = 'The organization has used too many idempotency keys in 24 hours';
  throw new AppError('RATE_LIMITED', { message, retryAfterSeconds: SURPLUS_RETRY_SECONDS });
}

async function claimRequest(
  { stores, sealer }: Directory,
  { scope, key, requestHash, callerHash = '', ...by }: Input<'idempotency', 'claim'>,
  { now }: CallContext,
): Promise<Output<'idempotency', 'claim'>> {
  const _id = createHash('sha256')
    .update(JSON.stringify([scope, key]))
    .digest('base64url');
  const claimId = [_id, newKey()].join(SEPARATOR);
  const leaseUntil = new Date(now.getTime() + LEASE_MS);
  const expiresAt = new Date(now.getTime() + RETENTION_MS);
  const claimOf = (seed: string): IdempotencyDocument => {
    const sealedSeed = sealer.seal(seed, seedContextOf(_id));
    return { _id, ...keyedHashes(seed), claimId, leaseUntil, expiresAt, sealedSeed, ...countedFor(by, 0) };
  };
  const keyedHashes = (seed: string) => ({
    requestHash: newSecret({ key: seed }, `request ${requestHash}`),
    callerHash: newSecret({ key: seed }, `caller ${callerHash}`),
  });
  const operationKeyOf = (seed: string) => newSecret({ key: seed }, requestHash);
  const claimed = (seed: string) => {
    return { state: 'claimed' as const, claimId, operationKey: operationKeyOf(seed) };
  };
  return retryOnConflict(async () => {
    const found = await stores.idempotency.find(_id);
    const isKnown = found !== null && found.expiresAt > now;
    const seed = isKnown ? sealer.open(found.sealedSeed, seedContextOf(_id)) : newSecret();
    if (!found) {
      await stores.idempotency.insert(claimOf(seed)).catch(refuseSurplus);
      return claimed(seed);
    }
    const { answer, isReleased = false } = found;
    const hashes = keyedHashes(seed);
    const wantedHash = found.callerHash === undefined ? requestHash : hashes.requestHash;
    const isSameRequest = found.requestHash === wantedHash;
    const isSameCaller = found.callerHash === hashes.callerHash;
    const facts = { ...found, isSameRequest, isSameCaller, isAnswered: answer !== undefined, isReleased };
    const state = claimStateOf(facts, now);
    if (state === 'free') {
      await stores.idempotency.replace(found, claimOf(seed));
      return claimed(seed);
    }
    const operationKey = operationKeyOf(seed);
    if (state === 'changed') return { state, operationKey };
    if (state !== 'answered' || !answer) return { state: state === 'mismatch' ? 'mismatch' : 'running' };
    return { state, status: answer.status, body: sealer.open(answer.sealedBody, _id), operationKey };
  });
}

async function completeRequest(
  { stores: { idempotency }, sealer }: Directory,
  { claimId, status, body, ...by }: Input<'idempotency', 'complete'>,
): Promise<Output<'idempotency', 'complete'>> {
  const id = documentIdOf(claimId);
  if (Buffer.byteLength(body) > BODY_BYTES_MAX) return { isStored: false };
  const answer = { status, sealedBody: sealer.seal(body, id) };
  try {
    return { isStored: await idempotency.complete(id, claimId, { answer, ...by }) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'QUOTA_EXCEEDED') throw error;
    await idempotency.release(id, claimId);
    return { isStored: false };
  }
}

async function releaseRequest(
  { stores }: Directory,
  { claimId, mayBeDone }: Input<'idempotency', 'release'>,
): Promise<Output<'idempotency', 'release'>> {
  const { idempotency } = stores;
  const id = documentIdOf(claimId);
  return {
    isReleased: await (mayBeDone ? idempotency.release(id, claimId) : idempotency.delete(id, claimId)),
  };
}

export function createIdempotencyProcedures(directory: Directory): DirectoryHandlers<'idempotency'> {
  return {
    idempotency: {
      claim: (input, context) => claimRequest(directory, input, context),
      complete: (input) => completeRequest(directory, input),
      release: (input) => releaseRequest(directory, input),
    },
  };
}
