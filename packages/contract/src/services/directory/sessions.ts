import { z } from 'zod';
import { Session, SessionMethod } from '../../records/session.js';
import { Id, Secret, text, Timestamp, UserRole } from '../../vocabulary.js';
import { ListSlice, NextCursor } from '../listSlice.js';
import { mutation, query, systemOnly } from '../procedure.js';
import { ById, Message } from './fields.js';

/** The SHA-256 of the value of a session cookie. The value itself never leaves the gateway. */
const CookieHash = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be a SHA-256 in base64url');
/** Where a request comes from, for the audit log. */
const ClientFacts = { address: text(0, 64), userAgent: text(0, 200) };
const Cookie = z.strictObject({ cookieHash: CookieHash });

const SessionUser = z.object({
  id: Id,
  kind: z.enum(['orgUser', 'tenantUser']),
  name: z.string(),
  email: z.string(),
  role: UserRole,
  organizationId: Id,
  organizationName: z.string(),
  tenantId: Id.optional(),
  tenantName: z.string().optional(),
});

export const sessions = {
  /**
   * Exchanges a sign-in code for a session with a new cookie. The session of the former cookie ends, if
   * there is one.
   */
  createFromCode: systemOnly(
    mutation(
      z.strictObject({
        signInCode: Secret,
        cookieHash: CookieHash,
        formerCookieHash: CookieHash.optional(),
        ...ClientFacts,
      }),
      z.object({ id: Id, organizationId: Id, expiresAt: Timestamp }),
    ),
  ),
  /** The session of a cookie, its person and the projects that it reaches. A read does not extend it. */
  find: systemOnly(
    query(
      Cookie,
      z.object({
        session: z
          .object({
            id: Id,
            method: SessionMethod,
            createdAt: Timestamp,
            expiresAt: Timestamp,
            user: SessionUser,
            /** By name, at most a thousand. */
            projects: z.array(z.object({ id: Id, name: z.string() })),
          })
          .nullable(),
      }),
    ),
  ),
  /**
   * An access token for the person of a session in a project, by default the first. It ends within two
   * minutes, and with the session. The use extends the session.
   */
  issueToken: systemOnly(
    mutation(
      z.strictObject({ cookieHash: CookieHash, projectId: Id.optional() }),
      z.object({ accessToken: z.string(), expiresAt: Timestamp, organizationId: Id }),
    ),
  ),
  /** Ends the session of a cookie; without one it does nothing. */
  end: systemOnly(
    mutation(Cookie, z.object({ organizationId: Id.nullable(), method: SessionMethod.nullable() })),
  ),
  /** The live sessions that the caller may see, the oldest first. */
  list: query(
    z.strictObject({ userId: Id.optional(), ...ListSlice }),
    z.object({ sessions: z.array(Session), ...NextCursor }),
  ),
  revoke: mutation(ById, z.object({ ...Message, deletedSession: z.object({ id: Id, userId: Id }) })),
};
