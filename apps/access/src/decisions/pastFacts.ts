import type { LastEvent, PastResource, UserFacts } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { findLevels, isAdmin, type UserRequester } from './authorizeCaller.js';
import { factsOfUser, isHiddenFrom, type DecisionDependencies } from './explainAccess.js';
import { isAtLeast, subjectsOfUser, type ResourceFacts, type UserAccessFacts } from './logic/access.js';

/** The records with these ids or, without ids, the next ones in the order of their ids. */
export type Selection = { ids: readonly string[] } | { afterId: string | undefined };

/** Who reads the facts of which moment. */
export interface PastReader {
  requester: UserRequester;
  /** ISO 8601. */
  at: string;
  context: CallContext;
}

/** A user at a moment. */
export interface PastUser {
  facts: UserFacts;
  user: UserAccessFacts;
  subjects: ReadonlySet<string>;
  basedOn: LastEvent;
  /** The time of the newest recorded event of the organization. */
  recordedUntil: string;
}

/** Users at a moment, by id. Those whom the requester may not know are absent. */
export interface PastUsers {
  users: ReadonlyMap<string, PastUser>;
  nextAfterId: string | null;
}

/** What the requester may query about a resource that it may see, by its access today. */
export interface PresentRight {
  /** Whether it may query the access of other users too. */
  mayQueryOthers: boolean;
  /** The title of today; null for a deleted resource. */
  title: string | null;
}

/** A resource at a moment, and the dashboards that linked it, if it is a visual. */
export interface ResourceThen {
  resource: ResourceFacts;
  linkedFrom: readonly ResourceFacts[];
  basedOn: LastEvent;
}

/** Resources at a moment, by id, with the rights of the requester. */
export interface PastResources {
  /** Absent for resources that the requester may not see today. */
  rights: ReadonlyMap<string, PresentRight>;
  found: ReadonlyMap<string, ResourceThen>;
  /** The dashboards among the linking ones that the requester may see today. */
  visibleDashboards: ReadonlySet<string>;
  nextAfterId: string | null;
}

const requestOf = (selection: Selection) =>
  'ids' in selection ? { ids: [...selection.ids] } : { afterId: selection.afterId };

function factsOfPast({ shares, ...fields }: PastResource): ResourceFacts {
  const dated = shares.map((share) => ({
    ...share,
    expiresAt: share.expiresAt === null ? null : new Date(share.expiresAt),
  }));
  return { ...fields, shares: dated };
}

/** Reads users as they were at a moment. */
export async function readPastUsers(
  { history }: Pick<DecisionDependencies, 'history'>,
  selection: Selection,
  { requester, at, context }: PastReader,
): Promise<PastUsers> {
  const request = { at, ...requestOf(selection) };
  const { users: found, recordedUntil, nextAfterId } = await history.users.query(request, { context });
  const known = found
    .filter(({ user }) => !isHiddenFrom(requester, user))
    .map(({ user: facts, basedOn }): PastUser => {
      const user = factsOfUser(facts);
      const subjects = new Set(subjectsOfUser(user));
      return { facts, user, subjects, basedOn, recordedUntil: recordedUntil ?? basedOn.time };
    });
  return { users: new Map(known.map((each) => [each.facts.userId, each])), nextAfterId };
}

/** The largest number of subjects in one read of resources. */
const SUBJECTS_MAX = 20_000;

/** Users with few enough subjects for one read of resources. */
export interface UserPart {
  users: Map<string, PastUser>;
  subjects: Set<string>;
}

/** Distributes users among parts; at least one, which may be empty. */
export function partsBySubjects(users: Iterable<PastUser>): UserPart[] {
  let part: UserPart = { users: new Map(), subjects: new Set() };
  const parts = [part];
  for (const user of users) {
    const added = [...user.subjects].filter((subject) => !part.subjects.has(subject));
    if (part.users.size > 0 && part.subjects.size + added.length > SUBJECTS_MAX) {
      part = { users: new Map(), subjects: new Set() };
      parts.push(part);
    }
    part.users.set(user.facts.userId, user);
    for (const subject of user.subjects) part.subjects.add(subject);
  }
  return parts;
}

/** Reads what the requester may query about resources: an ADMIN may query deleted ones of its project too. */
async function readRights(
  kind: DecisionDependencies['kind'],
  requester: UserRequester,
  ids: readonly string[],
): Promise<Map<string, PresentRight>> {
  const present = await kind.store.findManySeen(requester.projectId, ids, requester.subjects);
  const levels = await findLevels(kind, requester, present);
  const rights = new Map<string, PresentRight>(
    isAdmin(requester) ? ids.map((id) => [id, { mayQueryOthers: true, title: null }]) : [],
  );
  for (const [index, { _id: id, title }] of present.entries()) {
    const level = levels[index] ?? null;
    if (level === null) rights.delete(id);
    else rights.set(id, { mayQueryOthers: isAtLeast(level, 'CONTRIBUTOR'), title });
  }
  return rights;
}

/**
 * Reads resources as they were at a moment, with the shares of these subjects, and what the requester may
 * query about them today. Of those selected by an id that is not known, an ADMIN may query the deleted ones.
 */
export async function readPastResources(
  { kind, dashboards, history }: DecisionDependencies,
  { selection, subjects }: { selection: Selection; subjects: ReadonlySet<string> },
  { requester, at, context }: PastReader,
): Promise<PastResources> {
  const request = { type: kind.type, at, subjects: [...subjects], ...requestOf(selection) };
  const { resources, linking, nextAfterId } = await history.resources.query(request, { context });
  const ids = 'ids' in selection ? selection.ids : resources.map(({ resource }) => resource.id);
  const linkingIds = linking.map(({ dashboard }) => dashboard.id);
  const rights = await readRights(kind, requester, ids);
  const ofDashboards = await readRights(dashboards, requester, linkingIds);
  const linkedFrom = new Map<string, ResourceFacts[]>(resources.map(({ resource }) => [resource.id, []]));
  for (const { dashboard, linkedVisualIds } of linking) {
    const facts = factsOfPast(dashboard);
    for (const id of new Set(linkedVisualIds)) linkedFrom.get(id)?.push(facts);
  }
  const found = resources.map(({ resource, basedOn }): [string, ResourceThen] => [
    resource.id,
    { resource: factsOfPast(resource), linkedFrom: linkedFrom.get(resource.id) ?? [], basedOn },
  ]);
  return { rights, found: new Map(found), visibleDashboards: new Set(ofDashboards.keys()), nextAfterId };
}
