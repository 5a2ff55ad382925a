import {
  invalidField,
  type Catalog,
  type ConnectionSummary,
  type PolicyConnection,
  withName,
} from '@gatehouse/contract';
import { countLookup, CallBatcher, type CallContext, type ServiceClients } from '@gatehouse/service';
import { LRUCache } from 'lru-cache';
import { countColumns } from '../sql/logic/catalogIndex.js';

/** A connection and its catalog. The catalog is null until it has been read. */
export interface DescribedConnection {
  /** The organization of the caller. */
  organizationId: string;
  connection: ConnectionSummary;
  catalog: Catalog | null;
}

interface KnownCatalog {
  version: number;
  catalog: Catalog;
}

/** The tables and columns of all cached catalogs: about 150 MB. */
const CACHED_COLUMNS_MAX = 1_000_000;
const IDS_PER_CALL = 10_000;

/** A connection and the call that reads it. */
interface Wanted {
  context: CallContext;
  connectionId: string;
}

/** Reads connections from the semantics service, which sends each version of a catalog only once. */
export class ConnectionClient {
  readonly #semantics: ServiceClients['semantics'];
  readonly #catalogs = new LRUCache<string, KnownCatalog>({
    maxSize: CACHED_COLUMNS_MAX,
    sizeCalculation: ({ catalog }) => countColumns(catalog),
  });
  /** Shared only between calls with the same token: the semantics service decides what a caller may read. */
  readonly #descriptions = new CallBatcher(
    ({ context, connectionId }: Wanted) => JSON.stringify([context.token, connectionId]),
    (wanted) => this.#describe(wanted),
  );

  constructor(semantics: ServiceClients['semantics']) {
    this.#semantics = semantics;
  }

  /** The connection; null if the project of the caller has no such connection. */
  find(context: CallContext, connectionId: string): Promise<DescribedConnection | null> {
    return this.#descriptions.load({ context, connectionId }, []);
  }

  async #describe({ context, connectionId }: Wanted): Promise<DescribedConnection | null> {
    const { organizationId, projectId } = context.principal;
    const key = `${projectId}/${connectionId}`;
    const known = this.#catalogs.get(key);
    const knownCatalogVersion = known?.version;
    const query = { connectionId, knownCatalogVersion };
    const { connection, ...sent } = await this.#semantics.connections.describe.query(query, { context });
    if (connection === null) {
      this.#catalogs.delete(key);
      return null;
    }
    const { catalogVersion } = connection;
    countLookup('catalogs', sent.catalog === undefined);
    if (sent.catalog === undefined) {
      const catalog = known?.version === catalogVersion ? known.catalog : null;
      return { organizationId, connection, catalog };
    }
    const { catalog } = sent;
    if (catalog !== null && catalogVersion !== null)
      this.#catalogs.set(key, { version: catalogVersion, catalog });
    return { organizationId, connection, catalog };
  }

  /**
   * The connection.
   * @throws INVALID_REQUEST if the project of the caller has no such connection
   */
  async get(
    context: CallContext,
    connectionId: string,
    field = 'connectionId',
  ): Promise<DescribedConnection> {
    const found = await this.find(context, connectionId);
    if (!found)
      throw invalidField(field, withName('names no connection of the project', connectionId), 'reference');
    return found;
  }

  /** The connections that exist, by id. */
  async names(context: CallContext, ids: Iterable<string>): Promise<Map<string, PolicyConnection>> {
    const distinct = [...new Set(ids)];
    const found = new Map<string, PolicyConnection>();
    for (let start = 0; start < distinct.length; start += IDS_PER_CALL) {
      const part = distinct.slice(start, start + IDS_PER_CALL);
      const { connections } = await this.#semantics.connections.names.query({ ids: part }, { context });
      for (const connection of connections) found.set(connection.id, connection);
    }
    return found;
  }
}

export function toPolicyConnection({ id, name, type, dialect }: ConnectionSummary): PolicyConnection {
  return { id, name, type, dialect };
}
