import { setTimeout as sleep } from 'node:timers/promises';
import { ACCESS_LEVELS, SHARE_SCOPES, type AccessLevel, type ShareScope } from '@gatehouse/contract';
import { newId } from '@gatehouse/service';
import fc from 'fast-check';
import { succeeded, type Api, type Session } from '../api.js';

/** One action of a user; the numbers select from the records that exist then. */
export const deed = fc.record({ kind: fc.nat(99), who: fc.nat(99), what: fc.nat(99), how: fc.nat(999) });
export type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never;

export interface Somebody {
  id: string;
  /** Null for org users. */
  tenantId: string | null;
  session: Session;
}
export interface Something {
  type: 'dashboard' | 'visual';
  id: string;
}

/** An organization's people and things in the course of a day. */
export interface Day {
  api: Api;
  tenantIds: string[];
  people: Somebody[];
  groupIds: string[];
  things: Something[];
  /** What was shared, so that what is taken back is mostly there. */
  shares: { thing: Something; entry: Record<string, unknown> }[];
  /** Who was let into which group. */
  memberships: { groupId: string; userId: string }[];
}

const ROLES = { org: ['ADMIN', 'AUTHOR', 'VIEWER'], tenant: ['VIEWER', 'POWER_USER'] } as const;
const PEOPLE_PER_TENANT = 2;
const ORG_PEOPLE = 3;

function pick<T>(from: readonly T[], index: number): T | undefined {
  return from.length === 0 ? undefined : from[index % from.length];
}

async function addTenantUser(api: Api, tenantId: string, id?: string): Promise<Somebody> {
  const user = await api.createTenantUser(tenantId, 'POWER_USER', id === undefined ? {} : { id });
  return { id: user.id, tenantId, session: await api.openSession({ endUserId: user.id }) };
}

async function addOrgUser(api: Api): Promise<Somebody> {
  const { id } = await api.createOrgUser('AUTHOR');
  return { id, tenantId: null, session: await api.openSession({ orgUserId: id }) };
}

/** The morning: two tenants with their people, people of the organization, groups, and a few things. */
export async function beginDay(api: Api): Promise<Day> {
  const tenants = [await api.createTenant(), await api.createTenant()];
  const tenantIds = tenants.map((tenant) => tenant.id);
  const people: Somebody[] = [];
  for (const tenantId of tenantIds) {
    for (let n = 0; n < PEOPLE_PER_TENANT; n += 1) people.push(await addTenantUser(api, tenantId));
  }
  // Who leaves this tenant leaves what is owned to the first of its people.
  succeeded(await api.admin.put(`/tenants/${tenantIds[0]}`, { defaultOwnerId: people[0]?.id }));
  for (let n = 0; n < ORG_PEOPLE; n += 1) people.push(await addOrgUser(api));
  const groups = [await api.createGroup(), await api.createGroup([], tenantIds[0])];
  const groupIds = groups.map((group) => group.id);
  const day: Day = { api, tenantIds, people, groupIds, things: [], shares: [], memberships: [] };
  for (let who = 0; who < 3; who += 1) await make(day, { kind: 0, who, what: who, how: who });
  // So that to be in a group means something from the beginning.
  const author = people.at(-1)?.session ?? api.admin;
  const dashboard = await api.createDashboard(author);
  day.things.push({ type: 'dashboard', id: dashboard.id });
  const entries = groupIds.map((groupId) => ({ scope: 'group', groupId, role: 'EDITOR' }));
  await api.share(author, dashboard.id, entries);
  return day;
}

const pathOf = ({ type, id }: Something) => `/${type}s/${id}`;

async function make({ api, people, things }: Day, { who, what, how }: Deed): Promise<void> {
  const maker = pick(people, who);
  if (maker === undefined) return;
  const isPrivate = how % 3 > 0;
  if (how % 2 === 0) {
    const visual = await api.createVisual(maker.session, { isPrivate }).catch(() => null);
    if (visual !== null) things.push({ type: 'visual', id: visual.id });
    return;
  }
  const linked = pick(
    things.filter(({ type }) => type === 'visual'),
    what,
  );
  const frames = linked === undefined ? [] : [{ id: 'f', visualId: linked.id }];
  const template = { sheets: [{ id: 's', frames }] };
  const dashboard = await api.createDashboard(maker.session, { isPrivate, template }).catch(() => null);
  if (dashboard !== null) things.push({ type: 'dashboard', id: dashboard.id });
}

function targetOf(day: Day, scope: ShareScope, what: number): Record<string, unknown> | null {
  const people = (isOfTenant: boolean) =>
    day.people.filter(({ tenantId }) => (tenantId !== null) === isOfTenant);
  switch (scope) {
    case 'specific_tenant_user':
      return { tenantUserId: pick(people(true), what)?.id };
    case 'specific_org_user':
      return { orgUserId: pick(people(false), what)?.id };
    case 'all_tenant_users':
      return { tenantId: pick(day.tenantIds, what) };
    case 'group':
      return { groupId: pick(day.groupIds, what) };
    case 'all_org_users':
    case 'org_users_only':
    case 'all_tenants_only':
      return {};
  }
}

/**
 * Shares in the chosen way, or in the next one that the user may: other attempts are rejected, which changes
 * nothing.
 */
async function share(day: Day, { who, what, how }: Deed): Promise<void> {
  const thing = pick(day.things, what);
  if (thing === undefined) return;
  const role: AccessLevel = pick(ACCESS_LEVELS, how >> 3) ?? 'VIEWER';
  const expiresAt = how % 5 === 0 ? new Date(Date.now() + 150).toISOString() : null;
  for (let next = how; next < how + SHARE_SCOPES.length; next += 1) {
    const scope = pick(SHARE_SCOPES, next) ?? 'group';
    const entry = { scope, ...targetOf(day, scope, who) };
    const body = { shares: [{ ...entry, role, expiresAt }] };
    const answers = await Promise.all(
      day.people.map(({ session }) => session.post(`${pathOf(thing)}/share`, body)),
    );
    if (!answers.some(({ status }) => status === 200)) continue;
    day.shares.push({ thing, entry });
    return;
  }
}

async function unshare({ people, shares }: Day, { what }: Deed): Promise<void> {
  const [made] = shares.splice(what % Math.max(1, shares.length), 1);
  if (made === undefined) return;
  const { thing, entry } = made;
  const body = { shares: [entry] };
  await Promise.all(people.map(({ session }) => session.delete(`${pathOf(thing)}/share`, body)));
}

async function join({ api, groupIds, people, memberships }: Day, { who, what }: Deed): Promise<void> {
  const [groupId, person] = [pick(groupIds, what), pick(people, who)];
  if (groupId === undefined || person === undefined) return;
  const { status } = await api.admin.post(`/groups/${groupId}/members`, { userIds: [person.id] });
  if (status < 300) memberships.push({ groupId, userId: person.id });
}

async function leave({ api, memberships }: Day, { who }: Deed): Promise<void> {
  const [membership] = memberships.splice(who % Math.max(1, memberships.length), 1);
  if (membership === undefined) return;
  await api.admin.delete(`/groups/${membership.groupId}/members`, { userIds: [membership.userId] });
}

const pathOfPerson = ({ id, tenantId }: Somebody) => `/${tenantId === null ? 'org' : 'tenant'}-users/${id}`;

async function changePerson({ api, people }: Day, { who, how }: Deed): Promise<void> {
  const person = pick(people, who);
  if (person === undefined) return;
  const roles = person.tenantId === null ? ROLES.org : ROLES.tenant;
  await api.admin.put(pathOfPerson(person), { role: pick(roles, how), isActive: how % 4 > 0 });
}

/** Deletes a user; another user with the same id may be created later. */
async function replacePerson(day: Day, { who, how }: Deed): Promise<void> {
  const { api, people } = day;
  const person = pick(people, who);
  if (person === undefined) return;
  const { status } = await api.admin.delete(pathOfPerson(person));
  if (status !== 200) return;
  people.splice(people.indexOf(person), 1);
  const id = how % 2 === 0 ? person.id : newId('tenantUser');
  people.push(await (person.tenantId === null ? addOrgUser(api) : addTenantUser(api, person.tenantId, id)));
}

async function change(day: Day, { what, how }: Deed): Promise<void> {
  const thing = pick(day.things, what);
  if (thing === undefined) return;
  const fields =
    how % 4 === 0 && thing.type === 'dashboard' ? { template: null } : { isPrivate: how % 2 === 0 };
  await Promise.all(day.people.map(({ session }) => session.patch(pathOf(thing), fields)));
}

async function takeOver({ api, things }: Day, { what }: Deed): Promise<void> {
  const thing = pick(things, what);
  if (thing !== undefined) await api.admin.post(`${pathOf(thing)}/take-ownership`);
}

async function destroy(day: Day, { what, how }: Deed): Promise<void> {
  const thing = pick(day.things, what);
  if (thing === undefined || how % 2 === 0) return;
  const sessions = [...day.people.map(({ session }) => session), day.api.admin];
  const answers = await Promise.all(sessions.map((session) => session.delete(pathOf(thing))));
  if (answers.some(({ status }) => status === 200)) day.things.splice(day.things.indexOf(thing), 1);
}

const SHARING = [share, share, share, share, unshare, unshare];
const KINDS = [...SHARING, make, join, join, leave, changePerson, change, replacePerson, takeOver, destroy];

/** Does one thing. What is refused is no fault: it changes nothing. */
export async function act(day: Day, chosen: Deed): Promise<void> {
  await pick(KINDS, chosen.kind)?.(day, chosen);
}

/** The current permissions of all users on all resources, as the platform returns them. */
export async function readLevels({ people, things }: Day): Promise<Record<string, AccessLevel | null>> {
  const levels: Record<string, AccessLevel | null> = {};
  for (const person of people) {
    const answers = await Promise.all(
      things.map((thing) =>
        person.session.get<Record<string, { accessLevel: AccessLevel | null }>>(pathOf(thing)),
      ),
    );
    things.forEach(({ type, id }, index) => {
      const answer = answers[index];
      levels[`${person.id} ${id}`] = answer?.status === 200 ? (answer.body[type]?.accessLevel ?? null) : null;
    });
  }
  return levels;
}

/** Waits until gateways have forgotten what principals were a moment ago. */
export const settle = () => sleep(600);
