import {
  AppError,
  SHARE_TARGET_FIELD,
  type FieldError,
  type GrantEntry,
  type RevokeEntry,
} from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { subjectOfShare } from '../logic/shareScope.js';
import type { ResolvedGrant, ResolvedTarget } from '../logic/shares.js';
import type { KnownTargets, TargetDirectory, TargetName } from './targetDirectory.js';

type Entry = GrantEntry | RevokeEntry;

/** The target that the entry names; null where its scope names nobody. */
export function targetNameOf(entry: Entry): TargetName | null {
  const field = SHARE_TARGET_FIELD[entry.scope];
  const id = field === null ? undefined : entry[field];
  return field === null || id === undefined ? null : { field, id };
}

export function targetNamesOf(entries: readonly Entry[]): TargetName[] {
  return entries.map(targetNameOf).filter((name) => name !== null);
}

/** What an entry names; null when its target is unknown. */
export function resolveTarget(entry: Entry, known: KnownTargets): ResolvedTarget | null {
  const { scope } = entry;
  const name = targetNameOf(entry);
  if (name === null) return { scope, subject: subjectOfShare(scope, null), targetId: null, tenantKey: null };
  const target = known.find(name);
  if (target === undefined) return null;
  return {
    scope,
    subject: subjectOfShare(scope, target.key),
    targetId: name.id,
    tenantKey: target.tenantKey,
  };
}

function resolveExpiry(entry: GrantEntry): Date | null {
  return entry.expiresAt ? new Date(entry.expiresAt) : null;
}

/** Throws INVALID_REQUEST, naming each entry at fault, for targets that do not exist and expiries that have passed. */
export async function resolveGrants(
  targets: TargetDirectory,
  entries: readonly GrantEntry[],
  context: CallContext,
): Promise<ResolvedGrant[]> {
  const known = await targets.findTargets(context, targetNamesOf(entries));
  const fieldErrors: FieldError[] = [];
  const grants = entries.flatMap((entry, index): ResolvedGrant[] => {
    const target = resolveTarget(entry, known);
    const expiresAt = resolveExpiry(entry);
    const isExpired = expiresAt !== null && expiresAt <= context.now;
    if (isExpired)
      fieldErrors.push({ field: `shares[${index}].expiresAt`, message: 'must be in the future' });
    if (target === null) {
      const field = `shares[${index}].${SHARE_TARGET_FIELD[entry.scope]}`;
      fieldErrors.push({ field, message: 'does not exist in this organization' });
    }
    return target === null ? [] : [{ ...target, role: entry.role, expiresAt }];
  });
  if (fieldErrors.length > 0) throw new AppError('INVALID_REQUEST', { fieldErrors });
  return grants;
}
