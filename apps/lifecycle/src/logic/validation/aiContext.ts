import { readReferences, type Validating } from './dataSource.js';
import type { SchemaFacts } from './facts.js';
import type { Place } from './place.js';
import type { Scope } from './selection.js';
import { createDatabaseSource, createModelSource, type Source } from './sources.js';
import { NameList } from './suggestions.js';

/** All that a project has; null when a part of it cannot be looked into. */
function sourcesOfProject(facts: SchemaFacts): Source[] | null {
  const databases = [...facts.connections.values()].map((connection) =>
    connection.catalog === null ? null : createDatabaseSource(connection, connection.catalog),
  );
  const models = [...facts.domains.values(), ...facts.datamodels.values()];
  return readable([...databases, ...models.map((model) => createModelSource(model, facts, null))]);
}

function readable(sources: readonly (Source | null)[]): Source[] | null {
  const found = [...new Set(sources)].filter((source) => source !== null);
  return sources.includes(null) ? null : found;
}

/**
 * Checks that the entities of the assistant are in the data sources of the dashboard's cards or, where these name none, in
 * one of the project's. Where one of the sources cannot be looked into, an entity may be in that: nothing is said of it.
 */
function validateEntities(list: Place, scopes: readonly Scope[], { facts, report }: Validating): void {
  const references = readReferences(list);
  if (references.length === 0) return;
  const sources = scopes.length > 0 ? readable(scopes.map(({ source }) => source)) : sourcesOfProject(facts);
  if (sources === null) return;
  for (const { place, reference } of references) {
    if (sources.some((source) => source.find(reference).problem?.code !== 'ENTITY_NOT_FOUND')) continue;
    const entity = reference.table;
    report.addMissing({
      code: 'AI_CONTEXT_INVALID',
      path: place.at('table').path,
      message: `There is no entity ${entity} in the data sources of the dashboard`,
      written: entity,
      entity,
      offered: new NameList(sources.flatMap((source) => source.offered(reference).names)),
      isColumn: false,
      renamed: () => sources.flatMap((source) => source.renamed(reference)),
    });
  }
}

function validateProfile(place: Place, { facts, report, resources }: Validating): void {
  const id = place.text();
  if (id === null) return;
  const profile = facts.assistantProfiles.get(id);
  resources.note('assistantProfiles', id, { name: profile?.name ?? null, isValid: profile !== undefined });
  if (profile === undefined)
    report.add('ASSISTANT_PROFILE_NOT_FOUND', place.path, { message: `There is no assistant profile ${id}` });
}

/** Validates what a dashboard tells its assistant; the scopes are those of its cards and linked visuals. */
export function validateAiContext(context: Place, scopes: readonly Scope[], validating: Validating): void {
  const { validateAIContext, validateAssistantProfile } = validating.report.options;
  if (!validateAIContext && !validateAssistantProfile) return;
  if (!context.isObject()) return;
  if (validateAIContext) validateEntities(context.at('selectedEntities'), scopes, validating);
  if (validateAssistantProfile) validateProfile(context.at('assistantProfileId'), validating);
}
