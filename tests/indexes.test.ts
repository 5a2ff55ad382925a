import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { services, type ServiceName } from '@gatehouse/contract';
import { childEnvironment, generateInternalKeys } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const names = Object.keys(services) as ServiceName[];

describe('the program of a service with the task to create indexes', () => {
  let mongo: TestMongo;
  let verifyKey: string;
  beforeAll(async () => {
    mongo = await startTestMongo();
    ({ verifyKey } = await generateInternalKeys());
  });
  afterAll(() => mongo[Symbol.asyncDispose]());

  async function run(name: ServiceName): Promise<number | null> {
    const program = fileURLToPath(new URL(`../apps/${name}/dist/bundle/main.js`, import.meta.url));
    const environment = childEnvironment({
      MONGODB_URL: mongo.url,
      MONGODB_PREFIX: mongo.prefix,
      INTERNAL_VERIFY_KEY: verifyKey,
      SEALING_KEYS: Buffer.alloc(32, 1).toString('base64'),
      LOG_LEVEL: 'fatal',
      NATS_URL: '',
    });
    const child = spawn(process.execPath, [program, '--indexes'], { env: environment, stdio: 'ignore' });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  }

  // In the stored form of unsent events; a publishing program could not process this one.
  const waiting = { _id: 'waiting', outbox: [{ time: '2026-01-01T00:00:00.000Z' }] };

  it.each(names)('of %s creates them, ends, and does not publish waiting events', async (name) => {
    const database = mongo.databases.of(name);
    expect(await run(name)).toBe(0);
    const collections = (await database.listCollections().toArray()).map((found) => found.name);
    const indexed = await Promise.all(
      collections.map(async (found) => (await database.collection(found).indexes()).length),
    );
    expect(Math.max(...indexed)).toBeGreaterThan(1);

    const kept = database.collection<typeof waiting>(collections[0] ?? '');
    await kept.insertOne(waiting);
    expect(await run(name)).toBe(0);
    expect(await kept.findOne({ _id: waiting._id })).toEqual(waiting);
  });
});
