import type { JsonObject, ModelTemplate } from '@gatehouse/contract';
import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  graphs,
  requestFactsOf,
  requestOf,
  sourceOf,
  targetOf,
  type Graph,
} from '../testing/migrationGraphs.js';
import { analyzeMigration } from './logic/analysis.js';
import { referencesIn, referencesOf, walkReferences, type BodyForm } from './logic/facts.js';
import { planMigration, type MigrationPlan, type NewIds } from './logic/plan.js';
import { findProblems } from './logic/request.js';

const RUNS = { numRuns: randomRuns(1000) };
const NO_MODEL: ModelTemplate = { datasets: [], relationships: [], calculatedFields: [] };
const newIds: NewIds = (noun, sourceId) => `new ${noun} ${sourceId}`;

function prepare(graph: Graph) {
  const source = sourceOf(graph);
  const target = targetOf();
  const request = requestOf(
    graph,
    walkReferences(source, () => true),
  );
  return { source, target, facts: requestFactsOf(source, target, request) };
}

const contentOf = (plan: MigrationPlan, name: string) =>
  plan.steps.find((step) => step.name === name)?.content;

/**
 * The differences between source and copy, as `pointer: from -> to`; undefined stands for an absent value.
 */
function differences(from: unknown, to: unknown, pointer = ''): string[] {
  const isContainer = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;
  if (!isContainer(from) || !isContainer(to) || Array.isArray(from) !== Array.isArray(to))
    return Object.is(from, to) ? [] : [`${pointer}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`];
  const order = (value: JsonObject, other: JsonObject) => Object.keys(value).filter((key) => key in other);
  expect(order(from, to)).toEqual(order(to, from));
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return keys.flatMap((key) => differences(from[key], to[key], `${pointer}/${key}`));
}

const REFERENCE_KEY = /\/(connectionId|domainId|datamodelId|visualId|assistantProfileId): /;
/** The pointers of known parts. Parts below an unknown key are unknown. */
const KNOWN_PLACE =
  /^(\/sheets\/\d+\/frames\/\d+)?(\/cards\/\d+(\/(dataSource|filters\/\d+|fields\/\w+\/\d+)(\/(selectedEntities|joins)\/\d+)?)|\/filters\/\d+|\/aiContext(\/selectedEntities\/\d+)?)?\/\w+: /;

function expectOnlyReferences(from: unknown, to: unknown): void {
  for (const difference of differences(from, to)) {
    expect(difference).toMatch(REFERENCE_KEY);
    expect(difference).toMatch(KNOWN_PLACE);
  }
}

/** A source id under a reference key. Below unknown keys, the graphs have such keys but no such ids. */
const SOURCE_ID = /"(connectionId|domainId|datamodelId|visualId|assistantProfileId)":"(c|dom|dm|v|ap)_/;

/**
 * Expects every reference of the copies to be a record of the target project or one that the plan creates.
 */
function expectResolved(plan: MigrationPlan): void {
  const created = new Map(plan.steps.map((step) => [step.targetId, step.content]));
  const check = (body: JsonObject | null, form: BodyForm) => {
    for (const ids of Object.values(referencesIn(body, form)))
      for (const id of ids) expect(created.has(id) || id.startsWith('t_') ? [] : [id]).toEqual([]);
  };
  for (const { action, content } of plan.steps) {
    if (content === null) continue;
    if (action === 'createVisual') check(content['frameObject'] as JsonObject | null, 'frameObject');
    if (action === 'createDashboard') check(content['template'] as JsonObject | null, 'template');
    expect(JSON.stringify(content)).not.toMatch(SOURCE_ID);
  }
}

describe('the plan of a migration', () => {
  it('points every reference of the copies to the target project, and does not modify the source', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const { source, target, facts } = prepare(graph);
        const before = JSON.stringify(
          Object.values(source).map((part) => (part instanceof Map ? [...part] : part)),
        );
        expect(findProblems(facts)).toEqual([]);
        const plan = planMigration(facts, newIds);
        expectResolved(plan);
        const after = JSON.stringify(
          Object.values(source).map((part) => (part instanceof Map ? [...part] : part)),
        );
        expect(after).toBe(before);
        expect(target).toEqual(targetOf());
      }),
      RUNS,
    );
  });

  it('changes only references in known places', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const { source, facts } = prepare(graph);
        const plan = planMigration(facts, newIds);
        expectOnlyReferences(source.dashboard.template, contentOf(plan, 'createDashboard')?.['template']);
        for (const { sourceId, name, action, content } of plan.steps) {
          if (action !== 'createVisual') continue;
          expect(name).toBe(`createVisual ${sourceId}`);
          expectOnlyReferences(source.visuals.get(sourceId ?? '')?.frameObject, content?.['frameObject']);
        }
      }),
      RUNS,
    );
  });

  it('is deterministic, names each step once, and creates only records that are used', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const { source, facts } = prepare(graph);
        const plan = planMigration(facts, newIds);
        expect(JSON.stringify(planMigration(facts, newIds))).toBe(JSON.stringify(plan));
        const names = plan.steps.map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
        expect(names[0]).toBe('verify');
        const used = new Set(
          plan.steps.flatMap(({ action, content }) => {
            const form = action === 'createVisual' ? 'frameObject' : 'template';
            const isBody = action === 'createVisual' || action === 'createDashboard';
            if (!isBody) return [];
            const ids = referencesIn((content?.[form] ?? null) as JsonObject | null, form);
            return Object.values(ids).flatMap((set) => [...set]);
          }),
        );
        const copies = plan.steps.filter(({ action }) => /^create(?!Dashboard)/.test(action));
        expect(copies.filter(({ targetId }) => !used.has(targetId ?? ''))).toEqual([]);
        expect(plan.bound.find(({ noun, id }) => noun === 'dashboard' && id === 'd_1')).toMatchObject({
          version: source.dashboard.version,
        });
      }),
      RUNS,
    );
  });

  it('creates each visual after those that it links, unless they link it in turn', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const { source, facts } = prepare(graph);
        const steps = planMigration(facts, newIds).steps.filter(({ action }) => action === 'createVisual');
        const created = steps.flatMap(({ sourceId }) => sourceId ?? []);
        const linkedBy = (id: string) =>
          [...referencesOf(source, 'visual', id).visual].filter((each) => created.includes(each));
        const reachedFrom = (id: string) => {
          const reached = new Set(linkedBy(id));
          for (const each of reached) for (const next of linkedBy(each)) reached.add(next);
          return reached;
        };
        for (const [index, id] of created.entries()) {
          const later = new Set(created.slice(index + 1));
          const early = linkedBy(id).filter((linked) => later.has(linked) && !reachedFrom(linked).has(id));
          expect(early).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  it('creates visuals that link each other not at all in the order of the template', () => {
    const frames = [0, 1, 2].map((number) => ({ visualId: `v_${number}` }));
    const graph: Graph = {
      template: { sheets: [{ frames }] },
      frames: Array.from({ length: 6 }, () => ({})),
      domains: [0, 1, 2].map(() => NO_MODEL),
      datamodels: [0, 1, 2].map(() => ({ connection: 0, template: NO_MODEL })),
      choices: {
        domain: [false, false, false],
        datamodel: [false, false, false],
        visual: Array.from({ length: 6 }, () => false),
      },
      profileNames: [null, null],
    };
    const { steps } = planMigration(prepare(graph).facts, newIds);
    const created = steps.filter(({ action }) => action === 'createVisual');
    expect(created.map(({ sourceId }) => sourceId)).toEqual(['v_0', 'v_1', 'v_2']);
  });

  it('accepts the request that the analysis suggests', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const { source, target } = prepare(graph);
        const named = {
          ...target,
          connections: target.connections.map((each, n) => ({ ...each, name: `Connection ${n}` })),
        };
        const { suggestedRequest, problems } = analyzeMigration({
          source,
          target: named,
          canCreateDomains: true,
        });
        expect(problems).toEqual([]);
        const request = { id: 'd_1', dryRun: false, ...suggestedRequest } as Parameters<
          typeof requestFactsOf
        >[2];
        expectResolved(planMigration(requestFactsOf(source, named, request), newIds));
      }),
      RUNS,
    );
  });
});
