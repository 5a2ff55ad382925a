import {
  AppError,
  isPerson,
  type audit,
  type InputOf,
  type OutputOf,
  type PersonPrincipal,
} from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { groupByRecord, groupIdsAt, resourceAt, userAt } from './logic/past.js';
import type { HistoryStore } from './store.js';

type History = (typeof audit)['procedures']['history'];

function requirePerson({ principal }: CallContext): PersonPrincipal {
  if (!isPerson(principal)) throw new AppError('FORBIDDEN');
  return principal;
}

/** The user with an id at a moment, with role, tenant and groups. A tenant user sees only its own tenant. */
export async function findPastUser(
  store: HistoryStore,
  { userId, at }: InputOf<History['user']>,
  context: CallContext,
): Promise<OutputOf<History['user']>> {
  const principal = requirePerson(context);
  const { organizationId } = principal;
  const moment = new Date(at);
  // First, so that the result covers at least this time.
  const recorded = await store.findRecordedUntil(organizationId);
  const recordedUntil = recorded?.toISOString() ?? null;
  const then = userAt(await store.listUserFacts(organizationId, userId), moment);
  const isHidden = principal.kind === 'tenantUser' && then?.user.tenantKey !== principal.tenantKey;
  if (then === null || isHidden) return { found: null, recordedUntil };
  const facts = await store.listGroupFacts(organizationId, then.user.userKey);
  const groupIds = groupIdsAt(facts, then.user.userKey, moment);
  return { found: { user: { ...then.user, groupIds }, basedOn: then.basedOn }, recordedUntil };
}

/** A resource at a moment; for a visual, also the dashboards of its project that linked it then. */
export async function findPastResource(
  store: HistoryStore,
  { type, id, at, subjects }: InputOf<History['resource']>,
  context: CallContext,
): Promise<OutputOf<History['resource']>> {
  const { organizationId, projectId } = requirePerson(context);
  const moment = new Date(at);
  const then = resourceAt(await store.listResourceFacts(organizationId, [id], subjects), moment);
  if (then === null || then.resource.type !== type || then.resource.projectId !== projectId) {
    return { found: null };
  }
  const linkingIds = type === 'visual' ? await store.listLinkingIds(organizationId, id) : [];
  const facts =
    linkingIds.length === 0 ? [] : await store.listResourceFacts(organizationId, linkingIds, subjects);
  const linkedFrom = [...groupByRecord(facts).values()].flatMap((ofDashboard) => {
    const dashboard = resourceAt(ofDashboard, moment);
    if (dashboard === null || dashboard.resource.projectId !== projectId) return [];
    return dashboard.linkedVisualIds.includes(id) ? [dashboard.resource] : [];
  });
  return { found: { resource: then.resource, linkedFrom, basedOn: then.basedOn } };
}
