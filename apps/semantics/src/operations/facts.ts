import type { Catalog, CatalogChange } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { allTablesIn, isRename, tablesIn } from '../logic/catalogDiff.js';
import { dialectOf } from '../logic/connectionConfig.js';
import { takeWithin } from '../logic/takeWithin.js';
import type { Answer, Input, Semantics } from '../semantics.js';
import type { CatalogPart } from '../store/catalogs.js';
import type { CatalogEntry, ConnectionDocument } from '../store/documents.js';
import { isVisible } from './domains.js';
import { toTemplate } from './records.js';
import { requireReader } from './refusals.js';

/** The catalogs of one answer have at most so many bytes of JSON; one that is larger comes alone. */
const CATALOGS_BYTES_MAX = 32 * 1024 * 1024;

type Known = Input<'facts', 'load'>['known'];

/** What dashboards of the caller's project are validated against, with one query for each collection. */
export async function loadFacts(
  { stores }: Semantics,
  { known, changedSince }: Input<'facts', 'load'>,
  context: CallContext,
): Answer<'facts', 'load'> {
  const { projectId, semanticDomainAccess: access } = requireReader(context.principal);
  const [connections, domains, datamodels, profiles] = await Promise.all([
    stores.connections.list(projectId),
    stores.domains.listWhole(projectId),
    stores.datamodels.listWhole(projectId),
    stores.assistantProfiles.list(projectId),
  ]);
  const since = changedSince === undefined ? undefined : new Date(changedSince);
  const answered = new Set(lackingOf(connections, known).map(({ key }) => key));
  const question = { answered, since };
  const parts = await stores.catalogs.listParts(projectId, wantedOf(connections, question));
  const partsByConnection = new Map(connections.map(({ _id }) => [_id, [] as CatalogPart[]]));
  for (const part of parts) partsByConnection.get(part.connectionId)?.push(part);
  return {
    connections: connections.map((connection) =>
      toFactConnection(connection, partsByConnection.get(connection._id) ?? [], question),
    ),
    domains: domains
      .filter((domain) => isVisible(access, domain))
      .map((domain) => {
        const { _id: id, name, label } = domain;
        return { id, name, label, template: toTemplate(domain) };
      }),
    datamodels: datamodels.map((datamodel) => {
      const { _id: id, name, connectionId } = datamodel;
      return { id, name, connectionId, template: toTemplate(datamodel) };
    }),
    assistantProfiles: profiles.map(({ _id: id, name }) => ({ id, name })),
  };
}

/** Whether it is not known any more which tables changed since a moment, so that all of them count as changed. */
function isForgotten({ catalogs }: ConnectionDocument, since: Date | undefined): boolean {
  const [oldest] = catalogs;
  if (oldest === undefined || since === undefined) return false;
  const isBeforeOldest = oldest.version > 1 && since < oldest.readAt;
  return isBeforeOldest || catalogs.some(({ readAt, areChangesKept }) => readAt >= since && !areChangesKept);
}

/** The catalogs that the caller does not hold, as many as one answer takes. */
function lackingOf(connections: readonly ConnectionDocument[], known: Known): CatalogEntry[] {
  const held = new Map(known.map(({ connectionId, catalogVersion }) => [connectionId, catalogVersion]));
  const lacking = connections.flatMap(({ _id, catalogs }) => {
    const last = catalogs.at(-1);
    return last === undefined || held.get(_id) === last.version ? [] : [last];
  });
  return takeWithin(lacking, CATALOGS_BYTES_MAX);
}

interface Question {
  /** The present catalogs that the answer holds, by key. */
  answered: ReadonlySet<string>;
  since: Date | undefined;
}

function wantedOf(connections: readonly ConnectionDocument[], { answered, since }: Question) {
  const isAnswered = ({ catalogs }: ConnectionDocument) => answered.has(catalogs.at(-1)?.key ?? '');
  const forgotten = connections.filter((connection) => isForgotten(connection, since));
  const entries = connections.flatMap(({ catalogs }) => catalogs);
  const changed = since === undefined ? [] : entries.filter(({ readAt }) => readAt >= since);
  const keysOf = (catalogs: readonly CatalogEntry[]) => catalogs.map(({ key }) => key);
  const wholeKeys = [...answered, ...forgotten.flatMap(({ catalogs }) => keysOf(catalogs.slice(-1)))];
  const changedKeys = keysOf(changed);
  const renamedKeys = connections.filter(isAnswered).flatMap(({ catalogs }) => keysOf(catalogs));
  return { keys: [...new Set([...wholeKeys, ...changedKeys, ...renamedKeys])], wholeKeys, changedKeys };
}

const changesOf = ({ changes }: CatalogPart) =>
  changes === undefined || changes === null ? [] : (JSON.parse(changes) as CatalogChange[]);

function toFactConnection(
  connection: ConnectionDocument,
  parts: readonly CatalogPart[],
  { answered, since }: Question,
) {
  const { _id: id, name, type, catalogs } = connection;
  const last = catalogs.at(-1);
  const text = parts.find((part) => part._id === last?.key)?.catalog;
  const catalog = text === undefined ? null : (JSON.parse(text) as Catalog);
  const isAnswered = last === undefined || (catalog !== null && answered.has(last.key));
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
    ...(isAnswered && { catalog, renames: parts.flatMap(changesOf).filter(isRename) }),
    ...(since && { changedTables: changedTables ?? [] }),
  };
}
