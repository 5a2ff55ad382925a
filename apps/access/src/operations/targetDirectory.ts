import { setImmediate } from 'node:timers/promises';
import type { ProcedureOutput, SHARE_TARGET_FIELD, ShareScope } from '@gatehouse/contract';
import type { CallContext, ServiceClients } from '@gatehouse/service';

/** The field of an entry that names a target, and so the kind of target. */
export type TargetField = Exclude<(typeof SHARE_TARGET_FIELD)[ShareScope], null>;

/** Names one target by its public id. */
export interface TargetName {
  field: TargetField;
  id: string;
}

/** A user, tenant or group that the directory knows. */
export interface Target {
  id: string;
  key: string;
  name: string;
  email?: string;
  /** The key of the tenant that it belongs to or is; null for org users and ORG_GROUPs. */
  tenantKey: string | null;
}

/** The targets that exist. */
export interface KnownTargets {
  find(name: TargetName): Target | undefined;
}

/** Asks the directory about those whom resources are shared with, always within the caller's organization. */
export interface TargetDirectory {
  /**
   * As they are now. Nothing is remembered: an id may just have been deleted, or given again to somebody with another
   * key, and a share must not go to who is gone.
   */
  findTargets(context: CallContext, names: readonly TargetName[]): Promise<KnownTargets>;
}

/** The largest number of ids of one kind that a lookup takes. */
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
    const found = await directory.subjects.lookup(context, {
      tenantUserIds: idsOf('tenantUserId'),
      orgUserIds: idsOf('orgUserId'),
      tenantIds: idsOf('tenantId'),
      groupIds: idsOf('groupId'),
    });
    addFound(targets, found);
  }
  return targets;
}

/** A lookup that is about to be made, for all who ask about the same organization at the same time. */
interface SharedLookup {
  names: TargetName[];
  found: Promise<Map<string, Target>>;
}

const NOBODY: KnownTargets = { find: () => undefined };

export function createTargetDirectory(directory: ServiceClients['directory']): TargetDirectory {
  const pending = new Map<string, SharedLookup>();
  const lookUpSoon = async (context: CallContext, names: TargetName[]) => {
    await setImmediate();
    pending.delete(context.principal.organizationId);
    return lookUp(directory, context, names);
  };
  const join = (context: CallContext, names: readonly TargetName[]) => {
    const { organizationId } = context.principal;
    const shared = pending.get(organizationId);
    if (shared) {
      shared.names.push(...names);
      return shared.found;
    }
    const own = [...names];
    const found = lookUpSoon(context, own);
    pending.set(organizationId, { names: own, found });
    return found;
  };
  return {
    async findTargets(context, names) {
      if (names.length === 0) return NOBODY;
      const targets = await join(context, names);
      return { find: (name) => targets.get(nameText(name)) };
    },
  };
}
