import { AppError, type FactConnection, type ValidationOptions } from '@gatehouse/contract';
import type { CallContext, ServiceClients } from '@gatehouse/service';
import { CatalogIndex } from '../logic/validation/catalogIndex.js';
import { ModelFacts, type ConnectionFacts, type SchemaFacts } from '../logic/validation/facts.js';
import { inspectVisual, unreadVisual, type VisualFacts } from '../logic/validation/visuals.js';
import type { CatalogCache, CatalogVersion } from './catalogCache.js';

/** What validation asks the other services for, and what it remembers. */
export interface FactSources {
  access: ServiceClients['access'];
  semantics: ServiceClients['semantics'];
  catalogs: CatalogCache;
}

type Loaded = Awaited<ReturnType<ServiceClients['semantics']['facts']['load']>>;

/** The catalogs of connections, by their ids. */
type Held = Map<string, CatalogVersion>;

function connectionFacts(
  { id, name, changedTables = [] }: FactConnection,
  version: CatalogVersion | undefined,
): ConnectionFacts {
  const { index: catalog = null, renames = [] } = version ?? {};
  const changed = catalog === null || changedTables.length === 0 ? null : catalog.withTables(changedTables);
  return { id, name, catalog, renames, changed };
}

const byId = <T extends { id: string }>(facts: readonly T[]) => new Map(facts.map((fact) => [fact.id, fact]));

/** Answers with catalogs that did not fit into the one before. */
const LOADS_MAX = 8;

/** Puts the catalog that was sent, if one was, among those that are held, and says whether the present one is there then. */
function hold(held: Held, { id, dialect, catalogVersion, catalog, renames = [] }: FactConnection): boolean {
  const isWithout = catalogVersion === null || catalog === null;
  if (!isWithout && catalog !== undefined)
    held.set(id, {
      connectionId: id,
      catalogVersion,
      dialect,
      index: new CatalogIndex(catalog, dialect),
      renames,
    });
  const version = held.get(id);
  if (version?.catalogVersion === catalogVersion && version.dialect === dialect) return true;
  held.delete(id);
  return isWithout;
}

/** Asks for everything, with the catalogs that are not held, until all of them have come. Throws UNAVAILABLE when there are too many. */
async function loadAll(
  { semantics, catalogs }: FactSources,
  { changedSince }: { changedSince?: string | undefined },
  context: CallContext,
): Promise<{ loaded: Loaded; held: Held }> {
  const { projectId } = context.principal;
  const held: Held = new Map(catalogs.known(projectId).map((version) => [version.connectionId, version]));
  for (let loads = 0; loads < LOADS_MAX; loads += 1) {
    const known = [...held.values()].map(({ connectionId, catalogVersion }) => ({
      connectionId,
      catalogVersion,
    }));
    const loaded = await semantics.facts.load(context, { known, ...(changedSince && { changedSince }) });
    const lacking = loaded.connections.filter((connection) => !hold(held, connection));
    if (lacking.length > 0) continue;
    for (const { id } of loaded.connections) {
      const version = held.get(id);
      if (version !== undefined) catalogs.keep(projectId, version);
    }
    return { loaded, held };
  }
  context.log.error({ projectId }, 'the catalogs of a project are too many to validate against');
  throw new AppError('UNAVAILABLE', { retryAfterSeconds: 60 });
}

/** Everything of the caller's project that its token may know: one round trip, unless catalogs of very many bytes are not known. */
export async function loadSchemaFacts(
  sources: FactSources,
  question: { changedSince?: string | undefined },
  context: CallContext,
): Promise<SchemaFacts> {
  const { loaded, held } = await loadAll(sources, question, context);
  return {
    connections: byId(
      loaded.connections.map((connection) => connectionFacts(connection, held.get(connection.id))),
    ),
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
