import { Catalog } from '@gatehouse/contract';
import { resolveName, type ResolveName } from '@gatehouse/service';
import { findDestination } from './destination.js';
import {
  IntrospectionError,
  type IntrospectionLimits,
  type IntrospectionOutcome,
  type IntrospectionRequest,
} from './outcome.js';
import { readCatalog } from './readCatalog.js';
import { openSqliteFile } from './sqliteFile.js';
import { Turns } from './turns.js';

export type {
  IntrospectionLimits,
  IntrospectionOutcome,
  IntrospectionReason,
  IntrospectionRequest,
} from './outcome.js';

const DEFAULT_PORTS = { postgres: 5432, mysql: 3306 };
/**
 * Databases that are read at once, and of one organization. A share goes to organizations, not to projects: whoever may make
 * projects would have as many shares as it liked.
 */
const READINGS = { count: 8, share: 2 };

const turns = new Turns(READINGS);

/**
 * Reads the catalog of a real database over a connection of its own, in a read-only session, and closes it.
 * Never throws: what goes wrong is an outcome.
 *
 * @param resolve gives the addresses of a host name; by default the system's resolver
 */
export async function introspect(
  request: IntrospectionRequest,
  limits: IntrospectionLimits,
  resolve: ResolveName = resolveName,
): Promise<IntrospectionOutcome> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(timedOut()), limits.timeoutMs);
  try {
    const { signal } = deadline;
    await turns.begin(limits.organizationId, signal).catch(refuseAsBusy);
    // The turn lasts as long as the work: a look-up that cannot be called off goes on past the deadline.
    const reading = read(request, limits, { resolve, signal }).finally(() =>
      turns.end(limits.organizationId),
    );
    const catalog = await orAborted(reading, signal);
    const checked = Catalog.safeParse(catalog);
    if (checked.success) return { ok: true, catalog: checked.data };
    return {
      ok: false,
      reason: 'unreadable',
      message: 'The database has names or numbers of columns that a catalog cannot hold.',
      cause: checked.error,
    };
  } catch (error) {
    if (error instanceof IntrospectionError) {
      return { ok: false, reason: error.reason, message: error.message, cause: error.cause };
    }
    return { ok: false, reason: 'unreadable', message: 'The database could not be read.', cause: error };
  } finally {
    clearTimeout(timer);
  }
}

interface Reading {
  resolve: ResolveName;
  signal: AbortSignal;
}

async function read(
  request: IntrospectionRequest,
  limits: IntrospectionLimits,
  { resolve, signal }: Reading,
): Promise<Catalog> {
  if (request.type === 'sqlite') {
    await using file = await openSqliteFile(request.config.file, limits.sqliteDir);
    return await readCatalog({ type: 'sqlite', path: file.path }, signal);
  }
  const { type, config } = request;
  const { host, port = DEFAULT_PORTS[type] } = config;
  const destination = await findDestination({ host, port }, limits.allowedHosts, resolve);
  return readCatalog({ type, config, destination, timeoutMs: limits.timeoutMs }, signal);
}

/** The work's end or the deadline's, whichever comes first: a look-up of a name cannot be called off. */
function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

function refuseAsBusy(): never {
  throw new IntrospectionError('busy', 'Other databases are being read: try again later.');
}

function timedOut(): IntrospectionError {
  return new IntrospectionError('timeout', 'Reading the database took longer than is allowed.');
}
