import { NewRecord } from '../../components/NewRecord.js';
import type { Api } from '../../data/api.js';
import { configOf } from '../../logic/connectionConfig.js';
import { newConnectionFields } from './fields.js';

type Input = Parameters<Api['createConnection']>[0];

/** The form of a new connection. */
export function NewConnection() {
  return (
    <NewRecord
      noun="connection"
      parent={{ title: 'Connections', to: '/connections' }}
      fields={newConnectionFields}
      initial={{
        name: '',
        type: 'postgres',
        host: '',
        port: '',
        database: '',
        user: '',
        password: '',
        tls: 'verify',
        file: '',
        dialect: 'postgres',
        catalog: null,
        unassignedActors: 'deny',
        rowBarrier: false,
      }}
      create={async (api, values) => {
        const { name, type, catalog, unassignedActors, rowBarrier } = values as Input &
          Record<string, unknown>;
        const config = configOf(type, values);
        const input = { name, type, config, unassignedActors, rowBarrier } as Input;
        const isStatic = type === 'static' && catalog !== undefined;
        const { connection } = await api.createConnection(isStatic ? { ...input, catalog } : input);
        return { id: connection.id };
      }}
      outdates={['connections']}
    />
  );
}
