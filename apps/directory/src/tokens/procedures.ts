import { createEvent, type CallContext } from '@gatehouse/service';
import { callOrigin, type Directory, type DirectoryHandlers, type Input, type Output } from '../directory.js';
import { checkSecret, issueToken } from './issueToken.js';
import { rotateSigningKey } from './rotateSigningKey.js';
import { createSignInCode } from './signInCodes.js';

async function invalidateToken(
  { stores }: Directory,
  _input: Input<'tokens', 'invalidate'>,
  context: CallContext,
): Promise<Output<'tokens', 'invalidate'>> {
  const { organizationId, tokenId, tokenExpiresAt } = context.principal;
  const expiresAt = new Date(tokenExpiresAt * 1000);
  const data = { tokenId, expiresAt: expiresAt.toISOString() };
  const events = [createEvent('management.token.revoked.v1', tokenId, { origin: callOrigin(context), data })];
  await stores.revocations.insert(organizationId, { tokenId, expiresAt }, { events });
  return { message: 'The token was invalidated' };
}

export function createTokenProcedures(directory: Directory): DirectoryHandlers<'tokens'> {
  return {
    tokens: {
      issue: (input, context) => issueToken(directory, input, context),
      createSignInCode: (input, context) => createSignInCode(directory, input, context),
      checkSecret: (input, context) => checkSecret(directory, input, context),
      invalidate: (input, context) => invalidateToken(directory, input, context),
      keys: async () => ({ keys: await directory.stores.signingKeys.listPublic() }),
      rotateKey: (input, context) => rotateSigningKey(directory, input, context),
    },
  };
}
