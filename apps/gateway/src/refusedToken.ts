import { AppError, type TokenClaims } from '@gatehouse/contract';

/**
 * Why a token is refused that the platform did sign: it has ended, was revoked, or its bearer is nobody any more. The caller is told
 * no more than of any other token.
 */
export class RefusedTokenError extends AppError {
  readonly claims: TokenClaims;

  constructor(claims: TokenClaims, cause?: unknown) {
    super('UNAUTHENTICATED', { cause });
    this.claims = claims;
  }
}
