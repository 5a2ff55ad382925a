import { succeeded, type Answer, type Api } from './api.js';
import { definitionBody, securityPath } from './policyRecords.js';
import { createStaticConnection } from './validationWorld.js';

/** Records that keep something sealed, and a request that fails where that of the policy does not open. */
export async function makeSealedRecords(api: Api, adminId: string): Promise<{ preview(): Promise<Answer> }> {
  const connectionId = await createStaticConnection(api.admin, { orders: ['id'] });
  const definition = {
    ...definitionBody(connectionId),
    rlsConfig: {
      rules: [
        {
          matcher: { type: 'TABLE_LIST', tables: [{ table: 'orders' }] },
          expression: 'id > 0',
          params: { 'salt@secret': 'vinegar' },
        },
      ],
    },
  };
  const { data } = succeeded(
    await api.admin.post<{ data: { definition: { id: string } } }>(
      `${securityPath(api)}/definitions`,
      definition,
    ),
  );
  const password = {
    host: 'db.example.com',
    database: 'sales',
    user: 'reader',
    password: 'kept',
    tls: 'verify',
  };
  succeeded(
    await api.admin.post('/api/v1/connections', { name: 'Sealed', type: 'postgres', config: password }),
  );
  const preview = {
    connectionId,
    actor: { kind: 'ORG_USER', orgUserId: adminId },
    ignorePersistedAssignments: false,
    draftAssignment: { definitionId: data.definition.id, scopeType: 'ORG_USER', orgUserId: adminId },
    sql: 'SELECT id FROM orders',
  };
  return { preview: () => api.admin.post(`${securityPath(api)}/preview`, preview) };
}
