import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFixture, type Fixture } from '../testing/directoryStub.js';
import { shareWith, startPlatform, templateLinking } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
let us: Fixture;
beforeEach(() => {
  us = createFixture(platform.directory);
});

/** The visuals of the project that a migration from another project may reuse for this caller. */
async function reusable(ids: string[], dashboardId?: string): Promise<string[]> {
  const context = await platform.as({ ...us.otto, projectId: 'p_elsewhere' });
  const query = { projectId: us.projectId, dashboardId, visualIds: ids };
  const { visuals } = await platform.access.copies.targets.query(query, { context });
  return visuals.map(({ id }) => id);
}

describe('the visuals that a migration may reuse', () => {
  it('are those that the caller sees by more than a dashboard that links them', async () => {
    const [shared, linked, hidden] = [
      await platform.createVisual(us.ada),
      await platform.createVisual(us.ada),
      await platform.createVisual(us.ada),
    ];
    await platform.share(us.ada, shared.id, shareWith(us.otto, 'VIEWER'));
    const dashboard = await platform.createDashboard(us.ada, { template: templateLinking(linked.id) });
    await platform.share(us.ada, dashboard.id, shareWith(us.otto, 'VIEWER'));
    const seen = await platform.access.visuals.get.query(
      { id: linked.id },
      { context: await platform.as(us.otto) },
    );
    expect(seen.visual.accessLevel).toBe('VIEWER');
    expect(await reusable([shared.id, linked.id, hidden.id])).toEqual([shared.id]);
  });

  it('are those that the replaced dashboard links, whose readers see them already', async () => {
    const visual = await platform.createVisual(us.ada);
    const dashboard = await platform.createDashboard(us.ada, { template: templateLinking(visual.id) });
    await platform.share(us.ada, dashboard.id, shareWith(us.otto, 'EDITOR'));
    expect(await reusable([visual.id])).toEqual([]);
    expect(await reusable([visual.id], dashboard.id)).toEqual([visual.id]);
  });
});
