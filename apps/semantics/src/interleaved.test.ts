import { callersOf, findAnomalies, newGround, sampleOf, type Callers } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import { expect, it } from 'vitest';
import { startPlatform } from './testing/platform.js';

const { platform } = await usePlatform(startPlatform);
const { assistantProfiles, connections, datamodels, domains, facts } = platform.semantics;

/** A project with two connections, and a data model and a domain of the first one. */
interface World {
  us: Callers;
  used: string;
  free: string;
  model: string;
  domain: string;
  profile: string;
}
type Operation = (world: World) => Promise<unknown>;

const catalogOf = (...names: string[]) => ({
  schemas: [
    {
      name: 'public',
      tables: names.map((name) => ({ name, columns: [{ name: 'id', type: 'integer' as const }] })),
    },
  ],
});
const datasetOf = (connectionId: string) => [{ name: 'orders', table: 'public.orders', connectionId }];

async function createWorld(): Promise<World> {
  const us = callersOf(newGround());
  const by = { context: await platform.as(us.orgAdmin) };
  const connect = async (name: string) => {
    const config = { dialect: 'postgres' as const };
    const catalog = catalogOf('orders');
    return (await connections.create.mutate({ name, type: 'static', config, catalog }, by)).connection.id;
  };
  const [used, free] = [await connect('Used'), await connect('Free')];
  const model = await datamodels.create.mutate({ name: 'Model', connectionId: used }, by);
  const { id: domain } = (await domains.create.mutate({ name: 'domain' }, by)).domain;
  await domains.putTemplate.mutate({ domainId: domain, datasets: datasetOf(used) }, by);
  const profile = await assistantProfiles.create.mutate({ name: 'Profile' }, by);
  return { us, used, free, model: model.datamodel.id, domain, profile: profile.assistantProfile.id };
}

const as = async ({ us }: World) => ({ context: await platform.as(us.orgAdmin) });

const CHANGES: Record<string, Operation> = {
  'a new connection': async (world) =>
    connections.create.mutate(
      { name: 'New', type: 'static', config: { dialect: 'postgres' } },
      await as(world),
    ),
  'a renamed connection': async (world) =>
    connections.update.mutate({ id: world.free, name: 'New' }, await as(world)),
  'a closed connection': async (world) =>
    connections.update.mutate({ id: world.free, rowBarrier: true }, await as(world)),
  'a new catalog': async (world) =>
    connections.introspect.mutate({ id: world.free, catalog: catalogOf('orders', 'items') }, await as(world)),
  'another new catalog': async (world) =>
    connections.update.mutate({ id: world.free, catalog: catalogOf('stock') }, await as(world)),
  'the same catalog': async (world) =>
    connections.introspect.mutate({ id: world.free, catalog: catalogOf('orders') }, await as(world)),
  'a deleted connection': async (world) => connections.delete.mutate({ id: world.free }, await as(world)),
  'the deletion of a used connection': async (world) =>
    connections.delete.mutate({ id: world.used }, await as(world)),
  'a new model': async (world) =>
    datamodels.create.mutate({ name: 'Another', connectionId: world.free }, await as(world)),
  'a model of another connection': async (world) =>
    datamodels.update.mutate({ id: world.model, name: 'Moved', connectionId: world.free }, await as(world)),
  'a renamed model': async (world) =>
    datamodels.update.mutate({ id: world.model, name: 'Another' }, await as(world)),
  'a deleted model': async (world) => datamodels.delete.mutate({ id: world.model }, await as(world)),
  'a template of another connection': async (world) =>
    domains.putTemplate.mutate({ domainId: world.domain, datasets: datasetOf(world.free) }, await as(world)),
  'an empty template': async (world) =>
    domains.putTemplate.mutate({ domainId: world.domain }, await as(world)),
  'a new domain': async (world) => domains.create.mutate({ name: 'another' }, await as(world)),
  'a renamed domain': async (world) =>
    domains.update.mutate({ domainId: world.domain, name: 'another' }, await as(world)),
  'a deleted domain': async (world) => domains.delete.mutate({ domainId: world.domain }, await as(world)),
  'a changed profile': async (world) =>
    assistantProfiles.update.mutate({ id: world.profile, instructions: 'Be brief' }, await as(world)),
  'a deleted profile': async (world) =>
    assistantProfiles.delete.mutate({ id: world.profile }, await as(world)),
};

const READS: Record<string, Operation> = {
  'a connection': async (world) => connections.get.query({ id: world.free }, await as(world)),
  'the connections': async (world) => connections.list.query({}, await as(world)),
  'the changes of a catalog': async (world) => connections.changes.query({ id: world.free }, await as(world)),
  'the description of a connection': async (world) =>
    connections.describe.query({ connectionId: world.free }, await as(world)),
  'a domain': async (world) => domains.getTemplate.query({ domainId: world.domain }, await as(world)),
  'a model': async (world) => datamodels.get.query({ id: world.model }, await as(world)),
  'the facts': async (world) => facts.load.query({}, await as(world)),
};

/** The facts, and what they do not contain. */
async function stateOf(world: World): Promise<unknown> {
  const by = await as(world);
  const all = await connections.list.query({}, by);
  const { assistantProfiles: profiles } = await assistantProfiles.list.query({}, by);
  const changes = all.connections.map(({ id }) => connections.changes.query({ id }, by));
  return { all, profiles, facts: await facts.load.query({}, by), changes: await Promise.all(changes) };
}

function textOf(value: unknown, { us: { orgAdmin }, ...ids }: World): string {
  const named = Object.entries({ ...ids, project: orgAdmin.projectId });
  return JSON.stringify(value, (key, each: unknown) => {
    if (key.endsWith('At')) return undefined;
    if (typeof each !== 'string') return each;
    const text = named.reduce((known, [name, id]) => known.replaceAll(id, name), each);
    return text.replace(/^(c|dm|dom|ap)_.*/, 'another id');
  });
}

const names = Object.keys(CHANGES);
const operations = { ...CHANGES, ...READS };
const pairs = Object.keys(operations).flatMap((outer) => names.map((inner) => ({ outer, inner })));

it.each(sampleOf(pairs, 24))('$outer during $inner is as before or after it', async ({ outer, inner }) => {
  const both = { outer: operations[outer] as Operation, inner: CHANGES[inner] as Operation };
  const found = await findAnomalies({ createWorld, ...both, stateOf, textOf });
  expect(found.runs).toBeGreaterThan(0);
  expect(found).toEqual({ ...found, anomalies: [] });
});
