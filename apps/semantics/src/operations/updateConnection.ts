import type { CloudEvent } from '@gatehouse/contract';
import { type CallContext, createEvent, requireVersion, untilWritten } from '@gatehouse/service';
import { applyChanges, changedFields, isUnchanged, type ChangedFields } from '../logic/changedFields.js';
import { fold } from '../logic/fold.js';
import type { Answer, Input, Semantics } from '../semantics.js';
import type { ConnectionDocument } from '../store/documents.js';
import {
  catalogEvent,
  checkGivenCatalog,
  isPresent,
  readCatalog,
  withNewVersion,
  type CheckedCatalog,
} from './catalogs.js';
import { nextPassword, parseConfig, type GivenConfig } from './connectionConfigs.js';
import { NOUN } from './connections.js';
import { callOrigin, stateOf, toConfig, toConnection } from './records.js';
import { refuseTakenName, requireAdmin } from './refusals.js';

type Update = Input<'connections', 'update'>;

/** What an update writes on a connection as it was read, and what its event tells of that. */
interface ConnectionChange {
  set: Partial<ConnectionDocument>;
  changes: ChangedFields;
}

export async function updateConnection(
  semantics: Semantics,
  input: Update,
  context: CallContext,
): Answer<'connections', 'update'> {
  const { projectId } = requireAdmin(context.principal);
  const { connections } = semantics.stores;
  const { type } = await connections.get(projectId, input.id);
  const given = input.config && parseConfig(type, input.config);
  const checked = checkGivenCatalog(type, input.catalog);
  const connection = await untilWritten(async () => {
    const current = await connections.get(projectId, input.id);
    requireVersion(context, current.version);
    const change = changeOf(semantics, current, { input, given });
    return write(semantics, { current, change, checked }, context);
  });
  return { connection: toConnection(connection, await readCatalog(semantics, connection)) };
}

/** Decides on a connection as it was read. The event tells of a password only that it is another. */
function changeOf(
  semantics: Semantics,
  current: ConnectionDocument,
  { input, given }: { input: Update; given: GivenConfig | undefined },
): ConnectionChange {
  const { name, rowBarrier, unassignedActors } = input;
  const plain = changedFields<Partial<ConnectionDocument>>(current, { name, rowBarrier, unassignedActors });
  const { name: nextName, ...governance } = applyChanges<Partial<ConnectionDocument>>({}, plain);
  const set = {
    ...governance,
    ...(nextName !== undefined && { name: nextName, nameFolded: fold(nextName) }),
  };
  if (given === undefined) return { set, changes: plain };
  const sealedPassword = nextPassword(semantics, current, given);
  const from = toConfig(current, current.sealedPassword !== null);
  const to = toConfig(given.stored, sealedPassword !== null);
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

/** Writes the change and, where one came that differs, the catalog in one update; null when the connection has changed since. */
async function write(
  semantics: Semantics,
  { current, change, checked }: WriteParts,
  context: CallContext,
): Promise<ConnectionDocument | null> {
  const { connections } = semantics.stores;
  const { projectId } = current;
  const { now } = context;
  const events = isUnchanged(change.changes) ? [] : [updatedEvent(current, change, context)];
  const update = (set: Partial<ConnectionDocument>, all: CloudEvent[]) =>
    refuseTakenName(NOUN, () => connections.update(projectId, current, { set, events: all, now }));
  if (checked && !isPresent(current, checked)) {
    return withNewVersion(semantics, { owner: current, checked, now }, (version) => {
      const set = { ...change.set, catalogs: version.catalogs, catalogReadAt: now };
      return update(set, [...events, catalogEvent(current, version, context)]);
    });
  }
  if (events.length > 0) return update({ ...change.set, ...(checked && { catalogReadAt: now }) }, events);
  return checked ? connections.noteCatalogRead(projectId, current, now) : current;
}

function updatedEvent(
  current: ConnectionDocument,
  { set, changes }: ConnectionChange,
  context: CallContext,
): CloudEvent {
  const { _id: id, type } = current;
  const data = { ...stateOf(current), name: set.name ?? current.name, type, changes };
  return createEvent('management.connection.updated.v1', id, { origin: callOrigin(context), data });
}
