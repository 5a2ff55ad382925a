import { z } from 'zod';
import { Id, Timestamp, UserType } from '../vocabulary.js';

/** How a person signed in: with a one-time code, or at an OpenID provider. */
export const SessionMethod = z.enum(['code', 'oidc']);
export type SessionMethod = z.infer<typeof SessionMethod>;

/** A signed-in browser. */
export const Session = z.object({
  id: Id,
  userId: Id,
  userType: UserType,
  tenantId: Id.nullable(),
  method: SessionMethod,
  /** The network address of the sign-in. */
  address: z.string(),
  /** The browser of the sign-in, as it names itself, cut to 200 characters. */
  userAgent: z.string(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
  /** The end of the session without further use. */
  expiresAt: Timestamp,
  /** Whether the request comes from this session. */
  isCurrent: z.boolean(),
});
export type Session = z.infer<typeof Session>;
