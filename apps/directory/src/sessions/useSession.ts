import { AppError, withName } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { Directory, Input, Output } from '../directory.js';
import type { Person } from '../people/findPeople.js';
import type { ProjectDocument } from '../records/documents.js';
import { signToken } from '../tokens/signToken.js';
import { idleEnd, type Grants } from './createSession.js';
import { endSession } from './endSession.js';
import { findActivePerson, kindOf, type ActivePerson } from './person.js';
import type { SessionRecord } from './store.js';

/** How long the gateway uses one access token of a session. The idle time is counted as exactly as this. */
const TOKEN_SECONDS = 120;
const PROJECTS_MAX = 1000;

async function findSession(
  directory: Directory,
  cookieHash: string,
  now: Date,
): Promise<(ActivePerson & { session: SessionRecord }) | null> {
  const session = await directory.stores.sessions.findByCookie(cookieHash, now);
  const signedIn = session && (await findActivePerson(directory, session.organizationId, session));
  return signedIn && { ...signedIn, session };
}

async function listProjects(
  { stores }: Directory,
  { organizationId, projectIds }: SessionRecord,
): Promise<ProjectDocument[]> {
  if (projectIds === null)
    return (await stores.projects.list(organizationId, { limit: PROJECTS_MAX })).records;
  return stores.projects.listByKeys(organizationId, projectIds);
}

/** The session of a cookie, for the page; null unless its person is active. */
export async function readSession(
  directory: Directory,
  { cookieHash }: Input<'sessions', 'find'>,
  { now }: CallContext,
): Promise<Output<'sessions', 'find'>> {
  const found = await findSession(directory, cookieHash, now);
  if (!found) return { session: null };
  const { session, person, tenant } = found;
  const [projects, organization] = await Promise.all([
    listProjects(directory, session),
    directory.stores.organizations.get(session.organizationId),
  ]);
  const { id, method, createdAt, idleUntil } = session;
  return {
    session: {
      id,
      method,
      createdAt: createdAt.toISOString(),
      expiresAt: idleUntil.toISOString(),
      user: {
        ...userOf(person),
        organizationName: organization.name,
        ...(tenant === null ? {} : { tenantId: tenant.id, tenantName: tenant.name }),
      },
      projects: projects.map((project) => ({ id: project._id, name: project.name })),
    },
  };
}

function userOf(person: Person) {
  const { id, name, email, role, organizationId } = person;
  return { id, kind: kindOf(person), name, email, role, organizationId };
}

/**
 * Issues an access token for the person of a session, and extends the session.
 *
 * @throws UNAUTHENTICATED without a live session of an active person, FORBIDDEN for another project
 */
export async function issueSessionToken(
  directory: Directory,
  { cookieHash, projectId }: Input<'sessions', 'issueToken'>,
  context: CallContext,
): Promise<Output<'sessions', 'issueToken'>> {
  const { now } = context;
  const found = await findSession(directory, cookieHash, now);
  if (!found) throw new AppError('UNAUTHENTICATED');
  const { session } = found;
  const { organizationId, _id } = session;
  const project = await findProject(directory, session, projectId);
  const idleUntil = idleEnd(directory, session, now);
  if (!(await directory.stores.sessions.touch(organizationId, _id, { now, idleUntil })))
    throw new AppError('UNAUTHENTICATED');
  const leftSeconds = Math.floor((idleUntil.getTime() - now.getTime()) / 1000);
  const tokenExpiry = Math.max(1, Math.min(TOKEN_SECONDS, leftSeconds));
  const token = await signToken(
    directory,
    { claims: claimsOf(directory, found, project), tokenExpiry },
    context,
  );
  return { ...token, organizationId };
}

async function findProject(
  directory: Directory,
  session: SessionRecord,
  projectId: string | undefined,
): Promise<ProjectDocument> {
  const { organizationId, projectIds } = session;
  if (projectId === undefined) {
    const [first] = await listProjects(directory, session);
    if (first) return first;
    throw new AppError('FORBIDDEN', { message: 'The organization has no project' });
  }
  const isReached = projectIds === null || projectIds.includes(projectId);
  const project = isReached && (await directory.stores.projects.findByKey(organizationId, projectId));
  if (project) return project;
  throw new AppError('FORBIDDEN', {
    message: withName('The session reaches no project of this id', projectId),
  });
}

function claimsOf(
  { sealer }: Directory,
  { session, person, tenant }: ActivePerson & { session: SessionRecord },
  { _id: projectId }: ProjectDocument,
) {
  const { organizationId, id: sessionId, sealedGrants, _id } = session;
  const grants = sealedGrants === undefined ? {} : (JSON.parse(sealer.open(sealedGrants, _id)) as Grants);
  const identity =
    tenant === null ? { orgUserId: person.id } : { tenantUserId: person.id, tenantId: tenant.id };
  const type = 'project' as const;
  const sub = person._id;
  return { sub, type, projectId, project_id: projectId, organizationId, ...identity, sessionId, ...grants };
}

/** Ends the session of a cookie: its person signs out. */
export async function signOut(
  directory: Directory,
  { cookieHash }: Input<'sessions', 'end'>,
  context: CallContext,
): Promise<Output<'sessions', 'end'>> {
  const session = await directory.stores.sessions.findByCookie(cookieHash, context.now);
  if (!session) return { organizationId: null, method: null };
  await endSession(directory, session, { reason: 'signed_out', context });
  return { organizationId: session.organizationId, method: session.method };
}
