import type { Connection } from '@gatehouse/contract';
import { Badge } from '@mantine/core';
import { RecordSettings } from '../../components/RecordSettings.js';
import type { FormValues } from '../../components/fields.js';
import { RecordMenu } from '../../components/RecordMenu.js';
import { RecordScreen } from '../../components/RecordScreen.js';
import type { Api } from '../../data/api.js';
import { useParam } from '../../data/useParam.js';
import { versioned, type Versioned } from '../../data/useRecord.js';
import { changesConfig, configOf } from '../../logic/connectionConfig.js';
import { useHasRole } from '../../session/SessionContext.js';
import { CatalogChanges } from './CatalogChanges.js';
import { CatalogTables } from './CatalogTables.js';
import { ConnectionUses } from './ConnectionUses.js';
import { connectionFields, connectionValues } from './fields.js';
import { Introspection } from './Introspection.js';
import { connectionOf } from './sources.js';

/** A connection: its catalog, what changed in it, and its settings. */
export function ConnectionDetail() {
  const id = useParam('id');
  const isAdmin = useHasRole('ADMIN');
  return (
    <RecordScreen
      source={connectionOf(id)}
      noun="connection"
      parent={{ title: 'Connections', to: '/connections' }}
      titleOf={({ name }) => name}
      badges={({ type, dialect }) => (
        <Badge color="gray">{type === 'static' ? `static · ${dialect}` : type}</Badge>
      )}
      actions={(connection) => (
        <>
          {isAdmin && <Introspection connection={connection} />}
          <RecordMenu
            noun="connection"
            name={connection.name}
            recordKey={['connections', id]}
            listPath="/connections"
            remove={isAdmin ? (api) => api.deleteConnection({ id }) : undefined}
            consequence="It is deleted only if no policy, domain or data model refers to it."
          />
        </>
      )}
      tabs={(current) => [
        { id: 'catalog', title: 'Catalog', content: () => <CatalogTables connection={current.record} /> },
        { id: 'changes', title: 'Changes', content: () => <CatalogChanges connection={current.record} /> },
        { id: 'uses', title: 'Used by', content: () => <ConnectionUses connectionId={id} /> },
        {
          id: 'settings',
          title: 'Settings',
          content: () => <Settings current={current} isAdmin={isAdmin} />,
        },
      ]}
    />
  );
}

async function save(
  api: Api,
  { type, id }: Connection,
  edit: { all: FormValues; changes: FormValues; etag: string | undefined },
) {
  const { name, unassignedActors, rowBarrier } = edit.changes;
  // A configuration is replaced as a whole.
  const config = changesConfig(type, edit.changes) ? { config: configOf(type, edit.all) } : {};
  const input = { id, name, unassignedActors, rowBarrier, ...config } as Parameters<
    Api['updateConnection']
  >[0];
  const options = { ifMatch: edit.etag };
  return versioned(await api.withResponse.updateConnection(input, options), ({ connection }) => connection);
}

function Settings({ current, isAdmin }: { current: Versioned<Connection>; isAdmin: boolean }) {
  const { record } = current;
  return (
    <RecordSettings
      source={connectionOf(record.id)}
      current={current}
      fields={connectionFields(record.type)}
      toValues={connectionValues}
      save={(api, changes, etag) =>
        save(api, record, { all: { ...connectionValues(record), ...changes }, changes, etag })
      }
      outdates={['connections']}
      isReadOnly={!isAdmin}
    />
  );
}
