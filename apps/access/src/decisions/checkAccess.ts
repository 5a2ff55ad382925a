import {
  CHECKED_GRANTS_MAX,
  invalidField,
  type AccessCheck,
  type CheckResult,
  type ResourceType,
  type UserFacts,
} from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { findLevels, requireUser, type UserRequester } from './authorizeCaller.js';
import { factsOfUser, hideUnseenIn, isHiddenFrom, type DecisionDependencies } from './explainAccess.js';
import {
  accessLevelOf,
  factsOf,
  isAtLeast,
  subjectsOfUser,
  type AccessQuery,
  type ResourceFacts,
  type UserAccessFacts,
} from './logic/access.js';
import { effectiveAccess } from './logic/effectiveAccess.js';
import { linkedFromByVisual } from './logic/linkedFrom.js';

/** A user about whom a question is, as access is decided for it. */
interface CheckedUser {
  userId: string;
  user: UserAccessFacts;
  subjects: ReadonlySet<string>;
}

/** A resource about which a question is. */
interface CheckedResource {
  resource: ResourceFacts;
  /** The dashboards that link a visual and reach one of the users. */
  linkedFrom: readonly ResourceFacts[];
  /** The requester's own level. */
  ownLevel: Awaited<ReturnType<typeof findLevels>>[number];
}

/** The facts of all questions of a batch, each read once. */
interface CheckFacts {
  users: ReadonlyMap<string, CheckedUser>;
  resources: ReadonlyMap<string, CheckedResource>;
}

const NOT_FOUND: CheckResult = { status: 'rejected', code: 'NOT_FOUND' };
const FORBIDDEN: CheckResult = { status: 'rejected', code: 'FORBIDDEN' };

const keyOf = (type: ResourceType, id: string): string => `${type} ${id}`;

function checkedUserOf(userId: string, user: UserAccessFacts): CheckedUser {
  return { userId, user, subjects: new Set(subjectsOfUser(user)) };
}

/** Reads the users that the questions name. Omits those that the requester may not know. */
async function readUsers(
  { directory }: Pick<CheckParts, 'directory'>,
  requester: UserRequester,
  { checks, context }: { checks: readonly AccessCheck[]; context: CallContext },
): Promise<Map<string, CheckedUser>> {
  const { userId: ownId } = requester.principal;
  const named = new Set(checks.flatMap(({ userId }) => (userId === undefined ? [] : [userId])));
  named.delete(ownId);
  const found: UserFacts[] =
    named.size === 0
      ? []
      : (await directory.subjects.getUsers.query({ userIds: [...named] }, { context })).users;
  const shown = found.filter((user) => !isHiddenFrom(requester, user));
  const users = shown.map((user) => checkedUserOf(user.userId, factsOfUser(user)));
  const { user, subjectSet } = requester;
  return new Map(
    [...users, { userId: ownId, user, subjects: subjectSet }].map((known) => [known.userId, known]),
  );
}

/** Reads the resources of one type that the questions name, with the links of visuals. */
async function readResources(
  { kind }: Pick<DecisionDependencies, 'kind'>,
  requester: UserRequester,
  { checks, subjects }: { checks: readonly AccessCheck[]; subjects: readonly string[] },
): Promise<[string, CheckedResource][]> {
  const named = checks.filter(({ resourceType }) => resourceType === kind.type);
  const ids = [...new Set(named.map(({ resourceId }) => resourceId))];
  const { projectId } = requester;
  const [found, dashboards] = await Promise.all([
    kind.store.findManySeen(projectId, ids, subjects),
    kind.type === 'visual' ? kind.links.findLinking(projectId, ids, subjects) : [],
  ]);
  const ownLevels = await findLevels(kind, requester, found);
  const linkedFrom = linkedFromByVisual(dashboards, ids);
  return found.map((resource, index) => [
    keyOf(kind.type, resource._id),
    {
      resource: factsOf(kind.type, resource),
      linkedFrom: linkedFrom.get(resource._id) ?? [],
      ownLevel: ownLevels[index] ?? null,
    },
  ]);
}

/** Decides one question as `explain` does, in the same order of its rejections. */
function decide(
  { resourceType, resourceId, userId, level }: AccessCheck,
  { users, resources }: CheckFacts,
  { requester, reasons }: { requester: UserRequester; reasons: boolean },
): CheckResult {
  const { principal, now } = requester;
  const checkedId = userId ?? principal.userId;
  const checked = resources.get(keyOf(resourceType, resourceId));
  if (checked === undefined || checked.ownLevel === null) return NOT_FOUND;
  const isSelf = checkedId === principal.userId;
  if (!isSelf && !isAtLeast(checked.ownLevel, 'CONTRIBUTOR')) return FORBIDDEN;
  const known = users.get(checkedId);
  if (known === undefined) return NOT_FOUND;
  const { resource, linkedFrom } = checked;
  const query: AccessQuery = { user: known.user, subjects: known.subjects, resource, linkedFrom, now };
  if (!reasons) {
    const accessLevel = accessLevelOf(query);
    return { status: 'decided', isAllowed: isAtLeast(accessLevel, level), accessLevel };
  }
  const { accessLevel, ceiling, grants } = effectiveAccess(query);
  const shown = grants.map(hideUnseenIn(linkedFrom, requester));
  const access = { userId: checkedId, accessLevel, role: known.user.role, ceiling, grants: shown };
  return { status: 'decided', isAllowed: isAtLeast(accessLevel, level), accessLevel, access };
}

/**
 * Returns the function that counts the grants of the results of one request. It throws INVALID_REQUEST for
 * too many: thousands of grants for each of a thousand questions would fill the memory.
 */
export function createGrantLimit(): (result: CheckResult) => CheckResult {
  let left = CHECKED_GRANTS_MAX;
  return (result) => {
    left -= 'access' in result ? (result.access?.grants.length ?? 0) : 0;
    if (left >= 0) return result;
    const message = `must have ${CHECKED_GRANTS_MAX} grants or fewer together if reasons are requested`;
    throw invalidField('checks', message, 'range');
  };
}

/** The dependencies of decisions about resources of both kinds. */
export interface CheckParts extends Omit<DecisionDependencies, 'kind'> {
  visuals: DecisionDependencies['kind'];
}

/**
 * Decides many questions at once, each exactly as `explainAccess` does: a result has the level that it would
 * return, or the code that it would throw. Every record is read once. Throws FORBIDDEN for a caller without a
 * role, and INVALID_REQUEST for too many grants.
 */
export async function checkAccess(
  parts: CheckParts,
  { checks, reasons }: { checks: readonly AccessCheck[]; reasons: boolean },
  context: CallContext,
): Promise<{ results: CheckResult[] }> {
  const requester = requireUser(context);
  const users = await readUsers(parts, requester, { checks, context });
  const subjects = [...new Set([...users.values()].flatMap((known) => [...known.subjects]))];
  const { dashboards, visuals } = parts;
  const read = await Promise.all(
    [dashboards, visuals].map((kind) => readResources({ kind }, requester, { checks, subjects })),
  );
  const facts = { users, resources: new Map(read.flat()) };
  const limited = createGrantLimit();
  return { results: checks.map((check) => limited(decide(check, facts, { requester, reasons }))) };
}
