import { z } from 'zod';
import { rule } from '../fieldErrors.js';
import { AccessLevel, Id, ShareScope, Timestamp } from '../vocabulary.js';

/** One entry of a grant or a revocation, with exactly the target that its scope requires. */
const ShareEntryFields = {
  scope: ShareScope,
  tenantUserId: Id.optional(),
  tenantId: Id.optional(),
  orgUserId: Id.optional(),
  groupId: Id.optional(),
  expiresAt: Timestamp.nullish(),
};

/** The field that names the target, by scope; null for the scopes without a target. */
export const SHARE_TARGET_FIELD = {
  specific_tenant_user: 'tenantUserId',
  all_tenant_users: 'tenantId',
  specific_org_user: 'orgUserId',
  all_org_users: null,
  org_users_only: null,
  all_tenants_only: null,
  group: 'groupId',
} as const satisfies Record<z.infer<typeof ShareScope>, string | null>;
const TARGET_FIELDS = ['tenantUserId', 'tenantId', 'orgUserId', 'groupId'] as const;

export function checkTarget(
  entry: Pick<GrantEntry, 'scope' | (typeof TARGET_FIELDS)[number]>,
  context: z.core.$RefinementCtx,
): void {
  const required = SHARE_TARGET_FIELD[entry.scope];
  for (const field of TARGET_FIELDS) {
    const isGiven = entry[field] !== undefined;
    if (field === required && !isGiven) {
      context.addIssue({
        code: 'custom',
        path: [field],
        ...rule(`is required for scope ${entry.scope}`, 'required'),
        input: entry,
      });
    }
    if (field !== required && isGiven) {
      context.addIssue({
        code: 'custom',
        path: [field],
        ...rule(`does not go with scope ${entry.scope}`, 'conflict'),
        input: entry,
      });
    }
  }
}

export const GrantFields = z.strictObject({ ...ShareEntryFields, role: AccessLevel });
export type GrantEntry = z.infer<typeof GrantFields>;
export const GrantEntry = GrantFields.superRefine(checkTarget);
export const RevokeFields = z.strictObject({ ...ShareEntryFields, role: AccessLevel.optional() });
/** As a grant's entry; `role` and `expiresAt` are accepted and ignored. */
export const RevokeEntry = RevokeFields.superRefine(checkTarget);
export type RevokeEntry = z.infer<typeof RevokeEntry>;
