import {
  AppError,
  SHARE_TARGET_FIELD,
  withName,
  type FieldError,
  type GrantEntry,
  type ProcedureOutput,
  type RevokeEntry,
  type ShareScope,
  type UserType,
} from '@gatehouse/contract';
import { CallBatcher, type CallContext, type ServiceClients } from '@gatehouse/service';
import { subjectOfShare } from '../decisions/logic/access.js';
import type { ResolvedGrant, ResolvedTarget } from './logic/grants.js';

/** The field of an entry that names a target. It determines the kind of target. */
type TargetField = Exclude<(typeof SHARE_TARGET_FIELD)[ShareScope], null>;

/** Names one target by its public id. */
export interface TargetName {
  field: TargetField;
  id: string;
}

/** A user, tenant or group in the directory. */
export interface Target {
  id: string;
  key: string;
  name: string;
  email?: string;
  /** The key of the tenant that the target belongs to or is; null for org users and ORG_GROUPs. */
  tenantKey: string | null;
}

/** The targets that exist. */
export interface KnownTargets {
  find(name: TargetName): Target | undefined;
}

/** Looks up share targets in the directory service, always within the caller's organization. */
export interface TargetLookup {
  /**
   * Returns the current targets. Nothing is cached: an id may have been deleted or reassigned to a target
   * with another key since the last lookup, and a share must not reach a deleted target.
   */
  findTargets(context: CallContext, names: readonly TargetName[]): Promise<KnownTargets>;
}

/** The largest number of ids of one kind in a lookup. */
const IDS_PER_LOOKUP = 10_000;

type Found = ProcedureOutput<'directory.subjects.lookup'>;

const nameText = ({ field, id }: TargetName) => `${field} ${id}`;

function addFound(targets: Map<string, Target>, found: Found): void {
  const add = (field: TargetField, target: Target) => targets.set(nameText({ field, id: target.id }), target);
  for (const { id, key, name, email, tenantKey } of found.tenantUsers) {
    add('tenantUserId', { id, key, name, email, tenantKey });
  }
  for (const { id, key, name, email } of found.orgUsers)
    add('orgUserId', { id, key, name, email, tenantKey: null });
  for (const { id, key, name } of found.tenants) add('tenantId', { id, key, name, tenantKey: key });
  for (const { id, key, name, tenantKey } of found.groups) add('groupId', { id, key, name, tenantKey });
}

async function lookUp(
  directory: ServiceClients['directory'],
  context: CallContext,
  names: readonly TargetName[],
): Promise<Map<string, Target>> {
  const distinct = [...new Map(names.map((name) => [nameText(name), name])).values()];
  const targets = new Map<string, Target>();
  for (let start = 0; start < distinct.length; start += IDS_PER_LOOKUP) {
    const part = distinct.slice(start, start + IDS_PER_LOOKUP);
    const idsOf = (field: TargetField) => part.filter((name) => name.field === field).map(({ id }) => id);
    const found = await directory.subjects.lookup.query(
      {
        tenantUserIds: idsOf('tenantUserId'),
        orgUserIds: idsOf('orgUserId'),
        tenantIds: idsOf('tenantId'),
        groupIds: idsOf('groupId'),
      },
      { context },
    );
    addFound(targets, found);
  }
  return targets;
}

/** Creates a lookup that batches the concurrent calls of an organization. Nothing is cached. */
export function createTargetLookup(directory: ServiceClients['directory']): TargetLookup {
  const lookups = new CallBatcher(
    ({ principal }: CallContext) => principal.organizationId,
    (context, names: TargetName[]) => lookUp(directory, context, names),
  );
  return {
    async findTargets(context, names) {
      const found = names.length === 0 ? null : await lookups.load(context, names);
      return { find: (name) => found?.get(nameText(name)) };
    },
  };
}

type Entry = GrantEntry | RevokeEntry;

/** Returns the target that the entry names; null for a scope without a target. */
export function targetNameOf(entry: Entry): TargetName | null {
  const field = SHARE_TARGET_FIELD[entry.scope];
  const id = field === null ? undefined : entry[field];
  return field === null || id === undefined ? null : { field, id };
}

export function targetNamesOf(entries: readonly Entry[]): TargetName[] {
  return entries.map(targetNameOf).filter((name) => name !== null);
}

/**
 * Stands for an unknown target in the request of a tenant user. It is outside of every tenant, so that the
 * request is denied like one for a target that the user may not see.
 */
export function hiddenTargetOf({ scope }: Entry): ResolvedTarget {
  return { scope, subject: '', targetId: null, tenantKey: null };
}

/** Returns the resolved target of an entry; null if its target is unknown. */
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

/**
 * Throws INVALID_REQUEST, with an error for each invalid entry, for past expiries and for unknown targets.
 * The unknown targets of a tenant user are hidden ones instead.
 */
export async function resolveGrants(
  targets: TargetLookup,
  { entries, granterType }: { entries: readonly GrantEntry[]; granterType: UserType },
  context: CallContext,
): Promise<ResolvedGrant[]> {
  const known = await targets.findTargets(context, targetNamesOf(entries));
  const fieldErrors: FieldError[] = [];
  const grants = entries.flatMap((entry, index): ResolvedGrant[] => {
    const found = resolveTarget(entry, known);
    const target = found ?? (granterType === 'tenant' ? hiddenTargetOf(entry) : null);
    const expiresAt = entry.expiresAt ? new Date(entry.expiresAt) : null;
    const isExpired = expiresAt !== null && expiresAt <= context.now;
    if (isExpired)
      fieldErrors.push({
        field: `shares[${index}].expiresAt`,
        message: 'must be in the future',
        code: 'range',
      });
    if (target === null) {
      const name = SHARE_TARGET_FIELD[entry.scope];
      const id = targetNamesOf([entry])[0]?.id ?? '';
      const message = withName('does not exist in this organization', id);
      fieldErrors.push({ field: `shares[${index}].${name}`, message, code: 'reference' });
    }
    return target === null ? [] : [{ ...target, role: entry.role, expiresAt }];
  });
  if (fieldErrors.length > 0) throw new AppError('INVALID_REQUEST', { fieldErrors });
  return grants;
}
