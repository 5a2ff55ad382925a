import type { AppError, OutputOf, RlsMatcher, Services } from '@gatehouse/contract';
import { newKey, readQuotas, type Databases, type IfMatch, type ServiceClients } from '@gatehouse/service';
import { startServicePlatform } from '@gatehouse/testing/platform';
import { policyService } from '../service.js';
import { COLLECTIONS, createStores } from '../store/stores.js';
import { Connections, orgUserPrincipal, People } from './neighbours.js';

type Client = ServiceClients['policy'];
type Procedures = Services['policy']['procedures'];
type DefinitionInput = Parameters<Client['definitions']['create']['mutate']>[0];
type AssignmentInput = Parameters<Client['assignments']['create']['mutate']>[0];
type PreviewInput = Parameters<Client['previews']['preview']['mutate']>[0];
export type Preview = OutputOf<Procedures['previews']['preview']>['data'];

const BY_TENANT: RlsMatcher = { type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' };
/** The rule of most policies. */
export const TENANT_RULE = { name: 'own tenant', matcher: BY_TENANT, expression: 'tenant_id = {{ tenant }}' };
export const ORDERS = 'select id, amount from orders';

/** The stubs that several instances of the service share, besides their database. */
const newNeighbours = () => ({ people: new People(), connections: new Connections() });

/** Starts the policy service. */
export async function startPlatform(databases: Databases, { people, connections } = newNeighbours()) {
  const platform = await startServicePlatform(policyService, {
    databases,
    // A statement that compiles in a millisecond may wait for seconds on a busy machine.
    settings: { COMPILE_TIMEOUT_MS: '60000' },
    collections: COLLECTIONS,
    hiddenFields: ['outbox', 'revision'],
    linksTo: ({ verifier }) => ({
      directory: people.linkFor(verifier),
      semantics: connections.linkFor(verifier),
    }),
  });
  const { as, services } = platform;
  return {
    ...platform,
    policy: services.policy,
    stores: createStores(platform.database, readQuotas(platform.config)),
    people,
    connections,
    refusalOf: platform.rejectionOf,

    /** A new project with an ADMIN and a connection to a shop database. */
    async openProject(organizationId = 'o_acme') {
      const projectId = `p_${newKey()}`;
      people.projectIds.add(projectId);
      const admin = orgUserPrincipal(people.orgUser(`ou_${newKey()}`, 'ADMIN'), {
        organizationId,
        projectId,
      });
      const connectionId = connections.add(projectId, `c_${newKey()}`);
      const origin = await as(admin);
      const { policy } = services;
      return {
        organizationId,
        projectId,
        admin,
        connectionId,
        origin,
        with: (ifMatch: IfMatch) => as(admin, ifMatch),
        async define(fields: Partial<DefinitionInput> = {}) {
          const named = { projectId, connectionId, name: `Definition ${newKey()}` };
          const configs =
            fields.clsConfig || fields.slsConfig || fields.rlsConfig
              ? {}
              : { rlsConfig: { rules: [TENANT_RULE] } };
          return (
            await policy.definitions.create.mutate({ ...named, ...configs, ...fields }, { context: origin })
          ).data;
        },
        async assign(definitionId: string, actor: Omit<AssignmentInput, 'projectId' | 'definitionId'>) {
          return (
            await policy.assignments.create.mutate({ projectId, definitionId, ...actor }, { context: origin })
          ).data;
        },
        async preview(input: Omit<PreviewInput, 'projectId' | 'connectionId'>): Promise<Preview> {
          return (
            await policy.previews.preview.mutate({ projectId, connectionId, ...input }, { context: origin })
          ).data;
        },
      };
    },
  };
}
export type TestPlatform = Awaited<ReturnType<typeof startPlatform>>;
export type Project = Awaited<ReturnType<TestPlatform['openProject']>>;

/** The fields of an error. */
export const fieldsOf = (error: AppError) => (error.fieldErrors ?? []).map(({ field }) => field);
