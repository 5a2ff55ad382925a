import { createHash, randomBytes } from 'node:crypto';
import { services, type ServiceName } from '@gatehouse/contract';
import { generateInternalKeys, joinVerifyKeys } from '@gatehouse/service';
import { startNats, type MeshApp, type MeshProcess } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { createApi, openSession, succeeded, unique, type Answer, type Api } from './src/api.js';
import { Parts } from './src/faults/parts.js';
import { Pace } from './src/faults/steadyLoad.js';
import { startFleet, type Fleet } from './src/fleet.js';
import { makeSealedRecords } from './src/sealedRecords.js';
import { runTask } from './src/serviceTask.js';

const SERVICE_NAMES = Object.keys(services) as ServiceName[];
/**
 * The processes that the requests of this test reach; lifecycle and audit use the same variables in the same
 * way.
 */
const APPS = ['directory', 'semantics', 'policy', 'access', 'gateway'] as const satisfies MeshApp[];
const SEALING = ['directory', 'semantics', 'policy'] as const;
const VERIFYING = ['directory', 'semantics', 'policy', 'access'] as const;
const SIGNING = [...SEALING, 'gateway'] as const;
const newSealingKey = () => randomBytes(32).toString('base64');
const nameOf = (key: string) =>
  createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64url').slice(0, 8);

/** One old and one new secret of each kind. */
async function makeSecrets() {
  return {
    sealing: { former: newSealingKey(), next: newSealingKey() },
    gateway: { former: await generateInternalKeys(), next: await generateInternalKeys() },
    lifecycle: {
      former: await generateInternalKeys('lifecycle'),
      next: await generateInternalKeys('lifecycle'),
    },
    users: {
      former: { user: 'former', password: randomBytes(12).toString('hex') },
      next: { user: 'next', password: randomBytes(12).toString('hex') },
    },
  };
}

type Secrets = Awaited<ReturnType<typeof makeSecrets>>;

/** The variables of the processes before the rotation and at each of its steps, as in docs/operations.md. */
function stepsOf({ sealing, gateway, lifecycle, users }: Secrets, port: number) {
  const verify = (...keys: readonly { verifyKey: string }[]) =>
    joinVerifyKeys(keys.map(({ verifyKey }) => verifyKey));
  const natsUrl = ({ user, password }: Secrets['users']['next']) =>
    `nats://${user}:${password}@127.0.0.1:${port}`;
  const before = {
    SEALING_KEYS: sealing.former,
    INTERNAL_SIGNING_KEY: gateway.former.signingKey,
    LIFECYCLE_SIGNING_KEY: lifecycle.former.signingKey,
    INTERNAL_VERIFY_KEY: verify(gateway.former, lifecycle.former),
    NATS_URL: natsUrl(users.former),
  };
  const known = {
    ...before,
    SEALING_KEYS: `${sealing.former},${sealing.next}`,
    INTERNAL_VERIFY_KEY: verify(gateway.former, gateway.next, lifecycle.former, lifecycle.next),
    NATS_URL: natsUrl(users.next),
  };
  const used = {
    ...known,
    SEALING_KEYS: `${sealing.next},${sealing.former}`,
    INTERNAL_SIGNING_KEY: gateway.next.signingKey,
    LIFECYCLE_SIGNING_KEY: lifecycle.next.signingKey,
  };
  const alone = {
    ...used,
    SEALING_KEYS: sealing.next,
    INTERNAL_VERIFY_KEY: verify(gateway.next, lifecycle.next),
  };
  return { before, known, used, alone };
}

/** Changes and reads repeatedly, until it is stopped. Returns the failed responses. */
async function startLoad(
  api: Api,
  preview: () => Promise<Answer>,
  { pace, isOver }: { pace: Pace; isOver: () => boolean },
) {
  const failures: string[] = [];
  let count = 0;
  const round: (() => Promise<Answer>)[] = [
    () => api.admin.post('/dashboards', { title: unique('Made') }),
    () => api.admin.get('/dashboards?limit=5'),
    () => api.admin.post('/tenants', { name: unique('Tenant') }),
    preview,
    async () => (await api.openSession({})).get('/tenants'),
  ];
  while (!isOver()) {
    for (const send of round) {
      await send()
        .then(succeeded)
        .catch((error: unknown) => failures.push(String(error)));
      count += 1;
      await pace.pause();
    }
  }
  return { failures, count };
}

/** Values in the databases that need an old key, except the seals of the log, which do not change. */
async function findSealedWith({ mongo }: Fleet, key: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of SERVICE_NAMES) {
    const database = mongo.databases.of(name);
    for (const { name: collection } of await database.listCollections().toArray()) {
      if (collection === 'auditEvents' || collection === 'auditHeads') continue;
      const documents = await database.collection(collection).find().toArray();
      if (JSON.stringify(documents).includes(`"${nameOf(key)}.`)) found.push(`${name}.${collection}`);
    }
  }
  return found;
}

describe('a rotation of every key, under reads and changes', () => {
  it('fails no request, and leaves only seals of the log that need an old key', async () => {
    await using parts = new Parts();
    const secrets = await makeSecrets();
    const nats = parts.add(await startNats({ users: Object.values(secrets.users) }));
    const steps = stepsOf(secrets, nats.port);
    const fleet = await startFleet(parts, { DRAIN_MS: '8000', ...steps.before });
    const running = new Map<MeshApp, MeshProcess>();
    const codes: (number | null)[] = [];
    const pace = new Pace();
    /** One after the other, once the successors of all serve beside them. */
    const replace = async (apps: readonly MeshApp[], environment: Record<string, string>) => {
      const successors = await pace.calmWhile(() => fleet.addEach(apps, () => environment));
      for (const successor of successors) {
        const former = running.get(successor.app);
        if (former) codes.push(await fleet.retire(former));
        running.set(successor.app, successor);
      }
    };
    await replace(APPS, steps.before);

    const api = await createApi(fleet.credentials);
    const { preview } = await makeSealedRecords(api, fleet.credentials.adminOrgUserId);
    const shown = succeeded(await preview());
    const { former } = secrets.sealing;
    expect(await findSealedWith(fleet, former)).toEqual(
      expect.arrayContaining(['directory.signingKeys', 'policy.definitions', 'semantics.connections']),
    );
    let isOver = false;
    const load = startLoad(api, preview, { pace, isOver: () => isOver });
    await replace(VERIFYING, steps.known);
    await replace(SIGNING, steps.used);
    const { mongo } = fleet;
    const stored = { ...steps.used, MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix };
    for (const name of SEALING) {
      const task = await runTask(name, 'reseal', stored);
      expect(task).toMatchObject({ code: 0, output: expect.stringMatching(/, 0 left\n$/) });
    }
    expect(await findSealedWith(fleet, former)).toEqual([]);
    await replace(VERIFYING, steps.alone);

    expect(succeeded(await preview())['data']).toEqual(shown['data']);
    const rotated = await runTask('directory', 'rotate-key', { ...stored, ...steps.alone });
    expect(rotated).toMatchObject({ code: 0, output: expect.stringMatching(/^Tokens are signed with \S+/) });
    const kid = /with (\S+)/.exec(rotated.output)?.[1];
    // The current token, and the load's, were signed with the old key.
    expect((await openSession(api.baseUrl, api.admin.token).get('/dashboards')).status).toBe(200);
    const kidOf = async () => {
      const { token } = await api.openSession({});
      return (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string })
        .kid;
    };
    await expect.poll(kidOf).toBe(kid);
    const newer = await api.openSession({ orgUserId: fleet.credentials.adminOrgUserId });
    expect((await newer.get('/dashboards')).status).toBe(200);
    isOver = true;
    const { failures, count } = await load;
    expect(failures).toEqual([]);
    expect(count).toBeGreaterThan(20);
    expect(codes.filter((code) => code !== 0)).toEqual([]);
  });
});
