import type { JsonObject } from '@gatehouse/contract';
import { findLevels, type Requester } from '../decisions/authorizeCaller.js';
import type { ResourceKind } from './kind.js';
import { linkedVisualIds } from './logic/linkedVisuals.js';

/**
 * Returns the linked visuals that a body gives view access to: those that the requester may see, so that a
 * guessed id gives no access, and those that were linked before. A dashboard token adds none: it would reach
 * further than its dashboard. Undefined if there are none.
 */
export async function findConveyedLinks(
  kind: ResourceKind,
  requester: Requester,
  { body, kept }: { body: JsonObject | null; kept: readonly string[] },
): Promise<readonly string[] | undefined> {
  const { linkedKind } = kind;
  if (linkedKind === null || body === null) return undefined;
  const named = linkedVisualIds(body);
  const known = new Set(kept);
  const isOfDashboard = requester.tokenDashboardId !== undefined;
  const unknown = isOfDashboard ? [] : named.filter((id) => !known.has(id));
  const visuals = await linkedKind.store.findManySeen(requester.projectId, unknown, requester.subjects);
  const levels = await findLevels(linkedKind, requester, visuals);
  visuals.forEach((visual, index) => {
    if (levels[index]) known.add(visual._id);
  });
  const conveyed = named.filter((id) => known.has(id));
  return conveyed.length === 0 ? undefined : conveyed;
}
