import type { Catalog, CatalogChange, SemanticDomainAccess } from '@gatehouse/contract';
import { CallBatcher, Turns, type CallContext } from '@gatehouse/service';
import { seesDomain, seesEveryDomain } from '../authorization/logic/domainAccess.js';
import { isAuthor, requireReader } from '../authorization/logic/roles.js';
import { allTablesIn, isRename, tablesIn } from '../catalogs/logic/diff.js';
import type { CatalogEntry } from '../catalogs/logic/entry.js';
import { dialectOf } from '../connections/logic/config.js';
import type { CatalogPart, ConnectionDocument, Dependencies, Input, Output } from '../dependencies.js';
import { parseInTurns } from '../templates/parseInTurns.js';
import { takeWithin } from './logic/takeWithin.js';

/** The most bytes of JSON of the catalogs in one response. A larger catalog is returned alone. */
const CATALOGS_BYTES_MAX = 32 * 1024 * 1024;

type Known = Input<'facts', 'load'>['known'];

/** The records of a project that a caller may read. */
interface Readable {
  projectId: string;
  /** Whether the caller reads domains only: neither an author nor the service identity. */
  isLimited: boolean;
  /** The domains that its token may see. Templates of others are not read: they may be many and long. */
  access: SemanticDomainAccess | undefined;
}

async function readRecords({ stores }: Pick<Dependencies, 'stores'>, readable: Readable) {
  const { projectId, isLimited, access } = readable;
  const [domains, connections, datamodels, profiles] = await Promise.all([
    stores.domains.listWhole(projectId, access),
    isLimited ? [] : stores.connections.list(projectId),
    isLimited ? [] : stores.datamodels.listWhole(projectId),
    isLimited ? [] : stores.assistantProfiles.list(projectId),
  ]);
  return { domains, connections, datamodels, profiles };
}

type Records = Awaited<ReturnType<typeof readRecords>>;

/** Callers that see every domain share their queries, also if their tokens state it differently. */
const accessKey = (access: SemanticDomainAccess | undefined) =>
  seesEveryDomain(access) ? '' : JSON.stringify(access);

/**
 * Creates the operation that loads the facts that dashboards of the caller's project are validated against,
 * with one query for each collection, which concurrent calls of the project with the same access share.
 * Records that the caller may not read are left out, and `isLimited` is then set even if there are none.
 */
export function createFactsLoader({ stores }: Pick<Dependencies, 'stores'>) {
  const records = new CallBatcher<Readable, never, Records>(
    ({ projectId, isLimited, access }) => `${projectId} ${isLimited} ${accessKey(access)}`,
    (readable) => readRecords({ stores }, readable),
  );
  const turns = new Turns();
  return async (
    { known, changedSince }: Input<'facts', 'load'>,
    { principal }: CallContext,
  ): Promise<Output<'facts', 'load'>> => {
    const { organizationId, projectId, semanticDomainAccess: access } = requireReader(principal);
    const isLimited = principal.kind !== 'service' && !isAuthor(principal);
    const { connections, domains, datamodels, profiles } = await records.load(
      { projectId, isLimited, access },
      [],
    );
    const since = changedSince === undefined ? undefined : new Date(changedSince);
    const included = new Set(missingCatalogs(connections, known).map(({ key }) => key));
    const selection = { included, since };
    const parts = await stores.catalogs.listParts(projectId, wantedCatalogs(connections, selection));
    const partsByConnection = new Map(connections.map(({ _id }) => [_id, [] as CatalogPart[]]));
    for (const part of parts) partsByConnection.get(part.connectionId)?.push(part);
    const visible = domains.filter((domain) => seesDomain(access, domain));
    const nextTurn = () => turns.next(organizationId);
    const parsedDomains = await parseInTurns(visible, nextTurn);
    const parsedModels = await parseInTurns(datamodels, nextTurn);
    // Each caller parses the catalogs, which may have megabytes.
    await nextTurn();
    return {
      connections: connections.map((connection) =>
        toFactConnection(connection, partsByConnection.get(connection._id) ?? [], selection),
      ),
      domains: parsedDomains.map(({ _id: id, name, label, template }) => ({ id, name, label, template })),
      datamodels: parsedModels.map(({ _id: id, name, connectionId, template }) => ({
        id,
        name,
        connectionId,
        template,
      })),
      assistantProfiles: profiles.map(({ _id: id, name }) => ({ id, name })),
      ...(isLimited && { isLimited }),
    };
  };
}

/** Whether the changes since `since` are no longer kept, so that every table counts as changed. */
function isForgotten({ catalogs }: ConnectionDocument, since: Date | undefined): boolean {
  const [oldest] = catalogs;
  if (oldest === undefined || since === undefined) return false;
  const isBeforeOldest = oldest.version > 1 && since < oldest.readAt;
  return isBeforeOldest || catalogs.some(({ readAt, areChangesKept }) => readAt >= since && !areChangesKept);
}

/** The catalogs that the caller does not have, up to the limit of one response. */
function missingCatalogs(connections: readonly ConnectionDocument[], known: Known): CatalogEntry[] {
  const knownVersions = new Map(
    known.map(({ connectionId, catalogVersion }) => [connectionId, catalogVersion]),
  );
  const missing = connections.flatMap(({ _id, catalogs }) => {
    const last = catalogs.at(-1);
    return last === undefined || knownVersions.get(_id) === last.version ? [] : [last];
  });
  return takeWithin(missing, CATALOGS_BYTES_MAX);
}

interface Selection {
  /** The keys of the latest catalogs that the response includes. */
  included: ReadonlySet<string>;
  since: Date | undefined;
}

function wantedCatalogs(connections: readonly ConnectionDocument[], { included, since }: Selection) {
  const isIncluded = ({ catalogs }: ConnectionDocument) => included.has(catalogs.at(-1)?.key ?? '');
  const forgotten = connections.filter((connection) => isForgotten(connection, since));
  const entries = connections.flatMap(({ catalogs }) => catalogs);
  const changed = since === undefined ? [] : entries.filter(({ readAt }) => readAt >= since);
  const keysOf = (catalogs: readonly CatalogEntry[]) => catalogs.map(({ key }) => key);
  const wholeKeys = [...included, ...forgotten.flatMap(({ catalogs }) => keysOf(catalogs.slice(-1)))];
  const changedKeys = keysOf(changed);
  const renamedKeys = connections.filter(isIncluded).flatMap(({ catalogs }) => keysOf(catalogs));
  return { keys: [...new Set([...wholeKeys, ...changedKeys, ...renamedKeys])], wholeKeys, changedKeys };
}

const changesOf = ({ changes }: CatalogPart) =>
  changes === undefined || changes === null ? [] : (JSON.parse(changes) as CatalogChange[]);

function toFactConnection(
  connection: ConnectionDocument,
  parts: readonly CatalogPart[],
  { included, since }: Selection,
) {
  const { _id: id, name, type, catalogs } = connection;
  const last = catalogs.at(-1);
  const text = parts.find((part) => part._id === last?.key)?.catalog;
  const catalog = text === undefined ? null : (JSON.parse(text) as Catalog);
  const isIncluded = last === undefined || (catalog !== null && included.has(last.key));
  const later = new Set(catalogs.flatMap(({ key, readAt }) => (since && readAt >= since ? [key] : [])));
  const changedTables = isForgotten(connection, since)
    ? catalog && allTablesIn(catalog)
    : tablesIn(parts.filter(({ _id }) => later.has(_id)).flatMap(changesOf));
  return {
    id,
    name,
    type,
    dialect: dialectOf(connection),
    catalogVersion: last?.version ?? null,
    ...(isIncluded && { catalog, renames: parts.flatMap(changesOf).filter(isRename) }),
    ...(since && { changedTables: changedTables ?? [] }),
  };
}
