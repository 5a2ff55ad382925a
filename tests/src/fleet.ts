import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICE_URLS } from '@gatehouse/service';
import {
  prepareMesh,
  startBalancer,
  startTestMongo,
  type Balancer,
  type MeshApp,
  type MeshCredentials,
  type MeshProcess,
  type TestMongo,
} from '@gatehouse/testing';
import type { Parts } from './faults/parts.js';

/** In the order in which a release is rolled out: see docs/operations.md. */
export const APPS: readonly MeshApp[] = [
  'audit',
  'directory',
  'semantics',
  'policy',
  'access',
  'lifecycle',
  'gateway',
];
const PRE_STOP_MS = 200;

type Environment = Readonly<Record<string, string>>;

/** The processes of a mesh, each kind behind one address, as a Deployment and its Service are. */
export interface Fleet {
  mongo: TestMongo;
  credentials: MeshCredentials & { baseUrl: string };
  /**
   * Starts one more process of a kind, with its own variables in addition to the common ones, and resolves
   * once it serves. Its program comes from another checkout if one is given.
   */
  add(app: MeshApp, environment: Environment, checkout?: string): Promise<MeshProcess>;
  /**
   * Starts one more process of each of these kinds, and resolves once all serve, in the given order. The
   * services start concurrently, which takes a fraction of the time; the gateway starts after them, so that
   * it finds them connected.
   */
  addEach(
    apps: readonly MeshApp[],
    environmentOf?: (app: MeshApp) => Environment,
  ): Promise<readonly MeshProcess[]>;
  /** Sends nothing new to a process, and ends it in order; resolves with its exit code. */
  retire(process: MeshProcess): Promise<number | null>;
}

/**
 * `environment` is for every process, unless its own overrides it; `checkout` is where the platform is set up
 * from, by default this one.
 */
export async function startFleet(
  parts: Parts,
  environment: Environment & { NATS_URL: string },
  checkout?: string,
): Promise<Fleet> {
  const mongo = parts.add(await startTestMongo());
  const mesh = parts.add(
    await prepareMesh(
      {
        MONGODB_URL: mongo.url,
        MONGODB_PREFIX: mongo.prefix,
        // A statement that compiles in a millisecond may wait for seconds on a busy machine, and a call that
        // starts a compile thread for more.
        COMPILE_TIMEOUT_MS: '60000',
        REQUEST_TIMEOUT_MS: '120000',
        ...environment,
      },
      checkout,
    ),
  );
  const balancers = new Map<MeshApp, Balancer>();
  for (const app of APPS) balancers.set(app, parts.add(await startBalancer()));
  const portOf = (app: MeshApp) => balancers.get(app)?.port ?? 0;
  const urls = Object.entries(SERVICE_URLS).map(([name, variable]) => [
    variable,
    `ws://127.0.0.1:${portOf(name as MeshApp)}`,
  ]);
  const add: Fleet['add'] = async (app, own, other) => {
    const started = await mesh.start(app, { ...Object.fromEntries(urls), ...own }, other);
    await balancers.get(app)?.add(started.port);
    return started;
  };
  return {
    mongo,
    credentials: { ...mesh.credentials, baseUrl: `http://127.0.0.1:${portOf('gateway')}` },
    add,
    async addEach(apps, environmentOf = () => ({})) {
      const others = apps.filter((app) => app !== 'gateway');
      const started = await Promise.all(others.map((app) => add(app, environmentOf(app))));
      if (apps.includes('gateway')) started.push(await add('gateway', environmentOf('gateway')));
      return started.toSorted((one, other) => apps.indexOf(one.app) - apps.indexOf(other.app));
    },
    async retire(old) {
      balancers.get(old.app)?.remove(old.port);
      await sleep(PRE_STOP_MS);
      return old.end('SIGTERM');
    },
  };
}
