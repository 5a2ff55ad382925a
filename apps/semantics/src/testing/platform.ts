import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type Caller, type CloudEvent } from '@gatehouse/contract';
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
} from '@gatehouse/service';
import { semanticsService } from '../service.js';
import { createStores } from '../store/stores.js';
import { PolicyService } from './policyService.js';

const EVENT_WAIT_MS = 5000;

/** Keys as `SEALING_KEYS` holds them: one of 32 random bytes. */
export const newSealingKey = () => randomBytes(32).toString('base64');

interface PlatformOptions {
  /** `SEALING_KEYS`. */
  sealingKeys?: string;
  /** Variables of the environment. */
  settings?: Record<string, string>;
}

/** The semantics service as it runs, over a real engine and bus, called as the gateway calls it. */
export async function startPlatform(
  databases: Databases,
  { sealingKeys = newSealingKey(), settings = {} }: PlatformOptions = {},
) {
  const quiet = { LOG_LEVEL: 'silent', VALIDATE_OUTPUT: '1', SWEEP_INTERVAL_MS: '3600000' };
  const config = readConfig({ ...quiet, ...settings });
  const log = createLog('semantics', config);
  const keys = await generateInternalKeys();
  const signer = await createInternalTokenSigner(keys.signingKey);
  const verifier = await createInternalTokenVerifier(keys.verifyKey);
  const bus = createInProcessBus({ log, onDeadLetter: async () => {}, redeliveryDelaysMs: [50, 50, 50] });
  const events: CloudEvent[] = [];
  await bus.watch(['management.*.*.v1'], (event) => events.push(event));
  const policy = new PolicyService();
  const running: { service?: RunningService } = {};
  const services = connectServices({
    semantics: inProcessLink(() => {
      if (!running.service) throw new Error('The service is not started');
      return running.service.router;
    }),
    policy: policy.linkFor(verifier),
  });
  const database = databases.of('semantics');
  const sealer = createSealer(sealingKeys);
  running.service = await semanticsService.start({ config, log, database, bus, services, sealer, verifier });

  const snapshot = async () => {
    const options = { projection: { outbox: 0 }, sort: { _id: 1 } } as const;
    const names = (await database.listCollections().toArray()).map(({ name }) => name);
    const live = { deletedAt: { $exists: false } };
    return Promise.all(
      names.toSorted().map((name) => database.collection(name).find(live, options).toArray()),
    );
  };
  return {
    database,
    events,
    policy,
    snapshot,
    semantics: services.semantics,
    stores: createStores(database),

    /** What goes along with a call of this caller. */
    async as(caller: Caller, ifMatch?: IfMatch): Promise<CallOrigin> {
      return { token: await signer.sign(caller), requestId: `test-${newKey()}`, ifMatch };
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
