import type { Dashboard, DashboardSummary, ShareRecord } from '@gatehouse/contract';
import { newId } from '@gatehouse/service';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApi, succeeded, unique, type Api, type Session } from './src/api.js';
import { addOrgUser, type Person } from './src/people.js';
import { forms, type TestServer } from './src/servers.js';

/** Tenants and tenant users have ids that the caller chooses, so that an id can return after a deletion. */
describe.each(forms)('$form: a reused id', ({ start }) => {
  let server: TestServer;
  let api: Api;
  let author: Person;

  beforeAll(async () => {
    server = await start();
    api = await createApi(server.credentials);
    author = await addOrgUser(api, 'AUTHOR');
  });
  afterAll(() => server[Symbol.asyncDispose]());

  let tenantId: string;
  let userId: string;
  /** The resources of the user before the deletion, by the path of their access. */
  let former: Record<'ownership' | 'share' | 'group' | 'audience', Dashboard>;
  let formerSession: Session;

  const createUser = async (): Promise<Session> => {
    await api.createTenantUser(tenantId, 'POWER_USER', { id: userId, email: `${userId}@example.com` });
    return api.openSession({ endUserId: userId });
  };
  const toUser = () => ({ scope: 'specific_tenant_user', tenantUserId: userId, role: 'EDITOR' });
  const toTenant = () => ({ scope: 'all_tenant_users', tenantId, role: 'EDITOR' });
  const deleteUser = async () => succeeded(await api.admin.delete(`/tenant-users/${userId}`));
  const statusesFor = async (session: Session) =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(former).map(async ([way, { id }]) => [
          way,
          (await session.get(`/dashboards/${id}`)).status,
        ]),
      ),
    ) as Record<string, number>;
  const listFor = async (session: Session) =>
    succeeded(await session.get<{ dashboards: DashboardSummary[] }>('/dashboards')).dashboards.map(
      ({ id }) => id,
    );

  async function setUp(): Promise<void> {
    // As the platform itself creates them: a user is often recreated under its former id.
    tenantId = newId('tenant');
    userId = newId('tenantUser');
    await api.createTenant({ id: tenantId, name: tenantId });
    formerSession = await createUser();
    const group = await api.createGroup([userId], tenantId);
    const shared = async (entry: Record<string, unknown>) => {
      const dashboard = await api.createDashboard(author.session);
      await api.share(author.session, dashboard.id, [entry]);
      return dashboard;
    };
    former = {
      ownership: await api.createDashboard(formerSession),
      share: await shared(toUser()),
      group: await shared({ scope: 'group', groupId: group.id, role: 'OWNER' }),
      audience: await shared(toTenant()),
    };
    expect(await statusesFor(formerSession)).toEqual({
      ownership: 200,
      share: 200,
      group: 200,
      audience: 200,
    });
  }
  beforeEach(setUp);

  it("as a user's: it restores neither the old token nor any access of the former user", async () => {
    await deleteUser();
    const session = await createUser();
    expect((await formerSession.get('/dashboards')).status).toBe(401);
    const after = { ownership: 404, share: 404, group: 404, audience: 200 };
    expect(await statusesFor(session)).toEqual(after);
    expect(await listFor(session)).toEqual([former.audience.id]);
    // Nor once the events of the deletion have been processed.
    await expect
      .poll(async () =>
        JSON.stringify((await author.session.get(`/dashboards/${former.share.id}/shares`)).body),
      )
      .not.toContain(userId);
    expect(await statusesFor(session)).toEqual(after);
  });

  it("as a user's: a new share with it reaches the new user immediately", async () => {
    await deleteUser();
    const session = await createUser();
    await api.share(author.session, former.share.id, [{ ...toUser(), role: 'VIEWER' }]);
    expect(await statusesFor(session)).toMatchObject({ share: 200, ownership: 404 });
    expect((await session.patch(`/dashboards/${former.share.id}`, { title: 'Mine' })).status).toBe(403);
  });

  it("as a tenant's: it restores neither its users nor its shares", async () => {
    await deleteUser();
    succeeded(await api.admin.delete(`/tenants/${tenantId}`));
    await api.createTenant({ id: tenantId, name: tenantId });
    const session = await createUser();
    expect((await formerSession.get('/dashboards')).status).toBe(401);
    expect(await statusesFor(session)).toEqual({ ownership: 404, share: 404, group: 404, audience: 404 });
    expect(await listFor(session)).toEqual([]);
    await api.share(author.session, former.audience.id, [toTenant()]);
    expect(await statusesFor(session)).toEqual({ ownership: 404, share: 404, group: 404, audience: 200 });
  });

  it('of a repeated request with an idempotency key restores no access either', async () => {
    const key = { 'Idempotency-Key': unique('onboarding') };
    const body = {
      id: newId('tenantUser'),
      tenantId,
      email: `${userId}@repeated.example`,
      role: 'POWER_USER',
    };
    const create = async (session: Session) => {
      const { status } = await session.post('/tenant-users', body, key);
      expect(status).toBe(201);
    };
    const admin = await addOrgUser(api, 'ADMIN');
    await create(admin.session);
    const before = await api.openSession({ endUserId: body.id });
    const owned = await api.createDashboard(before);
    succeeded(await api.admin.delete(`/tenant-users/${body.id}`));
    expect((await before.get(`/dashboards/${owned.id}`)).status).toBe(401);
    // The request runs again once the rights of its caller have changed; until then its response is stored.
    await api.createGroup([admin.id]);
    const createAgain = async () => {
      await create(admin.session);
      return (await api.admin.get(`/tenant-users/${body.id}`)).status;
    };
    await expect.poll(createAgain).toBe(200);
    const after = await api.openSession({ endUserId: body.id });
    expect({
      token: (await before.get('/dashboards')).status,
      owned: (await after.get(`/dashboards/${owned.id}`)).status,
    }).toEqual({ token: 401, owned: 404 });
  });

  it('is unknown in between, so that sharing fails', async () => {
    await deleteUser();
    const path = `/dashboards/${former.group.id}/share`;
    const refused = await author.session.post<{ shares: ShareRecord[] }>(path, { shares: [toUser()] });
    expect(refused).toMatchObject({
      status: 400,
      body: { fieldErrors: [{ field: 'shares[0].tenantUserId' }] },
    });
  });
});
