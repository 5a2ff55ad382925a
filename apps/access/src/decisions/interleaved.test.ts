import { findAnomalies, sampleOf } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import { expect, it } from 'vitest';
import { createFixture, type Fixture } from '../testing/directoryStub.js';
import { shareWith, startPlatform, templateLinking } from '../testing/platform.js';
import { textOf } from '../testing/textOf.js';

const { platform } = await usePlatform(startPlatform);
const { access } = platform;

/** A dashboard that links a visual and is shared with nils, and another that is not shared. */
interface World {
  us: Fixture;
  linking: string;
  visual: string;
  unshared: string;
}
type Operation = (world: World) => Promise<unknown>;
type Name = 'ada' | 'nils' | 'nick' | 'nora' | 'otto' | 'root';

async function createWorld(): Promise<World> {
  const us = createFixture(platform.directory);
  const { id: visual } = await platform.createVisual(us.ada, { frameObject: { text: 'first' } });
  const template = { text: 'first', ...templateLinking(visual) };
  const { id: linking } = await platform.createDashboard(us.ada, { title: 'Linking', template });
  const { id: unshared } = await platform.createDashboard(us.ada, {
    title: 'Unshared',
    template: { text: 'SECRET' },
  });
  await platform.share(us.ada, linking, shareWith(us.nils, 'VIEWER'), shareWith(us.nora, 'EDITOR'));
  return { us, linking, visual, unshared };
}

const by = async ({ us }: World, name: Name) => ({ context: await platform.as(us[name]) });
/** Several requests, each after the response to the one before. */
const inTurn =
  (...operations: Operation[]): Operation =>
  async (world) => {
    for (const operation of operations) await operation(world);
    return 'done';
  };
const revoke =
  (name: Name): Operation =>
  async (world) => {
    const { role: _, expiresAt: __, ...target } = shareWith(world.us[name], 'VIEWER');
    const shares = [target] as Parameters<typeof access.dashboardShares.revoke.mutate>[0]['shares'];
    return access.dashboardShares.revoke.mutate({ id: world.linking, shares }, await by(world, 'ada'));
  };
const write =
  (resource: 'linking' | 'unshared', text: string): Operation =>
  async (world) => {
    const change = { id: world[resource], title: text, template: { text } };
    return access.dashboards.update.mutate(change, await by(world, 'ada'));
  };
const writeVisual: Operation = async (world) => {
  const change = { id: world.visual, title: 'SECRET', frameObject: { text: 'SECRET' } };
  return access.visuals.update.mutate(change, await by(world, 'ada'));
};
const share =
  (resource: 'linking' | 'unshared', name: Name): Operation =>
  ({ us, ...ids }) =>
    platform.share(us.ada, ids[resource], shareWith(us[name], 'VIEWER'));

type ResourceType = 'dashboard' | 'visual';
/** Of one type: the records of different types are read one after the other. */
const checksOf = ({ linking, unshared, visual }: World, resourceType: ResourceType) =>
  (resourceType === 'visual' ? [visual] : [linking, unshared]).map((resourceId) => {
    return { resourceType, resourceId, level: 'VIEWER' as const };
  });
const checkOwn =
  (type: ResourceType): Operation =>
  async (world) =>
    access.checks.check.mutate({ checks: checksOf(world, type), reasons: true }, await by(world, 'nils'));
const checkOther =
  (type: ResourceType): Operation =>
  async (world) => {
    const checks = checksOf(world, type).map((check) => ({ ...check, userId: world.us.nils.userId }));
    return access.checks.check.mutate({ checks, reasons: true }, await by(world, 'ada'));
  };

const READS: Record<string, Operation> = {
  'a dashboard': async (world) => access.dashboards.get.query({ id: world.linking }, await by(world, 'nils')),
  'a dashboard that is not shared': async (world) =>
    access.dashboards.get.query({ id: world.unshared }, await by(world, 'nick')),
  'a linked visual': async (world) => access.visuals.get.query({ id: world.visual }, await by(world, 'nils')),
  'a copy': async (world) =>
    access.dashboards.duplicate.mutate({ id: world.linking }, await by(world, 'nora')),
  'the dashboards of a user': async (world) => access.dashboards.list.query({}, await by(world, 'nils')),
  'the dashboards of another user': async (world) =>
    access.dashboards.list.query({}, await by(world, 'nick')),
  'the visuals of a user': async (world) => access.visuals.list.query({}, await by(world, 'nils')),
  'all contents': async (world) => access.contents.dashboards.query({}, await by(world, 'nils')),
  'the content of a visual': async (world) =>
    access.contents.visuals.query({ ids: [world.visual] }, await by(world, 'nils')),
  'an explanation': async (world) =>
    access.visualDecisions.explain.query(
      { id: world.visual, userId: world.us.nils.userId },
      await by(world, 'ada'),
    ),
  'the viewers': async (world) =>
    access.dashboardDecisions.viewers.query({ id: world.linking }, await by(world, 'ada')),
  'the viewers of a visual': async (world) =>
    access.visualDecisions.viewers.query({ id: world.visual }, await by(world, 'ada')),
  'the shares': async (world) =>
    access.dashboardShares.list.query({ id: world.linking }, await by(world, 'nora')),
  'questions about dashboards': checkOwn('dashboard'),
  'a question about a visual': checkOwn('visual'),
  'questions about dashboards and another user': checkOther('dashboard'),
  'a question about a visual and another user': checkOther('visual'),
  'the visuals that a user can open': async (world) =>
    access.checks.list.mutate({ resourceType: 'visual', level: 'VIEWER' }, await by(world, 'nils')),
  'the visuals that another user can open': async (world) => {
    const about = { resourceType: 'visual' as const, userId: world.us.nils.userId, level: 'VIEWER' as const };
    return access.checks.list.mutate(about, await by(world, 'ada'));
  },
};

const CHANGES: Record<string, Operation> = {
  'a revocation, then a new content': inTurn(revoke('nils'), write('linking', 'SECRET')),
  'a revocation from the editor, then a new content': inTurn(revoke('nora'), write('linking', 'SECRET')),
  'a removed link, then a new content of the visual': inTurn(write('linking', 'second'), writeVisual),
  'a new content, then a share': inTurn(write('unshared', 'second'), share('unshared', 'nick')),
  'a revocation, a share and a revocation': inTurn(revoke('nils'), share('linking', 'nils'), revoke('nils')),
  'a deletion': async (world) =>
    access.dashboards.delete.mutate({ id: world.linking }, await by(world, 'ada')),
  'another owner': async (world) =>
    access.dashboards.takeOwnership.mutate({ id: world.linking }, await by(world, 'root')),
};

/** What each person can open. */
async function stateOf(world: World): Promise<unknown> {
  const names = ['ada', 'nils', 'nick', 'nora', 'root'] as const;
  return Promise.all(
    names.map(async (name) => {
      const context = await by(world, name);
      const [dashboards, visuals] = await Promise.all([
        access.dashboards.list.query({ sort: 'title' }, context),
        access.visuals.list.query({ sort: 'title' }, context),
      ]);
      return { name, dashboards: dashboards.dashboards, visuals: visuals.visuals };
    }),
  );
}

const pairs = Object.keys(READS).flatMap((read) => Object.keys(CHANGES).map((change) => ({ read, change })));

it.each(sampleOf(pairs, 16))('$read beside $change is as before or after it', async ({ read, change }) => {
  const operations = { outer: READS[read] as Operation, inner: CHANGES[change] as Operation };
  const {
    runs: commands,
    expected,
    anomalies,
  } = await findAnomalies({
    createWorld,
    ...operations,
    stateOf,
    textOf,
  });
  expect(commands).toBeGreaterThan(0);
  expect({ expected, anomalies }).toEqual({ expected, anomalies: [] });
});
