import { succeeded, unique, type Api } from './api.js';

/** Policy records made quickly over REST. */

type Body = Record<string, unknown>;
interface Answer {
  data: Record<string, { id: string } | undefined>;
}

/**
 * A definition that gives each tenant the order of its own number, on a connection with the table `orders`.
 */
export const definitionBody = (connectionId: string): Body => ({
  connectionId,
  name: unique('Definition'),
  rlsConfig: {
    rules: [
      {
        matcher: { type: 'TABLE_LIST', tables: [{ table: 'orders' }] },
        expression: 'id = length({{ actor.tenantId }})',
      },
    ],
  },
});

export const testBody = (tenantId: string): Body => ({
  name: unique('Test'),
  actor: { kind: 'TENANT', tenantId },
  sql: 'SELECT id FROM orders',
  expect: { status: 'compiled' },
});

/** Where the security policies of the first project are. */
export const securityPath = ({ project }: Api) => `/projects/${project.projectId}/unified-security`;

export async function createPolicyTest(
  api: Api,
  definitionId: string,
  tenantId: string,
): Promise<{ id: string }> {
  const path = `${securityPath(api)}/definitions/${definitionId}/tests`;
  return succeeded(await api.admin.post<Answer>(path, testBody(tenantId))).data['test'] ?? { id: '' };
}

export async function createDefinition(api: Api, connectionId: string): Promise<{ id: string }> {
  const answer = await api.admin.post<Answer>(
    `${securityPath(api)}/definitions`,
    definitionBody(connectionId),
  );
  return succeeded(answer).data['definition'] ?? { id: '' };
}
