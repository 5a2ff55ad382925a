import { AppError, type JsonObject } from '@gatehouse/contract';
import { FairShares, type CallContext } from '@gatehouse/service';
import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graphs, requestFactsOf, requestOf, sourceOf, targetOf } from '../testing/migrationGraphs.js';
import type { MigrationDependencies } from './dependencies.js';
import { analyzeMigration } from './logic/analysis.js';
import { outlineOf, walkReferences, type SourceFacts, type SourceVisual } from './logic/facts.js';
import { planMigration, type NewIds } from './logic/plan.js';
import { migrateDashboard } from './migrateDashboard.js';
import type { MigrationDocument } from './documents.js';
import { readAnalysisFacts } from './readFacts.js';
import { runStep } from './runStep.js';
import { storeContents } from './migrateDashboard.js';

const RUNS = { numRuns: randomRuns(300) };
const newIds: NewIds = (noun, sourceId) => `new ${noun} ${sourceId}`;
const BODY_BYTES = 100_000;
const PAGE_SIZE = 3;

const idOf = (index: number) => `v_${String(index).padStart(4, '0')}`;
const framesOf = (ids: readonly string[]) => [{ frames: ids.map((visualId) => ({ visualId })) }];

function visualOf(id: string, body: JsonObject = {}): SourceVisual {
  const frameObject = { note: 'x'.repeat(BODY_BYTES), ...body };
  return { id, title: `Title of ${id}`, description: 'D', tags: ['t'], version: 1, frameObject };
}

/** The contents of steps, as a migration stores them. */
interface Stored {
  inserted: Map<string, string>[];
  deleted: string[];
  /** The lease and the time at which the migration was inserted, and the time of the last contents. */
  leaseUntil?: number;
  storedAt: number;
}

/** A source project with these visuals, which one dashboard links, and an empty target project. */
function makeProjects(visuals: Map<string, SourceVisual>) {
  const calls = { pages: 0, atOnce: 0, mostAtOnce: 0 };
  const stored: Stored = { inserted: [], deleted: [], storedAt: 0 };
  const content = { title: 'Dashboard', description: '', tags: [], isDataApp: false, version: 1 };
  const template = { sheets: framesOf([...visuals.keys()]) };
  const none = { connections: [], domains: [], datamodels: [], assistantProfiles: [] };
  const answer = <T>(value: T) => ({ query: async () => value });
  const readPage = async ({ ids, afterId = '' }: { ids: string[]; afterId?: string }) => {
    calls.pages += 1;
    calls.atOnce += 1;
    calls.mostAtOnce = Math.max(calls.mostAtOnce, calls.atOnce);
    await new Promise(setImmediate);
    calls.atOnce -= 1;
    const rest = ids.filter((id) => id > afterId && visuals.has(id)).toSorted();
    const page = rest.slice(0, PAGE_SIZE);
    return {
      visuals: page.flatMap((id) => structuredClone(visuals.get(id)) ?? []),
      nextAfterId: rest.length > PAGE_SIZE ? page.at(-1) : null,
    };
  };
  const deps = {
    leaseMs: 1000,
    afterStep: async () => {},
    pageShares: new FairShares({
      capacity: 4,
      perShare: 3,
      waitingPerShare: 100,
      waiting: 100,
      waitMs: 60_000,
    }),
    versionControl: { store: { find: async () => null }, config: {} },
    services: {
      access: {
        copies: {
          source: answer({ dashboard: { id: 'd_1', ...content, level: 'OWNER', template } }),
          targets: answer({ dashboard: null, visuals: [] }),
          visuals: { query: readPage },
        },
      },
      semantics: { copies: { source: answer(none), targets: answer(none) } },
      directory: { subjects: { getProject: answer({ project: { id: 'p_2', name: 'Target' } }) } },
    },
    store: {
      find: async () => null,
      insertContents: async (_key: string, texts: Map<string, string>) => {
        stored.inserted.push(texts);
        for (const began = Date.now(); Date.now() === began;);
        stored.storedAt = Date.now();
      },
      deleteContents: async (key: string) => void stored.deleted.push(key),
      insert: async ({ lease }: { lease?: { until: Date } }) => {
        stored.leaseUntil = lease?.until.getTime() ?? 0;
        throw new AppError('QUOTA_EXCEEDED');
      },
    },
  };
  return { deps: deps as unknown as MigrationDependencies, calls, stored };
}

const CONTEXT = {
  principal: {
    kind: 'orgUser',
    role: 'ADMIN',
    tokenType: 'project',
    organizationId: 'o_1',
    projectId: 'p_1',
  },
  requestId: 'test',
  now: new Date(0),
} as unknown as CallContext;
const contextOf = (organizationId: string) =>
  ({ ...CONTEXT, principal: { ...CONTEXT.principal, organizationId } }) as CallContext;
const analyze = (deps: MigrationDependencies, context = CONTEXT) =>
  readAnalysisFacts(deps, { id: 'd_1', targetProjectId: 'p_2' }, context);
const migrate = (deps: MigrationDependencies, ids: readonly string[]) => {
  const request = { id: 'd_1', targetProjectId: 'p_2', connectionMapping: {}, visualsToCreate: [...ids] };
  return migrateDashboard(deps, { ...request, dryRun: false }, CONTEXT);
};

const visualsOf = (count: number) =>
  new Map(Array.from({ length: count }, (_, index) => [idOf(index), visualOf(idOf(index))]));

function outlined({ visuals, ...source }: SourceFacts): SourceFacts {
  const outlines = [...visuals].map(
    ([id, visual]) => [id, { ...visual, frameObject: outlineOf(visual.frameObject) }] as const,
  );
  return { ...source, visuals: new Map(outlines) };
}

describe('the outlines of visuals', () => {
  it('lead to the same analysis and the same plan as their bodies', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const source = sourceOf(graph);
        const target = targetOf();
        const facts = { target, canCreateDomains: true };
        const request = requestOf(
          graph,
          walkReferences(source, () => true),
        );
        const analyses = [source, outlined(source)].map((each) =>
          JSON.stringify(analyzeMigration({ ...facts, source: each })),
        );
        expect(analyses[1]).toBe(analyses[0]);
        const [whole, plan] = [source, outlined(source)].map((each) => {
          const made = planMigration(requestFactsOf(each, target, request), newIds);
          const steps = made.steps.map((step) =>
            step.action === 'createVisual' ? { ...step, content: null } : step,
          );
          return JSON.stringify({ ...made, steps });
        });
        expect(plan).toBe(whole);
      }),
      RUNS,
    );
  });
});

describe('the facts of an analysis', () => {
  it('hold no bodies of visuals', async () => {
    const visuals = visualsOf(10);
    visuals.set(
      idOf(3),
      visualOf(idOf(3), { visualId: 'v_indirect', cards: [{ dataSource: { domainId: 'x' } }] }),
    );
    visuals.set('v_indirect', visualOf('v_indirect'));
    const { deps, calls } = makeProjects(visuals);
    const facts = await analyze(deps);
    expect(facts.source.visuals.size).toBe(11);
    expect(calls.pages).toBe(Math.ceil(11 / PAGE_SIZE));
    const held = JSON.stringify([...facts.source.visuals.values()]);
    expect(held.length).toBeLessThan(BODY_BYTES / 10);
    const whole = { ...facts, source: { ...facts.source, visuals } };
    expect(analyzeMigration(facts)).toEqual(analyzeMigration(whole));
  });

  it('are read with four pages of bodies at once, whatever runs at the same time', async () => {
    const { deps, calls } = makeProjects(visualsOf(10));
    const contexts = Array.from({ length: 12 }, (_, n) => contextOf(n < 6 ? 'o_1' : 'o_2'));
    await Promise.all(contexts.map((context) => analyze(deps, context)));
    expect(calls).toMatchObject({ pages: 12 * Math.ceil(10 / PAGE_SIZE), mostAtOnce: 4 });
  });

  it('are read for an organization before those of another that reads more at the same time', async () => {
    const { deps } = makeProjects(visualsOf(10));
    const finished: string[] = [];
    const organizations = [...Array.from({ length: 11 }, () => 'o_1'), 'o_2'];
    await Promise.all(
      organizations.map(async (each) => {
        await analyze(deps, contextOf(each));
        finished.push(each);
      }),
    );
    expect(finished.indexOf('o_2')).toBe(0);
  });

  it('are rejected if all bodies together have too many references', async () => {
    const filters = Array.from({ length: 19_000 }, (_, index) => ({ domainId: `no id ${index}` }));
    const visuals = visualsOf(9);
    for (const id of visuals.keys()) visuals.set(id, visualOf(id, { cards: [{ filters }] }));
    const { deps, calls } = makeProjects(visuals);
    const message = 'the visuals that the dashboard links have too many references';
    await expect(analyze(deps)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      fieldErrors: [{ field: 'id', message }],
    });
    expect(calls.pages).toBe(3);
    visuals.delete(idOf(0));
    await expect(analyze(makeProjects(visuals).deps)).resolves.toBeDefined();
  });
});

describe('the contents of a plan', () => {
  const textsOf = ({ inserted }: Stored) => new Map(inserted.flatMap((texts) => [...texts]));

  it('are stored page by page, and equal those of a plan with all bodies', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (graph) => {
        const source = sourceOf(graph);
        const target = targetOf();
        const request = requestOf(
          graph,
          walkReferences(source, () => true),
        );
        const planOf = (each: SourceFacts) => planMigration(requestFactsOf(each, target, request), newIds);
        const { deps, stored } = makeProjects(new Map(source.visuals));
        const document = { contentsKey: 'key', createdAt: new Date(0) };
        const outlines = outlined(source);
        await storeContents(deps, { document, source: outlines, plan: planOf(outlines) }, CONTEXT);
        const expected = planOf(source).steps.flatMap(({ name, content }) =>
          content === null ? [] : [[name, JSON.stringify(content)] as const],
        );
        expect(textsOf(stored)).toEqual(new Map(expected));
        for (const texts of stored.inserted.slice(1)) expect(texts.size).toBeLessThanOrEqual(PAGE_SIZE);
      }),
      { numRuns: randomRuns(50) },
    );
  });

  it('lack deleted visuals and those with other references, and have those with other changes', async () => {
    const visuals = visualsOf(5);
    const { deps, stored } = makeProjects(visuals);
    const { source, target } = await analyze(deps);
    const request = { id: 'd_1', targetProjectId: 'p_2', connectionMapping: {}, dryRun: false };
    const named = { ...request, visualsToCreate: [...visuals.keys()] };
    const plan = planMigration(requestFactsOf(source, target, named), newIds);
    visuals.delete(idOf(0));
    visuals.set(idOf(1), visualOf(idOf(1), { visualId: 'v_unplanned' }));
    visuals.set(idOf(2), { ...visualOf(idOf(2), { note: 'changed' }), version: 2 });
    const document = { contentsKey: 'key', createdAt: new Date(0) };
    await storeContents(deps, { document, source, plan }, CONTEXT);
    const texts = textsOf(stored);
    expect([...texts.keys()].toSorted()).toEqual([
      'createDashboard',
      ...[2, 3, 4].map((index) => `createVisual ${idOf(index)}`),
    ]);
    expect(texts.get(`createVisual ${idOf(2)}`)).toContain('"note":"changed"');
  });
});

describe('a migration', () => {
  it('begins its lease after its contents are stored', async () => {
    const visuals = visualsOf(7);
    const { deps, stored } = makeProjects(visuals);
    await expect(migrate(deps, [...visuals.keys()])).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(stored.inserted.map(({ size }) => size)).toEqual([1, 3, 3, 1]);
    expect(stored.leaseUntil).toBeGreaterThanOrEqual(stored.storedAt + deps.leaseMs);
    expect(stored.deleted).toHaveLength(1);
  });

  it('leaves no contents if the visuals cannot be read again', async () => {
    const visuals = visualsOf(4);
    const { deps, stored, calls } = makeProjects(visuals);
    const { visuals: readable } = deps.services.access.copies;
    const readPage = readable.query.bind(readable);
    const failLater = (...given: Parameters<typeof readPage>) => {
      if (calls.pages === 3) throw new AppError('UNAVAILABLE');
      return readPage(...given);
    };
    Object.assign(readable, { query: failLater });
    await expect(migrate(deps, [...visuals.keys()])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(stored.inserted.map(({ size }) => size)).toEqual([1, 3]);
    expect(stored.deleted).toHaveLength(1);
    expect(stored.leaseUntil).toBeUndefined();
  });

  it('fails with CONFLICT at a visual without content', async () => {
    const deps = {
      services: {},
      signer: { sign: async () => 'token' },
      store: { findContent: async () => null },
    } as unknown as MigrationDependencies;
    const action = 'createVisual' as const;
    const of = { sourceId: 'v_1', targetId: 'v_2', title: 'V', state: 'pending' as const };
    const document = { actor: { requestId: 'test' }, contentsKey: 'key' } as MigrationDocument;
    const running = runStep(deps, document, { name: `${action} v_1`, action, ...of });
    await expect(running).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('have changed since the migration was planned') as unknown,
    });
  });
});
