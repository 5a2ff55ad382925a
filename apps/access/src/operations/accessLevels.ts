import { AppError, type AccessLevel } from '@gatehouse/contract';
import { accessLevelOf } from '../logic/effectiveAccess.js';
import { count } from '@gatehouse/service';
import type { ResourceFacts } from '../logic/facts.js';
import { isAtLeast } from '../logic/roleCeiling.js';
import { factsOf, type ResourceHeader, type SeenResource } from '../store/resourceDocument.js';
import type { Asker } from './asker.js';
import type { ResourceKind } from './resourceKind.js';

type Resource = SeenResource | ResourceHeader;
type DecidedKind = Pick<ResourceKind, 'type' | 'links'>;

const NOT_LINKED: readonly ResourceFacts[] = [];

function directLevel(kind: DecidedKind, asker: Asker, resource: Resource): AccessLevel | null {
  const { user, tokenDashboardId, now } = asker;
  const facts = factsOf(kind.type, resource);
  return accessLevelOf({ user, resource: facts, linkedFrom: NOT_LINKED, tokenDashboardId, now });
}

/**
 * The effective level on each of the resources. A link gives the lowest level, so that only those without a grant of
 * their own are looked up among the links.
 */
export async function findLevels(
  kind: DecidedKind,
  asker: Asker,
  resources: readonly Resource[],
): Promise<(AccessLevel | null)[]> {
  const levels = resources.map((resource) => directLevel(kind, asker, resource));
  const { user, projectId, subjects, now } = asker;
  if (kind.type !== 'visual' || user === null || !levels.includes(null)) return levels;
  const hidden = resources.filter((_, index) => levels[index] === null);
  const ids = hidden.map((resource) => resource._id);
  const dashboards = await kind.links.findLinking(projectId, ids, subjects);
  if (dashboards.length === 0) return levels;
  return resources.map((resource, index) => {
    const level = levels[index] ?? null;
    if (level !== null) return level;
    const linking = dashboards.filter(({ linkedVisualIds }) => linkedVisualIds.includes(resource._id));
    const linkedFrom = linking.map((dashboard) => factsOf('dashboard', dashboard));
    return accessLevelOf({ user, resource: factsOf(kind.type, resource), linkedFrom, now });
  });
}

/** The effective level on one resource; null for none. */
export async function findLevel(
  kind: DecidedKind,
  asker: Asker,
  resource: Resource,
): Promise<AccessLevel | null> {
  const [level = null] = await findLevels(kind, asker, [resource]);
  return level;
}

function refused({ type }: DecidedKind, outcome: 'hidden' | 'forbidden'): AppError {
  count('decisions', { decision: `${type}_access`, outcome });
  return new AppError(outcome === 'hidden' ? 'NOT_FOUND' : 'FORBIDDEN');
}

/**
 * The effective level, at least `wanted`. Throws NOT_FOUND, as for a resource that does not exist, when the asker may not
 * see it, and FORBIDDEN when it may see it but not do what it wants.
 */
export async function requireLevel(
  kind: DecidedKind,
  asker: Asker,
  { resource, wanted }: { resource: Resource; wanted: AccessLevel },
): Promise<AccessLevel> {
  const level = await findLevel(kind, asker, resource);
  if (level === null) throw refused(kind, 'hidden');
  if (!isAtLeast(level, wanted)) throw refused(kind, 'forbidden');
  count('decisions', { decision: `${kind.type}_access`, outcome: 'allowed' });
  return level;
}
