import { z } from 'zod';
import { Principal, TokenClaims, TokenScope, TokenType } from '../../principal.js';
import { PublicKey } from '../../records/directory.js';
import { InlinePolicies } from '../../securityConfig.js';
import {
  Email,
  Id,
  ParamValue,
  Secret,
  SemanticDomainAccess,
  TenantUserRole,
  text,
  Timestamp,
} from '../../vocabulary.js';
import { mutation, query, systemOnly } from '../procedure.js';
import { Nothing, Message, Name } from './fields.js';

const TokenRequest = z.strictObject({
  type: TokenType.optional(),
  /** `sql:compile`: the token may do nothing but compile SQL, for any actor of the project. */
  scope: TokenScope.optional(),
  projectId: Id.optional(),
  projectSecret: Secret.optional(),
  dashboardId: Id.optional(),
  dashboardSecret: Secret.optional(),
  orgUserId: Id.optional(),
  endUserId: Id.optional(),
  endUserEmail: Email.optional(),
  tenantId: Id.optional(),
  tenantName: Name.optional(),
  autoCreateEndUser: z.boolean().optional(),
  role: TenantUserRole.optional(),
  displayName: Name.optional(),
  /** Seconds. */
  tokenExpiry: z.number().int().min(60).max(86_400).default(1800),
  semanticDomainAccess: SemanticDomainAccess.optional(),
  securityParams: z.record(text(1, 200), ParamValue).optional(),
  policies: InlinePolicies.optional(),
  /** The code of a sign-in link, in place of every other field. */
  signInCode: Secret.optional(),
});
export type TokenRequest = z.infer<typeof TokenRequest>;

export const tokens = {
  issue: systemOnly(mutation(TokenRequest, z.object({ accessToken: z.string(), expiresAt: Timestamp }))),
  /**
   * A code that can be exchanged once, within ten minutes, for the token that the request describes. A link
   * with the code signs a person in without showing the secret to the browser.
   */
  createSignInCode: systemOnly(
    mutation(TokenRequest, z.object({ signInCode: Secret, expiresAt: Timestamp })),
  ),
  /** Checks the secret of a token request as `issue` does, and does nothing else. */
  checkSecret: systemOnly(query(TokenRequest, z.object({}))),
  invalidate: mutation(Nothing, z.object(Message)),
  keys: systemOnly(query(Nothing, z.object({ keys: z.array(PublicKey) }))),
  /**
   * Creates a new signing key; the previous one still verifies until the last token it signed has expired.
   */
  rotateKey: systemOnly(mutation(Nothing, z.object({ kid: z.string() }))),
};

export const principals = {
  /** The current principal of these claims; null if revoked, deleted, deactivated or foreign. */
  resolve: systemOnly(
    query(z.strictObject({ claims: TokenClaims }), z.object({ principal: Principal.nullable() })),
  ),
};
