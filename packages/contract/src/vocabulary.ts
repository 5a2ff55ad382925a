import { z } from 'zod';
import { rule, without } from './fieldErrors.js';

/** Platform-wide roles. A role is a ceiling: it caps the level of every grant. */
export const USER_ROLES = ['VIEWER', 'POWER_USER', 'AUTHOR', 'ADMIN'] as const;
export const UserRole = z.enum(USER_ROLES);
export type UserRole = z.infer<typeof UserRole>;

/** Roles that an org user, or a tenant user, may hold. */
export const OrgUserRole = z.enum(['VIEWER', 'AUTHOR', 'ADMIN']);
export type OrgUserRole = z.infer<typeof OrgUserRole>;
export const TenantUserRole = z.enum(['VIEWER', 'POWER_USER']);
export type TenantUserRole = z.infer<typeof TenantUserRole>;

/** Access levels from the lowest to the highest: each includes those before it. */
export const ACCESS_LEVELS = ['VIEWER', 'EDITOR', 'CONTRIBUTOR', 'OWNER'] as const;
export const AccessLevel = z.enum(ACCESS_LEVELS);
export type AccessLevel = z.infer<typeof AccessLevel>;

export const SHARE_SCOPES = [
  'specific_tenant_user',
  'all_tenant_users',
  'specific_org_user',
  'all_org_users',
  'org_users_only',
  'all_tenants_only',
  'group',
] as const;
export const ShareScope = z.enum(SHARE_SCOPES);
export type ShareScope = z.infer<typeof ShareScope>;

export const GROUP_TYPES = ['ORG_GROUP', 'TENANT_GROUP'] as const;
export const GroupType = z.enum(GROUP_TYPES);
export type GroupType = z.infer<typeof GroupType>;

/** The two kinds of resource that are owned and shared alike. */
export const RESOURCE_TYPES = ['dashboard', 'visual'] as const;
export const ResourceType = z.enum(RESOURCE_TYPES);
export type ResourceType = z.infer<typeof ResourceType>;

/** The kinds of person: of the organization itself, or of one of its tenants. */
export const UserType = z.enum(['organization', 'tenant']);
export type UserType = z.infer<typeof UserType>;

export const SortOrder = z.enum(['asc', 'desc']);
export type SortOrder = z.infer<typeof SortOrder>;

/** Prefixes of the identifiers that Gatehouse makes, by noun. */
export const ID_PREFIXES = {
  organization: 'o_',
  project: 'p_',
  dashboard: 'd_',
  visual: 'v_',
  share: 'sh_',
  group: 'grp_',
  groupMember: 'gm_',
  tenant: 't_',
  tenantUser: 'tu_',
  orgUser: 'ou_',
  domain: 'dom_',
  connection: 'c_',
  datamodel: 'dm_',
  assistantProfile: 'ap_',
  policyDefinition: 'usd_',
  policyAssignment: 'usa_',
  policyTest: 'ust_',
  migration: 'mig_',
  webhook: 'wh_',
  webhookDelivery: 'whd_',
  signInCode: 'sic_',
  session: 'ses_',
} as const;
export type IdNoun = keyof typeof ID_PREFIXES;

/** An identifier: letters, digits, hyphen and underscore, 1 to 64 of them. */
export const Id = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, hyphens or underscores');

/** A moment as ISO 8601 with an offset or Z. */
export const Timestamp = z.iso.datetime({ offset: true });

// With the `u` flag a pair is one character, so that only halves without their other half match.
const UNPAIRED_SURROGATE = /\p{Surrogate}/u;

/** Whether every store and reader can represent a text: no NUL, no lone surrogate. */
export function isStorableText(value: string): boolean {
  return !value.includes('\0') && !UNPAIRED_SURROGATE.test(value);
}

const storableTextRule = () => rule('must not contain NUL or an unpaired surrogate', 'format');

/** Text of `min` to `max` UTF-16 units, storable. */
export function text(min: number, max: number): z.ZodString {
  return z.string().min(min).max(max).refine(isStorableText, storableTextRule());
}

/** A name or title: as `text`, and not only white space. */
export function label(max: number): z.ZodString {
  return text(1, max).refine((value) => value.trim().length > 0, rule('must not be blank', 'length'));
}

/** An e-mail address. Compared case-insensitively wherever it must be unique. */
export const Email = z.email().max(254).refine(isStorableText, storableTextRule());

/** A secret in a request: any storable text, its length bounded so that hashing it costs little. */
export const Secret = text(1, 512);

/** Any JSON object, as answered. */
export const JsonObject = z.record(z.string(), z.unknown());
export type JsonObject = z.infer<typeof JsonObject>;

/** The path of the first text in `value` that cannot be stored, as segments; null if there is none. */
function findUnstorable(value: unknown): (string | number)[] | null {
  if (typeof value === 'string') return isStorableText(value) ? null : [];
  if (typeof value !== 'object' || value === null) return null;
  // Without a list of entries, whose keys are texts: an array may have very many elements.
  if (Array.isArray(value)) {
    for (const [index, child] of value.entries()) {
      const found = findUnstorable(child);
      if (found) return [index, ...found];
    }
    return null;
  }
  for (const key of Object.keys(value)) {
    if (!isStorableText(key)) return [];
    const found = findUnstorable((value as Record<string, unknown>)[key]);
    if (found) return [key, ...found];
  }
  return null;
}

/** A free-form JSON object of at most `maxBytes` bytes when serialized. Its keys belong to the caller. */
export function jsonObject(maxBytes: number) {
  return JsonObject.superRefine((value, context) => {
    const path = findUnstorable(value);
    if (path) context.addIssue({ code: 'custom', path, ...storableTextRule() });
    if (new TextEncoder().encode(JSON.stringify(value)).length > maxBytes) {
      context.addIssue({ code: 'custom', ...rule(`must be at most ${maxBytes} bytes of JSON`, 'length') });
    }
  });
}

/** The largest dashboard template and visual frame object, in bytes of JSON. */
export const TEMPLATE_MAX_BYTES = 1_048_576;
/** The largest number of shares on one resource. */
export const SHARES_MAX = 10_000;
/** The largest number of members in one group. */
export const GROUP_MEMBERS_MAX = 100_000;
/** The largest number of groups of one user. Every request of the user carries their ids. */
export const USER_GROUPS_MAX = 10_000;

export const ParamValue = z.union([
  text(0, 10_000),
  z.number(),
  z.boolean(),
  z.array(text(0, 10_000)).max(10_000),
  z.array(z.number()).max(10_000),
]);
export type ParamValue = z.infer<typeof ParamValue>;

/** Which semantic domains a token may see. `domains` holds names and ids, mixed. */
export const SemanticDomainAccess = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('all') }, without('domains', 'does not go with mode all')),
  z.strictObject({ mode: z.literal('none') }, without('domains', 'does not go with mode none')),
  z.strictObject({ mode: z.literal('include'), domains: z.array(text(1, 200)).min(1).max(1000) }),
  z.strictObject({ mode: z.literal('exclude'), domains: z.array(text(1, 200)).min(1).max(1000) }),
]);
export type SemanticDomainAccess = z.infer<typeof SemanticDomainAccess>;
