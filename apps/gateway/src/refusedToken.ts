import { AppError, type TokenClaims } from '@gatehouse/contract';

/**
 * The rejection of a token with a valid signature: the token has expired or been revoked, or its bearer no
 * longer exists. The response is the same as for any other invalid token.
 */
export class RefusedTokenError extends AppError {
  readonly claims: TokenClaims;

  constructor(claims: TokenClaims, cause?: unknown) {
    super('UNAUTHENTICATED', { cause });
    this.claims = claims;
  }
}
