import { findAnomalies, sampleOf } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import { expect, it } from 'vitest';
import { createFixture, type Fixture } from './testing/directoryStub.js';
import { shareWith, startPlatform, templateLinking } from './testing/platform.js';
import { textOf } from './testing/textOf.js';

const { platform } = await usePlatform(startPlatform);
const { dashboards, dashboardShares, visuals } = platform.access;

/** A dashboard that links a visual and is shared with nils and nora, and another that is not shared. */
interface World {
  us: Fixture;
  linking: string;
  visual: string;
  unshared: string;
}
type Operation = (world: World) => Promise<unknown>;
type Name = 'ada' | 'nils' | 'nick' | 'nora' | 'root';
type Level = 'VIEWER' | 'EDITOR' | 'CONTRIBUTOR';

async function createWorld(): Promise<World> {
  const us = createFixture(platform.directory);
  const { id: visual } = await platform.createVisual(us.ada, { title: 'Visual' });
  const template = templateLinking(visual);
  const { id: linking } = await platform.createDashboard(us.ada, { title: 'Linking', template });
  const { id: unshared } = await platform.createDashboard(us.ada, { title: 'Unshared' });
  await platform.share(us.ada, linking, shareWith(us.nils, 'VIEWER'), shareWith(us.nora, 'CONTRIBUTOR'));
  return { us, linking, visual, unshared };
}

const by = async ({ us }: World, name: Name) => ({ context: await platform.as(us[name]) });
const write = (name: Name, fields: object): Operation => {
  return async (world) => dashboards.update.mutate({ id: world.linking, ...fields }, await by(world, name));
};
const grant = (name: Name, to: Name, level: Level): Operation => {
  return ({ us, linking }) => platform.share(us[name], linking, shareWith(us[to], level));
};
const revoke = (name: Name, from: Name): Operation => {
  return async (world) => {
    const { role: _, expiresAt: __, ...target } = shareWith(world.us[from], 'VIEWER');
    const shares = [target] as Parameters<typeof dashboardShares.revoke.mutate>[0]['shares'];
    return dashboardShares.revoke.mutate({ id: world.linking, shares }, await by(world, name));
  };
};
const remove = (name: Name): Operation => {
  return async (world) => dashboards.delete.mutate({ id: world.linking }, await by(world, name));
};

const OPERATIONS: Record<string, Operation> = {
  'another title': write('ada', { title: 'Changed' }),
  'another title by a contributor': write('nora', { title: 'Changed too' }),
  'another template': write('ada', { template: { text: 'second' } }),
  'a dashboard for all': write('ada', { isPrivate: false }),
  'a link': async (world) => {
    const change = { id: world.unshared, template: templateLinking(world.visual) };
    return dashboards.update.mutate(change, await by(world, 'ada'));
  },
  'a grant': grant('ada', 'nick', 'VIEWER'),
  'a grant by a contributor': grant('nora', 'nick', 'EDITOR'),
  'a higher role': grant('ada', 'nils', 'EDITOR'),
  'a revocation': revoke('ada', 'nils'),
  'a revocation from the contributor': revoke('ada', 'nora'),
  'a revocation by a contributor': revoke('nora', 'nils'),
  'a copy': async (world) => dashboards.duplicate.mutate({ id: world.linking }, await by(world, 'nora')),
  'another owner': async (world) =>
    dashboards.takeOwnership.mutate({ id: world.linking }, await by(world, 'root')),
  'another secret': async (world) =>
    dashboards.rotateSecret.mutate({ id: world.linking }, await by(world, 'ada')),
  'a deletion': remove('ada'),
  'a deletion by a contributor': remove('nora'),
  'a batch': async (world) => {
    const operations = [
      { op: 'update' as const, id: world.linking, description: 'of a batch' },
      { op: 'delete' as const, id: world.unshared },
    ];
    return dashboards.batch.mutate({ mode: 'atomic', operations }, await by(world, 'ada'));
  },
  'another visual': async (world) =>
    visuals.update.mutate({ id: world.visual, title: 'Changed' }, await by(world, 'ada')),
  'the deletion of the visual': async (world) =>
    visuals.delete.mutate({ id: world.visual }, await by(world, 'ada')),
};

const NAMES = ['ada', 'nils', 'nick', 'nora', 'root'] as const;

/** What each person can open, and the shares. */
async function stateOf(world: World): Promise<unknown> {
  const opened = NAMES.map(async (name) => {
    const context = await by(world, name);
    const [seen, visible] = await Promise.all([
      dashboards.list.query({ sort: 'title' }, context),
      visuals.list.query({ sort: 'title' }, context),
    ]);
    return { name, ...seen, ...visible };
  });
  const shares = NAMES.map(async (name) =>
    dashboardShares.list.query({ id: world.linking }, await by(world, name)).catch(() => null),
  );
  return [await Promise.all(opened), await Promise.all(shares)];
}

const names = Object.keys(OPERATIONS);
const pairs = names.flatMap((outer) => names.map((inner) => ({ outer, inner })));

it.each(sampleOf(pairs, 24))('$outer during $inner is as before or after it', async ({ outer, inner }) => {
  const both = { outer: OPERATIONS[outer] as Operation, inner: OPERATIONS[inner] as Operation };
  const found = await findAnomalies({ createWorld, ...both, stateOf, textOf });
  expect(found.runs).toBeGreaterThan(0);
  expect(found).toEqual({ ...found, anomalies: [] });
});
