import { AppError, type AccessExplanation, type AccessGrant, type UserFacts } from '@gatehouse/contract';
import type { CallContext, ServiceClients } from '@gatehouse/service';
import { accessLevelOf, effectiveAccess } from '../logic/effectiveAccess.js';
import type { ResourceFacts, UserAccessFacts } from '../logic/facts.js';
import { subjectsOfUser } from '../logic/shareScope.js';
import { factsOf } from '../store/resourceDocument.js';
import { requireLevel } from './accessLevels.js';
import { requirePerson, type Person } from './asker.js';
import type { ResourceKind } from './resourceKind.js';

/** What decisions about a kind of resource need. */
export interface Deciding {
  kind: ResourceKind;
  /** The kind that links visuals. */
  dashboards: ResourceKind;
  directory: ServiceClients['directory'];
  history: ServiceClients['audit']['history'];
}

/** Which resource a question is about, and which user; absent, the asker. */
export interface ExplainedResource {
  id: string;
  userId?: string | undefined;
}

/** Whose access is explained. */
interface Explained {
  userId: string;
  user: UserAccessFacts;
  /** Of the dashboard token that asks for itself. */
  tokenDashboardId?: string | undefined;
}

/** A user as access is decided for it. */
export function factsOfUser({
  type,
  userKey,
  role,
  isActive,
  tenantKey,
  groupIds,
}: UserFacts): UserAccessFacts {
  return { type, userKey, role, isActive, tenantKey, groupIds };
}

/** Throws NOT_FOUND for users that do not exist and, to a tenant user, for those outside its tenant. */
async function findExplained(
  { directory }: Deciding,
  userId: string,
  { person, context }: { person: Person; context: CallContext },
): Promise<Explained> {
  const { user: found } = await directory.subjects.getUser(context, { userId });
  const isHidden = person.user.type === 'tenant' && found?.tenantKey !== person.user.tenantKey;
  if (found === null || isHidden) throw new AppError('NOT_FOUND');
  return { userId, user: factsOfUser(found) };
}

/** A dashboard that the asker may not see is not named to it. */
function hideUnseen(
  grant: AccessGrant,
  dashboards: readonly ResourceFacts[],
  { user, now }: Person,
): AccessGrant {
  const { dashboardId, ...unnamed } = grant;
  const resource = dashboards.find((dashboard) => dashboard.id === dashboardId);
  if (resource === undefined) return grant;
  return accessLevelOf({ user, resource, linkedFrom: [], now }) === null ? unnamed : grant;
}

/**
 * Explains a user's access: its level, and every grant that applies, the winning one first. Throws NOT_FOUND, and
 * FORBIDDEN below CONTRIBUTOR to those who ask about somebody else.
 */
export async function explainAccess(
  deciding: Deciding,
  { id, userId }: ExplainedResource,
  context: CallContext,
): Promise<AccessExplanation> {
  const { kind } = deciding;
  const person = requirePerson(context, kind.type, id);
  const { principal, projectId, tokenDashboardId, now } = person;
  const isSelf = userId === undefined || userId === principal.userId;
  const header = await kind.store.getHeader(projectId, id);
  await requireLevel(kind, person, { resource: header, wanted: isSelf ? 'VIEWER' : 'CONTRIBUTOR' });
  const explained = isSelf
    ? { userId: principal.userId, user: person.user, tokenDashboardId }
    : await findExplained(deciding, userId, { person, context });
  const { user } = explained;
  const subjects = [...new Set([...subjectsOfUser(user), ...person.subjects])];
  const dashboards = kind.type === 'visual' ? await kind.links.findLinking(projectId, [id], subjects) : [];
  const linkedFrom = dashboards.map((dashboard) => factsOf('dashboard', dashboard));
  const resource = factsOf(kind.type, header);
  const { accessLevel, ceiling, grants } = effectiveAccess({ ...explained, resource, linkedFrom, now });
  const shown = grants.map((grant) => hideUnseen(grant, linkedFrom, person));
  return { userId: explained.userId, accessLevel, role: user.role, ceiling, grants: shown };
}
