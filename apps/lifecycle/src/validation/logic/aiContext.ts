import { readReferences, type EntityReference, type ValidationState } from './dataSource.js';
import { SEARCH_LOOKUPS } from './report.js';
import type { SchemaFacts } from './schema.js';
import type { TemplateNode } from './templateNode.js';
import type { Scope } from './selection.js';
import { createDatabaseSource, createModelSource, type Source } from './sources.js';
import { NameList } from './suggestions.js';

/** All sources of a project; null when one cannot be read. */
function sourcesOfProject(facts: SchemaFacts): Source[] | null {
  if (facts.isLimited) return null;
  const databases = [...facts.connections.values()].map((connection) =>
    connection.catalog === null ? null : createDatabaseSource(connection, connection.catalog),
  );
  const models = [...facts.domains.values(), ...facts.datamodels.values()];
  return readable([...databases, ...models.map((model) => createModelSource(model, facts, null))]);
}

/**
 * Creates the candidates of a reference once for each schema that references name: the project may have very
 * many entities.
 */
function createOffered(sources: readonly Source[]): (reference: EntityReference) => NameList {
  const bySchema = new Map<string, NameList>();
  return (reference) => {
    const key = JSON.stringify([reference.database, reference.schema]);
    const offered = bySchema.get(key) ?? NameList.joined(sources.map((source) => source.offered(reference)));
    bySchema.set(key, offered);
    return offered;
  };
}

function readable(sources: readonly (Source | null)[]): Source[] | null {
  const found = [...new Set(sources)].filter((source) => source !== null);
  return sources.includes(null) ? null : found;
}

/**
 * Checks that the entities of the assistant are in the data sources of the dashboard's cards or, if these
 * name none, in those of the project. Reports nothing when a source cannot be read, because any entity may be
 * in it.
 */
function* validateEntities(
  list: TemplateNode,
  scopes: readonly Scope[],
  { facts, report }: ValidationState,
): Generator<void, void> {
  const references = readReferences(list);
  if (references.length === 0) return;
  const sources = scopes.length > 0 ? readable(scopes.map(({ source }) => source)) : sourcesOfProject(facts);
  if (sources === null) return;
  const offered = createOffered(sources);
  for (const { node, reference } of references) {
    yield;
    report.lookups.spend(SEARCH_LOOKUPS * sources.length, node.at('table'));
    if (sources.some((source) => source.find(reference).problem?.code !== 'ENTITY_NOT_FOUND')) continue;
    const entity = reference.table;
    report.addMissing({
      code: 'AI_CONTEXT_INVALID',
      path: node.at('table').path,
      message: `There is no entity ${entity} in the data sources of the dashboard`,
      written: entity,
      entity,
      offered: offered(reference),
      isColumn: false,
      renamed: () => sources.flatMap((source) => source.renamed(reference)),
    });
  }
}

function validateProfile(node: TemplateNode, { facts, report, resources }: ValidationState): void {
  const id = node.text();
  if (id === null) return;
  if (facts.isLimited) return resources.add('assistantProfiles', id, { name: null, isValid: true });
  const profile = facts.assistantProfiles.get(id);
  resources.add('assistantProfiles', id, { name: profile?.name ?? null, isValid: profile !== undefined });
  if (profile === undefined)
    report.add('ASSISTANT_PROFILE_NOT_FOUND', node.path, { message: `There is no assistant profile ${id}` });
}

/**
 * Validates the context of a dashboard's assistant. `scopes` are those of its cards and linked visuals.
 * Yields before each entity.
 */
export function* validateAiContext(
  context: TemplateNode,
  scopes: readonly Scope[],
  state: ValidationState,
): Generator<void, void> {
  const { validateAIContext, validateAssistantProfile } = state.report.options;
  if (!validateAIContext && !validateAssistantProfile) return;
  if (!context.isObject()) return;
  if (validateAIContext) yield* validateEntities(context.at('selectedEntities'), scopes, state);
  if (validateAssistantProfile) validateProfile(context.at('assistantProfileId'), state);
}
