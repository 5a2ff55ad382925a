import type { JsonObject } from '@gatehouse/contract';
import { linkedVisualIds } from '../logic/linkedVisuals.js';
import { findLevels } from './accessLevels.js';
import type { Asker } from './asker.js';
import type { ResourceKind } from './resourceKind.js';

/**
 * The visuals whose view access a body conveys: those it names that the asker may see, so that nobody opens a visual to
 * others by guessing its id, and those it names that were linked before. Undefined when there are none.
 */
export async function findConveyedLinks(
  kind: ResourceKind,
  asker: Asker,
  { body, kept }: { body: JsonObject | null; kept: readonly string[] },
): Promise<readonly string[] | undefined> {
  const { linkedKind } = kind;
  if (linkedKind === null || body === null) return undefined;
  const named = linkedVisualIds(body);
  const known = new Set(kept);
  const unknown = named.filter((id) => !known.has(id));
  const visuals = await linkedKind.store.findManySeen(asker.projectId, unknown, asker.subjects);
  const levels = await findLevels(linkedKind, asker, visuals);
  visuals.forEach((visual, index) => {
    if (levels[index]) known.add(visual._id);
  });
  const conveyed = named.filter((id) => known.has(id));
  return conveyed.length === 0 ? undefined : conveyed;
}
