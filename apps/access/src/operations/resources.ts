import { AppError, type BlockingRecord } from '@gatehouse/contract';
import { requireVersion, type CallContext } from '@gatehouse/service';
import { findLevel, findLevels, requireLevel } from './accessLevels.js';
import { requireAdmin, requireAsker, requirePerson, type Asker } from './asker.js';
import { changeResource, retryOnConflict } from './changeResource.js';
import { lifecycleEvent, originOfCall, takenOverEvent } from './resourceEvents.js';
import { ownershipOf } from './ownership.js';
import type { ResourceKind } from './resourceKind.js';

/** Reads a resource with its body. Throws NOT_FOUND. */
export async function getResource<Full>(
  kind: ResourceKind<unknown, Full>,
  { id }: { id: string },
  context: CallContext,
): Promise<Full> {
  const asker = requireAsker(context, kind.type, id);
  const resource = await kind.store.findSeen(asker.projectId, id, asker.subjects);
  if (resource === null) throw new AppError('NOT_FOUND');
  const level = await requireLevel(kind, asker, { resource, wanted: 'VIEWER' });
  return kind.toRecord(resource, level);
}

const BLOCKING_MAX = 10;

/** Throws CONFLICT while dashboards link the visual, naming some of those that the asker may see. */
async function requireUnlinked(kind: ResourceKind, asker: Asker, id: string): Promise<void> {
  const { projectId, subjects } = asker;
  const count = await kind.links.countLinking(projectId, id);
  if (count === 0) return;
  const dashboards = await kind.links.findLinking(projectId, [id], subjects);
  const levels = await findLevels({ ...kind, type: 'dashboard' }, asker, dashboards);
  const seen = dashboards.filter((_, index) => levels[index]);
  const blockedBy = seen.slice(0, BLOCKING_MAX).map(({ _id, title }): BlockingRecord => ({ id: _id, title }));
  const message = `The visual is linked by ${count} ${count === 1 ? 'dashboard' : 'dashboards'}`;
  throw new AppError('CONFLICT', { message, blockedBy });
}

/** Deletes a resource. Throws NOT_FOUND, FORBIDDEN below OWNER, PRECONDITION_FAILED, and CONFLICT for a linked visual. */
export async function deleteResource(
  kind: ResourceKind,
  { id }: { id: string },
  context: CallContext,
): Promise<{ id: string; title: string }> {
  const asker = requireAsker(context, kind.type, id);
  const { projectId, now } = asker;
  const deleteOnce = async () => {
    const header = await kind.store.getHeader(projectId, id);
    await requireLevel(kind, asker, { resource: header, wanted: 'OWNER' });
    requireVersion(context, header.version);
    if (kind.type === 'visual') await requireUnlinked(kind, asker, id);
    const event = lifecycleEvent(kind, 'deleted', { resource: header, origin: originOfCall(context) });
    const isDeleted = await kind.store.deleteResource(projectId, header, { events: [event], now });
    kind.headers.forget(id);
    return isDeleted ? header : null;
  };
  const { title } = await kind.turns.take(id, () => retryOnConflict(deleteOnce));
  return { id, title };
}

/**
 * Makes the calling ADMIN the owner of any resource of the project; one that it owns already stays as it is. Throws
 * FORBIDDEN for everybody else, and NOT_FOUND.
 */
export async function takeOwnership<Full>(
  kind: ResourceKind<unknown, Full>,
  { id }: { id: string },
  context: CallContext,
): Promise<Full> {
  const person = requirePerson(context);
  requireAdmin(person);
  const { principal, now } = person;
  const after = await changeResource(kind, person, {
    id,
    readsBody: true,
    async decide(header) {
      if (header.ownerKey === principal.userKey) return null;
      const change = { ...ownershipOf(principal), version: header.version + 1, updatedAt: now };
      const resource = { ...header, ...change };
      const event = takenOverEvent(kind, header.ownerId, { resource, origin: originOfCall(context) });
      return { change, events: [event] };
    },
  });
  return kind.toRecord(after, await findLevel(kind, person, after));
}
