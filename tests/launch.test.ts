import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  services,
  type DashboardSummary,
  type OrgUser,
  type ShareList,
  type Tenant,
} from '@gatehouse/contract';
import { childEnvironment, createEvent } from '@gatehouse/service';
import type { Credentials } from '@gatehouse/standalone';
import { randomRuns, removeDataDir, startNats, startTestMongo } from '@gatehouse/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApi, sendRequest } from './src/api.js';
import { forms, launchProgram, spawnServer, startTestStandalone, type Form } from './src/servers.js';

const run = promisify(execFile);
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function childrenOf(pid: number): Promise<{ pid: number; command: string }[]> {
  const { stdout } = await run('ps', ['-o', 'pid=,args=', '--ppid', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return stdout.split('\n').flatMap((line) => {
    const [, child, command = ''] = /^ *(\d+) (.*)$/.exec(line) ?? [];
    return child === undefined ? [] : [{ pid: Number(child), command }];
  });
}

const DEMO_TITLES = [
  'Bike sales',
  'Board pack',
  'Campaign results',
  'Data quality',
  'Fulfilment',
  'Revenue overview',
  'Stock alerts',
  'Store performance',
  'Summer campaign',
  'Trail gear margins',
  'Weekly orders',
  'Welcome to your data',
];

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-launch-'));
});
afterEach(() => removeDataDir(dataDir));

describe.each(forms.map(({ form }) => form))('%s', (form: Form) => {
  it('creates one organization, project and ADMIN with credentials, and keeps them on restart', async () => {
    const first = await spawnServer(form, { DATA_DIR: dataDir });
    const file = join(dataDir, 'credentials.json');
    const written = JSON.parse(await readFile(file, 'utf8')) as Credentials;
    expect(Object.keys(written).toSorted()).toEqual(
      ['adminOrgUserId', 'baseUrl', 'organizationId', 'projectId', 'projectSecret'].toSorted(),
    );
    expect(await modeOf(file)).toBe(0o600);
    expect(await modeOf(dataDir)).toBe(0o700);
    expect(first.output()).toContain(`Gatehouse listens on ${written.baseUrl}\nCredentials: ${file}\n`);
    expect(first.output()).toContain(`Console: ${written.baseUrl}/console\n`);
    expect((await sendRequest(written.baseUrl, ['GET', '/readyz'])).status).toBe(200);

    const api = await createApi(written);
    const { body } = await api.admin.get<{ users: OrgUser[] }>('/org-users');
    expect(body.users.map(({ id, role }) => [id, role])).toEqual([[written.adminOrgUserId, 'ADMIN']]);
    expect((await api.admin.get('/tenants')).body).toMatchObject({ tenants: [], total: 0 });
    const dashboard = await api.createDashboard(api.admin);
    expect(await first.end('SIGTERM')).toBe(0);

    // The demo organization belongs to a first start, which this is not.
    await using second = await spawnServer(form, { DATA_DIR: dataDir, DEMO: '1' });
    expect(second.credentials).toEqual({ ...written, baseUrl: second.baseUrl });
    const { admin } = await createApi(second.credentials);
    expect((await admin.get(`/dashboards/${dashboard.id}`)).status).toBe(200);
    expect((await admin.get('/tenants')).body).toMatchObject({ total: 0 });
  });

  it('does not start with arguments, which would have no effect', async () => {
    const program = fileURLToPath(
      new URL(`../apps/standalone/dist/bundle/${form === 'mesh' ? 'mesh' : 'main'}.js`, import.meta.url),
    );
    const env = childEnvironment({ DATA_DIR: dataDir });
    const child = spawn(process.execPath, [program, '--port', '9000'], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(errors).toBe('unexpected argument --port: --help lists the environment variables to set\n');
    expect(code).toBe(1);
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('reports it and exits with 1 if its port is in use', async () => {
    const other = createServer((_, answer) => answer.end('still here'));
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const { port } = other.address() as AddressInfo;
    const settings = { PORT: String(port), DATA_DIR: dataDir, DEMO: '1' };
    await expect(spawnServer(form, settings)).rejects.toThrow(
      `address already in use 127.0.0.1:${port}: stop the program that listens there, or change PORT`,
    );
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('still here');
    expect(await readdir(dataDir)).toEqual([]);
    other.closeAllConnections();
    await once(other.close(), 'close');
  });

  it('reports it and exits with 1 if its engine dies', async () => {
    await using server = await spawnServer(form);
    const engine = (await childrenOf(server.pid)).find(({ command }) => command.includes('engine'));
    process.kill(engine?.pid ?? 0, 'SIGKILL');
    expect(await server.exited).toBe(1);
    expect(server.errors()).toContain(
      'The embedded MongoDB engine ended by SIGKILL; Gatehouse ends with it.\n',
    );
  });

  it('leaves no process behind when it is killed, and starts again', async () => {
    const killed = await spawnServer(form, { DATA_DIR: dataDir });
    const children = await childrenOf(killed.pid);
    expect(children.length).toBeGreaterThan(0);
    expect(await killed.end('SIGKILL')).toBeNull();
    await expect.poll(() => children.filter(({ pid }) => isAlive(pid))).toEqual([]);
    await using again = await spawnServer(form, { DATA_DIR: dataDir });
    expect(again.credentials).toMatchObject({ projectSecret: killed.credentials.projectSecret });
  });

  it('completes, at the next start, a first start that was killed at any point', async () => {
    for (let round = 0; round < randomRuns(1, 5); round += 1) {
      const DATA_DIR = join(dataDir, String(round));
      const killed = await launchProgram(form, { DATA_DIR, DEMO: '1' });
      const hasBegun = async () =>
        (await readdir(DATA_DIR).catch((): string[] => [])).includes('credentials.json');
      await expect.poll(hasBegun, { interval: 5 }).toBe(true);
      await sleep(Math.random() * 1500);
      await killed.end('SIGKILL');
      await using server = await spawnServer(form, { DATA_DIR, DEMO: '1' });
      const { admin } = await createApi(server.credentials);
      const listed = await admin.get<{ dashboards: DashboardSummary[] }>('/dashboards?scope=organization');
      expect(listed.body.dashboards.map(({ title }) => title).toSorted()).toEqual(DEMO_TITLES);
      expect((await admin.get<{ tenants: Tenant[] }>('/tenants')).body).toMatchObject({ total: 4 });
      expect(await readdir(DATA_DIR)).not.toContain('demo.pending');
    }
  });

  it('runs on the servers of MONGODB_URL and NATS_URL, without an engine of its own', async () => {
    await using mongo = await startTestMongo();
    await using nats = await startNats();
    const settings = { MONGODB_URL: mongo.url, NATS_URL: nats.url, MONGODB_PREFIX: mongo.prefix };
    await using server = await spawnServer(form, { ...settings, DATA_DIR: dataDir, DEMO: '1' });
    const { admin } = await createApi(server.credentials);
    expect((await admin.get('/tenants')).body).toMatchObject({ total: 4 });
    const entries = ['credentials.json', 'demo-database', 'demo.json', 'repositories', 'sealing.key'];
    expect((await readdir(dataDir)).toSorted()).toEqual(entries);
  });
});

describe('standalone', () => {
  it('rejects a database of another data directory, and leaves no invalid credentials', async () => {
    await using mongo = await startTestMongo();
    const settings = { MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix };
    await using owner = await startTestStandalone(settings);
    await expect(startTestStandalone({ ...settings, DATA_DIR: dataDir })).rejects.toThrow(
      /set up with another data directory/,
    );
    expect(await readdir(dataDir)).not.toContain('credentials.json');
    await createApi(owner.credentials);
  });

  it('starts, and reports it, if the secret in the credentials file has been rotated', async () => {
    const first = await spawnServer('standalone', { DATA_DIR: dataDir });
    const { admin, project } = await createApi(first.credentials);
    expect((await admin.post(`/projects/${project.projectId}/rotate-secret`)).status).toBe(200);
    await first.stop();
    await using second = await spawnServer('standalone', { DATA_DIR: dataDir, LOG_LEVEL: 'warn' });
    expect(second.errors()).toContain('does not open the project any more');
    expect(second.output()).toContain(`Gatehouse listens on ${second.credentials.baseUrl}\n`);
    expect(second.output()).not.toContain('Sign in');
  });

  it('delivers the events of an earlier process to consumers that start after its publisher', async () => {
    await using mongo = await startTestMongo();
    const settings = { MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix, DATA_DIR: dataDir };
    const first = await startTestStandalone(settings);
    const api = await createApi(first.credentials);
    const tenant = await api.createTenant();
    const { id, ...user } = await api.createTenantUser(tenant.id);
    const dashboard = await api.createDashboard(api.admin);
    await api.share(api.admin, dashboard.id, [
      { scope: 'specific_tenant_user', tenantUserId: id, role: 'VIEWER' },
    ]);
    await first.stop();

    const directory = mongo.databases.of('directory');
    const [stored] = await directory
      .collection<{ _id: string; id: string }>('tenantUsers')
      .find({ id })
      .toArray();
    const { organizationId } = first.credentials;
    const now = new Date();
    const key = stored?._id ?? '';
    const { email, name, role, isActive, tenantId } = user;
    const event = createEvent('management.tenant_user.deleted.v1', id, {
      origin: { service: 'directory', organizationId, now },
      data: { id, key, email, name, role, isActive, tenantId, tenantKey: null, heir: null },
    });
    const left = { $set: { outbox: [event] }, $inc: { revision: 1 } };
    await directory.collection<{ _id: string }>('organizations').updateOne({ _id: organizationId }, left);

    await using second = await startTestStandalone(settings);
    const { admin } = await createApi(second.credentials);
    const countShares = async () =>
      (await admin.get<ShareList>(`/dashboards/${dashboard.id}/shares`)).body.specificTenantUsers.length;
    await expect.poll(countShares).toBe(0);
  });

  it('runs twice in one process, on two data directories', async () => {
    await using one = await startTestStandalone();
    await using other = await startTestStandalone();
    const { admin } = await createApi(one.credentials);
    expect(
      (
        await sendRequest(other.baseUrl, ['GET', '/api/management/v1/dashboards'], {
          headers: { authorization: `Bearer ${admin.token}` },
        })
      ).status,
    ).toBe(401);
  });
});

describe('mesh', () => {
  it('distinguishes the end of a worker thread from that of the launcher', async () => {
    const endWithParent = new URL('../apps/standalone/dist/mesh/endWithParent.js', import.meta.url).href;
    const program = join(dataDir, 'program.mjs');
    await writeFile(
      program,
      `import { isMainThread, Worker } from 'node:worker_threads';
       process.on('SIGTERM', () => process.exit(0));
       if (isMainThread) new Worker(new URL(import.meta.url)).on('exit', () => process.stdout.write('worked'));
       else setTimeout(() => {}, 500);`,
    );
    const child = spawn(process.execPath, ['--import', endWithParent, program]);
    const exited = once(child, 'exit');
    const outcome = Promise.race([
      once(child.stdout, 'data').then(String),
      exited.then(([code]) => `ended ${code}`),
    ]);
    expect(await outcome).toBe('worked');
    child.stdin.end();
    expect((await exited)[0]).toBe(0);
  });

  it('restarts each process that dies, and continues', async () => {
    await using server = await spawnServer('mesh', { LOG_LEVEL: 'error' });
    const { admin, createDashboard } = await createApi(server.credentials);
    const dashboard = await createDashboard(admin);
    expect(server.errors()).not.toContain('ended by itself');
    for (const name of ['gateway', ...Object.keys(services), 'nats-server']) {
      const child = (await childrenOf(server.pid)).find(({ command }) => command.includes(name));
      process.kill(child?.pid ?? 0, 'SIGKILL');
      await expect.poll(() => server.errors()).toContain(`"process":"${name}"`);
      const answer = () => admin.get(`/dashboards/${dashboard.id}`).then(({ status }) => status, String);
      await expect.poll(answer).toBe(200);
      await expect
        .poll(async () => (await childrenOf(server.pid)).some(({ command }) => command.includes(name)))
        .toBe(true);
    }
  });
});
