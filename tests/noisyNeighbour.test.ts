import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, type Api } from './src/api.js';
import {
  ATTACKERS,
  CAPACITIES,
  sessionsOf,
  type Attacker,
  type Capacity,
} from './src/noisyNeighbour/capacities.js';
import { RunningFlood, type Flood } from './src/noisyNeighbour/flood.js';
import {
  compare,
  createQuietCaller,
  type Measured,
  type QuietCaller,
} from './src/noisyNeighbour/quietCaller.js';
import { addOrganization } from './src/secondOrganization.js';
import { spawnServer, type SpawnedServer } from './src/servers.js';

const isFull = process.env['FUZZ_FULL'] === '1';
/** Per kind of request, in a phase. Of this many, one may be slow by chance. */
const ROUNDS = 30;
/** Other load on the machine affects one phase and not the other. */
const ATTEMPTS_MAX = 3;
/** How long a flood runs before the measurement. */
const RISE_MS = 500;

const rows = CAPACITIES.flatMap((capacity) =>
  ATTACKERS.map((attacker) => ({ row: `${capacity.name} x ${attacker}`, capacity, attacker })),
);
const isMeaningful = ({ capacity, attacker }: (typeof rows)[number]) =>
  attacker !== 'unauthenticated' || typeof capacity.stranger !== 'string';
const SAMPLE = new Set([
  'policy tests x one token',
  'SQL batches x one token',
  'checked batches x one token',
  'access checks x one token',
  'requests in flight x one token',
  'introspections x one token',
  'open bodies x unauthenticated',
]);
const tested = rows.filter((each) => isMeaningful(each) && (isFull || SAMPLE.has(each.row)));

describe('the table', () => {
  it('explains why a row does not exist', () => {
    for (const { capacity } of rows.filter((each) => !isMeaningful(each)))
      expect(capacity.stranger).toBe('every route to it needs a token: without one nothing reaches it');
    expect([...SAMPLE].filter((name) => !rows.some(({ row }) => row === name))).toEqual([]);
  });
});

describe('the comparison', () => {
  const measured = (ms: number, refusals: string[] = []): Measured => {
    const times = [ms, ms, ms];
    return { times: { list: times, read: times, token: times, preview: times }, refusals };
  };

  it('finds requests that take five times as long, and rejected ones', () => {
    expect(compare(measured(2), measured(9))).toEqual([]);
    expect(compare(measured(2), measured(10))).toHaveLength(4);
    expect(compare(measured(2), measured(2, ['list 503']))).toEqual(['list 503']);
  });
});

describe('while one caller exhausts a capacity, another organization', () => {
  let mongo: TestMongo;
  let server: SpawnedServer;
  let silent: Server;
  let quiet: QuietCaller;

  beforeAll(async () => {
    silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    mongo = await startTestMongo();
    server = await spawnServer('standalone', {
      MONGODB_URL: mongo.url,
      MONGODB_PREFIX: mongo.prefix,
      CONNECTION_HOSTS: '127.0.0.1',
      WEBHOOK_HOSTS: '127.0.0.1',
      // The defaults of the platform: the tests set no others elsewhere.
      RATE_LIMIT: '5000',
      RATE_LIMIT_TOKEN: '100',
      COMPILE_TIMEOUT_MS: '2000',
      REQUEST_TIMEOUT_MS: '10000',
      VALIDATE_OUTPUT: '0',
    });
    quiet = await createQuietCaller(await createApi(await addOrganization(mongo, server.credentials)));
    // The first run of code takes longer.
    await quiet.measure(10);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await mongo[Symbol.asyncDispose]();
    silent.close();
  });

  const prepareFlood = async (capacity: Capacity, attacker: Attacker): Promise<Flood> => {
    const { stranger } = capacity;
    if (attacker === 'unauthenticated' && typeof stranger !== 'string') return stranger();
    const api: Api = await createApi(await addOrganization(mongo, server.credentials));
    const sessions = await sessionsOf(api, attacker);
    const receivers = { silentPort: (silent.address() as AddressInfo).port };
    return capacity.caller({ api, sessions, receivers });
  };

  /** The faults in the service for the quiet organization, as sentences. */
  async function findDisturbance(flood: Flood): Promise<string[]> {
    const before = await quiet.measure(ROUNDS);
    const running = await RunningFlood.start(server.baseUrl, flood);
    let during;
    try {
      await sleep(RISE_MS);
      during = await quiet.measure(ROUNDS);
    } finally {
      await running[Symbol.asyncDispose]();
    }
    // Times are checked only in the full run: in `npm test`, other tests affect one phase and not the other.
    const disturbance = isFull ? compare(before, during) : during.refusals;
    return disturbance.length === 0 ? [] : [...disturbance, `the flood: ${JSON.stringify(running.outcomes)}`];
  }

  it.each(tested.map((each) => [each.row, each] as const))(
    'is served: %s',
    async (row, { capacity, attacker }) => {
      const flood = await prepareFlood(capacity, attacker);
      let disturbance: string[] = [];
      for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
        disturbance = await findDisturbance(flood);
        if (disturbance.length === 0) return;
        process.stderr.write(`${row}, attempt ${attempt + 1}: ${disturbance.join('; ')}\n`);
      }
      expect(disturbance).toEqual([]);
    },
    300_000,
  );
});
