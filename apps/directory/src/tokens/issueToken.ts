import type { CallContext } from '@gatehouse/service';
import type { Directory, Input, Output } from '../directory.js';
import { authenticateRequest } from './authenticateRequest.js';
import { validateTokenRequest } from './logic/validateRequest.js';
import { takeSignInCode } from './signInCodes.js';
import { signToken } from './signToken.js';
import { findBearer, refuseFields } from './tokenBearer.js';

export async function issueToken(
  directory: Directory,
  request: Input<'tokens', 'issue'>,
  context: CallContext,
): Promise<Output<'tokens', 'issue'>> {
  refuseFields(validateTokenRequest(request));
  const { signInCode } = request;
  const bearer =
    signInCode === undefined
      ? await findBearer(directory, request, context)
      : await takeSignInCode(directory, signInCode, context);
  return signToken(directory, bearer, context);
}

/** Checks a secret like `issueToken`, with the same errors after the same work, but issues no token. */
export async function checkSecret(
  directory: Directory,
  request: Input<'tokens', 'checkSecret'>,
  context: CallContext,
): Promise<Output<'tokens', 'checkSecret'>> {
  refuseFields(validateTokenRequest(request));
  await authenticateRequest(directory, request, context);
  return {};
}
