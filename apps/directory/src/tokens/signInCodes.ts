import { AppError } from '@gatehouse/contract';
import {
  createEvent,
  hashSecret,
  newId,
  newSecret,
  type CallContext,
  type SealedField,
} from '@gatehouse/service';
import { systemOrigin, type Directory, type Input, type Output } from '../directory.js';
import { validateCodeRequest } from './logic/validateRequest.js';
import type { SignInCode } from './store.js';
import { findBearer, refuseFields, type TokenBearer } from './tokenBearer.js';

/** How long a code can be used. */
const LIFETIME_MS = 10 * 60_000;

export const SEALED_CODE_FIELDS: readonly SealedField[] = [
  { collection: 'signInCodes', path: ['sealedBearer'], contextOf: ({ _id }) => _id },
];

/**
 * Creates a code that can be exchanged once for the token that the request describes. Only its hash is
 * stored.
 */
export async function createSignInCode(
  directory: Directory,
  request: Input<'tokens', 'createSignInCode'>,
  context: CallContext,
): Promise<Output<'tokens', 'createSignInCode'>> {
  refuseFields(validateCodeRequest(request));
  const bearer = await findBearer(directory, request, context);
  const { organizationId, projectId, orgUserId, tenantUserId } = bearer.claims;
  const signInCode = newSecret();
  const _id = hashSecret(signInCode);
  const id = newId('signInCode');
  const userId = orgUserId ?? tenantUserId ?? '';
  const expiresAt = new Date(context.now.getTime() + LIFETIME_MS);
  const data = { id, projectId, userId, expiresAt: expiresAt.toISOString() };
  const origin = systemOrigin(context, organizationId, projectId);
  const events = [createEvent('management.sign_in_code.created.v1', id, { origin, data })];
  const sealedBearer = directory.sealer.seal(JSON.stringify(bearer), _id);
  const document = { _id, id, organizationId, projectId, userId, sealedBearer, expiresAt };
  await directory.stores.signInCodes.insert(organizationId, document, { events });
  return { signInCode, expiresAt: data.expiresAt };
}

/**
 * Takes a code, so that it cannot be used again, and returns what its token claims.
 * @throws UNAUTHENTICATED for a code that is unknown, used or expired, all with the same message
 */
export async function takeSignInCode(
  { stores, sealer }: Directory,
  signInCode: string,
  context: CallContext,
): Promise<TokenBearer> {
  const _id = hashSecret(signInCode);
  const found = await stores.signInCodes.find(_id, context.now);
  const taken =
    found !== null &&
    (await stores.signInCodes.take(found.organizationId, _id, {
      now: context.now,
      events: [usedEvent(found, context)],
    }));
  if (!taken)
    throw new AppError('UNAUTHENTICATED', { message: 'The sign-in code is invalid, used or expired' });
  return JSON.parse(sealer.open(found.sealedBearer, _id)) as TokenBearer;
}

function usedEvent({ id, organizationId, projectId, userId, expiresAt }: SignInCode, context: CallContext) {
  const origin = systemOrigin(context, organizationId, projectId);
  const data = { id, projectId, userId, expiresAt: expiresAt.toISOString() };
  return createEvent('management.sign_in_code.used.v1', id, { origin, data });
}
