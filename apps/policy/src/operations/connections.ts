import {
  invalidField,
  type Catalog,
  type ConnectionSummary,
  type PolicyConnection,
} from '@gatehouse/contract';
import {
  countLookup,
  RecentMap,
  SharedCalls,
  type CallContext,
  type ServiceClients,
} from '@gatehouse/service';

/** A connection and its catalog; the catalog is null while none was read. */
export interface DescribedConnection {
  connection: ConnectionSummary;
  catalog: Catalog | null;
}

interface KnownCatalog {
  version: number;
  catalog: Catalog;
}

/** The tables and columns of all catalogs that are kept: some 150 MB. */
const KEPT_COLUMNS = 1_000_000;
const IDS_PER_CALL = 10_000;

/** A connection as one caller asks for it. */
interface Wanted {
  context: CallContext;
  connectionId: string;
}

/** What the semantics service says of connections. It sends a catalog only once for each version. */
export class ConnectionBook {
  readonly #semantics: ServiceClients['semantics'];
  readonly #catalogs = new RecentMap<KnownCatalog>(KEPT_COLUMNS);
  /** Shared by the holders of one token alone: what somebody may see is for the semantics service to say. */
  readonly #descriptions = new SharedCalls(
    ({ context, connectionId }: Wanted) => JSON.stringify([context.token, connectionId]),
    (wanted) => this.#describe(wanted),
  );

  constructor(semantics: ServiceClients['semantics']) {
    this.#semantics = semantics;
  }

  /** Null when the caller's project has no such connection. */
  find(context: CallContext, connectionId: string): Promise<DescribedConnection | null> {
    return this.#descriptions.make({ context, connectionId }, []);
  }

  async #describe({ context, connectionId }: Wanted): Promise<DescribedConnection | null> {
    const key = `${context.principal.projectId}/${connectionId}`;
    const known = this.#catalogs.get(key);
    const knownCatalogVersion = known?.version;
    const asked = { connectionId, knownCatalogVersion };
    const { connection, ...answer } = await this.#semantics.connections.describe(context, asked);
    if (connection === null) {
      this.#catalogs.delete(key);
      return null;
    }
    const { catalogVersion } = connection;
    countLookup('catalogs', answer.catalog === undefined);
    if (answer.catalog === undefined) {
      return { connection, catalog: known?.version === catalogVersion ? known.catalog : null };
    }
    const { catalog } = answer;
    if (catalog !== null && catalogVersion !== null)
      this.#catalogs.set(key, { version: catalogVersion, catalog }, countColumns(catalog));
    return { connection, catalog };
  }

  /** Throws INVALID_REQUEST with the field when the caller's project has no such connection. */
  async get(
    context: CallContext,
    connectionId: string,
    field = 'connectionId',
  ): Promise<DescribedConnection> {
    const found = await this.find(context, connectionId);
    if (!found) throw invalidField(field, 'names no connection of the project');
    return found;
  }

  /** Those of the ids that there are, by id. */
  async names(context: CallContext, ids: Iterable<string>): Promise<Map<string, PolicyConnection>> {
    const distinct = [...new Set(ids)];
    const found = new Map<string, PolicyConnection>();
    for (let start = 0; start < distinct.length; start += IDS_PER_CALL) {
      const part = distinct.slice(start, start + IDS_PER_CALL);
      const { connections } = await this.#semantics.connections.names(context, { ids: part });
      for (const connection of connections) found.set(connection.id, connection);
    }
    return found;
  }
}

/** Tables count too. */
function countColumns(catalog: Catalog): number {
  const databases = 'databases' in catalog ? catalog.databases : [catalog];
  const tables = databases.flatMap(({ schemas }) => schemas.flatMap((schema) => schema.tables));
  return tables.reduce((sum, { columns }) => sum + 1 + columns.length, 1);
}

export function toPolicyConnection({ id, name, type, dialect }: ConnectionSummary): PolicyConnection {
  return { id, name, type, dialect };
}
