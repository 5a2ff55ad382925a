import type { ServiceName } from '@gatehouse/contract';
import { newSecret } from '@gatehouse/service';
import { startNats, startUserMongo, type MeshApp, type MongoUser, type UserMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Parts } from './src/faults/parts.js';
import { LOAD_SETTINGS, startLoad } from './src/faults/steadyLoad.js';
import { APPS, startFleet, type Fleet } from './src/fleet.js';
import { startRollingMesh, untilFurther, type RollingMesh } from './src/rollingMesh.js';

const LONG = { timeout: 600_000, interval: 100 };
const SERVICES = APPS.filter((app): app is ServiceName => app !== 'gateway');

const namesOf = (users: readonly MongoUser[]) => new Set(users.map(({ name }) => name));

describe('a mesh with a MongoDB user for each service', () => {
  const parts = new Parts();
  let fleet: Fleet;
  let server: UserMongo;
  let mesh: RollingMesh;
  let users: readonly MongoUser[];

  /** One for each service, as in `npm run secrets` and the manifests. */
  async function createUsers(suffix: string): Promise<readonly MongoUser[]> {
    const { prefix } = fleet.mongo;
    const made = SERVICES.map((app) => {
      return { name: `${app}${suffix}`, password: newSecret(), database: `${prefix}_${app}` };
    });
    for (const user of made) await server.create(user);
    return made;
  }

  /** The gateway has no database. */
  const urlsOf = (given: readonly MongoUser[]) => (app: MeshApp) => {
    const user = given[SERVICES.indexOf(app as ServiceName)];
    return { MONGODB_URL: user === undefined ? '' : server.urlOf(user) };
  };

  beforeAll(async () => {
    const nats = parts.add(await startNats());
    fleet = await startFleet(parts, { ...LOAD_SETTINGS, NATS_URL: nats.url });
    server = parts.add(await startUserMongo(fleet.mongo));
    users = await createUsers('');
    mesh = await startRollingMesh(parts, fleet, { natsUrl: nats.url, environmentOf: urlsOf(users) });
  });
  afterAll(() => parts[Symbol.asyncDispose]());

  async function untilConnected(expected: readonly MongoUser[]): Promise<void> {
    await expect.poll(() => server.readConnected(), LONG).toEqual(namesOf(expected));
  }

  it('fails no request and loses no event during a rotation with new users beside the old ones', async () => {
    await using load = await startLoad(mesh.api, 2);
    await untilFurther(load.outcome, 20);
    await untilConnected(users);
    const former = users;
    users = await createUsers('-next');
    await untilFurther(load.outcome, 10);
    expect(await mesh.replaceAll(urlsOf(users), load)).toEqual(APPS.map(() => 0));
    // No process is left that uses the old users.
    await untilConnected(users);
    for (const user of former) await server.drop(user);
    await untilFurther(load.outcome, 20);
    await untilConnected(users);
    await mesh.expectNothingLost(load);
    expect(load.outcome.failures).toEqual([]);
    for (const user of former) {
      await expect(server.read(user, user.database)).rejects.toMatchObject({ code: 18 });
    }
  });

  it('returns 503 and loses nothing if the users are removed first, as after a leak', async () => {
    const { api, isReady, replaceAll, expectNothingLost } = mesh;
    const dropped = async (app: ServiceName) => {
      const user = users[SERVICES.indexOf(app)];
      if (user !== undefined) await server.drop(user);
      await expect.poll(() => isReady(app), LONG).toBe(false);
    };
    await using load = await startLoad(api, 2);
    await untilFurther(load.outcome, 20);
    // Other changes wait for the log.
    await dropped('audit');
    await untilFurther(load.outcome, 30);
    await load.stop();
    const { failures } = load.outcome;
    expect(failures.filter((failure) => !/ \/(webhooks|audit-events).* got 503: /.test(failure))).toEqual([]);
    await dropped('access');
    const { status, body, headers } = await api.admin.get('/dashboards');
    expect([status, body, headers.get('retry-after')]).toMatchObject([503, { code: 'UNAVAILABLE' }, '1']);
    const former = users.filter(({ name }) => !/^(audit|access)/.test(name));
    users = await createUsers('-after');
    expect(await replaceAll(urlsOf(users), load)).toEqual(APPS.map(() => 0));
    for (const user of former) await server.drop(user);
    expect((await api.admin.get('/dashboards')).status).toBe(200);
    await expectNothingLost(load);
  });

  it('denies each of them the database of another', async () => {
    for (const user of users) {
      await server.read(user, user.database);
      for (const { database } of users.filter((other) => other !== user)) {
        await expect(server.read(user, database)).rejects.toMatchObject({ code: 13 });
      }
    }
  });

  it('does not start a service whose password is wrong, and reports the reason in one line', async () => {
    const [user = users[0]] = users;
    if (user === undefined) throw new Error('There are no users');
    const MONGODB_URL = server.urlOf({ ...user, password: 'wrong' });
    await expect(fleet.add('audit', { MONGODB_URL })).rejects.toThrow(
      /did not start:\n.*Authentication failed\.$/,
    );
  });
});
