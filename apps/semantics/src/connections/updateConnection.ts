import type { CloudEvent } from '@gatehouse/contract';
import { requireVersion, retryOnConflict, type CallContext } from '@gatehouse/service';
import { requireAdmin } from '../authorization/logic/roles.js';
import { checkGivenCatalog, type CheckedCatalog } from '../catalogs/checkCatalog.js';
import { catalogAfter, catalogEvent, isLatest, withNewVersion } from '../catalogs/storeVersion.js';
import type { Dependencies, Input, Output } from '../dependencies.js';
import {
  applyChanges,
  changedFields,
  eventFields,
  foldCase,
  isUnchanged,
  type ChangedFields,
} from '../records/logic/fields.js';
import { createRecordEvent, rejectTakenName } from '../records/writeRecord.js';
import { parseConfig, publicConfig, type GivenConfig } from './logic/config.js';
import { toConnection } from './readConnections.js';
import { nextPassword } from './sealPassword.js';
import type { ConnectionDocument } from './store.js';

type Update = Input<'connections', 'update'>;

/** What an update sets on a connection as it was read, and the changes that its event publishes. */
interface ConnectionChange {
  set: Partial<ConnectionDocument>;
  changes: ChangedFields;
}

export async function updateConnection(
  dependencies: Dependencies,
  input: Update,
  context: CallContext,
): Promise<Output<'connections', 'update'>> {
  const { projectId } = requireAdmin(context.principal);
  const { connections } = dependencies.stores;
  const { type } = await connections.get(projectId, input.id);
  const given = input.config && parseConfig(type, input.config);
  const checked = checkGivenCatalog(type, input.catalog);
  return retryOnConflict(async () => {
    const current = await connections.get(projectId, input.id);
    requireVersion(context, current.version);
    const change = changeOf(dependencies, current, { input, given });
    // Read before the write: the connection may be deleted right after it.
    const catalog = await catalogAfter(dependencies, current, checked);
    const written = await write(dependencies, { current, change, checked }, context);
    return { connection: toConnection(written, catalog) };
  });
}

/** Decides the update of a connection as it was read. The event shows only that a password changed. */
function changeOf(
  dependencies: Dependencies,
  current: ConnectionDocument,
  { input, given }: { input: Update; given: GivenConfig | undefined },
): ConnectionChange {
  const { name, rowBarrier, unassignedActors } = input;
  const plain = changedFields<Partial<ConnectionDocument>>(current, { name, rowBarrier, unassignedActors });
  const { name: nextName, ...governance } = applyChanges<Partial<ConnectionDocument>>({}, plain);
  const set = {
    ...governance,
    ...(nextName !== undefined && { name: nextName, nameFolded: foldCase(nextName) }),
  };
  if (given === undefined) return { set, changes: plain };
  const sealedPassword = nextPassword(dependencies, current, given);
  const from = publicConfig(current, current.sealedPassword !== null);
  const to = publicConfig(given.stored, sealedPassword !== null);
  const changes = {
    ...plain,
    ...(JSON.stringify(from) !== JSON.stringify(to) && { config: { from, to } }),
    ...(given.password !== undefined && { password: { from: '***', to: '***' } }),
  };
  return { set: { ...set, config: given.stored.config, sealedPassword } as typeof set, changes };
}

interface WriteParts {
  current: ConnectionDocument;
  change: ConnectionChange;
  checked: CheckedCatalog | undefined;
}

/** Writes the change and a new catalog in one update. Throws WriteConflict if the connection has changed. */
async function write(
  dependencies: Dependencies,
  { current, change, checked }: WriteParts,
  context: CallContext,
): Promise<ConnectionDocument> {
  const { connections } = dependencies.stores;
  const { projectId } = current;
  const { now } = context;
  const events = isUnchanged(change.changes) ? [] : [updatedEvent(current, change, context)];
  const update = (set: Partial<ConnectionDocument>, all: CloudEvent[]) =>
    rejectTakenName('connection', () => connections.update(projectId, current, { set, events: all, now }));
  if (checked && !isLatest(current, checked)) {
    return withNewVersion(dependencies, { owner: current, checked, now }, (version) => {
      const set = { ...change.set, catalogs: version.catalogs, catalogReadAt: now };
      return update(set, [...events, catalogEvent(current, version, context)]);
    });
  }
  if (events.length > 0) return update({ ...change.set, ...(checked && { catalogReadAt: now }) }, events);
  return checked ? connections.noteCatalogRead(projectId, current, { now }) : current;
}

function updatedEvent(
  current: ConnectionDocument,
  { set, changes }: ConnectionChange,
  context: CallContext,
): CloudEvent {
  const data = { ...eventFields(current), name: set.name ?? current.name, type: current.type, changes };
  return createRecordEvent('management.connection.updated.v1', data, context);
}
