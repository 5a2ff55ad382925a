import { setTimeout as sleep } from 'node:timers/promises';
import type { AccessExplanation, AccessLevel, ReachedResource, Viewer } from '@gatehouse/contract';
import { newId } from '@gatehouse/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Api, type Session } from './src/api.js';
import { addOrgUser, addTenantUser, type Person } from './src/people.js';
import { forms, type TestServer } from './src/servers.js';

/** Moments have some distance, so that each change lies between two of them. */
async function moment(): Promise<string> {
  await sleep(5);
  const at = new Date().toISOString();
  await sleep(5);
  return at;
}

describe.each(forms)('$form: access at a moment in the past', ({ start }) => {
  let server: TestServer;
  let api: Api;
  let author: Person;
  beforeAll(async () => {
    server = await start();
    api = await createApi(server.credentials);
    author = await addOrgUser(api, 'AUTHOR');
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const ask = (session: Session, id: string, query: Record<string, string>) =>
    session.get<{ access: AccessExplanation }>(
      `/${id.startsWith('v_') ? 'visuals' : 'dashboards'}/${id}/access?${new URLSearchParams(query).toString()}`,
    );
  const statusOf = async (session: Session, id: string, query: Record<string, string>) =>
    (await ask(session, id, query)).status;
  const explain = async (session: Session, id: string, query: Record<string, string>) =>
    succeeded(await ask(session, id, query)).access;

  /** Waits until the record includes the latest event, according to its response. */
  async function untilRecorded(id: string, userId: string, level: AccessLevel | null): Promise<void> {
    await expect
      .poll(
        async () =>
          (await ask(author.session, id, { userId, at: new Date().toISOString() })).body.access?.accessLevel,
      )
      .toBe(level);
  }

  it('returns past shares, groups, roles, activity, privacy and owners', async () => {
    const other = await addOrgUser(api, 'AUTHOR');
    const before = await moment();
    const { id } = await api.createDashboard(author.session);
    const bare = await moment();
    const sharing = { shares: [{ scope: 'specific_org_user', orgUserId: other.id, role: 'EDITOR' }] };
    succeeded(await author.session.post(`/dashboards/${id}/share`, sharing));
    const shared = await moment();
    succeeded(await author.session.delete(`/dashboards/${id}/share`, sharing));
    const revoked = await moment();
    const group = await api.createGroup([other.id]);
    await api.share(author.session, id, [{ scope: 'group', groupId: group.id, role: 'CONTRIBUTOR' }]);
    const grouped = await moment();
    succeeded(await api.admin.put(`/org-users/${other.id}`, { role: 'VIEWER' }));
    const demoted = await moment();
    succeeded(await api.admin.put(`/org-users/${other.id}`, { isActive: false }));
    const inactive = await moment();
    succeeded(await api.admin.put(`/org-users/${other.id}`, { isActive: true, role: 'AUTHOR' }));
    succeeded(await api.admin.delete(`/groups/${group.id}/members`, { userIds: [other.id] }));
    const left = await moment();
    succeeded(await author.session.patch(`/dashboards/${id}`, { isPrivate: false }));
    const open = await moment();
    await untilRecorded(id, other.id, 'VIEWER');

    const level = async (at: string) =>
      (await explain(author.session, id, { userId: other.id, at })).accessLevel;
    expect(await statusOf(author.session, id, { userId: other.id, at: before })).toBe(404);
    expect({
      bare: await level(bare),
      shared: await level(shared),
      revoked: await level(revoked),
      grouped: await level(grouped),
      demoted: await level(demoted),
      inactive: await level(inactive),
      left: await level(left),
      open: await level(open),
    }).toEqual({
      bare: null,
      shared: 'EDITOR',
      revoked: null,
      grouped: 'CONTRIBUTOR',
      demoted: 'VIEWER',
      inactive: null,
      left: null,
      open: 'VIEWER',
    });
    const told = await explain(author.session, id, { userId: other.id, at: grouped });
    expect(told).toMatchObject({
      userId: other.id,
      role: 'AUTHOR',
      ceiling: 'OWNER',
      at: grouped,
      grants: [{ level: 'CONTRIBUTOR', path: 'group', groupId: group.id, wins: true }],
    });
    const { resource, user, recordedUntil } = told.basedOn ?? {};
    // Created, shared, revoked and shared again; the user only created by then.
    expect(resource).toMatchObject({ sequence: '000000000004', missing: 0 });
    expect(user).toMatchObject({ sequence: '000000000001', missing: 0 });
    expect(recordedUntil && recordedUntil > grouped).toBe(true);
  });

  it('is available to callers with access today, and to an ADMIN for deleted resources', async () => {
    const other = await addOrgUser(api, 'AUTHOR');
    const { id } = await api.createDashboard(author.session);
    await api.share(author.session, id, [
      { scope: 'specific_org_user', orgUserId: other.id, role: 'VIEWER' },
    ]);
    await untilRecorded(id, other.id, 'VIEWER');
    const at = await moment();
    const future = new Date(Date.now() + 60_000).toISOString();
    expect(await statusOf(author.session, id, { userId: other.id, at: future })).toBe(400);
    expect(await statusOf(author.session, id, { userId: 'ou_nobody', at })).toBe(404);
    expect(await statusOf(other.session, id, { at })).toBe(200);
    expect(await statusOf(other.session, id, { userId: author.id, at })).toBe(403);
    expect(await statusOf(api.admin, id, { userId: other.id, at })).toBe(404);
    succeeded(await author.session.delete(`/dashboards/${id}`));
    expect(await statusOf(author.session, id, { userId: other.id, at })).toBe(404);
    expect(await statusOf(other.session, id, { at })).toBe(404);
    expect((await explain(api.admin, id, { userId: other.id, at })).accessLevel).toBe('VIEWER');
    await expect
      .poll(() => statusOf(api.admin, id, { userId: other.id, at: new Date().toISOString() }))
      .toBe(404);
    const elsewhere = await api.openSession(
      { orgUserId: server.credentials.adminOrgUserId },
      await api.createProject(),
    );
    expect(await statusOf(elsewhere, id, { userId: other.id, at })).toBe(404);
  });

  it('separates two users with the same id, and shows a tenant user only its own tenant', async () => {
    const tenant = await api.createTenant();
    const elsewhere = await api.createTenant();
    const owner = await addTenantUser(api, tenant.id, 'POWER_USER');
    const stranger = await addTenantUser(api, elsewhere.id, 'POWER_USER');
    const id = newId('tenantUser');
    await api.createTenantUser(tenant.id, 'POWER_USER', { id });
    const dashboard = await api.createDashboard(owner.session);
    const toUser = { scope: 'specific_tenant_user', tenantUserId: id, role: 'EDITOR' };
    await api.share(owner.session, dashboard.id, [toUser]);
    const first = await moment();
    succeeded(await api.admin.delete(`/tenant-users/${id}`));
    const nobody = await moment();
    await api.createTenantUser(tenant.id, 'POWER_USER', { id });
    const session = await api.openSession({ endUserId: id });
    await api.share(owner.session, dashboard.id, [{ ...toUser, role: 'VIEWER' }]);
    const second = await moment();
    const level = async (at: string) =>
      (await ask(owner.session, dashboard.id, { userId: id, at })).body.access?.accessLevel;
    await expect.poll(() => level(second)).toBe('VIEWER');
    expect(await level(first)).toBe('EDITOR');
    expect(await statusOf(owner.session, dashboard.id, { userId: id, at: nobody })).toBe(404);
    // The current bearer of the id did not exist then, and may not query others.
    expect(await statusOf(session, dashboard.id, { at: second })).toBe(200);
    expect(await statusOf(session, dashboard.id, { at: first })).toBe(404);
    expect(await statusOf(session, dashboard.id, { userId: id, at: first })).toBe(403);
    expect(await statusOf(owner.session, dashboard.id, { userId: stranger.id, at: second })).toBe(404);
  });

  it('shows a tenant user nothing of the changes that concern another tenant', async () => {
    const [own, foreign] = await Promise.all([api.createTenant(), api.createTenant()]);
    const reader = await addTenantUser(api, own.id, 'VIEWER');
    const stranger = await addTenantUser(api, foreign.id, 'POWER_USER');
    const { id } = await api.createDashboard(author.session);
    await api.share(author.session, id, [{ scope: 'all_tenants_only', role: 'VIEWER' }]);
    const first = await moment();
    const toStranger = { scope: 'specific_tenant_user', tenantUserId: stranger.id, role: 'EDITOR' };
    await api.share(author.session, id, [toStranger]);
    await untilRecorded(id, stranger.id, 'EDITOR');
    const second = await moment();
    const [before, after] = await Promise.all(
      [first, second].map((at) => explain(reader.session, id, { at })),
    );
    expect(before).toMatchObject({ accessLevel: 'VIEWER', at: first });
    expect(after).toEqual({ ...before, at: second });
    const checks = [{ resourceType: 'dashboard', resourceId: id, level: 'VIEWER' }];
    const checked = [first, second].map(async (at) =>
      succeeded(await reader.session.post('/access:check', { checks, at, reasons: true })),
    );
    const [one, other] = (await Promise.all(checked)).map((body) => JSON.stringify(body));
    expect(other?.replaceAll(second, first)).toBe(one);
  });

  it('shows access to a visual by a dashboard, and names it to callers who may see it today', async () => {
    const reader = await addOrgUser(api, 'AUTHOR');
    const visual = await api.createVisual(author.session);
    const template = { sheets: [{ id: 's', frames: [{ id: 'f', visualId: visual.id }] }] };
    const dashboard = await api.createDashboard(author.session, { template });
    await api.share(author.session, dashboard.id, [
      { scope: 'specific_org_user', orgUserId: reader.id, role: 'VIEWER' },
    ]);
    const lent = await moment();
    succeeded(await author.session.patch(`/dashboards/${dashboard.id}`, { template: null }));
    const grant = { level: 'VIEWER', path: 'linked dashboard', wins: true };
    const about = { userId: reader.id, at: lent };
    // Before the record includes the dashboard, it contains no access either.
    const levelThen = async () => (await ask(author.session, visual.id, about)).body.access?.accessLevel;
    await expect.poll(levelThen).toBe('VIEWER');
    await untilRecorded(visual.id, reader.id, null);
    expect((await explain(author.session, visual.id, about)).grants).toEqual([
      { ...grant, dashboardId: dashboard.id },
    ]);
    succeeded(await author.session.delete(`/dashboards/${dashboard.id}`));
    expect((await explain(author.session, visual.id, about)).grants).toEqual([grant]);
  });

  describe('in lists', () => {
    const listThen = async (session: Session, userId: string | undefined, at: string) => {
      const body = { resourceType: 'dashboard', userId, at };
      return succeeded(await session.post<{ resources: ReachedResource[] }>('/access:list', body)).resources;
    };
    const subjectsThen = (session: Session, resourceId: string, at: string) =>
      session.post<{ subjects: Viewer[] }>('/access:subjects', { resourceType: 'dashboard', resourceId, at });
    const idsOf = ({ subjects }: { subjects: Viewer[] }) => subjects.map(({ id }) => id).toSorted();

    it('has what a user could open, as far as the caller may query it today', async () => {
      const other = await addOrgUser(api, 'AUTHOR');
      const contributor = await addOrgUser(api, 'AUTHOR');
      const toOther = { scope: 'specific_org_user', orgUserId: other.id, role: 'VIEWER' };
      const [kept, revoked, foreign, deleted] = await Promise.all(
        [0, 1, 2, 3].map(() => api.createDashboard(author.session)),
      );
      if (!kept || !revoked || !foreign || !deleted) throw new Error('Not created');
      for (const { id } of [kept, revoked, foreign, deleted]) await api.share(author.session, id, [toOther]);
      const at = await moment();
      const toContributor = { scope: 'specific_org_user', orgUserId: contributor.id };
      const levels = { [kept.id]: 'CONTRIBUTOR', [foreign.id]: 'EDITOR' };
      for (const [id, role] of Object.entries(levels)) {
        await api.share(author.session, id, [{ ...toContributor, role }]);
      }
      succeeded(await author.session.delete(`/dashboards/${revoked.id}/share`, { shares: [toOther] }));
      succeeded(await author.session.delete(`/dashboards/${deleted.id}`));
      const later = await moment();
      await untilRecorded(revoked.id, other.id, null);
      await untilRecorded(foreign.id, contributor.id, 'EDITOR');

      const ids = [kept.id, revoked.id, foreign.id, deleted.id].toSorted();
      const without = (...hidden: { id: string }[]) =>
        ids.filter((id) => !hidden.some((each) => each.id === id));
      // Dashboards of other tests may be there as well.
      const idsThen = async (session: Session, userId: string | undefined, when: string) =>
        (await listThen(session, userId, when))
          .map(({ id }) => id)
          .filter((id) => ids.includes(id))
          .toSorted();
      await expect
        .poll(() => idsThen(author.session, other.id, later))
        .toEqual([kept.id, foreign.id].toSorted());
      expect(await idsThen(author.session, other.id, at)).toEqual(without(deleted));
      expect(await idsThen(contributor.session, other.id, at)).toEqual([kept.id]);
      // Of its own past, a user sees what it may see today.
      expect(await idsThen(other.session, undefined, at)).toEqual(without(deleted, revoked));
      // An ADMIN may not query private dashboards of others, but the deleted ones.
      expect(await listThen(api.admin, other.id, at)).toContainEqual({
        id: deleted.id,
        type: 'dashboard',
        title: deleted.id,
        accessLevel: 'VIEWER',
      });
      expect(await idsThen(api.admin, other.id, at)).toEqual([deleted.id]);
      const elsewhere = await api.openSession(
        { orgUserId: server.credentials.adminOrgUserId },
        await api.createProject(),
      );
      expect(await listThen(elsewhere, other.id, at)).toEqual([]);
    });

    it('has who could open a resource, to callers who may list that today', async () => {
      const [removed, reader] = [await addOrgUser(api, 'AUTHOR'), await addOrgUser(api, 'AUTHOR')];
      const { id } = await api.createDashboard(author.session);
      for (const { id: orgUserId } of [removed, reader]) {
        await api.share(author.session, id, [{ scope: 'specific_org_user', orgUserId, role: 'VIEWER' }]);
      }
      const at = await moment();
      succeeded(await api.admin.delete(`/org-users/${removed.id}`));
      const later = await moment();
      await untilRecorded(id, reader.id, 'VIEWER');
      const of = async (when: string) => idsOf(succeeded(await subjectsThen(author.session, id, when)));
      const both = [author.id, removed.id, reader.id].toSorted();
      await expect.poll(() => of(at)).toEqual(both);
      await expect.poll(() => of(later)).toEqual(both.filter((userId) => userId !== removed.id));
      expect((await subjectsThen(reader.session, id, at)).status).toBe(403);
      expect((await subjectsThen(api.admin, id, at)).status).toBe(404);
      expect((await subjectsThen(author.session, id, '2020-01-01T00:00:00Z')).status).toBe(404);
      succeeded(await author.session.delete(`/dashboards/${id}`));
      expect((await subjectsThen(author.session, id, at)).status).toBe(404);
      expect(idsOf(succeeded(await subjectsThen(api.admin, id, at)))).toEqual(both);
    });

    it('has only users of its own tenant for a tenant user', async () => {
      const [own, foreign] = await Promise.all([api.createTenant(), api.createTenant()]);
      const owner = await addTenantUser(api, own.id, 'POWER_USER');
      const stranger = await addTenantUser(api, foreign.id, 'POWER_USER');
      const { id } = await api.createDashboard(author.session);
      const shares = [
        { scope: 'specific_tenant_user', tenantUserId: owner.id, role: 'CONTRIBUTOR' },
        { scope: 'all_tenants_only', role: 'VIEWER' },
      ];
      await api.share(author.session, id, shares);
      await untilRecorded(id, stranger.id, 'VIEWER');
      const at = await moment();
      const then = succeeded(await subjectsThen(owner.session, id, at));
      expect(idsOf(then)).toEqual([owner.id]);
      const ofStranger = await owner.session.post('/access:list', {
        resourceType: 'dashboard',
        userId: stranger.id,
        at,
      });
      expect(ofStranger.status).toBe(404);
      const checks = [{ resourceType: 'dashboard', resourceId: id, userId: stranger.id, level: 'VIEWER' }];
      const checked = succeeded(await owner.session.post('/access:check', { checks, at }));
      expect(checked).toEqual({ results: [{ status: 'rejected', code: 'NOT_FOUND' }] });
    });

    it('rejects a moment in the future', async () => {
      const at = new Date(Date.now() + 60_000).toISOString();
      const { id: resourceId } = await api.createDashboard(author.session);
      const about = { resourceType: 'dashboard', resourceId, level: 'VIEWER' };
      const requests = [
        ['/access:check', { checks: [about], at }],
        ['/access:list', { resourceType: 'dashboard', at }],
        ['/access:subjects', { resourceType: 'dashboard', resourceId, at }],
      ] as const;
      for (const [path, body] of requests) {
        const { status, body: told } = await author.session.post(path, body);
        expect({ status, told }).toMatchObject({ status: 400, told: { details: 'at: lies in the future' } });
      }
    });
  });
});
