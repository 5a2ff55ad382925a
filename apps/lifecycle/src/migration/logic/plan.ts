import type {
  CreatedResources,
  JsonObject,
  MigrationAction,
  ModelTemplate,
  OutputOf,
  Services,
} from '@gatehouse/contract';
import { boundRecords, type BoundRecord } from './binding.js';
import {
  linkedVisualIds,
  recordOf,
  REFERENCE_NOUNS,
  referencesOf,
  rewriteReferences,
  walkReferences,
  type ReachedIds,
  type ReferenceNoun,
  type Replacement,
  type SourceFacts,
  type TargetFacts,
} from './facts.js';
import { createChooser, type Choice, type CopiedNoun, type RequestFacts } from './request.js';
import { visualContent } from './visualCopies.js';

/** One step of a plan. A step is idempotent. */
export interface PlannedStep {
  name: string;
  action: MigrationAction;
  sourceId: string | null;
  /** The id of the record that the step creates or replaces. */
  targetId: string | null;
  title: string | null;
  /**
   * The content that the step writes; null when it writes none. That of a visual has an outline for a body
   * where the facts have one.
   */
  content: JsonObject | null;
}

export interface MigrationPlan {
  steps: PlannedStep[];
  bound: BoundRecord[];
  reused: { noun: string; sourceId: string; targetId: string }[];
  dropped: { noun: string; sourceId: string }[];
  created: CreatedResources;
  targetDashboardId: string;
  /** The present content of the replaced dashboard; null for a new dashboard. */
  former: JsonObject | null;
  replacementOf: Replacement;
}

/** Returns the id of the copy of a source record. */
export type NewIds = (noun: CopiedNoun | 'dashboard', sourceId: string) => string;

type Semantics = OutputOf<Services['semantics']['procedures']['copies']['source']>;

/** A request with a choice for every reference. */
class ResolvedRequest {
  readonly source: SourceFacts;
  readonly target: TargetFacts;
  readonly reached: ReachedIds;
  readonly #choose: (noun: ReferenceNoun, id: string) => Choice | null;
  readonly #newIds: NewIds;

  constructor({ request, source, target }: RequestFacts, newIds: NewIds) {
    this.source = source;
    this.target = target;
    this.#choose = createChooser(request, source, target);
    this.#newIds = newIds;
    this.reached = walkReferences(source, (noun, id) => this.#choose(noun, id)?.kind === 'copy');
  }

  choiceOf(noun: ReferenceNoun, id: string): Choice {
    const choice = this.#choose(noun, id);
    if (choice === null) throw new Error(`No choice for ${noun} ${id}`);
    return choice;
  }

  /**
   * The records to copy, in topological order: each after the records that it refers to, unless they form a
   * cycle.
   */
  copied(noun: CopiedNoun): string[] {
    const copied = new Set([...this.reached[noun]].filter((id) => this.choiceOf(noun, id).kind === 'copy'));
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

  /** The id that replaces a reference; null drops the reference. */
  replacementOf: Replacement = (noun, id) => {
    const choice = this.choiceOf(noun, id);
    if (choice.kind === 'drop') return null;
    return choice.kind === 'reuse' ? choice.targetId : this.#newIds(noun as CopiedNoun, id);
  };
}

function mapConnections(resolved: ResolvedRequest, template: ModelTemplate): ModelTemplate {
  const datasets = template.datasets.map((dataset) => {
    const { connectionId } = dataset;
    if (connectionId === undefined) return dataset;
    return { ...dataset, connectionId: resolved.replacementOf('connection', connectionId) ?? connectionId };
  });
  return { ...template, datasets };
}

type Described = Pick<Semantics['domains'][number], 'id' | 'description' | 'template'>;

function domainContent(
  resolved: ResolvedRequest,
  domain: Semantics['domains'][number],
  name: string,
): JsonObject {
  const { label, description, template } = domain;
  return { name, label, description, template: mapConnections(resolved, template) };
}

function dataModelContent(
  resolved: ResolvedRequest,
  model: Described & { connectionId: string },
  name: string,
) {
  const { description, connectionId, template } = model;
  const mapped = resolved.replacementOf('connection', connectionId) ?? connectionId;
  return { name, description, connectionId: mapped, template: mapConnections(resolved, template) };
}

function dashboardContent({ source, replacementOf }: ResolvedRequest): JsonObject {
  const { title, description, tags, template } = source.dashboard;
  const rewritten = rewriteReferences(template, 'template', replacementOf);
  const linked = linkedVisualIds(rewritten);
  return { title, description, tags, template: rewritten, linkedVisualIds: linked };
}

const ACTIONS = { domain: 'createDomain', datamodel: 'createDatamodel', visual: 'createVisual' } as const;

function stepOf(
  resolved: ResolvedRequest,
  noun: CopiedNoun,
  { id, title, content }: { id: string; title: string; content: JsonObject },
): PlannedStep {
  const action = ACTIONS[noun];
  const targetId = resolved.replacementOf(noun, id);
  return { name: `${action} ${id}`, action, sourceId: id, targetId, title, content };
}

const DOMAIN_NAME_MAX = 100;
const DATA_MODEL_NAME_MAX = 200;
const LETTERS = 26;

/** Writes a number in letters, for names without digits: 1 is `a`, 26 is `z`, 27 is `aa`. */
function lettersOf(count: number): string {
  let rest = count;
  let letters = '';
  while (rest > 0) {
    rest -= 1;
    letters = String.fromCharCode('a'.charCodeAt(0) + (rest % LETTERS)) + letters;
    rest = Math.floor(rest / LETTERS);
  }
  return letters;
}

/**
 * The name, with the first suffix that makes it unique. It is cut to fit, but not within a surrogate pair.
 */
function firstFree(
  name: string,
  taken: ReadonlySet<string>,
  { suffixOf, max }: { suffixOf: (attempt: number) => string; max: number },
): string {
  if (!taken.has(name)) return name;
  for (let attempt = 1; ; attempt += 1) {
    const suffix = suffixOf(attempt);
    const candidate = name.slice(0, max - suffix.length).replace(/[\uD800-\uDBFF]$/, '') + suffix;
    if (!taken.has(candidate)) return candidate;
  }
}

/**
 * The name of a copied domain: the name itself, else `sales_copy`, `sales_copy_b`, `sales_copy_c` and so on.
 */
function nameOfDomainCopy(name: string, taken: ReadonlySet<string>): string {
  const suffixOf = (attempt: number) => (attempt === 1 ? '_copy' : `_copy_${lettersOf(attempt)}`);
  return firstFree(name, taken, { suffixOf, max: DOMAIN_NAME_MAX });
}

/** The name of a copied data model: the name itself, else `Sales (Copy)`, `Sales (Copy 2)` and so on. */
function nameOfDataModelCopy(name: string, taken: ReadonlySet<string>): string {
  const suffixOf = (attempt: number) => (attempt === 1 ? ' (Copy)' : ` (Copy ${attempt})`);
  return firstFree(name, taken, { suffixOf, max: DATA_MODEL_NAME_MAX });
}

/** Creates the function that names copies, so that each name is unique in the target project. */
function createNamer(
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

function copySteps(resolved: ResolvedRequest): Record<CopiedNoun, PlannedStep[]> {
  const { source, target } = resolved;
  const nameDomain = createNamer(target.domains, nameOfDomainCopy);
  const nameModel = createNamer(target.datamodels, nameOfDataModelCopy);
  return {
    domain: resolved.copied('domain').map((id) => {
      const domain = recordOf(source.domains, id);
      const title = nameDomain(domain.name);
      return stepOf(resolved, 'domain', { id, title, content: domainContent(resolved, domain, title) });
    }),
    datamodel: resolved.copied('datamodel').map((id) => {
      const model = recordOf(source.datamodels, id);
      const title = nameModel(model.name);
      return stepOf(resolved, 'datamodel', { id, title, content: dataModelContent(resolved, model, title) });
    }),
    visual: resolved.copied('visual').map((id) => {
      const visual = recordOf(source.visuals, id);
      const content = visualContent(visual, resolved.replacementOf);
      return stepOf(resolved, 'visual', { id, title: visual.title, content });
    }),
  };
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
 * Plans a request without problems: its steps with their contents, and the records that the plan is based on.
 * The plan is a function of the facts and of the new ids.
 */
export function planMigration(facts: RequestFacts, newIds: NewIds): MigrationPlan {
  const { request, source, target } = facts;
  const resolved = new ResolvedRequest(facts, newIds);
  const { replaceExistingId } = request;
  const isReplacing = replaceExistingId !== undefined;
  const targetDashboardId = replaceExistingId ?? newIds('dashboard', source.dashboard.id);
  const copies = copySteps(resolved);
  const { title } = source.dashboard;
  const of = { sourceId: source.dashboard.id, targetId: targetDashboardId, title };
  const action = isReplacing ? 'replaceDashboard' : 'createDashboard';
  const commits = request.commitMessage !== undefined && target.commitOnSave !== 'off';
  const nothing = { sourceId: null, targetId: null, title: null, content: null };
  const outcomes = REFERENCE_NOUNS.flatMap((noun) =>
    [...resolved.reached[noun]].map((id) => ({
      noun,
      sourceId: id,
      targetId: resolved.replacementOf(noun, id),
    })),
  );
  const isReused = ({ noun, sourceId }: (typeof outcomes)[number]) =>
    resolved.choiceOf(noun, sourceId).kind === 'reuse';
  return {
    steps: [
      { name: 'verify', action: 'verify', ...nothing },
      ...copies.domain,
      ...copies.datamodel,
      ...copies.visual,
      { name: action, action, ...of, content: dashboardContent(resolved) },
      ...(commits ? [{ name: 'commit', action: 'commit' as const, ...nothing }] : []),
    ],
    bound: boundRecords(resolved, replaceExistingId),
    reused: outcomes.filter(isReused).map((each) => ({ ...each, targetId: each.targetId ?? '' })),
    dropped: outcomes
      .filter(({ targetId }) => targetId === null)
      .map(({ noun, sourceId }) => ({ noun, sourceId })),
    created: createdOf(copies),
    targetDashboardId,
    former: formerOf(target),
    replacementOf: resolved.replacementOf,
  };
}

function formerOf({ dashboard }: TargetFacts): JsonObject | null {
  if (dashboard === null) return null;
  const { title, description, template, linkedVisualIds: linked } = dashboard;
  return { title, description, template, linkedVisualIds: linked };
}
