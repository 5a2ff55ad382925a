import type { CloudEvent, EventData, EventType, PersonPrincipal } from '@gatehouse/contract';
import { createEvent } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFixture, type Fixture } from '../testing/directoryStub.js';
import { startPlatform, shareWith } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
let us: Fixture;
beforeEach(() => {
  us = createFixture(platform.directory);
});

/** Creates an event of the directory. */
function eventOf<T extends EventType>(type: T, data: EventData<T> & { id: string }): CloudEvent {
  const { organizationId, projectId } = us;
  const origin = {
    service: 'directory',
    organizationId,
    projectId,
    actorId: us.root.userId,
    now: new Date(),
  };
  return createEvent(type, data.id, { origin, data });
}
const stateOf = ({ userId, userKey, role, email, ...person }: PersonPrincipal) => ({
  id: userId,
  key: userKey,
  role,
  email,
  name: 'Some User',
  isActive: true,
  tenantId: 'tenantId' in person ? person.tenantId : null,
  tenantKey: 'tenantKey' in person ? person.tenantKey : null,
});
const shareIds = async (id: string) =>
  (await platform.stores.dashboards.getHeader(us.projectId, id)).shares.map((share) => share.targetId);

describe('the clean-up after a deletion', () => {
  it('removes the shares of a tenant user and transfers its resources, once', async () => {
    const { id: shared } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, shared, shareWith(us.nora, 'EDITOR'), shareWith(us.nils, 'EDITOR'));
    const { id: owned } = await platform.createDashboard(us.nora, { isPrivate: false });
    const { id: ownedVisual } = await platform.createVisual(us.nora);
    await platform.share(us.nora, ownedVisual, shareWith(us.nick, 'VIEWER'));
    const { id: untouched } = await platform.createDashboard(us.sara);

    const heir = { id: us.nils.userId, key: us.nils.userKey };
    const deleted = eventOf('management.tenant_user.deleted.v1', { ...stateOf(us.nora), heir });
    await platform.bus.publish([deleted]);
    expect(await shareIds(shared)).toEqual([us.nils.userId]);
    expect((await platform.stores.dashboards.getHeader(us.projectId, shared)).ownerId).toBe(us.ada.userId);
    const { access, as } = platform;
    const { dashboard } = await access.dashboards.get.query({ id: owned }, { context: await as(us.nils) });
    expect(dashboard).toMatchObject({
      ownerId: us.nils.userId,
      ownerType: 'tenant',
      tenantId: us.north.id,
      accessLevel: 'OWNER',
      version: 2,
      createdBy: us.nora.userId,
    });
    const { visual } = await access.visuals.get.query({ id: ownedVisual }, { context: await as(us.nils) });
    expect(visual).toMatchObject({ accessLevel: 'OWNER' });
    const [revoked] = await platform.eventsOf('management.dashboard_share.revoked.v1', shared);
    expect(revoked).not.toHaveProperty('actorid');
    expect(revoked).toMatchObject({
      projectid: us.projectId,
      data: { shares: [{ targetId: us.nora.userId }] },
    });
    const [taken] = await platform.eventsOf('management.visual.taken_over.v1', ownedVisual);
    expect(taken?.data).toMatchObject({ ownerId: us.nils.userId, formerOwnerId: us.nora.userId });

    const before = await platform.snapshot();
    await platform.bus.publish([{ ...deleted, id: 'delivered-again' }]);
    expect(await platform.snapshot()).toEqual(before);
    expect(
      (await access.dashboards.get.query({ id: untouched }, { context: await as(us.sara) })).dashboard
        .version,
    ).toBe(1);
  });

  it('leaves the resources of a tenant user without an heir to an ADMIN', async () => {
    const { id } = await platform.createDashboard(us.nora);
    await platform.bus.publish([
      eventOf('management.tenant_user.deleted.v1', { ...stateOf(us.nora), heir: null }),
    ]);
    const { access, as } = platform;
    const { dashboard } = await access.dashboards.takeOwnership.mutate(
      { id },
      { context: await as(us.root) },
    );
    expect(dashboard.ownerId).toBe(us.root.userId);
  });

  it('removes the shares of an org user, a group or a tenant in every project', async () => {
    const { directory } = platform;
    const group = directory.group(directory.newId('grp_team'));
    const elsewhere = { ...us.ada, projectId: directory.newId('p_other') };
    const { id } = await platform.createDashboard(us.ada);
    const { id: other } = await platform.createDashboard(elsewhere);
    for (const [owner, dashboardId] of [
      [us.ada, id],
      [elsewhere, other],
    ] as const) {
      await platform.share(
        owner,
        dashboardId,
        shareWith(us.otto, 'EDITOR'),
        { scope: 'group', groupId: group.id, role: 'EDITOR' },
        { scope: 'all_tenant_users', tenantId: us.north.id, role: 'EDITOR' },
      );
    }
    await platform.bus.publish([
      eventOf('management.org_user.deleted.v1', stateOf(us.otto)),
      eventOf('management.group.deleted.v1', { ...group, userIds: [] }),
    ]);
    expect(await shareIds(id)).toEqual([us.north.id]);
    await platform.bus.publish([
      eventOf('management.tenant.deleted.v1', { ...us.north, defaultOwnerId: null }),
    ]);
    expect(await shareIds(id)).toEqual([]);
    expect((await platform.stores.dashboards.getHeader(elsewhere.projectId, other)).shares).toEqual([]);
  });

  it('changes nothing in another organization', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, shareWith(us.otto, 'EDITOR'));
    const before = await platform.snapshot();
    const foreign = {
      ...eventOf('management.org_user.deleted.v1', stateOf(us.otto)),
      organizationid: 'o_other',
    };
    await platform.bus.publish([foreign]);
    expect(await platform.snapshot()).toEqual(before);
  });

  it('covers more resources than one batch holds', async () => {
    const ids = [];
    for (let index = 0; index < 230; index += 1) {
      const { id } = await platform.createDashboard(us.nora, { title: `${index}` });
      ids.push(id);
    }
    const heir = { id: us.nils.userId, key: us.nils.userKey };
    await platform.bus.publish([eventOf('management.tenant_user.deleted.v1', { ...stateOf(us.nora), heir })]);
    const { access, as } = platform;
    const { total } = await access.dashboards.list.query(
      { includeTotal: true, limit: 1 },
      { context: await as(us.nils) },
    );
    expect(total).toBe(ids.length);
  });
});
