import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AppError,
  type Caller,
  type CloudEvent,
  type OutputOf,
  type RlsMatcher,
  type Services,
} from '@gatehouse/contract';
import {
  connectServices,
  createInProcessBus,
  createInternalTokenSigner,
  createInternalTokenVerifier,
  createLog,
  createSealer,
  generateInternalKeys,
  inProcessLink,
  newKey,
  readConfig,
  type CallOrigin,
  type Databases,
  type IfMatch,
  type RunningService,
  type ServiceClients,
} from '@gatehouse/service';
import { policyService } from '../service.js';
import { COLLECTIONS } from '../store/indexes.js';
import { createStores } from '../store/stores.js';
import { Connections, orgUserPrincipal, People } from './neighbours.js';

const EVENT_WAIT_MS = 5000;

type Client = ServiceClients['policy'];
type Procedures = Services['policy']['procedures'];
type DefinitionInput = Parameters<Client['definitions']['create']>[1];
type AssignmentInput = Parameters<Client['assignments']['create']>[1];
type PreviewInput = Parameters<Client['previews']['preview']>[1];
export type Preview = OutputOf<Procedures['previews']['preview']>['data'];

const BY_TENANT: RlsMatcher = { type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' };
/** The rule that most policies are made of. */
export const TENANT_RULE = { name: 'own tenant', matcher: BY_TENANT, expression: 'tenant_id = {{ tenant }}' };
export const ORDERS = 'select id, amount from orders';

/** What several instances of the service have in common, beside their database. */
const newNeighbours = () => ({ people: new People(), connections: new Connections() });

/** The policy service as it runs, over a real engine and bus, called as the gateway calls it. */
export async function startPlatform(databases: Databases, { people, connections } = newNeighbours()) {
  const config = readConfig({ LOG_LEVEL: 'silent', VALIDATE_OUTPUT: '1', SWEEP_INTERVAL_MS: '3600000' });
  const log = createLog('policy', config);
  const keys = await generateInternalKeys();
  const signer = await createInternalTokenSigner(keys.signingKey);
  const verifier = await createInternalTokenVerifier(keys.verifyKey);
  const bus = createInProcessBus({ log, onDeadLetter: async () => {}, redeliveryDelaysMs: [50, 50, 50] });
  const events: CloudEvent[] = [];
  await bus.watch(['management.*.*.v1'], (event) => events.push(event));
  const running: { service?: RunningService } = {};
  const services = connectServices({
    policy: inProcessLink(() => {
      if (!running.service) throw new Error('The service is not started');
      return running.service.router;
    }),
    directory: people.linkFor(verifier),
    semantics: connections.linkFor(verifier),
  });
  const database = databases.of('policy');
  const sealer = createSealer(randomBytes(32).toString('base64'));
  running.service = await policyService.start({ config, log, database, bus, services, sealer, verifier });

  /** Everything stored but what waits to be published and what only counts writes, to compare before and after. */
  const snapshot = async () => {
    const options = { projection: { outbox: 0, revision: 0 }, sort: { _id: 1 } } as const;
    const live = { deletedAt: { $exists: false } };
    return Promise.all(COLLECTIONS.map((name) => database.collection(name).find(live, options).toArray()));
  };
  const as = async (caller: Caller, ifMatch?: IfMatch): Promise<CallOrigin> => {
    return { token: await signer.sign(caller), requestId: `test-${newKey()}`, ifMatch };
  };
  return {
    policy: services.policy,
    stores: createStores(database),
    people,
    connections,
    database,
    bus,
    events,
    sealer,
    snapshot,
    as,

    /** A project of its own with an ADMIN and a connection to a shop's database. */
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
          return (await policy.definitions.create(origin, { ...named, ...configs, ...fields })).data;
        },
        async assign(definitionId: string, actor: Omit<AssignmentInput, 'projectId' | 'definitionId'>) {
          return (await policy.assignments.create(origin, { projectId, definitionId, ...actor })).data;
        },
        async preview(input: Omit<PreviewInput, 'projectId' | 'connectionId'>): Promise<Preview> {
          return (await policy.previews.preview(origin, { projectId, connectionId, ...input })).data;
        },
      };
    },

    /** The error of a call that is refused, after a check that it has changed nothing that is stored. */
    async refusalOf(call: () => Promise<unknown>): Promise<AppError> {
      const before = await snapshot();
      const error: unknown = await call().then(
        () => new Error('The call was not refused'),
        (refusal: unknown) => refusal,
      );
      if (!(error instanceof AppError)) throw error;
      assert.deepEqual(await snapshot(), before);
      return error;
    },

    /** The published events of a type about a subject, once there are `count` of them. */
    async eventsOf(type: string, subject: string, count = 1): Promise<CloudEvent[]> {
      for (let waitedMs = 0; waitedMs < EVENT_WAIT_MS; waitedMs += 25) {
        const found = events.filter((event) => event.type === type && event.subject === subject);
        if (found.length >= count) return found;
        await sleep(25);
      }
      throw new Error(`Not ${count} events ${type} about ${subject}`);
    },

    async [Symbol.asyncDispose]() {
      await running.service?.stop();
      await bus.close();
    },
  };
}
export type TestPlatform = Awaited<ReturnType<typeof startPlatform>>;
export type Project = Awaited<ReturnType<TestPlatform['openProject']>>;

/** The fields that a refusal names. */
export const fieldsOf = (error: AppError) => (error.fieldErrors ?? []).map(({ field }) => field);
