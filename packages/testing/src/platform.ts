import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppError, Caller, CloudEvent, ServiceName } from '@gatehouse/contract';
import {
  connectServices,
  createActivity,
  createInProcessBus,
  createInternalTokenSigner,
  createInternalTokenVerifier,
  createLog,
  createSealer,
  findAppError,
  generateInternalKeys,
  inProcessLink,
  newKey,
  readConfig,
  type CallOrigin,
  type Databases,
  type IfMatch,
  type ImplementOptions,
  type RunningService,
  type ServiceDefinition,
  type ServiceLinks,
} from '@gatehouse/service';
import { afterAll } from 'vitest';
import { startTestMongo } from './mongo.js';
import { createSnapshots, type SnapshotOptions } from './snapshots.js';

const REDELIVERY_DELAYS_MS = [50, 50, 50, 50];
const EVENT_INTERVAL_MS = 25;
/** Only a test whose event never arrives makes so many waits: minutes. */
const EVENT_WAITS = 5000;

/** A key of 32 random bytes, as `SEALING_KEYS` holds it. */
export const newSealingKey = (): string => randomBytes(32).toString('base64');

export interface PlatformOptions extends SnapshotOptions {
  databases: Databases;
  /** The name of the database, by default that of the service. */
  databaseName?: string;
  /** Environment variables. */
  settings?: Record<string, string>;
  /** `SEALING_KEYS`, by default a new key. */
  sealingKeys?: string;
  /** The links to the stand-ins of the services that this one calls. */
  linksTo?: (options: ImplementOptions) => ServiceLinks;
}

/** A test file makes its calls with a token that it signed at its start, however busy the machine is. */
const TEST_MAX_MS = 3_600_000;

/** Starts a service, with clients that call it and the stand-ins of others. */
async function startService(service: ServiceDefinition, options: PlatformOptions) {
  const quiet = { LOG_LEVEL: 'silent', VALIDATE_OUTPUT: '1', SWEEP_INTERVAL_MS: '3600000' };
  const config = readConfig({ ...quiet, ...options.settings });
  const log = createLog(service.name, config);
  const keys = await generateInternalKeys();
  const signer = await createInternalTokenSigner(keys.signingKey, TEST_MAX_MS);
  const verifier = await createInternalTokenVerifier(keys.verifyKey);
  const redeliveryDelaysMs = REDELIVERY_DELAYS_MS;
  const bus = createInProcessBus({ log, onDeadLetter: async () => {}, redeliveryDelaysMs });
  const events: CloudEvent[] = [];
  await bus.watch(['management.*.*.v1'], (event) => events.push(event));
  const running: { service?: RunningService } = {};
  const own = inProcessLink(() => {
    if (!running.service) throw new Error('The service is not started');
    return running.service.router;
  });
  const standIns = options.linksTo?.({ verifier, log, activity: createActivity(), validatesOutput: true });
  const services = connectServices({ ...standIns, [service.name as ServiceName]: own });
  const database = options.databases.of(options.databaseName ?? service.name);
  const sealer = createSealer(options.sealingKeys ?? newSealingKey());
  running.service = await service.start({ config, log, database, bus, services, sealer, verifier });
  return { config, signer, bus, events, services, database, sealer, running: running.service };
}

/** Starts one service on a real engine and bus, with clients that call it as the gateway does. */
export async function startServicePlatform(service: ServiceDefinition, options: PlatformOptions) {
  const { signer, running, ...parts } = await startService(service, options);
  const { bus, database, events } = parts;
  /** The stored documents without tombstones, to compare before and after a call. */
  const snapshot = createSnapshots(database, options);
  return {
    ...parts,
    snapshot,

    /** The origin of a call by this caller. */
    async as(caller: Caller, ifMatch?: IfMatch): Promise<CallOrigin> {
      return { token: await signer.sign(caller), requestId: `test-${newKey()}`, ifMatch };
    },

    /** The error of a rejected call. Asserts that the call changed nothing in the database. */
    async rejectionOf(call: () => Promise<unknown>): Promise<AppError> {
      const before = await snapshot();
      const error: unknown = await call().then(
        () => new Error('The call was not rejected'),
        (reason: unknown) => reason,
      );
      const rejection = findAppError(error);
      if (!rejection) throw error;
      assert.deepEqual(await snapshot(), before);
      return rejection;
    },

    /** Waits for `count` published events of a type, about a subject if one is given. */
    async eventsOf(type: string, subject?: string, count = 1): Promise<CloudEvent[]> {
      for (let waits = 0; waits < EVENT_WAITS; waits += 1) {
        const found = events.filter(
          (event) => event.type === type && (subject === undefined || event.subject === subject),
        );
        if (found.length >= count) return found;
        await sleep(EVENT_INTERVAL_MS);
      }
      throw new Error(`There are fewer than ${count} events ${type} about ${subject ?? 'any subject'}`);
    },

    async [Symbol.asyncDispose]() {
      await running.stop();
      await bus.close();
    },
  };
}
export type ServicePlatform = Awaited<ReturnType<typeof startServicePlatform>>;

/**
 * Starts a platform for the tests of a file, on databases of its own, and stops it after the last test.
 * Call it at the top of the file, with the function that starts the platform of a service.
 */
export async function usePlatform<P extends AsyncDisposable>(start: (databases: Databases) => Promise<P>) {
  const mongo = await startTestMongo();
  const platform = await start(mongo.databases).catch(async (error: unknown) => {
    await mongo[Symbol.asyncDispose]();
    throw error;
  });
  afterAll(async () => {
    await platform[Symbol.asyncDispose]();
    await mongo[Symbol.asyncDispose]();
  });
  return { platform, databases: mongo.databases, mongo };
}
