import type { CloudEvent, EventData, EventType, PersonPrincipal } from '@gatehouse/contract';
import { createEvent } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createResourceKinds } from './operations/resourceKind.js';
import { sweepExpiredShares } from './operations/tidying.js';
import { castOf, type Cast } from './testing/people.js';
import { startPlatform, templateLinking, toPerson, type TestPlatform } from './testing/platform.js';

let mongo: TestMongo;
let platform: TestPlatform;
let us: Cast;
beforeAll(async () => {
  mongo = await startTestMongo();
  platform = await startPlatform(mongo.databases);
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});
beforeEach(() => {
  us = castOf(platform.people);
});

/** An event as the directory publishes it. */
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
  name: 'Somebody',
  isActive: true,
  tenantId: 'tenantId' in person ? person.tenantId : null,
  tenantKey: 'tenantKey' in person ? person.tenantKey : null,
});
const shareIds = async (id: string) =>
  (await platform.stores.dashboards.getHeader(us.projectId, id)).shares.map((share) => share.targetId);

describe('after a deletion', () => {
  it('of a tenant user its shares go and what it owned is inherited, once', async () => {
    const { id: shared } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, shared, toPerson(us.nora, 'EDITOR'), toPerson(us.nils, 'EDITOR'));
    const { id: owned } = await platform.createDashboard(us.nora, { isPrivate: false });
    const { id: ownedVisual } = await platform.createVisual(us.nora);
    await platform.share(us.nora, ownedVisual, toPerson(us.nick, 'VIEWER'));
    const { id: untouched } = await platform.createDashboard(us.sara);

    const heir = { id: us.nils.userId, key: us.nils.userKey };
    const deleted = eventOf('management.tenant_user.deleted.v1', { ...stateOf(us.nora), heir });
    await platform.bus.publish([deleted]);
    expect(await shareIds(shared)).toEqual([us.nils.userId]);
    expect((await platform.stores.dashboards.getHeader(us.projectId, shared)).ownerId).toBe(us.ada.userId);
    const { access, as } = platform;
    const { dashboard } = await access.dashboards.get(await as(us.nils), { id: owned });
    expect(dashboard).toMatchObject({
      ownerId: us.nils.userId,
      ownerType: 'tenant',
      tenantId: us.north.id,
      accessLevel: 'OWNER',
      version: 2,
      createdBy: us.nora.userId,
    });
    const { visual } = await access.visuals.get(await as(us.nils), { id: ownedVisual });
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
    expect((await access.dashboards.get(await as(us.sara), { id: untouched })).dashboard.version).toBe(1);
  });

  it('of a tenant user without an heir leaves what it owned to an ADMIN', async () => {
    const { id } = await platform.createDashboard(us.nora);
    await platform.bus.publish([
      eventOf('management.tenant_user.deleted.v1', { ...stateOf(us.nora), heir: null }),
    ]);
    const { access, as } = platform;
    const { dashboard } = await access.dashboards.takeOwnership(await as(us.root), { id });
    expect(dashboard.ownerId).toBe(us.root.userId);
  });

  it('of an org user, a group or a tenant their shares go, in every project of the organization', async () => {
    const { people } = platform;
    const group = people.group(people.newId('grp_team'));
    const elsewhere = { ...us.ada, projectId: people.newId('p_other') };
    const { id } = await platform.createDashboard(us.ada);
    const { id: other } = await platform.createDashboard(elsewhere);
    for (const [owner, dashboardId] of [
      [us.ada, id],
      [elsewhere, other],
    ] as const) {
      await platform.share(
        owner,
        dashboardId,
        toPerson(us.otto, 'EDITOR'),
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

  it('in another organization changes nothing', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, toPerson(us.otto, 'EDITOR'));
    const before = await platform.snapshot();
    const foreign = {
      ...eventOf('management.org_user.deleted.v1', stateOf(us.otto)),
      organizationid: 'o_other',
    };
    await platform.bus.publish([foreign]);
    expect(await platform.snapshot()).toEqual(before);
  });

  it('is tidied up through more resources than one batch holds', async () => {
    const ids = [];
    for (let index = 0; index < 230; index += 1) {
      const { id } = await platform.createDashboard(us.nora, { title: `${index}` });
      ids.push(id);
    }
    const heir = { id: us.nils.userId, key: us.nils.userKey };
    await platform.bus.publish([eventOf('management.tenant_user.deleted.v1', { ...stateOf(us.nora), heir })]);
    const { access, as } = platform;
    const { total } = await access.dashboards.list(await as(us.nils), { includeTotal: true, limit: 1 });
    expect(total).toBe(ids.length);
  });
});

describe('the sweep', () => {
  it('removes the shares that have expired and tells of them, once', async () => {
    const { id: visualId } = await platform.createVisual(us.ada);
    const { id } = await platform.createDashboard(us.ada, { template: templateLinking(visualId) });
    const inAnHour = new Date(Date.now() + 3_600_000);
    const expiresAt = inAnHour.toISOString();
    await platform.share(
      us.ada,
      id,
      { ...toPerson(us.nora, 'EDITOR'), expiresAt },
      { ...toPerson(us.nils, 'EDITOR'), expiresAt: new Date(+inAnHour + 1).toISOString() },
      toPerson(us.nick, 'VIEWER'),
    );
    const { dashboards } = createResourceKinds(platform.stores);
    await sweepExpiredShares(dashboards, new Date(+inAnHour - 1));
    expect(await shareIds(id)).toHaveLength(3);
    await sweepExpiredShares(dashboards, inAnHour);
    expect(await shareIds(id)).toEqual([us.nils.userId, us.nick.userId]);
    const swept = await platform.snapshot();
    await sweepExpiredShares(dashboards, inAnHour);
    expect(await platform.snapshot()).toEqual(swept);
    await platform.share(us.ada, id, toPerson(us.otto, 'VIEWER'));
    const [event] = await platform.eventsOf('management.dashboard_share.expired.v1', id);
    expect(event).toMatchObject({
      data: { resourceId: id, shares: [{ targetId: us.nora.userId, expiresAt }] },
    });
    expect(event).not.toHaveProperty('actorid');
    await sweepExpiredShares(dashboards, new Date(+inAnHour + 1));
    expect(await shareIds(id)).toEqual([us.nick.userId, us.otto.userId]);
    const header = await platform.stores.dashboards.platform.findExpired(new Date(8e15), 1000);
    expect(header.filter(({ _id }) => _id === id)).toEqual([]);
  });
});
