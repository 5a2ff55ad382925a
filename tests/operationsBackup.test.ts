import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AuditEvent, Dashboard } from '@gatehouse/contract';
import { childEnvironment } from '@gatehouse/service';
import { createApi, succeeded, unique, type Session } from './src/api.js';
import { findBlock, makeClone, type Clone, type Outcome } from './src/docCommands.js';
import { spawnServer, type SpawnedServer } from './src/servers.js';
import { makeVersionedProject } from './src/versionControl/world.js';

const PAGE = 'docs/operations.md';
const SETTINGS = { MONGODB_URL: '', SEALING_KEYS: '', MONGODB_PREFIX: 'gatehouse' };

const startOn = (dataDir: string): Promise<SpawnedServer> =>
  spawnServer('standalone', { ...SETTINGS, DATA_DIR: dataDir });

/** The confirmed writes of the platform: the titles of dashboards. */
type Answered = Map<string, string>;

/** Creates and renames dashboards until it is stopped. */
async function write(admin: Session, answered: Answered, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const title = unique('Made');
    const { dashboard } = succeeded(await admin.post<{ dashboard: Dashboard }>('/dashboards', { title }));
    answered.set(dashboard.id, title);
    const renamed = unique('Renamed');
    succeeded(await admin.patch(`/dashboards/${dashboard.id}`, { title: renamed }));
    answered.set(dashboard.id, renamed);
    // All writes during the backup, to read, seal and restore again.
    await sleep(20);
  }
}

async function readTitles(admin: Session): Promise<Answered> {
  const titles: Answered = new Map();
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = new URLSearchParams({ scope: 'organization', limit: '500', ...(cursor && { cursor }) });
    const page: { dashboards: Dashboard[]; nextCursor: string | null } = succeeded(
      await admin.get(`/dashboards?${query.toString()}`),
    );
    for (const { id, title } of page.dashboards) titles.set(id, title);
    cursor = page.nextCursor;
  }
  return titles;
}

async function readCreated(admin: Session): Promise<string[]> {
  const answer = await admin.get<string>('/audit-events/export?type=management.dashboard.created.v1', {
    accept: 'application/x-ndjson',
  });
  return succeeded(answer)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { auditEvent?: AuditEvent })
    .flatMap(({ auditEvent }) => (typeof auditEvent?.resourceId === 'string' ? [auditEvent.resourceId] : []));
}

const isAfter = (answered: Answered, restored: Answered) =>
  [...answered].filter(([id, title]) => {
    const found = restored.get(id);
    // Its writer may have renamed it between this response and the moment of the backup.
    return found !== title && !(title.startsWith('Made') && found?.startsWith('Renamed'));
  });

describe('a backup during writes', () => {
  let clone: Clone;
  let before: Answered;
  let committed: { id: string; sha: string; projectId: string };
  let backup: Outcome;
  let after: number;
  let restore: string;

  beforeAll(async () => {
    clone = await makeClone();
    restore = (await findBlock(PAGE, 'npm run restore')).text;
    await using server = await startOn(join(clone.path, '.data'));
    const api = await createApi(server.credentials);
    const versioned = await makeVersionedProject(server, api);
    succeeded(await versioned.put({}));
    committed = { ...(await versioned.createCommitted('First version')), projectId: versioned.projectId };
    const answered: Answered = new Map();
    let isOver = false;
    const writing = Promise.all([1, 2, 3].map(() => write(api.admin, answered, () => isOver)));
    await vi.waitUntil(() => answered.size > 20, { timeout: 120_000 });
    before = new Map(answered);
    backup = await clone.run((await findBlock(PAGE, 'npm run backup')).text, SETTINGS);
    after = answered.size;
    isOver = true;
    await writing;
  });
  afterAll(() => clone[Symbol.asyncDispose]());

  it('is one file that only its owner can read, without the sealing key', async () => {
    expect(after).toBeGreaterThan(before.size);
    expect(backup).toMatchObject({ code: 0, output: expect.stringMatching(/backup: \d+ documents\n$/) });
    const file = join(clone.path, 'gatehouse.backup');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('leaves no draft when it is stopped, and ignores the draft of one that was killed', async () => {
    const { path } = clone;
    await writeFile(join(path, 'nightly.backup.draft'), 'killed');
    const drafts = async () =>
      (await readdir(path)).filter((name) => /^nightly\.backup\.\d+\.draft$/.test(name));
    const env = childEnvironment({ ...SETTINGS, DATA_DIR: join(path, '.data') });
    const args = [join(path, 'scripts/backup.mjs'), 'nightly.backup'];
    const stopped = spawn(process.execPath, args, { cwd: path, env, stdio: 'ignore' });
    await expect.poll(drafts, { timeout: 60_000, interval: 5 }).toHaveLength(1);
    stopped.kill('SIGTERM');
    expect(await once(stopped, 'exit')).toEqual([1, null]);
    expect(await drafts()).toEqual([]);
    expect(await clone.run('npm run backup -- nightly.backup', SETTINGS)).toMatchObject({ code: 0 });
  });

  it('is not restored if it is incomplete or invalid', async () => {
    const bytes = await readFile(join(clone.path, 'gatehouse.backup'));
    await writeFile(join(clone.path, 'cut'), bytes.subarray(0, bytes.length / 2));
    await writeFile(join(clone.path, 'other'), 'something else');
    for (const file of ['cut', 'other', 'missing']) {
      const outcome = await clone.run(`DATA_DIR=.refused node scripts/restore.mjs ${file}`, SETTINGS);
      expect(outcome).toMatchObject({ code: 1, errors: expect.stringMatching(/^Not restored: /) });
      await expect(stat(join(clone.path, '.refused'))).rejects.toThrow('ENOENT');
    }
  });

  it('is restored into an empty database: the platform runs on it, with every confirmed write', async () => {
    expect(await clone.run(restore, SETTINGS)).toMatchObject({ code: 0 });
    await using server = await startOn(join(clone.path, '.restored'));
    const { admin, openSession, createDashboard } = await createApi(server.credentials);
    const restored = await readTitles(admin);
    expect(isAfter(before, restored)).toEqual([]);
    await createDashboard(admin);
    // Unpublished events are published now: each creation is recorded once.
    const isRecorded = async () => {
      const created = await readCreated(admin);
      expect(new Set(created).size).toBe(created.length);
      return [...restored.keys()].filter((id) => !created.includes(id));
    };
    await expect.poll(isRecorded, { interval: 250 }).toEqual([]);
    const { project } = succeeded(
      await admin.post<{ project: { secret: string } }>(`/projects/${committed.projectId}/rotate-secret`),
    );
    const editor = await openSession(
      { orgUserId: server.credentials.adminOrgUserId },
      { projectId: committed.projectId, projectSecret: project.secret },
    );
    const path = `/dashboards/${committed.id}/versions`;
    const { versions } = succeeded(await editor.get<{ versions: { sha: string }[] }>(path));
    expect(versions.map(({ sha }) => sha)).toEqual([committed.sha]);
  });

  it('leaves an audit log that is intact', async () => {
    const outcome = await clone.run('npm run audit -- verify', { ...SETTINGS, DATA_DIR: '.restored' });
    expect(outcome).toMatchObject({ code: 0, output: expect.stringContaining('intact') });
  });

  it('is not restored into a database with data', async () => {
    const outcome = await clone.run(restore, SETTINGS);
    expect(outcome).toMatchObject({ code: 1, errors: expect.stringContaining('Nothing was restored') });
  });
});

describe('a copy of the data directory of a stopped platform', () => {
  it('is the unchanged platform', async () => {
    await using clone = await makeClone();
    await using server = await startOn(join(clone.path, '.data'));
    const { admin, createDashboard } = await createApi(server.credentials);
    const dashboard = await createDashboard(admin);
    await server.stop();
    const copy = await findBlock(PAGE, 'cp -a .data');
    expect(await clone.run(copy.text)).toMatchObject({ code: 0, errors: '' });
    await using copied = await startOn(join(clone.path, '.data-copy'));
    const api = await createApi(copied.credentials);
    expect((await api.admin.get(`/dashboards/${dashboard.id}`)).status).toBe(200);
  });
});
