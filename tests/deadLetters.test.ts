import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CloudEvent, ShareList } from '@gatehouse/contract';
import {
  childEnvironment,
  connectNatsBus,
  createEvent,
  createLog,
  newId,
  newKey,
  openDatabases,
  openNatsLetters,
  openStoredLetters,
  readConfig,
  storeDeadLetters,
  type DeadLetterBox,
  type KeptLetter,
} from '@gatehouse/service';
import { removeDataDir, startNats } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { createApi } from './src/api.js';
import { startTestStandalone, type Settings } from './src/servers.js';

const PROGRAM = fileURLToPath(new URL('../scripts/events.mjs', import.meta.url));
type Shown = KeptLetter & { bus: string; outcome: string };

/** Runs the operator's command. */
async function runEvents(settings: Settings, ...args: string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: childEnvironment(settings) });
  const texts = { output: '', errors: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.errors += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...texts };
}

async function lettersOf(settings: Settings, ...args: string[]): Promise<Shown[]> {
  return JSON.parse((await runEvents(settings, ...args, '--json')).output) as Shown[];
}

/** Polls without the command, which costs most of a second of CPU time each time. */
async function untilKept(box: DeadLetterBox, count: number): Promise<void> {
  await expect.poll(() => box.list(), { interval: 100 }).toHaveLength(count);
}

const reason = 'handler_failed' as const;

describe('dead letters of the bus in process', () => {
  it('are replayed for the one consumer, by the running platform or by the next start', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    const prefix = `l${newKey()
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, 'x')}`;
    const settings: Settings = { DATA_DIR: dataDir, MONGODB_PREFIX: prefix, NATS_URL: '' };
    const socket = encodeURIComponent(join(dataDir, 'engine', 'engine.sock'));
    const url = readConfig().MONGODB_URL ?? `mongodb://${socket}/?directConnection=true`;
    try {
      const server = await startTestStandalone(settings);
      const api = await createApi(server.credentials);
      const tenant = await api.createTenant();
      const user = await api.createTenantUser(tenant.id);
      const other = await api.createTenantUser(tenant.id);
      const { id } = await api.createDashboard(api.admin);
      await api.share(api.admin, id, [
        { scope: 'specific_tenant_user', tenantUserId: user.id, role: 'VIEWER' },
        { scope: 'specific_tenant_user', tenantUserId: other.id, role: 'VIEWER' },
      ]);
      const databases = await openDatabases(url, prefix);
      const keyOf = async (userId: string) =>
        (await databases.of('directory').collection<{ _id: string }>('tenantUsers').findOne({ id: userId }))
          ?._id ?? '';
      const { organizationId } = server.credentials;
      const departure = async ({ id: userId, email, name, role, isActive }: typeof user) =>
        createEvent('management.tenant_user.deleted.v1', userId, {
          origin: { service: 'directory', organizationId, now: new Date() },
          data: {
            id: userId,
            key: await keyOf(userId),
            email,
            name,
            role,
            isActive,
            tenantId: tenant.id,
            tenantKey: null,
            heir: null,
          },
        });
      const store = storeDeadLetters(databases.of('events'));
      const letter = { consumer: 'access-tidy', reason, deliveries: 5, time: new Date().toISOString() };
      const first = await departure(user);
      // Ids are random, and one in 64 begins like an option of the command.
      const second = { ...(await departure(other)), id: `-${newKey().slice(1)}` };
      const unreadable: CloudEvent = { ...first, id: newKey(), data: {} };
      for (const event of [first, unreadable]) await store({ ...letter, event });

      const listed = await runEvents(settings, 'list');
      expect(listed).toMatchObject({ code: 0, errors: '' });
      expect(listed.output.split('\n')[0]).toMatch(/^EVENT ID +TYPE +SUBJECT +CONSUMER/);
      expect(listed.output).toContain(first.id);
      const replayed = await runEvents(settings, 'replay', '--json');
      expect(replayed.code).toBe(1);
      const outcomes = (JSON.parse(replayed.output) as Shown[]).map((each) => [each.event.id, each.outcome]);
      expect(Object.fromEntries(outcomes)).toEqual({ [first.id]: 'handled', [unreadable.id]: 'failed' });
      const sharedWith = async (session = api.admin) =>
        (await session.get<ShareList>(`/dashboards/${id}/shares`)).body.specificTenantUsers.map(
          ({ target }) => target?.id,
        );
      expect(await sharedWith()).toEqual([other.id]);
      // Only the consumer that gave up received the replay: the directory has not removed the user anywhere.
      expect((await api.admin.get(`/tenant-users?tenantId=${tenant.id}`)).body).toMatchObject({ total: 2 });
      expect(await openStoredLetters(databases.of('events')).list()).toMatchObject([
        { deliveries: 6, event: { id: unreadable.id } },
      ]);
      expect((await runEvents(settings, 'drop', '--id', unreadable.id)).code).toBe(0);

      await store({ ...letter, event: second });
      await databases.close();
      await server.stop();
      expect(await lettersOf(settings, 'list')).toMatchObject([{ event: { id: second.id } }]);
      const waiting = await runEvents(settings, 'replay', '--id', second.id, '--wait', '0');
      expect(waiting.code).toBe(1);
      expect(waiting.output).toContain('waiting');

      const again = await startTestStandalone(settings);
      const { admin } = await createApi(again.credentials);
      await expect.poll(() => sharedWith(admin)).toEqual([]);
      const reopened = await openDatabases(url, prefix);
      await untilKept(openStoredLetters(reopened.of('events')), 0);
      await reopened.close();
      await again.stop();
    } finally {
      await removeDataDir(dataDir);
    }
  });
});

describe('dead letters on NATS', () => {
  it('are replayed for the one consumer while a process serves it, and stay while none does', async () => {
    await using nats = await startNats();
    const settings: Settings = { NATS_URL: nats.url, DATA_DIR: join(nats.storeDir, 'none'), MONGODB_URL: '' };
    const log = createLog('test', { LOG_LEVEL: 'silent' });
    const open = () => connectNatsBus({ url: nats.url, name: 'letters-test', log, redeliveryDelaysMs: [10] });
    const bus = await open();
    const event = createEvent('management.organization.created.v1', 'o_1', {
      origin: { service: 'test', organizationId: 'o_1', now: new Date() },
      data: { id: newId('organization'), name: 'Acme' },
    });
    let isBroken = true;
    const handled: string[] = [];
    const seenByOther: string[] = [];
    const types = ['management.organization.*.v1'];
    const handle = async ({ id }: CloudEvent) => {
      if (isBroken) throw new Error('broken');
      handled.push(id);
    };
    const broken = await bus.consume({ name: 'broken', types, handle });
    await bus.consume({ name: 'other', types, handle: async ({ id }) => void seenByOther.push(id) });
    await expect.poll(() => bus.isUp()).toBe(true);
    await bus.publish([event]);
    const box = await openNatsLetters(nats.url);
    await untilKept(box, 1);
    expect(await lettersOf(settings, 'list', '--consumer', 'other')).toEqual([]);
    expect(await lettersOf(settings, 'list', '--consumer', 'broken')).toHaveLength(1);

    const failed = await runEvents(settings, 'replay');
    expect(failed).toMatchObject({ code: 1, errors: expect.stringContaining('no data') });
    expect(failed.output).toContain('failed');
    await broken.stop();
    const unserved = await runEvents(settings, 'replay', '--consumer', 'broken');
    expect(unserved.code).toBe(1);
    expect(unserved.output).toContain('waiting');

    isBroken = false;
    await bus.consume({ name: 'broken', types, handle });
    await expect.poll(async () => (await runEvents(settings, 'replay')).code).toBe(0);
    expect(handled).toEqual([event.id]);
    expect(seenByOther).toEqual([event.id]);
    expect(await box.list()).toEqual([]);
    await box.close();
    await bus.close();
  });
});
