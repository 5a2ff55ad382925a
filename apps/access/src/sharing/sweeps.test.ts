import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { createResourceKinds } from '../resources/kind.js';
import { createFixture, type Fixture } from '../testing/directoryStub.js';
import { startPlatform, templateLinking, shareWith } from '../testing/platform.js';
import { sweepExpiredShares } from './sweeps.js';

const { platform } = await usePlatform(startPlatform);
let us: Fixture;
beforeEach(() => {
  us = createFixture(platform.directory);
});

const shareIds = async (id: string) =>
  (await platform.stores.dashboards.getHeader(us.projectId, id)).shares.map((share) => share.targetId);

describe('the sweep', () => {
  it('removes expired shares and publishes them, once', async () => {
    const { id: visualId } = await platform.createVisual(us.ada);
    const { id } = await platform.createDashboard(us.ada, { template: templateLinking(visualId) });
    const inAnHour = new Date(Date.now() + 3_600_000);
    const expiresAt = inAnHour.toISOString();
    await platform.share(
      us.ada,
      id,
      { ...shareWith(us.nora, 'EDITOR'), expiresAt },
      { ...shareWith(us.nils, 'EDITOR'), expiresAt: new Date(+inAnHour + 1).toISOString() },
      shareWith(us.nick, 'VIEWER'),
    );
    const { dashboards } = createResourceKinds(platform.stores);
    await sweepExpiredShares(dashboards, new Date(+inAnHour - 1));
    expect(await shareIds(id)).toHaveLength(3);
    await sweepExpiredShares(dashboards, inAnHour);
    expect(await shareIds(id)).toEqual([us.nils.userId, us.nick.userId]);
    const swept = await platform.snapshot();
    await sweepExpiredShares(dashboards, inAnHour);
    expect(await platform.snapshot()).toEqual(swept);
    await platform.share(us.ada, id, shareWith(us.otto, 'VIEWER'));
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

  it('publishes very many expired shares in several events, each small enough for the bus', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const expiresAt = new Date(Date.now() + 3_600_000);
    await platform.share(us.ada, id, { ...shareWith(us.nora, 'EDITOR'), expiresAt: expiresAt.toISOString() });
    const { dashboards: store } = platform.stores;
    const header = await store.getHeader(us.projectId, id);
    const ids = Array.from({ length: 1100 }, (_, index) => `sh_${index}`);
    const shares = header.shares.flatMap((share) =>
      ids.map((shareId) => ({ ...share, id: shareId, subject: `u:${shareId}`, targetId: `tu_${shareId}` })),
    );
    await store.changeResource(us.projectId, header, { change: { shares }, events: [] });
    await sweepExpiredShares(createResourceKinds(platform.stores).dashboards, expiresAt);
    expect(await shareIds(id)).toEqual([]);
    const events = await platform.eventsOf('management.dashboard_share.expired.v1', id, 3);
    const published = events.map(({ data }) => (data['shares'] as { id: string }[]).map((share) => share.id));
    expect(published.map(({ length }) => length)).toEqual([500, 500, 100]);
    expect(published.flat().toSorted()).toEqual(ids.toSorted());
  });
});
