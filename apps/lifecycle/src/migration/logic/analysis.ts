import type {
  AnalyzedConnection,
  AnalyzedResource,
  MigrationAnalysis,
  MigrationCandidate,
} from '@gatehouse/contract';
import {
  sourceNameOf,
  targetsOf,
  walkReferences,
  type ReferenceNoun,
  type SourceFacts,
  type TargetFacts,
} from './facts.js';
import { findProblems, type MigrationRequest, type RequestFacts } from './request.js';

/** The most candidates in a list that a person chooses from. */
const CANDIDATES_MAX = 20;

type Facts = Pick<RequestFacts, 'source' | 'target' | 'canCreateDomains'>;

function sameNamed(target: TargetFacts, noun: ReferenceNoun, name: string | null): MigrationCandidate[] {
  if (name === null) return [];
  const found = targetsOf(target, noun).filter((record) => record.name === name);
  return found.map(({ id }) => ({ id, name, reason: 'sameName' }));
}

/** The only candidate; null when there are none or several. */
function onlyOf(candidates: readonly MigrationCandidate[]): string | null {
  return candidates.length === 1 ? (candidates[0]?.id ?? null) : null;
}

function analyzeConnection({ source, target }: Facts, id: string): AnalyzedConnection {
  const connection = source.connections.get(id);
  const named = sameNamed(target, 'connection', connection?.name ?? null);
  const isNamed = new Set(named.map((candidate) => candidate.id));
  const alike = target.connections
    .filter((other) => other.dialect === connection?.dialect && !isNamed.has(other.id))
    .map(({ id: otherId, name }): MigrationCandidate => ({ id: otherId, name, reason: 'sameDialect' }));
  return {
    sourceId: id,
    name: connection?.name ?? null,
    type: connection?.type ?? null,
    suggestedTargetId: onlyOf(named) ?? (named.length === 0 ? onlyOf(alike) : null),
    candidates: [...named, ...alike].slice(0, CANDIDATES_MAX),
  };
}

function analyzeResource({ source, target }: Facts, noun: ReferenceNoun, id: string): AnalyzedResource {
  const name = sourceNameOf(source, noun, id);
  const named = sameNamed(target, noun, name);
  return {
    sourceId: id,
    name,
    suggestedTargetId: onlyOf(named),
    candidates: named.slice(0, CANDIDATES_MAX),
  };
}

type Analyzed = Pick<
  MigrationAnalysis,
  'connections' | 'domains' | 'datamodels' | 'visuals' | 'assistantProfiles'
>;

/**
 * Suggests to reuse the suggested targets and to copy the other records. Visuals that no longer exist are
 * unlinked.
 */
function suggestRequest({ source, target }: Facts, analyzed: Analyzed): MigrationRequest {
  const reuse = (resources: readonly AnalyzedResource[]) =>
    resources.flatMap(({ sourceId, suggestedTargetId: id }) =>
      id === null ? [] : [[sourceId, id] as const],
    );
  const reuseOrCopy = (resources: readonly AnalyzedResource[]) =>
    Object.fromEntries(
      resources
        .filter(({ name, suggestedTargetId }) => name !== null || suggestedTargetId !== null)
        .map(({ sourceId, suggestedTargetId }) => [sourceId, suggestedTargetId]),
    );
  const gone = analyzed.visuals.filter(({ name }) => name === null);
  const unlinked = Object.fromEntries(gone.map(({ sourceId }) => [sourceId, 'unlink']));
  const message = `Migrate ${source.dashboard.title}`;
  return {
    id: source.dashboard.id,
    targetProjectId: target.project.id,
    connectionMapping: Object.fromEntries(reuse(analyzed.connections)),
    domainMapping: reuseOrCopy(analyzed.domains),
    datamodelMapping: reuseOrCopy(analyzed.datamodels),
    visualMapping: { ...reuseOrCopy(analyzed.visuals), ...unlinked },
    ...(target.commitOnSave === 'required' && { commitMessage: message }),
    dryRun: false,
  };
}

/** Lists what a dashboard refers to with the candidates of the target project, and suggests a request. */
export function analyzeMigration(facts: Facts): MigrationAnalysis {
  const { source, target } = facts;
  const reached = walkReferences(source, () => true);
  const list = (noun: ReferenceNoun) => [...reached[noun]].map((id) => analyzeResource(facts, noun, id));
  const analyzed = {
    connections: [...reached.connection].map((id) => analyzeConnection(facts, id)),
    domains: list('domain'),
    datamodels: list('datamodel'),
    visuals: list('visual'),
    assistantProfiles: list('assistantProfile'),
  };
  const request = suggestRequest(facts, analyzed);
  const { id: _id, dryRun: _dryRun, ...suggestedRequest } = request;
  const { id, title, version } = source.dashboard;
  return {
    dashboard: { id, title, projectId: source.projectId, version },
    targetProject: target.project,
    ...analyzed,
    suggestedRequest,
    problems: findProblems({ ...facts, request }).map(({ field, message }) => ({ field, message })),
  };
}

/** The titles of the linked visuals, to find candidates of the same title. */
export function visualTitlesOf({ visuals }: Pick<SourceFacts, 'visuals'>): string[] {
  return [...new Set([...visuals.values()].map(({ title }) => title))];
}
