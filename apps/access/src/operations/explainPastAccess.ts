import {
  AppError,
  invalidField,
  type AccessExplanation,
  type AccessGrant,
  type PastResource,
} from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { effectiveAccess } from '../logic/effectiveAccess.js';
import type { ResourceFacts } from '../logic/facts.js';
import { isAtLeast } from '../logic/roleCeiling.js';
import { subjectsOfUser } from '../logic/shareScope.js';
import { findLevels, requireLevel } from './accessLevels.js';
import { isAdmin, requirePerson, type Person } from './asker.js';
import { factsOfUser, type Deciding, type ExplainedResource } from './explainAccess.js';

function factsOfPast({ shares, ...fields }: PastResource): ResourceFacts {
  const dated = shares.map((share) => ({
    ...share,
    expiresAt: share.expiresAt === null ? null : new Date(share.expiresAt),
  }));
  return { ...fields, shares: dated };
}

/**
 * Whether the asker may ask about others: by the access of today, or, of a resource that is gone, as an ADMIN. Throws NOT_FOUND to
 * those who may not ask at all.
 */
async function mayAskAboutOthers({ kind }: Deciding, person: Person, id: string): Promise<boolean> {
  const resource = await kind.store.findSeen(person.projectId, id, person.subjects);
  if (resource !== null) {
    return isAtLeast(await requireLevel(kind, person, { resource, wanted: 'VIEWER' }), 'CONTRIBUTOR');
  }
  if (!isAdmin(person)) throw new AppError('NOT_FOUND');
  return true;
}

/** The dashboards that may be named to the asker: those that it may see today, and to an ADMIN those that are gone. */
async function findNameable(
  { dashboards }: Deciding,
  person: Person,
  linkedFrom: readonly ResourceFacts[],
): Promise<Set<string>> {
  const ids = linkedFrom.map((dashboard) => dashboard.id);
  const present = await dashboards.store.findManySeen(person.projectId, ids, person.subjects);
  const levels = await findLevels(dashboards, person, present);
  const hidden = new Set(present.filter((_, index) => levels[index] === null).map(({ _id }) => _id));
  const presentIds = new Set(present.map(({ _id }) => _id));
  const isNameable = (id: string) => !hidden.has(id) && (presentIds.has(id) || isAdmin(person));
  return new Set(ids.filter(isNameable));
}

function nameOnly(nameable: ReadonlySet<string>, { dashboardId, ...grant }: AccessGrant): AccessGrant {
  return dashboardId !== undefined && nameable.has(dashboardId) ? { ...grant, dashboardId } : grant;
}

/** Whom the question is about, as of the moment. Throws as {@link explainPastAccess}. */
async function findPastUser(
  deciding: Deciding,
  { id, userId, at }: ExplainedResource & { at: string },
  { person, context }: { person: Person; context: CallContext },
) {
  const { principal, user: asker } = person;
  const mayAsk = await mayAskAboutOthers(deciding, person, id);
  if (!mayAsk && userId !== undefined && userId !== principal.userId) throw new AppError('FORBIDDEN');
  const asked = { userId: userId ?? principal.userId, at };
  const { found, recordedUntil } = await deciding.history.user(context, asked);
  if (found === null) throw new AppError('NOT_FOUND');
  const { user, basedOn } = found;
  if (asker.type === 'tenant' && user.tenantKey !== asker.tenantKey) throw new AppError('NOT_FOUND');
  // An id may have been somebody else's then: that is a question about another.
  const isSelf = user.userKey === principal.userKey;
  if (!isSelf && userId === undefined) throw new AppError('NOT_FOUND');
  if (!isSelf && !mayAsk) throw new AppError('FORBIDDEN');
  return { user, basedOn, recordedUntil: recordedUntil ?? basedOn.time };
}

/**
 * Explains what access a user had at a moment in the past, by the same decision as that of today, on what the record of
 * events says was so. What a token gave by itself is not recorded. Who may ask is judged as of today.
 *
 * Throws INVALID_REQUEST for a moment in the future, NOT_FOUND where the resource or the user did not exist then or may not be
 * seen, and FORBIDDEN below CONTRIBUTOR to those who ask about somebody else.
 */
export async function explainPastAccess(
  deciding: Deciding,
  question: ExplainedResource & { at: string },
  context: CallContext,
): Promise<AccessExplanation> {
  const { kind, history } = deciding;
  const { id, at } = question;
  const person = requirePerson(context, kind.type, id);
  const now = new Date(at);
  if (now > person.now) throw invalidField('at', 'lies in the future');
  const past = await findPastUser(deciding, question, { person, context });
  const user = factsOfUser(past.user);
  const asked = { type: kind.type, id, at, subjects: subjectsOfUser(user) };
  const { found } = await history.resource(context, asked);
  if (found === null) throw new AppError('NOT_FOUND');
  const linkedFrom = found.linkedFrom.map(factsOfPast);
  const resource = factsOfPast(found.resource);
  const { accessLevel, ceiling, grants } = effectiveAccess({ user, resource, linkedFrom, now });
  const nameable = await findNameable(deciding, person, linkedFrom);
  return {
    userId: past.user.userId,
    accessLevel,
    role: user.role,
    ceiling,
    grants: grants.map((grant) => nameOnly(nameable, grant)),
    at,
    basedOn: { resource: found.basedOn, user: past.basedOn, recordedUntil: past.recordedUntil },
  };
}
