import { AppError } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { requireLevel, requireRequester } from '../decisions/authorizeCaller.js';
import type { ResourceKind } from './kind.js';

/** Reads a resource with its body. Throws NOT_FOUND. */
export async function getResource<Full>(
  kind: ResourceKind<unknown, Full>,
  { id }: { id: string },
  context: CallContext,
): Promise<Full> {
  const requester = requireRequester(context, kind.type, id);
  const resource = await kind.store.findSeenWithBody(requester.projectId, id, requester.subjects);
  if (resource === null) throw new AppError('NOT_FOUND');
  const level = await requireLevel(kind, requester, { resource, wanted: 'VIEWER' });
  return kind.toRecord(resource, level);
}
