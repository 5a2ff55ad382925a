import { AppError, type BlockingRecord } from '@gatehouse/contract';
import { retryOnConflict } from '@gatehouse/service';
import { lifecycleEvent } from './events.js';
import type { ResourceHeader, ResourceKind } from './kind.js';
import type { Writer } from './writer.js';

const BLOCKING_MAX = 10;

/**
 * Throws CONFLICT while dashboards link the visual. The error names some of those that the writer may see. It
 * does not state their number, because the writer may not see all of them.
 */
async function requireUnlinked(kind: ResourceKind, writer: Writer, id: string): Promise<void> {
  if ((await kind.links.countLinking(writer.projectId, id)) === 0) return;
  const seen = await writer.findLinking(kind, id);
  const blockedBy = seen.slice(0, BLOCKING_MAX).map(({ _id, title }): BlockingRecord => ({ id: _id, title }));
  throw new AppError('CONFLICT', { message: 'Dashboards link the visual', blockedBy });
}

/**
 * Deletes a resource and returns it. The id of a copy that a migration undoes stays taken. Throws NOT_FOUND,
 * FORBIDDEN below OWNER, the writer's error for another version, and CONFLICT for a linked visual.
 */
export async function deleteResource(
  kind: ResourceKind,
  writer: Writer,
  id: string,
): Promise<ResourceHeader> {
  const { projectId, now, origin, migrationId } = writer;
  const deleteOnce = async () => {
    const header = await kind.store.getHeader(projectId, id, writer.needed);
    await writer.authorize(kind, header, 'OWNER');
    writer.requireVersion(header);
    if (kind.type === 'visual') await requireUnlinked(kind, writer, id);
    const events = [lifecycleEvent(kind, 'deleted', { resource: header, origin })];
    await kind.store.deleteResource(projectId, header, { events, now, isUndo: migrationId !== undefined });
    return header;
  };
  return kind.mutex.runExclusive(id, () => retryOnConflict(deleteOnce));
}
