import { z } from 'zod';
import { Session, SessionMethod } from '../../records/session.js';
import {
  Email,
  Id,
  OrgUserRole,
  Secret,
  TenantUserRole,
  text,
  Timestamp,
  UserRole,
} from '../../vocabulary.js';
import { ListSlice, NextCursor } from '../listSlice.js';
import { mutation, query, systemOnly } from '../procedure.js';
import { ById, Message } from './fields.js';

/** The SHA-256 of the value of a session cookie. The value itself never leaves the gateway. */
const CookieHash = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be a SHA-256 in base64url');
/** Where a request comes from, for the audit log. */
const ClientFacts = { address: text(0, 64), userAgent: text(0, 200) };
const Cookie = z.strictObject({ cookieHash: CookieHash });

/** An issuer and a subject are compared as they are, so they are as long as OpenID Connect permits. */
const Issuer = text(1, 2000);
const Subject = text(1, 255);

/** Why a sign-in at a provider is rejected: codes of the documentation. */
export const SignInRejection = z.enum([
  'UNKNOWN_USER',
  'EMAIL_NOT_VERIFIED',
  'EMAIL_TAKEN',
  'USER_LINKED',
  'USER_INACTIVE',
  'ROLE_NOT_APPLIED',
]);
export type SignInRejection = z.infer<typeof SignInRejection>;

const rolesOf = (tenantId: string | null) => (tenantId === null ? OrgUserRole : TenantUserRole);

/** What the claims of a person mean here, by the mapping of the operator. */
export const MappedPerson = z
  .strictObject({
    organizationId: Id,
    /** Null for an org user. */
    tenantId: Id.nullable(),
    /** Null if the role is managed here. */
    role: UserRole.nullable(),
    /** Whether the first sign-in creates the person. */
    createsUser: z.boolean(),
    /** The only projects that the session reaches; null for all of the organization. */
    projectIds: z.array(Id).max(100).nullable(),
    /** The groups that the mapping manages, and whether the person is a member of each. */
    groups: z.array(z.strictObject({ groupId: Id, isMember: z.boolean() })).max(500),
  })
  .refine(
    ({ tenantId, role }) => role === null || rolesOf(tenantId).safeParse(role).success,
    'has no such role',
  );
export type MappedPerson = z.infer<typeof MappedPerson>;

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
        /** Whether a failure is an event. Those of an address past its limit are none. */
        reportsFailure: z.boolean().default(true),
        ...ClientFacts,
      }),
      z.object({ id: Id, organizationId: Id, expiresAt: Timestamp }),
    ),
  ),
  /**
   * Creates a session for a person whom a provider has authenticated: the person of this issuer and subject.
   * Applies the role and the groups of the claims first.
   */
  createFromProvider: systemOnly(
    mutation(
      z.strictObject({
        issuer: Issuer,
        subject: Subject,
        /** The session at the provider, for its end there. */
        providerSession: text(1, 255).optional(),
        email: Email.nullable(),
        isEmailVerified: z.boolean(),
        name: text(1, 200).nullable(),
        person: MappedPerson,
        /** Whether the first sign-in may find the person by a verified e-mail. */
        matchesEmail: z.boolean(),
        cookieHash: CookieHash,
        formerCookieHash: CookieHash.optional(),
        ...ClientFacts,
      }),
      z.discriminatedUnion('outcome', [
        z.object({ outcome: z.literal('signedIn'), id: Id }),
        z.object({ outcome: z.literal('rejected'), reason: SignInRejection }),
      ]),
    ),
  ),
  /** Ends the sessions that a provider has ended: those of a session there, or all of a subject. */
  endByProvider: systemOnly(
    mutation(
      z.strictObject({
        issuer: Issuer,
        subject: Subject.optional(),
        providerSession: text(1, 255).optional(),
        /** The id of the logout token, which is accepted once until it expires. */
        tokenId: text(1, 255),
        expiresAt: Timestamp,
      }),
      z.object({ isNew: z.boolean(), organizationIds: z.array(Id) }),
    ),
  ),
  /** Reports a failed sign-in to the audit log of an organization. */
  reportFailure: systemOnly(
    mutation(z.strictObject({ organizationId: Id, reason: text(1, 64), ...ClientFacts }), z.object({})),
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
