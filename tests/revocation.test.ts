import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { startNats, type NatsServer } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession, sendRequest, succeeded, unique, type Api, type Session } from './src/api.js';
import { startOwnedPlatform, type OwnedPlatform } from './src/attacks/ownedPlatform.js';
import { startReplica } from './src/attacks/replicas.js';
import { addOrgUser, addTenantUser, type Person } from './src/people.js';
import { forms, type Form, type TestServer } from './src/servers.js';
import { signIn } from './src/sessions/consoleBrowser.js';

const WITH_BUS_MS = 1000;
const WITHOUT_BUS_MS = 5000;
const POLL_MS = 20;

/** A request that a user may send until a change, and not after it, or vice versa. */
interface Change {
  person: Person;
  /** The same person at another gateway; by default with the token of its session. */
  elsewhere?(baseUrl: string): Session;
  /** The status of the response, before and after. */
  ask(session: Session): Promise<number>;
  statuses: [before: number, after: number];
  make(): Promise<unknown>;
}

const readList = async (session: Session) => (await session.get('/dashboards')).status;
const create = async (session: Session) => (await session.post('/dashboards', { title: 'Sales' })).status;

/** Every change that revokes, or grants, access of a token. */
const CHANGES: Record<string, (api: Api) => Promise<Change>> = {
  async 'a token is invalidated'(api) {
    const person = await addOrgUser(api, 'AUTHOR');
    const make = async () => succeeded(await person.session.post('/api/v1/invalidate-token'));
    return { person, ask: readList, statuses: [200, 401], make };
  },
  async 'an org user is deactivated'(api) {
    const person = await addOrgUser(api, 'ADMIN');
    const make = async () => succeeded(await api.admin.patch(`/org-users/${person.id}`, { isActive: false }));
    return { person, ask: readList, statuses: [200, 401], make };
  },
  async 'a tenant user is deactivated'(api) {
    const person = await addTenantUser(api, (await api.createTenant()).id, 'POWER_USER');
    const make = async () =>
      succeeded(await api.admin.patch(`/tenant-users/${person.id}`, { isActive: false }));
    return { person, ask: readList, statuses: [200, 401], make };
  },
  async 'a person with a session of the console is deactivated'(api) {
    const { change, person } = await inConsole(api);
    const make = async () => succeeded(await api.admin.patch(`/org-users/${person.id}`, { isActive: false }));
    return { ...change, make };
  },
  async 'a session of the console is revoked'(api) {
    const { change, sessionId } = await inConsole(api);
    const make = async () => succeeded(await api.admin.delete(`/api/v1/sessions/${sessionId}`));
    return { ...change, make };
  },
  async 'a person signs out of the console'(api) {
    const { change, browser } = await inConsole(api);
    return { ...change, make: () => browser.call('POST', '/console/session/sign-out') };
  },
  async 'a user is deleted'(api) {
    const person = await addOrgUser(api, 'AUTHOR');
    const make = async () => succeeded(await api.admin.delete(`/org-users/${person.id}`));
    return { person, ask: readList, statuses: [200, 401], make };
  },
  async 'an AUTHOR becomes VIEWER'(api) {
    const person = await addOrgUser(api, 'AUTHOR');
    const make = async () => succeeded(await api.admin.patch(`/org-users/${person.id}`, { role: 'VIEWER' }));
    return { person, ask: create, statuses: [201, 403], make };
  },
  async 'a tenant VIEWER becomes POWER_USER'(api) {
    const person = await addTenantUser(api, (await api.createTenant()).id, 'VIEWER');
    const make = async () =>
      succeeded(await api.admin.patch(`/tenant-users/${person.id}`, { role: 'POWER_USER' }));
    return { person, ask: create, statuses: [403, 201], make };
  },
  async 'an ADMIN becomes AUTHOR'(api) {
    const person = await addOrgUser(api, 'ADMIN');
    const make = async () => succeeded(await api.admin.patch(`/org-users/${person.id}`, { role: 'AUTHOR' }));
    const ask = async (session: Session) =>
      (await session.post('/tenants', { name: unique('Tenant') })).status;
    return { person, ask, statuses: [201, 403], make };
  },
  async 'a member is removed from a group'(api) {
    const { person, groupId, ask } = await shareWithGroup(api, true);
    const make = async () => succeeded(await api.admin.delete(`/groups/${groupId}/members/${person.id}`));
    return { person, ask, statuses: [200, 404], make };
  },
  async 'a member is added to a group'(api) {
    const { person, groupId, ask } = await shareWithGroup(api, false);
    const make = async () =>
      succeeded(await api.admin.post(`/groups/${groupId}/members`, { userIds: [person.id] }));
    return { person, ask, statuses: [404, 200], make };
  },
  async 'a share is revoked'(api) {
    const [owner, person] = [await addOrgUser(api, 'AUTHOR'), await addOrgUser(api, 'AUTHOR')];
    const { id } = await api.createDashboard(owner.session);
    const shares = [{ scope: 'specific_org_user', orgUserId: person.id, role: 'EDITOR' }];
    await api.share(owner.session, id, shares);
    const make = async () => succeeded(await owner.session.delete(`/dashboards/${id}/share`, { shares }));
    const ask = async (session: Session) => (await session.get(`/dashboards/${id}`)).status;
    return { person, ask, statuses: [200, 404], make };
  },
};

/** Signs a person in to the console. Both gateways get the cookie that the browser had then. */
async function inConsole(api: Api) {
  const { id } = await api.createOrgUser('AUTHOR');
  const browser = await signIn(api, { orgUserId: id });
  const headers = { cookie: browser.cookieHeader() };
  const sessionAt = (baseUrl: string): Session => ({
    ...openSession(baseUrl, ''),
    get: (path) => sendRequest(baseUrl, ['GET', path], { headers }),
  });
  const { session } = (await browser.session()) as { session: { id: string } };
  const person = { id, session: sessionAt(api.baseUrl) };
  const statuses: Change['statuses'] = [200, 401];
  const change = { person, elsewhere: sessionAt, ask: readList, statuses };
  return { browser, person, sessionId: session.id, change };
}

async function shareWithGroup(api: Api, isMember: boolean) {
  const [owner, person] = [await addOrgUser(api, 'AUTHOR'), await addOrgUser(api, 'AUTHOR')];
  const group = await api.createGroup(isMember ? [person.id] : []);
  const { id } = await api.createDashboard(owner.session);
  await api.share(owner.session, id, [{ scope: 'group', groupId: group.id, role: 'VIEWER' }]);
  const ask = async (session: Session) => (await session.get(`/dashboards/${id}`)).status;
  return { person, groupId: group.id, ask };
}

describe.each(forms.map(({ form }) => form))('%s', (form: Form) => {
  let nats: NatsServer;
  let platform: OwnedPlatform;
  let replica: TestServer;

  beforeAll(async () => {
    nats = await startNats();
    platform = await startOwnedPlatform(form, { NATS_URL: nats.url });
    replica = await startReplica(platform);
  });
  afterAll(async () => {
    await replica[Symbol.asyncDispose]();
    await platform[Symbol.asyncDispose]();
    await nats[Symbol.asyncDispose]();
  });

  /**
   * Makes a change through one gateway. Returns when the last request to the other one began that still had
   * the former answer, at most a little above the limit. How long an answer takes depends on the machine.
   */
  async function followChange(prepare: (typeof CHANGES)[string], limitMs: number): Promise<number> {
    const { person, elsewhere: openElsewhere, ask, statuses, make } = await prepare(platform.api);
    const [before, after] = statuses;
    const elsewhere = openElsewhere?.(replica.baseUrl) ?? openSession(replica.baseUrl, person.session.token);
    // Both gateways have cached the user by now.
    expect([await ask(person.session), await ask(elsewhere), await ask(elsewhere)]).toEqual([
      before,
      before,
      before,
    ]);
    await make();
    const madeAt = performance.now();
    expect(await ask(person.session)).toBe(after);
    for (let formerMs = 0; ;) {
      const begunMs = performance.now() - madeAt;
      const status = await ask(elsewhere);
      if (status === after) return formerMs;
      expect(status).toBe(before);
      formerMs = begunMs;
      if (formerMs >= limitMs) return formerMs;
      await sleep(POLL_MS);
    }
  }

  it.each(Object.entries(CHANGES))(
    '%s: that acts at once, and through another gateway within a second',
    async (_, prepare) => {
      expect(await followChange(prepare, WITH_BUS_MS)).toBeLessThan(WITH_BUS_MS);
    },
  );

  it('takes effect immediately, and elsewhere within five seconds, while NATS is down', async () => {
    await nats.stop();
    const followed = Object.entries(CHANGES).map(async ([name, prepare]) => {
      return { name, isLate: (await followChange(prepare, WITHOUT_BUS_MS)) >= WITHOUT_BUS_MS };
    });
    expect((await Promise.all(followed)).filter(({ isLate }) => isLate)).toEqual([]);
  });
});
