import {
  AppError,
  Id,
  type FactConnection,
  type ProcedureOutput,
  type ValidationOptions,
} from '@gatehouse/contract';
import { runInSlices, type CallContext, type ServiceClients } from '@gatehouse/service';
import { CatalogIndex } from './logic/catalogIndex.js';
import { RenameIndex } from './logic/renames.js';
import { ModelFacts, type ConnectionFacts, type SchemaFacts } from './logic/schema.js';
import { LookupBudget } from './logic/report.js';
import { inspectVisual, unreadVisual, type VisualFacts } from './logic/visuals.js';
import type { CatalogCache, CatalogVersion } from './catalogCache.js';

/** The services and the cache that facts are read from. */
export interface FactSources {
  access: ServiceClients['access'];
  semantics: ServiceClients['semantics'];
  catalogs: CatalogCache;
}

type Loaded = ProcedureOutput<'semantics.facts.load'>;

/** Catalogs by connection id. */
type Catalogs = Map<string, CatalogVersion>;

function connectionFacts(
  { id, name, changedTables = [] }: FactConnection,
  version: CatalogVersion | undefined,
): ConnectionFacts {
  const { index: catalog = null, renames = new RenameIndex([]) } = version ?? {};
  const changed = catalog === null || changedTables.length === 0 ? null : catalog.withTables(changedTables);
  return { id, name, catalog, renames, changed };
}

const byId = <T extends { id: string }>(facts: readonly T[]) => new Map(facts.map((fact) => [fact.id, fact]));

/** The most calls for catalogs that do not fit into one response. */
const LOADS_MAX = 8;

/** Stores the catalog of a response, if it has one. Returns whether the current version is present. */
function storeCatalog(
  held: Catalogs,
  { id, dialect, catalogVersion, catalog, renames = [] }: FactConnection,
): boolean {
  const isWithout = catalogVersion === null || catalog === null;
  if (!isWithout && catalog !== undefined)
    held.set(id, {
      connectionId: id,
      catalogVersion,
      dialect,
      index: new CatalogIndex(catalog, dialect),
      renames: new RenameIndex(renames),
    });
  const version = held.get(id);
  if (version?.catalogVersion === catalogVersion && version.dialect === dialect) return true;
  held.delete(id);
  return isWithout;
}

/**
 * Loads all facts, and repeats the call until no catalog is missing. Throws UNAVAILABLE when there are too
 * many catalogs.
 */
async function loadAll(
  { semantics, catalogs }: FactSources,
  { changedSince }: { changedSince?: string | undefined },
  context: CallContext,
): Promise<{ loaded: Loaded; held: Catalogs }> {
  const { projectId } = context.principal;
  const held: Catalogs = new Map(catalogs.list(projectId).map((version) => [version.connectionId, version]));
  for (let loads = 0; loads < LOADS_MAX; loads += 1) {
    const known = [...held.values()].map(({ connectionId, catalogVersion }) => ({
      connectionId,
      catalogVersion,
    }));
    const loaded = await semantics.facts.load.query(
      { known, ...(changedSince && { changedSince }) },
      { context },
    );
    const missing = loaded.connections.filter((connection) => !storeCatalog(held, connection));
    if (missing.length > 0) continue;
    for (const { id } of loaded.connections) {
      const version = held.get(id);
      if (version !== undefined) catalogs.set(projectId, version);
    }
    return { loaded, held };
  }
  context.log.error({ projectId }, 'the catalogs of a project are too many to validate against');
  throw new AppError('UNAVAILABLE', { retryAfterSeconds: 60 });
}

/**
 * Loads the facts of the caller's project that its token may read: one call, unless uncached catalogs are
 * very large.
 */
export async function loadSchemaFacts(
  sources: FactSources,
  filter: { changedSince?: string | undefined },
  context: CallContext,
): Promise<SchemaFacts> {
  const { loaded, held } = await loadAll(sources, filter, context);
  return {
    connections: byId(
      loaded.connections.map((connection) => connectionFacts(connection, held.get(connection.id))),
    ),
    domains: byId(loaded.domains.map((domain) => new ModelFacts(domain))),
    datamodels: byId(loaded.datamodels.map((model) => new ModelFacts(model, model.connectionId))),
    assistantProfiles: byId(loaded.assistantProfiles),
    isLimited: loaded.isLimited,
  };
}

/** The most levels of nested visuals. */
const NESTING_MAX = 5;
/** The most visuals of one page. */
const VISUALS_MAX = 10_000;

interface VisualQuery {
  ids: Iterable<string>;
  facts: SchemaFacts;
  options: ValidationOptions;
}

/** The visuals of one level. All levels of one request share the lookups. */
interface LevelQuery extends VisualQuery {
  lookups: LookupBudget;
}

type SavedVisuals = ProcedureOutput<'access.contents.visuals'>['visuals'];

/** Inspects visuals and yields after each. */
function* inspectVisuals(
  visuals: SavedVisuals,
  level: Map<string, VisualFacts>,
  { facts, options, lookups }: Omit<LevelQuery, 'ids'>,
): Generator<void, void> {
  for (const { id, ...saved } of visuals) {
    level.set(id, yield* inspectVisual(saved, facts, { ...options, lookups }));
    yield;
  }
}

/** Loads the existing visuals of these ids: one call, unless they are very large. */
async function loadLevel(
  { access }: FactSources,
  { ids, ...rest }: LevelQuery,
  context: CallContext,
): Promise<Map<string, VisualFacts>> {
  const level = new Map<string, VisualFacts>();
  let afterId: string | null | undefined;
  do {
    const page = await access.contents.visuals.query(
      { ids: [...ids], ...(afterId && { afterId }) },
      { context },
    );
    await runInSlices(inspectVisuals(page.visuals, level, rest));
    afterId = page.nextAfterId;
  } while (afterId !== null);
  return level;
}

/** The texts that are valid ids. Other texts refer to no visual, and a query with one of them is rejected. */
const idsAmong = (texts: Iterable<string>) => [...texts].filter((text) => Id.safeParse(text).success);

/**
 * Loads the visuals of these ids and those that they link, directly or indirectly: one call for each level.
 */
export async function loadVisuals(
  sources: FactSources,
  query: VisualQuery,
  context: CallContext,
): Promise<Map<string, VisualFacts>> {
  const visuals = new Map<string, VisualFacts>();
  const requested = new Set<string>();
  const lookups = new LookupBudget();
  let wanted = new Set(idsAmong(query.ids));
  for (let depth = 0; wanted.size > 0; depth += 1) {
    if (depth > NESTING_MAX || requested.size + wanted.size > VISUALS_MAX) {
      for (const id of wanted)
        visuals.set(id, unreadVisual('visuals are nested too deeply, or are too many'));
      return visuals;
    }
    const level = await loadLevel(sources, { ...query, ids: wanted, lookups }, context);
    for (const id of wanted) requested.add(id);
    for (const [id, visual] of level) visuals.set(id, visual);
    const linked = [...level.values()].flatMap(({ linkedIds }) => linkedIds);
    wanted = new Set(idsAmong(linked).filter((id) => !requested.has(id)));
  }
  return visuals;
}
