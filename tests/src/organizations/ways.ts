import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  ACCESS_LEVELS,
  type AccessExplanation,
  type AccessLevel,
  type GrantPath,
  type ResourcePermissions,
  type Viewer,
} from '@gatehouse/contract';
import type { Session } from '../api.js';
import { mapSideBySide } from '../sideBySide.js';
import { checkOthers, checkOwn, listOpened, listSubjects } from './batches.js';
import {
  collectionOf,
  pathTo,
  resourceOf,
  sessionOf,
  type BuiltOrganization,
  type BuiltResource,
} from './build.js';

/** A level and the path of the winning grant; null for no access. */
export type Access = { level: AccessLevel; path: GrantPath } | null;

/**
 * The expectation for a user: an access level for each resource, or, if it is not active, a rejection
 * everywhere.
 */
export interface ExpectedOf {
  isActive: boolean;
  access: Record<string, Access>;
}
export type Expectations = Record<string, ExpectedOf>;

interface SeenRecord {
  accessLevel: AccessLevel | null;
  permissions: ResourcePermissions;
}

const PAGE = 500;

const isAtLeast = (level: AccessLevel, wanted: AccessLevel) =>
  ACCESS_LEVELS.indexOf(level) >= ACCESS_LEVELS.indexOf(wanted);

/** The access of a record's reader according to the record, in one word; if its parts disagree, all of it. */
function levelIn({ accessLevel, permissions }: SeenRecord): string {
  const { canEdit, canShare, canDelete } = permissions;
  const level = accessLevel ?? 'none';
  if (accessLevel === null) return level;
  const isConsistent =
    canEdit === isAtLeast(accessLevel, 'EDITOR') &&
    canShare === isAtLeast(accessLevel, 'CONTRIBUTOR') &&
    canDelete === isAtLeast(accessLevel, 'OWNER');
  return isConsistent ? level : `${level} with ${JSON.stringify(permissions)}`;
}

const REFUSALS: Record<number, string> = { 401: 'refused', 404: 'none' };
const refusalOf = (status: number) => REFUSALS[status] ?? `status ${status}`;

async function readOne(session: Session, resource: BuiltResource): Promise<string> {
  const { status, body } = await session.get<Record<string, SeenRecord>>(pathTo(resource));
  const record = body[resource.type];
  return status === 200 && record ? levelIn(record) : refusalOf(status);
}

async function explain(session: Session, resource: BuiltResource, userId?: string): Promise<string> {
  const about = userId === undefined ? '' : `?userId=${userId}`;
  const { status, body } = await session.get<{ access: AccessExplanation }>(
    `${pathTo(resource)}/access${about}`,
  );
  if (status !== 200) return refusalOf(status);
  const { accessLevel, grants } = body.access;
  return accessLevel === null ? 'none' : `${accessLevel} by ${grants.find(({ wins }) => wins)?.path}`;
}

/** Reads every page of a list. */
async function readPages<T>(session: Session, path: string, key: string): Promise<T[] | number> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await session.get<{ nextCursor: string | null }>(
      `${path}&limit=${PAGE}${after}`,
    );
    if (status !== 200) return status;
    items.push(...((body as unknown as Record<string, T[]>)[key] ?? []));
    cursor = body.nextCursor;
  } while (cursor !== null);
  return items;
}

/** What the user's lists hold of the organization, by name. */
async function readLists(
  built: BuiltOrganization,
  user: string,
  project: string,
): Promise<Record<string, string>> {
  const session = sessionOf(built, user, project);
  const nameOf = (id: string) =>
    Object.entries(built.resources).find(([, resource]) => resource.id === id)?.[0] ?? id;
  const levels: Record<string, string> = {};
  for (const type of ['dashboard', 'visual'] as const) {
    const path = `${collectionOf(type)}?search=${built.tag}`;
    const listed = await readPages<SeenRecord & { id: string }>(session, path, `${type}s`);
    if (typeof listed === 'number') return { [type]: refusalOf(listed) };
    for (const item of listed) levels[nameOf(item.id)] = levelIn(item);
  }
  return levels;
}

/** The organization's own users among a resource's viewers, as one of them sees the list. */
async function readViewers(built: BuiltOrganization, viewer: string, resource: BuiltResource) {
  const session = sessionOf(built, viewer, resource.project);
  const viewers = await readPages<Viewer>(session, `${pathTo(resource)}/viewers?`, 'viewers');
  if (typeof viewers === 'number') return { [viewer]: refusalOf(viewers) };
  const names = new Map(Object.entries(built.users).map(([name, { id }]) => [id, name]));
  return Object.fromEntries(
    viewers.flatMap(({ id, accessLevel, path }) => {
      const name = names.get(id);
      return name === undefined ? [] : [[name, `${accessLevel} by ${path}`]];
    }),
  );
}

const writeLevel = ({ isActive, access }: ExpectedOf, resource: string) =>
  isActive ? (access[resource]?.level ?? 'none') : 'refused';
const writeAccess = (access: Access | undefined) => (access ? `${access.level} by ${access.path}` : 'none');

/** Whether an access as `writeAccess` writes it has at least a level. */
const isAtLeastIn = (access: string, level: AccessLevel) =>
  access !== 'none' && isAtLeast(access.split(' ')[0] as AccessLevel, level);

/** A user who may query others: preferably an org user, who sees all of them. */
function findAsker(built: BuiltOrganization, expected: Expectations, resource: string): string | undefined {
  const askers = Object.entries(expected).flatMap(([name, { isActive, access }]) => {
    const level = access[resource]?.level;
    return isActive && level !== undefined && isAtLeast(level, 'CONTRIBUTOR') ? [name] : [];
  });
  return askers.find((name) => built.users[name]?.tenant === null) ?? askers[0];
}

type Told = string | Record<string, string>;

/** One query about one resource, and its expected result. */
interface Question {
  about: string;
  expected: Told;
  ask(): Promise<Told>;
  /** The same about a moment in the past, where that is possible. */
  askThen?(at: string): Promise<Told>;
}

/** The queries of a user in one of the projects: each record, its own explanations, its lists. */
function questionsOf(
  built: BuiltOrganization,
  { user, project, expected }: { user: string; project: string; expected: ExpectedOf },
): Question[] {
  const session = sessionOf(built, user, project);
  const about = `${user} in ${project}`;
  const resources = Object.entries(built.resources).map(([name, resource]) => {
    const isHere = resource.project === project || !expected.isActive;
    return { name, resource, isHere, level: isHere ? writeLevel(expected, name) : 'none' };
  });
  const listed = resources.filter(({ level }) => level !== 'none').map(({ name, level }) => [name, level]);
  return [
    ...resources.map(({ name, resource, level }) => ({
      about: `GET ${name}, ${about}`,
      expected: level,
      ask: () => readOne(session, resource),
    })),
    ...resources.map(({ name, resource, isHere }) => ({
      about: `explain ${name}, ${about}`,
      expected: !expected.isActive ? 'refused' : isHere ? writeAccess(expected.access[name]) : 'none',
      ask: () => explain(session, resource),
    })),
    {
      about: `list, ${about}`,
      expected: expected.isActive ? Object.fromEntries(listed) : { dashboard: 'refused' },
      ask: () => readLists(built, user, project),
    },
    {
      about: `check, ${about}`,
      expected: Object.fromEntries(
        resources.map(({ name, isHere }) => [
          name,
          !expected.isActive ? 'refused' : isHere ? writeAccess(expected.access[name]) : 'none',
        ]),
      ),
      ask: () => checkOwn(built, { user, project }),
      askThen: (at) => checkOwn(built, { user, project, at }),
    },
    {
      about: `access list, ${about}`,
      expected: expected.isActive ? Object.fromEntries(listed) : { dashboard: 'refused' },
      ask: () => listOpened(built, { user, project }),
      askThen: (at) => listOpened(built, { user, project, at }),
    },
  ];
}

/** The queries of a user who may query others about a resource: each explanation, and the viewers. */
function questionsAbout(built: BuiltOrganization, expectations: Expectations, name: string): Question[] {
  const viewer = findAsker(built, expectations, name);
  if (viewer === undefined) return [];
  const resource = resourceOf(built, name);
  const session = sessionOf(built, viewer, resource.project);
  const { tenant = null } = built.users[viewer] ?? {};
  const accesses = Object.entries(expectations)
    .filter(([user]) => tenant === null || built.users[user]?.tenant === tenant)
    .map(([user, { access }]) => [user, writeAccess(access[name])] as const);
  const users = accesses.map(([user]) => user);
  return [
    ...accesses.map(([user, access]) => ({
      about: `explain ${name}, ${viewer} about ${user}`,
      expected: access,
      ask: () => explain(session, resource, built.users[user]?.id),
    })),
    {
      about: `viewers of ${name}, ${viewer}`,
      expected: Object.fromEntries(accesses.filter(([, access]) => access !== 'none')),
      ask: () => readViewers(built, viewer, resource),
    },
    {
      about: `check ${name}, ${viewer} about all`,
      expected: Object.fromEntries(accesses),
      ask: () => checkOthers(built, viewer, { resource, users }),
      askThen: (at: string) => checkOthers(built, viewer, { resource, users, at }),
    },
    ...ACCESS_LEVELS.map((level) => ({
      about: `subjects of ${name} with ${level}, ${viewer}`,
      expected: Object.fromEntries(accesses.filter(([, access]) => isAtLeastIn(access, level))),
      ask: () => listSubjects(built, viewer, { resource, level }),
      // One level is enough: a list of the past reads all users of the organization.
      ...(level === 'VIEWER' && {
        askThen: (at: string) => listSubjects(built, viewer, { resource, level, at }),
      }),
    })),
  ];
}

async function askAll(questions: readonly Question[]): Promise<Record<string, Told>> {
  const told = await mapSideBySide(questions, async ({ about, ask }) => [about, await ask()] as const);
  return Object.fromEntries(told);
}

/** How long the record of past access may take to hold what has happened. */
const RECORDED_MS = 20_000;
const PAUSE_MS = 50;

/** The queries that can be about the past, at this moment; each is repeated until the record has it. */
function questionsThen(questions: readonly Question[], at: string): Question[] {
  return questions.flatMap(({ about, expected, askThen }) => {
    if (askThen === undefined) return [];
    const ask = async (): Promise<Told> => {
      const end = Date.now() + RECORDED_MS;
      for (;;) {
        const told = await askThen(at);
        if (isDeepStrictEqual(told, expected) || Date.now() > end) return told;
        await sleep(PAUSE_MS);
      }
    };
    return [{ about: `${about}, at a moment`, expected, ask }];
  });
}

/**
 * Runs all kinds of queries about all users and resources over HTTP, and compares the results with the
 * expectations.
 */
export async function askInAllWays(built: BuiltOrganization, expectations: Expectations) {
  const ofUsers = Object.entries(expectations).flatMap(([user, expected]) =>
    Object.keys(built.users[user]?.sessions ?? {}).flatMap((project) =>
      questionsOf(built, { user, project, expected }),
    ),
  );
  const aboutResources = Object.keys(built.resources).flatMap((name) =>
    questionsAbout(built, expectations, name),
  );
  const ofNow = [...ofUsers, ...aboutResources];
  const questions = [...ofNow, ...questionsThen(ofNow, new Date().toISOString())];
  const expected = Object.fromEntries(questions.map((question) => [question.about, question.expected]));
  return { told: await askAll(questions), expected };
}

/** The levels of all users on all resources, with the quickest query. */
export async function readLevels(built: BuiltOrganization): Promise<Record<string, Told>> {
  const questions = Object.keys(built.users).flatMap((user) =>
    Object.entries(built.resources).map(([name, resource]) => ({
      about: `${user} on ${name}`,
      expected: '',
      ask: () => readOne(sessionOf(built, user, resource.project), resource),
    })),
  );
  return askAll(questions);
}
