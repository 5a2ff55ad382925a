import type { CloudEvent } from '@gatehouse/contract';
import { newId, type CallContext } from '@gatehouse/service';
import { requireAdmin } from '../authorization/logic/roles.js';
import { checkGivenCatalog } from '../catalogs/checkCatalog.js';
import { catalogEvent, withNewVersion } from '../catalogs/storeVersion.js';
import type { Dependencies, Input, Output } from '../dependencies.js';
import { foldCase } from '../records/logic/fields.js';
import { createRecordEvent, rejectTakenName, requireRoom } from '../records/writeRecord.js';
import { parseConfig } from './logic/config.js';
import { toConnection } from './readConnections.js';
import { sealPassword } from './sealPassword.js';
import type { ConnectionDraft } from './store.js';

const NOUN = 'connection';

export async function createConnection(
  dependencies: Dependencies,
  { name, type, config, catalog, rowBarrier, unassignedActors }: Input<'connections', 'create'>,
  context: CallContext,
): Promise<Output<'connections', 'create'>> {
  const { organizationId, projectId, userId } = requireAdmin(context.principal);
  const { connections } = dependencies.stores;
  const { stored, password } = parseConfig(type, config);
  const checked = checkGivenCatalog(type, catalog);
  await requireRoom(connections, projectId, NOUN);
  const { now } = context;
  const id = newId('connection', context.operation);
  const sealedPassword = sealPassword(dependencies, { _id: id, projectId }, password);
  const governance = { rowBarrier, unassignedActors, catalogs: [], catalogReadAt: null };
  const fields = { name, nameFolded: foldCase(name), sealedPassword, ...governance, createdBy: userId };
  const draft: ConnectionDraft = { _id: id, organizationId, ...stored, ...fields };
  const created = createRecordEvent(
    'management.connection.created.v1',
    { id, projectId, name, type },
    context,
  );
  const insert = (whole: ConnectionDraft, events: CloudEvent[]) =>
    rejectTakenName(NOUN, () => connections.insert(projectId, whole, { events, now }));
  if (!checked) return { connection: toConnection(await insert(draft, [created]), null) };
  const owner = { ...draft, projectId };
  const connection = await withNewVersion(dependencies, { owner, checked, now }, (version) => {
    const whole = { ...draft, catalogs: version.catalogs, catalogReadAt: now };
    return insert(whole, [created, catalogEvent(owner, version, context)]);
  });
  return { connection: toConnection(connection, checked.catalog) };
}
