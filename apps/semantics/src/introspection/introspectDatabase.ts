import { AppError, Catalog } from '@gatehouse/contract';
import {
  DestinationError,
  FairShares,
  findDestination,
  resolveName,
  type Destination,
  type ResolveName,
} from '@gatehouse/service';
import {
  IntrospectionError,
  type IntrospectionLimits,
  type IntrospectionOutcome,
  type IntrospectionRequest,
} from './logic/outcome.js';
import { openSqliteFile } from './openSqliteFile.js';
import { runReader } from './runReader.js';

const DEFAULT_PORTS = { postgres: 5432, mysql: 3306 };
/**
 * Limits concurrent reads of databases, each of which runs in its own thread. Shares belong to organizations
 * and not to projects, because an organization may create any number of projects. The queue is bounded: each
 * waiting read is a request in flight.
 */
const reads = new FairShares({ capacity: 8, perShare: 2, waitingPerShare: 8, waiting: 64, waitMs: 7000 });

/**
 * Reads the catalog of a database over a connection of its own, in a read-only session, then closes it.
 * Failures of the database are outcomes, not errors.
 *
 * @param resolve returns the addresses of a host name; by default the system's resolver
 * @throws RATE_LIMITED when too many reads of the organization run and wait
 * @throws UNAVAILABLE when too many reads of all organizations wait
 */
export async function introspectDatabase(
  request: IntrospectionRequest,
  limits: IntrospectionLimits,
  resolve: ResolveName = resolveName,
): Promise<IntrospectionOutcome> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(timedOut()), limits.timeoutMs);
  try {
    const { signal } = deadline;
    // The share is held until the work ends: a name lookup cannot be cancelled, so it may outlast the
    // deadline.
    const catalogRead = reads.run(limits.organizationId, () => read(request, limits, { resolve, signal }));
    const catalog = await orAborted(catalogRead, signal);
    const checked = Catalog.safeParse(catalog);
    if (checked.success) return { ok: true, catalog: checked.data };
    return {
      ok: false,
      reason: 'unreadable',
      message: 'The database has names or numbers of columns that a catalog cannot hold.',
      cause: checked.error,
    };
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof IntrospectionError) {
      return { ok: false, reason: error.reason, message: error.message, cause: error.cause };
    }
    return { ok: false, reason: 'unreadable', message: 'The database could not be read.', cause: error };
  } finally {
    clearTimeout(timer);
  }
}

interface ReadOptions {
  resolve: ResolveName;
  signal: AbortSignal;
}

async function read(
  request: IntrospectionRequest,
  limits: IntrospectionLimits,
  { resolve, signal }: ReadOptions,
): Promise<Catalog> {
  signal.throwIfAborted();
  if (request.type === 'sqlite') {
    await using file = await openSqliteFile(request.config.file, limits);
    return await runReader({ type: 'sqlite', path: file.path }, signal);
  }
  const { type, config } = request;
  const { host, port = DEFAULT_PORTS[type] } = config;
  const destination = await findServer({ host, port }, limits.allowedHosts, resolve);
  return runReader({ type, config, destination, timeoutMs: limits.timeoutMs }, signal);
}

/**
 * Resolves the allowed addresses of a database server.
 *
 * @throws IntrospectionError `notAllowed`, or `unreachable` when an allowed name does not resolve
 */
export async function findServer(
  server: { host: string; port: number },
  allowedHosts: string,
  resolve: ResolveName,
): Promise<Destination> {
  try {
    return await findDestination(server, { setting: 'CONNECTION_HOSTS', value: allowedHosts }, resolve);
  } catch (error) {
    if (!(error instanceof DestinationError)) throw error;
    throw new IntrospectionError(error.reason, error.message, error.cause);
  }
}

/** Settles with the work, or rejects at the deadline: a name lookup cannot be cancelled. */
function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

function timedOut(): IntrospectionError {
  return new IntrospectionError('timeout', 'Reading the database took longer than is allowed.');
}
