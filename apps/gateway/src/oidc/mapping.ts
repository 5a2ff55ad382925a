import { Id, OrgUserRole, TenantUserRole, text, UserRole, type MappedPerson } from '@gatehouse/contract';
import { z } from 'zod';

/** The claims of an ID token. */
export type Claims = Readonly<Record<string, unknown>>;

const Name = text(1, 200);
/** The name of a claim, or the path to a value inside a claim. */
const Claim = z.union([Name, z.array(Name).min(1).max(10)]);
/** Holds if the claim is the value, or a list with the value. */
const Condition = z.strictObject({
  claim: Claim,
  value: z.union([text(1, 1000), z.boolean(), z.number()]),
});
const Conditions = z.array(Condition).max(50);

const Rule = z
  .strictObject({
    when: Conditions.default([]),
    tenantId: z.union([Id, z.strictObject({ claim: Claim })]).optional(),
    role: UserRole.optional(),
    createsUsers: z.boolean().default(false),
    projectIds: z.array(Id).min(1).max(100).optional(),
  })
  .refine(({ tenantId, role }) => {
    const roles = tenantId === undefined ? OrgUserRole : TenantUserRole;
    return role === undefined || roles.safeParse(role).success;
  }, 'role must be VIEWER or POWER_USER with a tenantId, and VIEWER, AUTHOR or ADMIN without')
  .refine(({ createsUsers, role }) => !createsUsers || role !== undefined, 'createsUsers needs a role');

/** What the claims of people mean here. */
export const Mapping = z.strictObject({
  organizationId: Id,
  /** Holds if the e-mail of the claims belongs to the person. */
  emailVerified: Condition.default({ claim: 'email_verified', value: true }),
  /** The first rule whose conditions all hold decides. Without one, the sign-in is rejected. */
  people: z.array(Rule).min(1).max(200),
  /** The groups whose memberships follow the claims. */
  groups: z
    .array(z.strictObject({ when: Conditions.min(1), groupId: Id }))
    .max(500)
    .default([]),
});
export type Mapping = z.output<typeof Mapping>;

function readClaim(claims: Claims, claim: z.output<typeof Claim>): unknown {
  let value: unknown = claims;
  for (const name of [claim].flat()) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}

function holds(claims: Claims, { claim, value }: z.output<typeof Condition>): boolean {
  const found = readClaim(claims, claim);
  return Array.isArray(found) ? found.includes(value) : found === value;
}

/** Whether the e-mail of the claims belongs to the person. */
export function isEmailVerified({ emailVerified }: Mapping, claims: Claims): boolean {
  return holds(claims, emailVerified);
}

/** What the claims of a person mean; null if no rule applies. */
export function mapClaims(mapping: Mapping, claims: Claims): MappedPerson | null {
  const rule = mapping.people.find(({ when }) => when.every((condition) => holds(claims, condition)));
  if (!rule) return null;
  const tenantId = readTenant(rule, claims);
  if (tenantId === undefined) return null;
  return {
    organizationId: mapping.organizationId,
    tenantId,
    role: rule.role ?? null,
    createsUser: rule.createsUsers,
    projectIds: rule.projectIds ?? null,
    groups: mapGroups(mapping, claims),
  };
}

/** Null for an org user; undefined if the claim names no tenant. */
function readTenant({ tenantId }: z.output<typeof Rule>, claims: Claims): string | null | undefined {
  if (tenantId === undefined) return null;
  return typeof tenantId === 'string' ? tenantId : Id.safeParse(readClaim(claims, tenantId.claim)).data;
}

/** A group may occur several times: one of its entries suffices. */
function mapGroups({ groups }: Mapping, claims: Claims): MappedPerson['groups'] {
  const byId = new Map<string, boolean>();
  for (const { groupId, when } of groups) {
    const isMember = when.every((condition) => holds(claims, condition));
    byId.set(groupId, isMember || byId.get(groupId) === true);
  }
  return [...byId].map(([groupId, isMember]) => ({ groupId, isMember }));
}
