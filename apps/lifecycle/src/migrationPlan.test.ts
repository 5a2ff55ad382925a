import type { JsonObject } from '@gatehouse/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graphs, judgedOf, requestOf, sourceOf, targetOf, type Graph } from './testing/migrationGraphs.js';
import { analyzeMigration } from './logic/migration/analysis.js';
import { findProblems } from './logic/migration/problems.js';
import { planMigration, type MigrationPlan, type NewIds } from './logic/migration/plan.js';
import { referencesIn, type BodyForm } from './logic/migration/references.js';
import { walkReferences } from './logic/migration/walk.js';

const RUNS = { numRuns: 1000 };
const newIds: NewIds = (noun, sourceId) => `new ${noun} ${sourceId}`;

function prepare(graph: Graph) {
  const source = sourceOf(graph);
  const target = targetOf();
  const request = requestOf(
    graph,
    walkReferences(source, () => true),
  );
  return { source, target, judged: judgedOf(source, target, request) };
}

const contentOf = (plan: MigrationPlan, name: string) =>
  plan.steps.find((step) => step.name === name)?.content;

/** Every place of the source that differs in the copy, as `pointer: from -> to`; undefined stands for what is not there. */
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
/** Where known parts are: nothing under an unknown key is one. */
const KNOWN_PLACE =
  /^(\/sheets\/\d+\/frames\/\d+)?(\/cards\/\d+(\/(dataSource|filters\/\d+|fields\/\w+\/\d+)(\/(selectedEntities|joins)\/\d+)?)|\/filters\/\d+|\/aiContext(\/selectedEntities\/\d+)?)?\/\w+: /;

function expectOnlyReferences(from: unknown, to: unknown): void {
  for (const difference of differences(from, to)) {
    expect(difference).toMatch(REFERENCE_KEY);
    expect(difference).toMatch(KNOWN_PLACE);
  }
}

/** A source id under one of the keys that refer. Below unknown keys the graphs have such keys, but no such ids. */
const SOURCE_ID = /"(connectionId|domainId|datamodelId|visualId|assistantProfileId)":"(c|dom|dm|v|ap)_/;

/** Follows the copy from its dashboard on; everything that it meets is of the target project or made by the plan. */
function expectResolved(plan: MigrationPlan): void {
  const made = new Map(plan.steps.map((step) => [step.targetId, step.content]));
  const check = (body: JsonObject | null, form: BodyForm) => {
    for (const ids of Object.values(referencesIn(body, form)))
      for (const id of ids) expect(made.has(id) || id.startsWith('t_') ? [] : [id]).toEqual([]);
  };
  for (const { action, content } of plan.steps) {
    if (content === null) continue;
    if (action === 'createVisual') check(content['frameObject'] as JsonObject | null, 'frameObject');
    if (action === 'createDashboard') check(content['template'] as JsonObject | null, 'template');
    expect(JSON.stringify(content)).not.toMatch(SOURCE_ID);
  }
}

describe('the plan of a migration', { timeout: 120_000 }, () => {
  it('makes copies in which every reference is to the target project, and leaves the source as it is', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const { source, target, judged } = prepare(graph);
        const before = JSON.stringify(
          Object.values(source).map((part) => (part instanceof Map ? [...part] : part)),
        );
        expect(findProblems(judged)).toEqual([]);
        const plan = planMigration(judged, newIds);
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

  it('changes nothing of what it copies but references in known places', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const { source, judged } = prepare(graph);
        const plan = planMigration(judged, newIds);
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

  it('is the same for the same facts and ids, names each step once, and makes nothing that is not needed', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const { source, judged } = prepare(graph);
        const plan = planMigration(judged, newIds);
        expect(JSON.stringify(planMigration(judged, newIds))).toBe(JSON.stringify(plan));
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

  it('follows from the request that the analysis suggests', () => {
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
        const request = { id: 'd_1', dryRun: false, ...suggestedRequest } as Parameters<typeof judgedOf>[2];
        expectResolved(planMigration(judgedOf(source, named, request), newIds));
      }),
      RUNS,
    );
  });
});
