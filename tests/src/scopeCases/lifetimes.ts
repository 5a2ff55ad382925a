import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { succeeded } from '../api.js';
import type { ObservedServer } from '../observedServer.js';
import { addOrgUser, addTenantUser, type Person } from '../people.js';
import {
  createResource,
  DASHBOARDS,
  kinds,
  listedIds,
  pathOf,
  seenAs,
  shareResource,
  VISUALS,
} from '../resourceKinds.js';
import { linking, targetsOf, VIEWERS, type ScopeWorld } from '../scopeWorld.js';

type Find = () => { world: ScopeWorld; observed: ObservedServer };

const to = (person: Person, role: string) => ({
  scope: 'specific_tenant_user',
  tenantUserId: person.id,
  role,
});
const soon = (ms: number) => new Date(Date.now() + ms).toISOString();

/** Retries until the response is `wanted`; returns the last one after a minute. */
async function until<T>(wanted: T, ask: () => Promise<T>): Promise<T> {
  for (const deadlineMs = performance.now() + 60_000; ; await sleep(20)) {
    const answer = await ask();
    if (answer === wanted || performance.now() > deadlineMs) return answer;
  }
}

/** What changes and ends shares. */
export function describeShares(find: Find): void {
  describe.each(kinds)('of a $type', (kind) => {
    it('granted again changes its role and keeps its id', async () => {
      const { owner, viewers } = find().world;
      const { id } = await createResource(kind, owner);
      const first = { ...to(viewers['tenant user'], 'VIEWER'), expiresAt: soon(60_000) };
      const [before] = await shareResource(kind, id, { by: owner, shares: [first] });
      const [after] = await shareResource(kind, id, {
        by: owner,
        shares: [to(viewers['tenant user'], 'EDITOR')],
      });
      expect(after).toEqual({ ...before, role: 'EDITOR', expiresAt: null });
      expect(await seenAs(kind, id, viewers['tenant user'].session)).toBe('EDITOR');
    });

    it('is revoked for any role; an entry without a match is omitted from the response', async () => {
      const { owner, viewers } = find().world;
      const { id } = await createResource(kind, owner);
      const [granted] = await shareResource(kind, id, {
        by: owner,
        shares: [to(viewers['tenant user'], 'EDITOR')],
      });
      const shares = [
        to(viewers['tenant user'], 'OWNER'),
        to(viewers.colleague, 'EDITOR'),
        { scope: 'all_org_users' },
        { scope: 'group', groupId: 'grp_none' },
      ];
      const revoke = () => owner.delete<{ removed: unknown[] }>(pathOf(kind, id, '/share'), { shares });
      expect(succeeded(await revoke()).removed).toEqual([granted]);
      expect(await seenAs(kind, id, viewers['tenant user'].session)).toBe('404');
      expect(succeeded(await revoke()).removed).toEqual([]);
    });

    it('ends when it expires, before the sweep', async () => {
      const { world, observed } = find();
      const { owner, viewers } = world;
      const { id } = await createResource(kind, owner);
      const expiresAt = soon(5000);
      const share = { ...to(viewers['tenant user'], 'EDITOR'), expiresAt };
      await shareResource(kind, id, { by: owner, shares: [share] });
      const { session } = viewers['tenant user'];
      const see = () => seenAs(kind, id, session);
      expect(await see()).toBe('EDITOR');
      expect(await until('404', see)).toBe('404');
      expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
      expect(await listedIds(kind, session)).not.toContain(id);
      const { body } = await owner.get<Record<string, unknown[]>>(pathOf(kind, id, '/shares'));
      expect(body['specificTenantUsers']).toEqual([]);
      expect(await countStoredShares(observed, kind.plural, id)).toBe(1);
    });
  });
}

function countStoredShares({ databases }: ObservedServer, plural: string, id?: string): Promise<number> {
  const expired = { 'shares.expiresAt': { $lt: new Date() } };
  return databases
    .of('access')
    .collection<{ _id: string }>(plural)
    .countDocuments({ ...expired, ...(id === undefined ? {} : { _id: id }) });
}

/** The sweep, on a platform that has expired shares in its database. Restarts it. */
export function describeSweep(find: Find): void {
  it('deletes the shares that have expired', async () => {
    const { observed } = find();
    await observed.restart({ SWEEP_INTERVAL_MS: '100' });
    for (const { plural } of kinds) {
      const left = await until(0, () => countStoredShares(observed, plural));
      expect(left).toBe(0);
    }
  });
}

/** The home audience, and what becomes of it when an ADMIN takes a resource over. */
export function describeAudience(find: Find): void {
  const everybody = async (id: string, kind: (typeof kinds)[number]) => {
    const { viewers } = find().world;
    const seen = await Promise.all(VIEWERS.map((name) => seenAs(kind, id, viewers[name].session)));
    return VIEWERS.filter((_, index) => seen[index] === 'VIEWER');
  };
  const ofOrg = ['org user', 'other org user', 'org member'];

  describe.each(kinds)('of a $type', (kind) => {
    it('is the organization where an org user owns it, as long as it is not private', async () => {
      const { owner } = find().world;
      const { id } = await createResource(kind, owner, { isPrivate: false });
      expect(await everybody(id, kind)).toEqual(ofOrg);
      succeeded(await owner.patch(pathOf(kind, id), { isPrivate: true }));
      expect(await everybody(id, kind)).toEqual([]);
    });

    it('is the tenant where a tenant user owns it, without the ADMINs', async () => {
      const { api, viewers } = find().world;
      const { session } = viewers['tenant user'];
      const { id } = await createResource(kind, session, { isPrivate: false });
      expect(await everybody(id, kind)).toEqual(['colleague', 'tenant group member']);
      expect(await seenAs(kind, id, api.admin)).toBe('404');
      expect(await seenAs(kind, id, session)).toBe('OWNER');
    });

    it('is empty by default', async () => {
      const { id } = await createResource(kind, find().world.owner);
      expect(await everybody(id, kind)).toEqual([]);
    });

    it('passes to the organization with the ownership, and shares stay', async () => {
      const { api, viewers } = find().world;
      const { session } = viewers['tenant user'];
      const { id } = await createResource(kind, session, { isPrivate: false });
      await shareResource(kind, id, { by: session, shares: [to(viewers.colleague, 'EDITOR')] });
      const taken = await api.admin.post(pathOf(kind, id, '/take-ownership'));
      expect(taken).toMatchObject({
        status: 200,
        body: { [kind.type]: { ownerType: 'organization', tenantId: null, accessLevel: 'OWNER' } },
      });
      expect(await everybody(id, kind)).toEqual(ofOrg);
      expect(await seenAs(kind, id, session)).toBe('404');
      expect(await seenAs(kind, id, viewers.colleague.session)).toBe('EDITOR');
    });
  });
}

/** The view access that a dashboard lends to the visuals in its template. */
export function describeLinks(find: Find): void {
  const link = async () => {
    const { owner, viewers } = find().world;
    const visual = await createResource(VISUALS, owner);
    const dashboard = await createResource(DASHBOARDS, owner, { template: linking(visual.id) });
    const reader = viewers['tenant user'];
    const shares = [to(reader, 'OWNER')];
    const see = () => seenAs(VISUALS, visual.id, reader.session);
    expect(await see()).toBe('404');
    await shareResource(DASHBOARDS, dashboard.id, { by: owner, shares });
    expect(await see()).toBe('VIEWER');
    expect(await listedIds(VISUALS, reader.session)).toContain(visual.id);
    return { owner, visual, dashboard, shares, see, reader };
  };

  it('begins and ends with the share, and is no share of the visual', async () => {
    const { owner, visual, dashboard, shares, see } = await link();
    const { body } = await owner.get<Record<string, unknown[]>>(pathOf(VISUALS, visual.id, '/shares'));
    expect(body['specificTenantUsers']).toEqual([]);
    succeeded(await owner.delete(pathOf(DASHBOARDS, dashboard.id, '/share'), { shares }));
    expect(await see()).toBe('404');
  });

  it('ends when the template no longer links the visual', async () => {
    const { owner, dashboard, see } = await link();
    succeeded(await owner.patch(pathOf(DASHBOARDS, dashboard.id), { template: { sheets: [] } }));
    expect(await see()).toBe('404');
  });

  it('ends with the dashboard', async () => {
    const { owner, dashboard, see } = await link();
    succeeded(await owner.delete(pathOf(DASHBOARDS, dashboard.id)));
    expect(await see()).toBe('404');
  });

  it('ends when the share of the dashboard expires', async () => {
    const { owner, dashboard, shares, see } = await link();
    const expiring = shares.map((share) => ({ ...share, expiresAt: soon(400) }));
    await shareResource(DASHBOARDS, dashboard.id, { by: owner, shares: expiring });
    expect(await until('404', see)).toBe('404');
  });

  it('does not include a visual that the author of the template may not see', async () => {
    const { owner, viewers } = find().world;
    const visual = await createResource(VISUALS, owner);
    const guesser = viewers['tenant user'].session;
    const dashboard = await createResource(DASHBOARDS, guesser, { template: linking(visual.id) });
    await shareResource(DASHBOARDS, dashboard.id, { by: guesser, shares: [to(viewers.colleague, 'VIEWER')] });
    expect(await seenAs(VISUALS, visual.id, guesser)).toBe('404');
    expect(await seenAs(VISUALS, visual.id, viewers.colleague.session)).toBe('404');
  });
}

/** Projects are apart, however widely a resource is shared. */
export function describeProjects(find: Find): void {
  it.each(kinds)('a $type is not visible in another project', async (kind) => {
    const { world } = find();
    const { api, viewers, owner } = world;
    const { id } = await createResource(kind, owner, { isPrivate: false });
    const shares = Object.values(targetsOf(world)).map((target) => ({ ...target, role: 'OWNER' }));
    await shareResource(kind, id, { by: owner, shares });
    const project = await api.createProject();
    const elsewhere = VIEWERS.map((name) => {
      const { id: userId } = viewers[name];
      return api.openSession(
        userId.startsWith('ou_') ? { orgUserId: userId } : { endUserId: userId },
        project,
      );
    });
    for (const session of await Promise.all(elsewhere)) {
      expect(await seenAs(kind, id, session)).toBe('404');
      expect(await listedIds(kind, session)).toEqual([]);
      const changes = [
        session.patch(pathOf(kind, id), { title: 'Mine' }),
        session.post(pathOf(kind, id, '/share'), { shares }),
        session.delete(pathOf(kind, id, '/share'), { shares }),
        session.post(pathOf(kind, id, '/duplicate')),
        session.delete(pathOf(kind, id)),
      ];
      expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(changes.map(() => 404));
    }
  });

  it.each(kinds)('not even an ADMIN lists or takes over a $type of another project', async (kind) => {
    const { api, owner, orgGroupId } = find().world;
    const { id } = await createResource(kind, owner);
    await shareResource(kind, id, {
      by: owner,
      shares: [{ scope: 'group', groupId: orgGroupId, role: 'VIEWER' }],
    });
    const { id: orgUserId } = await api.createOrgUser('ADMIN');
    const admin = await api.openSession({ orgUserId }, await api.createProject());
    expect(await listedIds(kind, admin, '&scope=organization')).toEqual([]);
    expect((await admin.post(pathOf(kind, id, '/take-ownership'))).status).toBe(404);
    const { body } = await admin.get<{ permissions: unknown[] }>(`/groups/${orgGroupId}/permissions`);
    expect(body.permissions).toEqual([]);
  });

  it('a dashboard gives no access to a visual of another project', async () => {
    const { api, tenantId, owner } = find().world;
    const visual = await createResource(VISUALS, owner);
    const author = await addOrgUser(api, 'AUTHOR');
    await shareResource(VISUALS, visual.id, {
      by: owner,
      shares: [{ scope: 'specific_org_user', orgUserId: author.id, role: 'OWNER' }],
    });
    const reader = await addTenantUser(api, tenantId, 'VIEWER');
    const project = await api.createProject();
    const elsewhere = await api.openSession({ orgUserId: author.id }, project);
    const dashboard = await createResource(DASHBOARDS, elsewhere, { template: linking(visual.id) });
    await shareResource(DASHBOARDS, dashboard.id, { by: elsewhere, shares: [to(reader, 'VIEWER')] });
    const inProject = await api.openSession({ endUserId: reader.id }, project);
    expect(await seenAs(DASHBOARDS, dashboard.id, inProject)).toBe('VIEWER');
    expect(await seenAs(VISUALS, visual.id, inProject)).toBe('404');
    expect(await seenAs(VISUALS, visual.id, reader.session)).toBe('404');
  });
}
