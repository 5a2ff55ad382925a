import type { JsonObject } from '@gatehouse/contract';
import { randomRuns, startTestMongo, type TestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProject } from './src/migration/migratable.js';
import { startMigrationPlatform, type MigrationPlatform } from './src/migration/platform.mjs';
import { makers, makeWorld, type MigrationWorld } from './src/migration/world.js';

const COUNTS = { connection: 3, domain: 2, datamodel: 2, visual: 4 } as const;
/** A reference by number: which of the project's records it names. */
const number = (count: number) => fc.option(fc.nat(count - 1), { nil: undefined });
const card = fc.record({
  connection: number(COUNTS.connection),
  domain: number(COUNTS.domain),
  datamodel: number(COUNTS.datamodel),
  note: fc.jsonValue({ maxDepth: 2 }),
});
const frame = fc.record({ visual: number(COUNTS.visual), cards: fc.array(card, { maxLength: 2 }) });
type Frame = typeof frame extends fc.Arbitrary<infer T> ? T : never;

const graph = fc.record({
  frames: fc.array(frame, { maxLength: 4 }),
  visuals: fc.array(frame, { minLength: COUNTS.visual, maxLength: COUNTS.visual }),
  datasets: fc.array(fc.nat(COUNTS.connection - 1), { minLength: COUNTS.domain, maxLength: COUNTS.domain }),
  /** For each domain, data model and visual: copied, reused, or, for visuals, unlinked. */
  choices: fc.array(fc.constantFrom('copy', 'reuse', 'unlink'), { minLength: 8, maxLength: 8 }),
  hasProfile: fc.boolean(),
});
type Graph = typeof graph extends fc.Arbitrary<infer T> ? T : never;

/**
 * Each run is a migration and its rollback on the database. `npm run fuzz` makes a thousand; plans alone are
 * tried as often in every run.
 */
const RUNS = Number(process.env['FUZZ_GRAPHS'] ?? randomRuns(10));
/** Many times what one takes. */
const GRAPH_LIMIT_MS = 300_000;

let mongo: TestMongo;
let platform: MigrationPlatform;
beforeAll(async () => {
  mongo = await startTestMongo();
  platform = await startMigrationPlatform({ databases: mongo.databases });
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

interface Ids {
  connection: string[];
  domain: string[];
  datamodel: string[];
  visual: string[];
}

function frameOf({ visual, cards }: Frame, ids: Ids): JsonObject {
  const at = (list: string[], index: number | undefined) =>
    index === undefined ? null : (list[index] ?? null);
  return {
    visualId: at(ids.visual, visual),
    cards: cards.map(({ connection, domain, datamodel, note }) => ({
      note,
      dataSource: {
        connectionId: at(ids.connection, connection),
        domainId: at(ids.domain, domain),
        datamodelId: at(ids.datamodel, datamodel),
      },
    })),
  };
}

async function times<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let index = 0; index < count; index += 1) made.push(await make(index));
  return made;
}

/**
 * One record of every kind in a project, in numbers; visuals are written once all have an id, since they may
 * link in cycles.
 */
async function makeRecords(person: MigrationWorld['source'], datasets: number[]): Promise<Ids> {
  const make = makers(platform, person);
  const connection = await times(COUNTS.connection, () => make.connection());
  const datasetsOf = (index: number) => [
    { name: 'o', connectionId: connection[datasets[index] ?? 0] ?? '', table: 'orders' },
  ];
  return {
    connection,
    domain: await times(COUNTS.domain, (index) =>
      make.domain(`d_${'ab'[index]}`, { datasets: datasetsOf(index) }),
    ),
    datamodel: await times(COUNTS.datamodel, (index) =>
      make.datamodel(`Model ${index}`, connection[index] ?? ''),
    ),
    visual: await times(COUNTS.visual, () => make.visual(null)),
  };
}

async function makeSource(world: MigrationWorld, { visuals, frames, datasets, hasProfile }: Graph) {
  const ids = await makeRecords(world.source, datasets);
  for (const [index, frame_] of visuals.entries()) {
    const change = { id: ids.visual[index] ?? '', frameObject: frameOf(frame_, ids) };
    await platform.call('access.visuals.update', world.source, change);
  }
  const assistantProfileId = await makers(platform, world.source).profile('Ada');
  if (hasProfile) await makers(platform, world.target).profile('Ada');
  const template = {
    sheets: [{ frames: frames.map((each) => frameOf(each, ids)) }],
    aiContext: { assistantProfileId },
  };
  return { ids, id: await makers(platform, world.source).dashboard(template) };
}

const REFERENCE = /"(?:connectionId|domainId|datamodelId|visualId|assistantProfileId)":"([^"]+)"/g;

/** Every id that a record of a project refers to, including those in templates, which are texts. */
function referredIds(project: Map<string, object>): string[] {
  const texts = [...project.values()].map((fields) => JSON.stringify(fields).replaceAll(String.raw`\"`, '"'));
  return texts.flatMap((text) => [...text.matchAll(REFERENCE)].map(([, id = '']) => id));
}

const NOUNS = ['domain', 'datamodel', 'visual'] as const;

/** The expectation of the graph for each record that the dashboard refers to. */
async function requestOf(
  world: MigrationWorld,
  id: string,
  { graph: { choices }, ids, targets }: { graph: Graph; ids: Ids; targets: Ids },
) {
  const { targetProjectId, ...analysis } = {
    targetProjectId: world.target.projectId,
    ...(await platform.call('lifecycle.migrations.analyze', world.source, {
      id,
      targetProjectId: world.target.projectId,
    })),
  };
  const met = { domain: analysis.domains, datamodel: analysis.datamodels, visual: analysis.visuals };
  const mappingOf = (noun: (typeof NOUNS)[number]) =>
    Object.fromEntries(
      met[noun].map(({ sourceId }) => {
        const index = ids[noun].indexOf(sourceId);
        const choice = choices[NOUNS.indexOf(noun) * 2 + index];
        const reused = targets[noun][index] ?? null;
        if (choice === 'unlink' && noun === 'visual') return [sourceId, 'unlink'];
        return [sourceId, choice === 'reuse' ? reused : null];
      }),
    );
  const connectionMapping = Object.fromEntries(
    analysis.connections.map(({ sourceId }) => [
      sourceId,
      targets.connection[ids.connection.indexOf(sourceId)] ?? '',
    ]),
  );
  const mappings = {
    domainMapping: mappingOf('domain'),
    datamodelMapping: mappingOf('datamodel'),
    visualMapping: mappingOf('visual'),
  };
  return { id, targetProjectId, connectionMapping, ...mappings };
}

describe('random dashboards over the services', () => {
  it(
    'are copied so that every reference is in the target project, and the second time nothing changes',
    async () => {
      const migrateGraph = async (drawn: Graph) => {
        const world = await makeWorld(platform);
        const { ids, id } = await makeSource(world, drawn);
        const targets = await makeRecords(world.target, drawn.datasets);
        const read = (projectId: string) => readProject(mongo.databases, projectId);
        const source = await read(world.source.projectId);
        const request = await requestOf(world, id, { graph: drawn, ids, targets });
        const answer = await platform.call('lifecycle.migrations.migrate', world.source, request);
        if (!('dashboard' in answer)) throw new Error('Nothing was migrated');
        const target = await read(world.target.projectId);
        expect(referredIds(target).filter((referred) => !target.has(referred))).toEqual([]);
        expect(await read(world.source.projectId)).toEqual(source);
        const { domains, datamodels, visuals } = answer.createdResources;
        const reusing = (mapping: Record<string, string | null>, created: typeof domains) => ({
          ...mapping,
          ...Object.fromEntries(created.map(({ sourceId, newId }) => [sourceId, newId])),
        });
        const again = {
          ...request,
          domainMapping: reusing(request.domainMapping, domains),
          datamodelMapping: reusing(request.datamodelMapping, datamodels),
          visualMapping: reusing(request.visualMapping, visuals),
          replaceExistingId: answer.dashboard.id,
        };
        // References that only copies have are omitted the second time, and records without references are no
        // longer copied.
        const second = await platform.call('lifecycle.migrations.migrate', world.source, again);
        expect('createdResources' in second ? Object.values(second.createdResources).flat() : null).toEqual(
          [],
        );
        expect(await read(world.target.projectId)).toEqual(target);
        await expect(
          platform.call('lifecycle.migrations.rollback', world.source, { id: answer.migrationId }),
        ).resolves.toMatchObject({ migration: { status: 'rolled_back' } });
        const left = await read(world.target.projectId);
        const made = [...domains, ...datamodels, ...visuals].map(({ newId }) => newId);
        expect([...made, answer.dashboard.id].filter((each) => left.has(each))).toEqual([]);
      };
      await fc.assert(fc.asyncProperty(graph, migrateGraph), { numRuns: RUNS });
    },
    GRAPH_LIMIT_MS * RUNS,
  );
});
