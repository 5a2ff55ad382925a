import { randomBytes } from 'node:crypto';
import {
  createInProcessBus,
  createInternalTokenSigner,
  createInternalTokenVerifier,
  createLog,
  createSealer,
  generateInternalKeys,
  openDatabases,
  readConfig,
} from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFINITIONS, startServices } from './services.js';

let mongo: TestMongo;
beforeAll(async () => {
  mongo = await startTestMongo();
});
afterAll(() => mongo[Symbol.asyncDispose]());

it('leaves what has started to be stopped when another service fails to start', async () => {
  const config = readConfig({ LOG_LEVEL: 'silent' });
  const bus = createInProcessBus({ log: createLog('test', config), onDeadLetter: async () => {} });
  const keys = await generateInternalKeys();
  const closed = await openDatabases(mongo.url, `${mongo.prefix}_closed`);
  await closed.close();
  const { database: failing } = DEFINITIONS.access;
  const stops: (() => Promise<unknown>)[] = [];
  const starting = startServices({
    config,
    databases: { ...mongo.databases, of: (name) => (name === failing ? closed : mongo.databases).of(name) },
    bus,
    sealer: createSealer(randomBytes(32).toString('base64')),
    verifier: await createInternalTokenVerifier(keys.verifyKey),
    lifecycleSigner: await createInternalTokenSigner(keys.signingKey),
    stops: { add: (stop) => void stops.push(() => stop(1000)), run: async () => {} },
  });
  await expect(starting).rejects.toThrow('must be connected');
  expect(stops).toHaveLength(Object.keys(DEFINITIONS).length - 1);
  await Promise.all(stops.map((stop) => stop()));
  await bus.close();
});
