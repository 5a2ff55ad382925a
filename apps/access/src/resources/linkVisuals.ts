import type { JsonObject } from '@gatehouse/contract';
import { directLevel, type Requester } from '../decisions/authorizeCaller.js';
import type { ResourceKind } from './kind.js';
import { linkedVisualIds } from './logic/linkedVisuals.js';

/**
 * Returns the linked visuals that a body gives view access to: those that the requester may see, so that a
 * guessed id gives no access, and those that were linked before. Access through another dashboard that links
 * the visual does not count: it ends with the access to that dashboard, and a link would keep it and pass it
 * on. A dashboard token adds none: it would reach further than its dashboard. Undefined if there are none.
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
  for (const visual of visuals) {
    if (directLevel(linkedKind, requester, visual) !== null) known.add(visual._id);
  }
  const conveyed = named.filter((id) => known.has(id));
  return conveyed.length === 0 ? undefined : conveyed;
}
