import type { ValidationOptions } from '@gatehouse/contract';
import type { CallContext, ServiceClients } from '@gatehouse/service';
import { ModelFacts, type ConnectionFacts, type SchemaFacts } from '../logic/validation/facts.js';
import type { CatalogIndex } from '../logic/validation/catalogIndex.js';
import { inspectVisual, unreadVisual, type VisualFacts } from '../logic/validation/visuals.js';
import type { CatalogCache } from './catalogCache.js';

/** What validation asks the other services for, and what it remembers. */
export interface FactSources {
  access: ServiceClients['access'];
  semantics: ServiceClients['semantics'];
  catalogs: CatalogCache;
}

type Loaded = Awaited<ReturnType<ServiceClients['semantics']['facts']['load']>>;

function connectionFacts(
  { id, name, renames, changedTables = [] }: Loaded['connections'][number],
  catalog: CatalogIndex | null,
): ConnectionFacts {
  const changed = catalog === null || changedTables.length === 0 ? null : catalog.withTables(changedTables);
  return { id, name, catalog, renames, changed };
}

const byId = <T extends { id: string }>(facts: readonly T[]) => new Map(facts.map((fact) => [fact.id, fact]));

/** Everything of the caller's project that its token may know, in one round trip. */
export async function loadSchemaFacts(
  { semantics, catalogs }: FactSources,
  { changedSince }: { changedSince?: string | undefined },
  context: CallContext,
): Promise<SchemaFacts> {
  const { projectId } = context.principal;
  const known = catalogs.known(projectId);
  const loaded = await semantics.facts.load(context, {
    known: known.map(({ connectionId, catalogVersion }) => ({ connectionId, catalogVersion })),
    ...(changedSince === undefined ? {} : { changedSince }),
  });
  const connections = loaded.connections.map((connection) =>
    connectionFacts(connection, catalogs.resolve(projectId, connection, known)),
  );
  return {
    connections: byId(connections),
    domains: byId(loaded.domains.map((domain) => new ModelFacts(domain))),
    datamodels: byId(loaded.datamodels.map((model) => new ModelFacts(model, model.connectionId))),
    assistantProfiles: byId(loaded.assistantProfiles),
  };
}

/** Visuals that link visuals that link visuals: no deeper than this. */
const NESTING_MAX = 5;
/** The visuals that one page looks at. */
const VISUALS_MAX = 10_000;

interface VisualQuestion {
  ids: Iterable<string>;
  facts: SchemaFacts;
  options: ValidationOptions;
}

/** The visuals of these ids that exist; a round trip, unless they are very large. */
async function loadLevel(
  { access }: FactSources,
  { ids, facts, options }: VisualQuestion,
  context: CallContext,
): Promise<Map<string, VisualFacts>> {
  const level = new Map<string, VisualFacts>();
  let afterId: string | null | undefined;
  do {
    const page = await access.contents.visuals(context, { ids: [...ids], ...(afterId && { afterId }) });
    for (const { id, ...saved } of page.visuals) level.set(id, inspectVisual(saved, facts, options));
    afterId = page.nextAfterId;
  } while (afterId !== null);
  return level;
}

/** The visuals of these ids and those that they link in turn: a round trip for each level of them. */
export async function loadVisuals(
  sources: FactSources,
  question: VisualQuestion,
  context: CallContext,
): Promise<Map<string, VisualFacts>> {
  const visuals = new Map<string, VisualFacts>();
  const asked = new Set<string>();
  let wanted = new Set(question.ids);
  for (let depth = 0; wanted.size > 0; depth += 1) {
    if (depth > NESTING_MAX || asked.size + wanted.size > VISUALS_MAX) {
      for (const id of wanted)
        visuals.set(id, unreadVisual('visuals are nested too deeply, or are too many'));
      return visuals;
    }
    const level = await loadLevel(sources, { ...question, ids: wanted }, context);
    for (const id of wanted) asked.add(id);
    for (const [id, visual] of level) visuals.set(id, visual);
    const linked = [...level.values()].flatMap(({ linkedIds }) => linkedIds);
    wanted = new Set(linked.filter((id) => !asked.has(id)));
  }
  return visuals;
}
