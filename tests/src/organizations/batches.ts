import {
  ACCESS_LEVELS,
  type AccessCheck,
  type AccessLevel,
  type CheckResult,
  type ReachedResource,
  type Viewer,
} from '@gatehouse/contract';
import type { Session } from '../api.js';
import { sessionOf, type BuiltOrganization, type BuiltResource } from './build.js';

/** The level that the answers to the questions about all levels agree on; else the answers. */
function levelOf(results: readonly CheckResult[]): string {
  const [first] = results;
  if (first?.status === 'rejected') return first.code === 'NOT_FOUND' ? 'none' : first.code;
  const level = first?.accessLevel ?? null;
  const isConsistent = results.every(
    (result, index) =>
      result.status === 'decided' &&
      result.accessLevel === level &&
      result.isAllowed === (level !== null && index <= ACCESS_LEVELS.indexOf(level)),
  );
  if (!isConsistent) return JSON.stringify(results);
  if (level === null) return 'none';
  const winner = first?.status === 'decided' ? first.access?.grants.find(({ wins }) => wins) : undefined;
  return `${level} by ${winner?.path}`;
}

/** One question of a batch, before the level. */
type Subject = Omit<AccessCheck, 'level'>;

/** The moment of a question, as ISO 8601; the present if absent. */
export interface Moment {
  at?: string;
}

/** Requests the answers to questions about every level, and returns one level for each question. */
async function check(
  session: Session,
  subjects: readonly Subject[],
  moment: Moment,
): Promise<string[] | number> {
  const checks = subjects.flatMap((subject) => ACCESS_LEVELS.map((level) => ({ ...subject, level })));
  const { status, body } = await session.post<{ results: CheckResult[] }>('/access:check', {
    checks,
    reasons: true,
    ...moment,
  });
  if (status !== 200) return status;
  return subjects.map((_, index) => {
    const start = index * ACCESS_LEVELS.length;
    return levelOf(body.results.slice(start, start + ACCESS_LEVELS.length));
  });
}

const REFUSED = 401;
const asRecord = (names: readonly string[], told: string[] | number): Record<string, string> =>
  Object.fromEntries(
    names.map((name, index) => [
      name,
      typeof told === 'number' ? (told === REFUSED ? 'refused' : `status ${told}`) : (told[index] ?? ''),
    ]),
  );

/** A user's own levels on all resources of the organization, in one batch. */
export async function checkOwn(
  built: BuiltOrganization,
  { user, project, ...moment }: Moment & { user: string; project: string },
): Promise<Record<string, string>> {
  const resources = Object.entries(built.resources);
  const subjects = resources.map(([, { id, type }]) => ({ resourceType: type, resourceId: id }));
  const told = await check(sessionOf(built, user, project), subjects, moment);
  return asRecord(
    resources.map(([name]) => name),
    told,
  );
}

/** The levels of users on one resource, in one batch of a user who may see them. */
export async function checkOthers(
  built: BuiltOrganization,
  viewer: string,
  { resource, users, ...moment }: Moment & { resource: BuiltResource; users: readonly string[] },
): Promise<Record<string, string>> {
  const subjects = users.map((user) => ({
    resourceType: resource.type,
    resourceId: resource.id,
    userId: built.users[user]?.id ?? '',
  }));
  return asRecord(users, await check(sessionOf(built, viewer, resource.project), subjects, moment));
}

/** What a user can open, by name. Resources of other organizations on the same ground are left out. */
export async function listOpened(
  built: BuiltOrganization,
  { user, project, ...moment }: Moment & { user: string; project: string },
): Promise<Record<string, string>> {
  const session = sessionOf(built, user, project);
  const names = new Map(Object.entries(built.resources).map(([name, { id }]) => [id, name]));
  const opened: Record<string, string> = {};
  for (const resourceType of ['dashboard', 'visual'] as const) {
    const { status, body } = await session.post<{ resources: ReachedResource[] }>('/access:list', {
      resourceType,
      ...moment,
    });
    if (status !== 200) return { [resourceType]: status === REFUSED ? 'refused' : `status ${status}` };
    for (const { id, accessLevel } of body.resources) {
      const name = names.get(id);
      if (name !== undefined) opened[name] = accessLevel;
    }
  }
  return opened;
}

/** The organization's own users who can open a resource at a level, as one of them sees the list. */
export async function listSubjects(
  built: BuiltOrganization,
  viewer: string,
  { resource, level, ...moment }: Moment & { resource: BuiltResource; level: AccessLevel },
): Promise<Record<string, string>> {
  const session = sessionOf(built, viewer, resource.project);
  const { status, body } = await session.post<{ subjects: Viewer[] }>('/access:subjects', {
    resourceType: resource.type,
    resourceId: resource.id,
    level,
    ...moment,
  });
  if (status !== 200) return { [viewer]: `status ${status}` };
  const names = new Map(Object.entries(built.users).map(([name, { id }]) => [id, name]));
  return Object.fromEntries(
    body.subjects.flatMap(({ id, accessLevel, path }) => {
      const name = names.get(id);
      return name === undefined ? [] : [[name, `${accessLevel} by ${path}`]];
    }),
  );
}
