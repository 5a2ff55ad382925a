import type { Catalog, CatalogChange } from '@gatehouse/contract';
import { CallBatcher, Turns, type CallContext } from '@gatehouse/service';
import { seesDomain } from '../authorization/logic/domainAccess.js';
import { isAuthor, requireReader } from '../authorization/logic/roles.js';
import { allTablesIn, isRename, tablesIn } from '../catalogs/logic/diff.js';
import type { CatalogEntry } from '../catalogs/logic/entry.js';
import { dialectOf } from '../connections/logic/config.js';
import type { CatalogPart, ConnectionDocument, Dependencies, Input, Output } from '../dependencies.js';
import { parseTemplate } from '../templates/logic/modelTemplate.js';
import { takeWithin } from './logic/takeWithin.js';

/** The most bytes of JSON of the catalogs in one response. A larger catalog is returned alone. */
const CATALOGS_BYTES_MAX = 32 * 1024 * 1024;

type Known = Input<'facts', 'load'>['known'];

/** The records of a project that a caller may read, before its access to domains is applied. */
interface Readable {
  projectId: string;
  /** Whether the caller reads domains only: neither an author nor the service identity. */
  isLimited: boolean;
}

async function readRecords({ stores }: Pick<Dependencies, 'stores'>, { projectId, isLimited }: Readable) {
  const [domains, connections, datamodels, profiles] = await Promise.all([
    stores.domains.listWhole(projectId),
    isLimited ? [] : stores.connections.list(projectId),
    isLimited ? [] : stores.datamodels.listWhole(projectId),
    isLimited ? [] : stores.assistantProfiles.list(projectId),
  ]);
  return { domains, connections, datamodels, profiles };
}

type Records = Awaited<ReturnType<typeof readRecords>>;

/**
 * Creates the operation that loads the facts that dashboards of the caller's project are validated against,
 * with one query for each collection, which concurrent calls of the project share. Records that the caller
 * may not read are left out, and `isLimited` is then set even if there are none.
 */
export function createFactsLoader({ stores }: Pick<Dependencies, 'stores'>) {
  const records = new CallBatcher<Readable, never, Records>(
    ({ projectId, isLimited }) => `${projectId} ${isLimited}`,
    (readable) => readRecords({ stores }, readable),
  );
  const turns = new Turns();
  return async (
    { known, changedSince }: Input<'facts', 'load'>,
    { principal }: CallContext,
  ): Promise<Output<'facts', 'load'>> => {
    const { organizationId, projectId, semanticDomainAccess: access } = requireReader(principal);
    const isLimited = principal.kind !== 'service' && !isAuthor(principal);
    const { connections, domains, datamodels, profiles } = await records.load({ projectId, isLimited }, []);
    // The templates of a project may have megabytes, and each caller parses them.
    await turns.next(organizationId);
    const since = changedSince === undefined ? undefined : new Date(changedSince);
    const included = new Set(missingCatalogs(connections, known).map(({ key }) => key));
    const selection = { included, since };
    const parts = await stores.catalogs.listParts(projectId, wantedCatalogs(connections, selection));
    const partsByConnection = new Map(connections.map(({ _id }) => [_id, [] as CatalogPart[]]));
    for (const part of parts) partsByConnection.get(part.connectionId)?.push(part);
    return {
      connections: connections.map((connection) =>
        toFactConnection(connection, partsByConnection.get(connection._id) ?? [], selection),
      ),
      domains: domains
        .filter((domain) => seesDomain(access, domain))
        .map((domain) => {
          const { _id: id, name, label } = domain;
          return { id, name, label, template: parseTemplate(domain) };
        }),
      datamodels: datamodels.map((datamodel) => {
        const { _id: id, name, connectionId } = datamodel;
        return { id, name, connectionId, template: parseTemplate(datamodel) };
      }),
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
