import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AppError,
  type AccessLevel,
  type Caller,
  type CloudEvent,
  type GrantEntry,
  type OutputOf,
  type PersonPrincipal,
  type Services,
} from '@gatehouse/contract';
import {
  connectServices,
  createActivity,
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
} from '@gatehouse/service';
import { accessService } from '../service.js';
import { COLLECTIONS, openAccessStores } from '../store/resourceStore.js';
import { People } from './people.js';

/** The access service as it runs, over a real engine and bus, called as the gateway would. */
export async function startPlatform(databases: Databases) {
  const config = readConfig({ LOG_LEVEL: 'silent', VALIDATE_OUTPUT: '1', SWEEP_INTERVAL_MS: '3600000' });
  const log = createLog('access', config);
  const keys = await generateInternalKeys();
  const signer = await createInternalTokenSigner(keys.signingKey);
  const verifier = await createInternalTokenVerifier(keys.verifyKey);
  const bus = createInProcessBus({ log, onDeadLetter: async () => {}, redeliveryDelaysMs: [50, 50, 50, 50] });
  const events: CloudEvent[] = [];
  await bus.watch(['management.*.*.v1'], (event) => events.push(event));

  const people = new People();
  const activity = createActivity();
  const implementation = { verifier, log, activity, validatesOutput: true };
  const directory = people.router(implementation);
  const running: { service?: RunningService } = {};
  const findRouter = () => {
    if (running.service === undefined) throw new Error('The service is not started');
    return running.service.router;
  };
  const services = connectServices({
    access: inProcessLink(findRouter),
    directory: inProcessLink(() => directory),
  });
  const database = databases.of('access');
  const sealer = createSealer(randomBytes(32).toString('base64'));
  running.service = await accessService.start({ config, log, database, bus, services, sealer, verifier });

  const as = async (caller: Caller, ifMatch?: IfMatch): Promise<CallOrigin> => ({
    token: await signer.sign(caller),
    requestId: `test-${newKey()}`,
    ifMatch,
  });
  const { access } = services;
  const stores = await openAccessStores(database);
  /** Everything stored but what waits to be published, to compare before and after. */
  const snapshot = () => {
    const options = { projection: { outbox: 0 }, sort: { _id: 1 } } as const;
    return Promise.all(
      Object.values(COLLECTIONS).map((name) =>
        database
          .collection(name)
          .find({ deletedAt: { $exists: false } }, options)
          .toArray(),
      ),
    );
  };
  return {
    people,
    snapshot,
    database,
    bus,
    events,
    access,
    as,
    stores,

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

    /** The events of a type about a subject, once there are as many as expected. */
    async eventsOf(type: string, subject: string, count = 1): Promise<CloudEvent[]> {
      for (let waits = 0; waits < 200; waits += 1) {
        const found = events.filter((event) => event.type === type && event.subject === subject);
        if (found.length >= count) return found;
        await sleep(25);
      }
      throw new Error(`No event ${type} about ${subject}`);
    },

    async createDashboard(owner: Caller, input: Partial<DashboardInput> = {}): Promise<CreatedDashboard> {
      return (await access.dashboards.create(await as(owner), { title: 'Revenue', ...input })).dashboard;
    },
    async createVisual(owner: Caller, input: Partial<VisualInput> = {}) {
      return (await access.visuals.create(await as(owner), { title: 'Chart', ...input })).visual;
    },
    async share(owner: Caller, id: string, ...shares: GrantEntry[]) {
      const sharing = id.startsWith('v_') ? access.visualShares : access.dashboardShares;
      return sharing.grant(await as(owner), { id, shares });
    },

    /** Lets the time of every share pass that has one. */
    async expireShares(projectId: string, id: string) {
      const store = id.startsWith('v_') ? stores.visuals : stores.dashboards;
      const header = await store.getHeader(projectId, id);
      const past = new Date(Date.now() - 1);
      const shares = header.shares.map((share) =>
        share.expiresAt === null ? share : { ...share, expiresAt: past },
      );
      await store.changeResource(projectId, header, { change: { shares }, events: [] });
    },

    async [Symbol.asyncDispose]() {
      await running.service?.stop();
      await bus.close();
    },
  };
}
export type TestPlatform = Awaited<ReturnType<typeof startPlatform>>;

type Procedures = Services['access']['procedures'];
type DashboardInput = Parameters<ReturnType<typeof connectServices>['access']['dashboards']['create']>[1];
type VisualInput = Parameters<ReturnType<typeof connectServices>['access']['visuals']['create']>[1];
type CreatedDashboard = OutputOf<Procedures['dashboards']['create']>['dashboard'];

/** A template that links the visuals. */
export function templateLinking(...visualIds: string[]) {
  return {
    sheets: [{ id: 's1', frames: visualIds.map((visualId, index) => ({ id: `f${index}`, visualId })) }],
  };
}

/** A time that no test lives to see. */
export const LATER = new Date(Date.now() + 3_600_000).toISOString();

/** An entry that shares with one person. */
export function toPerson({ kind, userId }: PersonPrincipal, role: AccessLevel): GrantEntry {
  if (kind === 'orgUser') return { scope: 'specific_org_user', orgUserId: userId, role };
  return { scope: 'specific_tenant_user', tenantUserId: userId, role };
}
