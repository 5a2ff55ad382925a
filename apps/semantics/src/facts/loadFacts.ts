import type { Catalog, CatalogChange, SemanticDomainAccess } from '@gatehouse/contract';
import { CallBatcher, retryOnConflict, Turns, type CallContext } from '@gatehouse/service';
import { seesDomain, seesEveryDomain } from '../authorization/logic/domainAccess.js';
import { isAuthor, requireReader } from '../authorization/logic/roles.js';
import { allTablesIn, isRename, tablesIn } from '../catalogs/logic/diff.js';
import { dialectOf } from '../connections/logic/config.js';
import type { CatalogPart, ConnectionDocument, Dependencies, Input, Output } from '../dependencies.js';
import { parseInTurns, parseTemplates } from '../templates/parseInTurns.js';
import { createTemplatedReader } from '../templates/readTemplated.js';
import { isForgotten, readCatalogs, versionsSince, type CatalogParts } from './readCatalogs.js';

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
  const readTemplated = createTemplatedReader();
  const [domains, connections, datamodels, profiles] = await Promise.all([
    readTemplated(stores.domains.scanWhole(projectId, access)),
    isLimited ? [] : stores.connections.list(projectId),
    isLimited ? [] : readTemplated(stores.datamodels.scanWhole(projectId)),
    isLimited ? [] : stores.assistantProfiles.listNames(projectId),
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
 * Throws INVALID_REQUEST when the facts have too many bytes.
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
    const { connections, domains, datamodels, profiles, read } = await retryOnConflict(async () => {
      const found = await records.load({ projectId, isLimited, access }, []);
      const wanted = { projectId, known, changedSince };
      return { ...found, read: await readCatalogs(stores, found.connections, wanted) };
    });
    const nextTurn = () => turns.next(organizationId);
    const parsed = await parseParts(read, nextTurn);
    const visible = domains.filter((domain) => seesDomain(access, domain));
    const parsedDomains = await parseTemplates(visible, nextTurn);
    const parsedModels = await parseTemplates(datamodels, nextTurn);
    return {
      connections: connections.map((connection) => toFactConnection(connection, read, parsed)),
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

/** A part of a catalog. The catalog or the changes are absent where they are not needed. */
interface ParsedPart {
  catalog: Catalog | undefined;
  changes: readonly CatalogChange[];
}

const parsePart = ({ catalog, changes }: CatalogPart): ParsedPart => ({
  catalog: catalog === undefined ? undefined : (JSON.parse(catalog) as Catalog),
  changes: changes === undefined || changes === null ? [] : (JSON.parse(changes) as CatalogChange[]),
});

/** Parses the parts of catalogs, each of which may have megabytes, and returns them by key. */
async function parseParts(
  { parts }: CatalogParts,
  nextTurn: () => Promise<unknown>,
): Promise<ReadonlyMap<string, ParsedPart>> {
  const entries = await parseInTurns(parts.values(), {
    lengthOf: ({ catalog, changes }) => (catalog?.length ?? 0) + (changes?.length ?? 0),
    parse: (part) => [part._id, parsePart(part)] as const,
    nextTurn,
  });
  return new Map(entries);
}

function toFactConnection(
  connection: ConnectionDocument,
  { included, since }: CatalogParts,
  parsed: ReadonlyMap<string, ParsedPart>,
) {
  const { _id: id, name, type, catalogs } = connection;
  const last = catalogs.at(-1);
  const catalog = (last && parsed.get(last.key)?.catalog) ?? null;
  const changesOf = ({ key }: { key: string }) => parsed.get(key)?.changes ?? [];
  const isIncluded = last === undefined || (catalog !== null && included.has(connection));
  const changedTables = isForgotten(connection, since)
    ? catalog && allTablesIn(catalog)
    : tablesIn(versionsSince(connection, since).flatMap(changesOf));
  return {
    id,
    name,
    type,
    dialect: dialectOf(connection),
    catalogVersion: last?.version ?? null,
    ...(isIncluded && { catalog, renames: catalogs.flatMap(changesOf).filter(isRename) }),
    ...(since && { changedTables: changedTables ?? [] }),
  };
}
