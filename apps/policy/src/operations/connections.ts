import {
  invalidField,
  type Catalog,
  type ConnectionSummary,
  type PolicyConnection,
} from '@gatehouse/contract';
import type { CallContext, ServiceClients } from '@gatehouse/service';

/** A connection and its catalog; the catalog is null while none was read. */
export interface DescribedConnection {
  connection: ConnectionSummary;
  catalog: Catalog | null;
}

interface KnownCatalog {
  version: number;
  catalog: Catalog;
}

/** A catalog may take tens of megabytes. */
const CATALOGS_MAX = 64;
const IDS_PER_CALL = 10_000;

/** What the semantics service says of connections. It sends a catalog only once for each version. */
export class ConnectionBook {
  readonly #semantics: ServiceClients['semantics'];
  readonly #catalogs = new Map<string, KnownCatalog>();

  constructor(semantics: ServiceClients['semantics']) {
    this.#semantics = semantics;
  }

  /** Null when the caller's project has no such connection. */
  async find(context: CallContext, connectionId: string): Promise<DescribedConnection | null> {
    const key = `${context.principal.projectId}/${connectionId}`;
    const known = this.#catalogs.get(key);
    const answer = await this.#describe(context, connectionId, known);
    const { connection } = answer;
    if (connection === null) {
      this.#catalogs.delete(key);
      return null;
    }
    const { catalogVersion } = connection;
    if (answer.catalog === undefined) {
      return { connection, catalog: known?.version === catalogVersion ? known.catalog : null };
    }
    if (answer.catalog !== null && catalogVersion !== null)
      this.#remember(key, { version: catalogVersion, catalog: answer.catalog });
    return { connection, catalog: answer.catalog };
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

  #describe(context: CallContext, connectionId: string, known?: KnownCatalog) {
    const knownCatalogVersion = known?.version;
    return this.#semantics.connections.describe(context, { connectionId, knownCatalogVersion });
  }

  /** Forgets the catalog that was read longest ago when there are too many. */
  #remember(key: string, catalog: KnownCatalog): void {
    this.#catalogs.delete(key);
    this.#catalogs.set(key, catalog);
    const [oldest] = this.#catalogs.keys();
    if (this.#catalogs.size > CATALOGS_MAX && oldest !== undefined) this.#catalogs.delete(oldest);
  }
}

export function toPolicyConnection({ id, name, type, dialect }: ConnectionSummary): PolicyConnection {
  return { id, name, type, dialect };
}
