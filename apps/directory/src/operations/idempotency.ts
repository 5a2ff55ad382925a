import { createHash } from 'node:crypto';
import { type CallContext, newKey, newSecret, type SealedField, untilWritten } from '@gatehouse/service';
import type { Answer, Directory, Input } from '../directory.js';
import { judgeClaim } from '../logic/idempotentRequest.js';
import type { IdempotencyDocument } from '../store/documents.js';

/** Longer than any request may take. */
const LEASE_MS = 60_000;
/** How long an answer is kept. */
const KEPT_MS = 86_400_000;
/** A document holds 16 MiB, and a sealed body grows by a third. */
const BODY_BYTES_MAX = 10 * 1024 * 1024;

const SEPARATOR = '.';
/** A claim's id starts with the id of its document, which has no separator in it. */
const documentIdOf = (claimId: string) => claimId.split(SEPARATOR, 1)[0] ?? '';

/** Seals apart from the answer, which is sealed under the id alone. */
const seedPlaceOf = (documentId: string) => `${documentId}${SEPARATOR}seed`;

export const SEALED_FIELDS: readonly SealedField[] = [
  { collection: 'idempotency', path: ['sealedSeed'], contextOf: ({ _id }) => seedPlaceOf(_id) },
  { collection: 'idempotency', path: ['answer', 'sealedBody'], contextOf: ({ _id }) => _id },
];

export async function claimRequest(
  { stores, sealer }: Directory,
  { scope, key, requestHash }: Input<'idempotency', 'claim'>,
  { now }: CallContext,
): Answer<'idempotency', 'claim'> {
  const _id = createHash('sha256')
    .update(JSON.stringify([scope, key]))
    .digest('base64url');
  const claimId = [_id, newKey()].join(SEPARATOR);
  const leaseUntil = new Date(now.getTime() + LEASE_MS);
  const expiresAt = new Date(now.getTime() + KEPT_MS);
  const claimOf = (seed: string): IdempotencyDocument => {
    const sealedSeed = sealer.seal(seed, seedPlaceOf(_id));
    return { _id, requestHash, claimId, leaseUntil, expiresAt, sealedSeed };
  };
  const claimed = (seed: string) => {
    const operationKey = newSecret({ key: seed }, requestHash);
    return { state: 'claimed' as const, claimId, operationKey };
  };
  return untilWritten(async () => {
    const found = await stores.idempotency.find(_id);
    const isKnown = found !== null && found.expiresAt > now;
    const seed = isKnown ? sealer.open(found.sealedSeed, seedPlaceOf(_id)) : newSecret();
    if (!found) return (await stores.idempotency.insert(claimOf(seed))) ? claimed(seed) : null;
    const { answer, isReleased = false } = found;
    const facts = { ...found, isAnswered: answer !== undefined, isReleased };
    const state = judgeClaim(facts, requestHash, now);
    if (state === 'free')
      return (await stores.idempotency.replace(found, claimOf(seed))) ? claimed(seed) : null;
    if (state !== 'answered' || !answer) return { state: state === 'mismatch' ? 'mismatch' : 'running' };
    return { state, status: answer.status, body: sealer.open(answer.sealedBody, _id) };
  });
}

export async function completeRequest(
  { stores, sealer }: Directory,
  { claimId, status, body }: Input<'idempotency', 'complete'>,
  _context: CallContext,
): Answer<'idempotency', 'complete'> {
  const id = documentIdOf(claimId);
  if (Buffer.byteLength(body) > BODY_BYTES_MAX) return { isStored: false };
  const answer = { status, sealedBody: sealer.seal(body, id) };
  return { isStored: await stores.idempotency.answer(id, claimId, answer) };
}

export async function releaseRequest(
  { stores }: Directory,
  { claimId, mayBeDone }: Input<'idempotency', 'release'>,
  _context: CallContext,
): Answer<'idempotency', 'release'> {
  const { idempotency } = stores;
  const id = documentIdOf(claimId);
  return {
    isReleased: await (mayBeDone ? idempotency.release(id, claimId) : idempotency.delete(id, claimId)),
  };
}
