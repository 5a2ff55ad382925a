import { newKey, WriteConflict } from '@gatehouse/service';
import type { Membership } from '../../records/documents.js';
import { describePart, joinParts, type MemberPart } from '../logic/memberParts.js';
import type { MemberParts, PartDocument } from './memberParts.js';
import { partsWithUsers } from './selectMembers.js';

type NewPart = Omit<PartDocument, 'organizationId'>;

/** Parts that take the place of others. */
interface Replacement {
  added: readonly NewPart[];
  /** The ids of the parts that they replace. */
  obsolete: readonly string[];
}

/**
 * Runs a write after which a group lists other parts. The sweep checks the parts with a mark, if the write
 * fails or this process ends.
 */
export async function replaceParts<R>(
  store: MemberParts,
  {
    organizationId,
    now,
    added,
    obsolete,
  }: Replacement & {
    organizationId: string;
    now: Date;
  },
  write: () => Promise<R>,
): Promise<R> {
  const marked = added.map((part) => ({ ...part, pendingAt: now }));
  await Promise.all([
    store.insert(organizationId, marked),
    store.markPending(organizationId, { ids: obsolete }, now),
  ]);
  const ids = added.map(({ _id }) => _id);
  const result = await write().catch(async (error: unknown) => {
    // Nothing was written. After any other error this is not certain.
    if (error instanceof WriteConflict) await store.delete(organizationId, { ids });
    throw error;
  });
  // What fails here is left to the sweep.
  await Promise.allSettled([
    store.confirm(organizationId, ids, now),
    store.delete(organizationId, { ids: obsolete }),
  ]);
  return result;
}

/** The parts of a group, and the most members of one. */
interface PartsOfGroup {
  organizationId: string;
  groupId: string;
  parts: readonly MemberPart[];
  size: number;
}

/**
 * Removes members from the parts of a group, without writing anything. `listed` has the parts that the group
 * then lists; null if none of the members is in a part.
 * @throws WriteConflict if a part has been replaced since the group was read
 */
export async function removeFromParts(
  store: MemberParts,
  { organizationId, groupId, parts, size }: PartsOfGroup,
  removed: readonly Membership[],
): Promise<Replacement & { listed: MemberPart[] | null }> {
  const left = new Map<string, Membership[]>();
  if (parts.length > 0 && removed.length > 0) {
    const removedIds = new Set(removed.map(({ id }) => id));
    const listedIds = new Set(parts.map(({ id }) => id));
    const lookup = partsWithUsers(removed.map(({ userKey }) => userKey));
    for await (const { _id, members } of store.scan(organizationId, groupId, lookup)) {
      const kept = members.filter(({ id }) => !removedIds.has(id));
      if (listedIds.has(_id) && kept.length < members.length) left.set(_id, kept);
    }
  }
  if (left.size === 0) return { added: [], obsolete: [], listed: null };

  const runs = joinParts(parts, ({ id, count }) => left.get(id)?.length ?? count, size);
  const added: NewPart[] = [];
  const listed: MemberPart[] = [];
  for (const run of runs) {
    const [first] = run.parts;
    if (first !== undefined && run.parts.length === 1 && !left.has(first.id)) {
      listed.push(first);
      continue;
    }
    const members: Membership[] = [];
    for (const { id } of run.parts)
      members.push(...(left.get(id) ?? (await store.get(organizationId, id)).members));
    const part = { _id: newKey(), groupId, members };
    added.push(part);
    listed.push(describePart(part._id, members));
  }
  const kept = new Set(listed.map(({ id }) => id));
  return { added, obsolete: parts.map(({ id }) => id).filter((id) => !kept.has(id)), listed };
}
