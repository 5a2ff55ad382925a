import { createHash } from 'node:crypto';
import { newKey, type CallContext } from '@gatehouse/service';
import type { Answer, Directory, Input } from '../directory.js';
import { judgeClaim } from '../logic/idempotentRequest.js';
import type { IdempotencyDocument } from '../store/documents.js';
import { untilWritten } from './untilWritten.js';

/** Longer than any request may take. */
const LEASE_MS = 60_000;
/** How long an answer is kept. */
const KEPT_MS = 86_400_000;
/** A document holds 16 MiB, and a sealed body grows by a third. */
const BODY_BYTES_MAX = 10 * 1024 * 1024;

const SEPARATOR = '.';
/** A claim's id starts with the id of its document, which has no separator in it. */
const documentIdOf = (claimId: string) => claimId.split(SEPARATOR, 1)[0] ?? '';

export async function claimRequest(
  { stores, sealer }: Directory,
  { scope, key, requestHash }: Input<'idempotency', 'claim'>,
  { now }: CallContext,
): Answer<'idempotency', 'claim'> {
  const _id = createHash('sha256')
    .update(JSON.stringify([scope, key]))
    .digest('base64url');
  const claim: IdempotencyDocument = {
    _id,
    requestHash,
    claimId: [_id, newKey()].join(SEPARATOR),
    leaseUntil: new Date(now.getTime() + LEASE_MS),
    expiresAt: new Date(now.getTime() + KEPT_MS),
  };
  const claimed = { state: 'claimed' as const, claimId: claim.claimId };
  return untilWritten(async () => {
    const found = await stores.idempotency.find(_id);
    if (!found) return (await stores.idempotency.insert(claim)) ? claimed : null;
    const state = judgeClaim({ ...found, isAnswered: found.answer !== undefined }, requestHash, now);
    if (state === 'free') return (await stores.idempotency.replace(found, claim)) ? claimed : null;
    if (state !== 'answered' || !found.answer)
      return { state: state === 'mismatch' ? 'mismatch' : 'running' };
    const { status, sealedBody } = found.answer;
    return { state, status, body: sealer.open(sealedBody, _id) };
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
  { claimId }: Input<'idempotency', 'release'>,
  _context: CallContext,
): Answer<'idempotency', 'release'> {
  return { isReleased: await stores.idempotency.delete(documentIdOf(claimId), claimId) };
}
