import type {
  CreatedResources,
  JsonObject,
  MigrationAction,
  ModelTemplate,
  OutputOf,
  Services,
} from '@gatehouse/contract';
import { chooser, COPIED_NOUNS, type Choice, type CopiedNoun } from './choices.js';
import { referencesOf, type SourceFacts, type TargetFacts } from './facts.js';
import { nameOfDataModelCopy, nameOfDomainCopy } from './names.js';
import type { Judged } from './problems.js';
import {
  linkedVisualIds,
  REFERENCE_NOUNS,
  rewriteReferences,
  type ReferenceNoun,
  type Replacement,
} from './references.js';
import { walkReferences, type MetIds } from './walk.js';

/** One step of a plan. Carrying it out twice does what carrying it out once does. */
export interface PlannedStep {
  name: string;
  action: MigrationAction;
  sourceId: string | null;
  /** Of the record that it makes or replaces. */
  targetId: string | null;
  title: string | null;
  /** All that it writes; null where it writes nothing. */
  content: JsonObject | null;
}

/** A record that a plan is made on, in the state that it has to be in. */
export interface BoundRecord {
  projectId: string;
  noun: ReferenceNoun | 'dashboard';
  id: string;
  /** Null where it only has to be there. */
  version: number | null;
}

export interface MigrationPlan {
  steps: PlannedStep[];
  bound: BoundRecord[];
  reused: { noun: string; sourceId: string; targetId: string }[];
  dropped: { noun: string; sourceId: string }[];
  created: CreatedResources;
  targetDashboardId: string;
  /** What the replaced dashboard holds now; null for a new dashboard. */
  former: JsonObject | null;
}

/** Names a new record: of a noun, and of the record that it is a copy of. */
export type NewIds = (noun: CopiedNoun | 'dashboard', sourceId: string) => string;

type Semantics = OutputOf<Services['semantics']['procedures']['copies']['source']>;

/** What the plan of one request is worked out with. */
class Planning {
  readonly source: SourceFacts;
  readonly target: TargetFacts;
  readonly met: MetIds;
  readonly #choose: (noun: ReferenceNoun, id: string) => Choice | null;
  readonly #newIds: NewIds;

  constructor({ request, source, target }: Judged, newIds: NewIds) {
    this.source = source;
    this.target = target;
    this.#choose = chooser(request, source, target);
    this.#newIds = newIds;
    this.met = walkReferences(source, (noun, id) => this.#choose(noun, id)?.kind === 'copy');
  }

  choiceOf(noun: ReferenceNoun, id: string): Choice {
    const choice = this.#choose(noun, id);
    if (choice === null) throw new Error(`Nothing is said of ${noun} ${id}`);
    return choice;
  }

  /** Those that are copied, each after what it refers to, as far as that is no circle. */
  copied(noun: CopiedNoun): string[] {
    const copied = new Set([...this.met[noun]].filter((id) => this.choiceOf(noun, id).kind === 'copy'));
    const ordered = new Set<string>();
    const open = [...copied].toReversed().map((id) => ({ id, isExpanded: false }));
    const seen = new Set<string>();
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next.isExpanded) ordered.add(next.id);
      if (seen.has(next.id)) continue;
      seen.add(next.id);
      open.push({ id: next.id, isExpanded: true });
      for (const id of referencesOf(this.source, noun, next.id)[noun])
        if (copied.has(id) && !seen.has(id)) open.push({ id, isExpanded: false });
    }
    return [...ordered];
  }

  /** What takes the place of a reference. */
  replacementOf: Replacement = (noun, id) => {
    const choice = this.choiceOf(noun, id);
    if (choice.kind === 'drop') return null;
    return choice.kind === 'reuse' ? choice.targetId : this.#newIds(noun as CopiedNoun, id);
  };
}

/** A record that has to be there, since its id was read from there. */
function recordOf<T>(records: ReadonlyMap<string, T>, id: string): T {
  const record = records.get(id);
  if (record === undefined) throw new Error(`There is no ${id} to copy`);
  return record;
}

function mapConnections(planning: Planning, template: ModelTemplate): ModelTemplate {
  const datasets = template.datasets.map((dataset) => {
    const { connectionId } = dataset;
    if (connectionId === undefined) return dataset;
    return { ...dataset, connectionId: planning.replacementOf('connection', connectionId) ?? connectionId };
  });
  return { ...template, datasets };
}

type Described = Pick<Semantics['domains'][number], 'id' | 'description' | 'template'>;

function domainContent(planning: Planning, domain: Semantics['domains'][number], name: string): JsonObject {
  const { label, description, template } = domain;
  return { name, label, description, template: mapConnections(planning, template) };
}

function dataModelContent(planning: Planning, model: Described & { connectionId: string }, name: string) {
  const { description, connectionId, template } = model;
  const mapped = planning.replacementOf('connection', connectionId) ?? connectionId;
  return { name, description, connectionId: mapped, template: mapConnections(planning, template) };
}

function visualContent(planning: Planning, id: string): JsonObject {
  const { title, description, tags, frameObject } = recordOf(planning.source.visuals, id);
  const rewritten = rewriteReferences(frameObject, 'frameObject', planning.replacementOf);
  return { title, description, tags, frameObject: rewritten };
}

function dashboardContent({ source, replacementOf }: Planning): JsonObject {
  const { title, description, tags, template } = source.dashboard;
  const rewritten = rewriteReferences(template, 'template', replacementOf);
  const linked = linkedVisualIds(rewritten);
  return { title, description, tags, template: rewritten, linkedVisualIds: linked };
}

const ACTIONS = { domain: 'createDomain', datamodel: 'createDatamodel', visual: 'createVisual' } as const;

function stepOf(
  planning: Planning,
  noun: CopiedNoun,
  { id, title, content }: { id: string; title: string; content: JsonObject },
): PlannedStep {
  const action = ACTIONS[noun];
  const targetId = planning.replacementOf(noun, id);
  return { name: `${action} ${id}`, action, sourceId: id, targetId, title, content };
}

/** Names every copy, no two alike, and tells the names that are given from then on. */
function namer(
  records: readonly { name: string }[],
  nameOf: (name: string, taken: ReadonlySet<string>) => string,
): (name: string) => string {
  const taken = new Set(records.map(({ name }) => name));
  return (name) => {
    const free = nameOf(name, taken);
    taken.add(free);
    return free;
  };
}

function copySteps(planning: Planning): Record<CopiedNoun, PlannedStep[]> {
  const { source, target } = planning;
  const nameDomain = namer(target.domains, nameOfDomainCopy);
  const nameModel = namer(target.datamodels, nameOfDataModelCopy);
  return {
    domain: planning.copied('domain').map((id) => {
      const domain = recordOf(source.domains, id);
      const title = nameDomain(domain.name);
      return stepOf(planning, 'domain', { id, title, content: domainContent(planning, domain, title) });
    }),
    datamodel: planning.copied('datamodel').map((id) => {
      const model = recordOf(source.datamodels, id);
      const title = nameModel(model.name);
      return stepOf(planning, 'datamodel', { id, title, content: dataModelContent(planning, model, title) });
    }),
    visual: planning.copied('visual').map((id) => {
      const { title } = recordOf(source.visuals, id);
      return stepOf(planning, 'visual', { id, title, content: visualContent(planning, id) });
    }),
  };
}

/** The state of every record that the plan is made on. */
function boundRecords(planning: Planning, replacedId: string | undefined): BoundRecord[] {
  const { source, target, met } = planning;
  const bound: BoundRecord[] = [
    {
      projectId: source.projectId,
      noun: 'dashboard',
      id: source.dashboard.id,
      version: source.dashboard.version,
    },
  ];
  const sources = { visual: source.visuals, domain: source.domains, datamodel: source.datamodels };
  const targets = { visual: target.visuals, domain: target.domains, datamodel: target.datamodels };
  for (const noun of COPIED_NOUNS) {
    for (const id of planning.copied(noun))
      bound.push({
        projectId: source.projectId,
        noun,
        id,
        version: recordOf<{ version: number }>(sources[noun], id).version,
      });
  }
  for (const noun of REFERENCE_NOUNS) {
    for (const id of met[noun]) {
      const choice = planning.choiceOf(noun, id);
      if (choice.kind !== 'reuse') continue;
      const records: readonly { id: string; version: number }[] =
        noun === 'connection' || noun === 'assistantProfile' ? [] : targets[noun];
      // A connection's version counts readings of its catalog, which say nothing of it here.
      const version = records.find((record) => record.id === choice.targetId)?.version ?? null;
      bound.push({ projectId: target.project.id, noun, id: choice.targetId, version });
    }
  }
  if (replacedId !== undefined && target.dashboard !== null)
    bound.push({
      projectId: target.project.id,
      noun: 'dashboard',
      id: replacedId,
      version: target.dashboard.version,
    });
  return bound;
}

function createdOf(steps: Record<CopiedNoun, PlannedStep[]>): CreatedResources {
  const list = (noun: CopiedNoun) =>
    steps[noun].map(({ sourceId, targetId, title }) => ({
      sourceId: sourceId ?? '',
      newId: targetId ?? '',
      name: title ?? '',
    }));
  return { domains: list('domain'), datamodels: list('datamodel'), visuals: list('visual') };
}

/**
 * The steps that carry out a request without problems, each with all that it will write, and what they are bound to. New ids
 * are chosen by the caller: the same ones give the same plan.
 */
export function planMigration(judged: Judged, newIds: NewIds): MigrationPlan {
  const { request, source, target } = judged;
  const planning = new Planning(judged, newIds);
  const { replaceExistingId } = request;
  const isReplacing = replaceExistingId !== undefined;
  const targetDashboardId = replaceExistingId ?? newIds('dashboard', source.dashboard.id);
  const copies = copySteps(planning);
  const { title } = source.dashboard;
  const of = { sourceId: source.dashboard.id, targetId: targetDashboardId, title };
  const action = isReplacing ? 'replaceDashboard' : 'createDashboard';
  const commits = request.commitMessage !== undefined && target.commitOnSave !== 'off';
  const nothing = { sourceId: null, targetId: null, title: null, content: null };
  const outcomes = REFERENCE_NOUNS.flatMap((noun) =>
    [...planning.met[noun]].map((id) => ({ noun, sourceId: id, targetId: planning.replacementOf(noun, id) })),
  );
  const isReused = ({ noun, sourceId }: (typeof outcomes)[number]) =>
    planning.choiceOf(noun, sourceId).kind === 'reuse';
  return {
    steps: [
      { name: 'verify', action: 'verify', ...nothing },
      ...copies.domain,
      ...copies.datamodel,
      ...copies.visual,
      { name: action, action, ...of, content: dashboardContent(planning) },
      ...(commits ? [{ name: 'commit', action: 'commit' as const, ...nothing }] : []),
    ],
    bound: boundRecords(planning, replaceExistingId),
    reused: outcomes.filter(isReused).map((each) => ({ ...each, targetId: each.targetId ?? '' })),
    dropped: outcomes
      .filter(({ targetId }) => targetId === null)
      .map(({ noun, sourceId }) => ({ noun, sourceId })),
    created: createdOf(copies),
    targetDashboardId,
    former: formerOf(target),
  };
}

function formerOf({ dashboard }: TargetFacts): JsonObject | null {
  if (dashboard === null) return null;
  const { title, description, template, linkedVisualIds: linked } = dashboard;
  return { title, description, template, linkedVisualIds: linked };
}
