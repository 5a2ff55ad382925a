import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { randomRuns, startTestMongo, type TestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { succeeded } from './src/api.js';
import { openOrganization, runIn, type OrganizationApi } from './src/configuration/copies.js';
import { startKillingProxy, type Moment } from './src/configuration/killingProxy.js';
import { buildWorld, TITLES } from './src/configuration/world.js';
import { addOrganization } from './src/secondOrganization.js';
import { startTestStandalone, type TestServer } from './src/servers.js';

const PROGRAM = fileURLToPath(new URL('../packages/cli/dist/gatehouse.js', import.meta.url));
const KILLS = randomRuns(3, 50);

let mongo: TestMongo;
let server: TestServer;
let folder: string;
let source: OrganizationApi;
let place: string;
/** The variables that the pulled files name, with values. */
let variables: Record<string, string>;

const createOrganization = async () => openOrganization(await addOrganization(mongo, server.credentials));
const run = (api: OrganizationApi, ...words: string[]) => runIn(api, api.project, words, variables);

async function filesIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.yaml'));
  return files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
}

beforeAll(async () => {
  mongo = await startTestMongo();
  server = await startTestStandalone({
    MONGODB_URL: mongo.url,
    MONGODB_PREFIX: mongo.prefix,
    WEBHOOK_HOSTS: '127.0.0.1',
    CONNECTION_HOSTS: '127.0.0.1',
  });
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-apply-'));
  source = await createOrganization();
  await buildWorld(source);
  place = join(folder, 'source');
  await run(source, 'pull', place);
  const texts = await Promise.all((await filesIn(place)).map(async (file) => readFile(file, 'utf8')));
  const names = texts.join('\n').matchAll(/\$\{env:(\w+)\}/g);
  variables = Object.fromEntries([...names].map(([, name = '']) => [name, 'k']));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe('pull', () => {
  it('writes one file for each record, with its schema, and no secret', async () => {
    const files = await filesIn(place);
    const texts = await Promise.all(files.map(async (file) => readFile(file, 'utf8')));
    for (const text of texts) {
      const [, schema = ''] =
        /^# yaml-language-server: \$schema=\.\.\/(\.schemas\/\w+\.json)\n/.exec(text) ?? [];
      expect(JSON.parse(await readFile(join(place, schema), 'utf8'))).toHaveProperty('$schema');
    }
    expect(texts.join('\n')).not.toContain('hunter2');
    expect(Object.keys(variables)).toHaveLength(3);
  });

  it('writes safe names inside of the folder only', async () => {
    const names = await readdir(join(place, 'dashboards'));
    expect(names).toHaveLength(TITLES.length + 2);
    for (const name of names) expect(name).toMatch(/^[a-z0-9][a-z0-9-]{0,80}\.yaml$/);
    expect(names).not.toContain('con.yaml');
    expect(await readdir(folder)).toEqual(['source']);
  });

  it('leaves no difference to plan, and changes nothing the second time', async () => {
    expect(await run(source, 'plan', place)).toMatchObject({ exitCode: 0, output: 'No differences.\n' });
    const result = await run(source, 'pull', place);
    expect(result.output).toContain('Wrote 0 files');
  });

  it('keeps comments of unchanged records, and does not replace changed files unasked', async () => {
    const copy = join(folder, 'kept');
    await run(source, 'pull', copy);
    const file = join(copy, 'tenants', 'acme.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, `${text}# kept\n`);
    expect(await run(source, 'pull', copy)).toMatchObject({ exitCode: 0 });
    expect(await readFile(file, 'utf8')).toContain('# kept');
    await writeFile(file, text.replace('name: Acme', 'name: Acme Inc'));
    expect(await run(source, 'pull', copy)).toMatchObject({ exitCode: 6 });
    expect(await run(source, 'pull', copy, '--overwrite')).toMatchObject({ exitCode: 0 });
    expect(await run(source, 'plan', copy)).toMatchObject({ exitCode: 0 });
    await rm(copy, { recursive: true });
  });
});

describe('apply', () => {
  /** An organization that it made the same, in this many changes. */
  let applied: { target: OrganizationApi; changes: number; exitCode: number | null; errors: string };
  beforeAll(async () => {
    const target = await createOrganization();
    const whole = { what: place, at: 0, moment: 'after' as const };
    applied = { target, ...(await applyThrough(target, whole)) };
  });

  it('makes another organization the same, and changes nothing the second time', async () => {
    const { target, exitCode, errors } = applied;
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(await run(target, 'plan', place)).toMatchObject({ exitCode: 0 });
    expect(await run(target, 'apply', place)).toMatchObject({ output: '0 created, 0 updated, 0 deleted.\n' });
    const copy = join(folder, 'copy');
    expect(await run(target, 'pull', copy)).toMatchObject({ exitCode: 0 });
    const relative = async (root: string) => (await filesIn(root)).map((file) => file.slice(root.length));
    expect(await relative(copy)).toEqual(await relative(place));
    for (const file of await relative(place))
      expect(await readFile(copy + file, 'utf8')).toBe(await readFile(place + file, 'utf8'));
    await rm(copy, { recursive: true });
  });

  it('requires the variables of secrets before it changes anything', async () => {
    const target = await createOrganization();
    const { exitCode, errors } = await runIn(target, target.project, ['apply', place]);
    expect([exitCode, errors]).toEqual([2, expect.stringContaining(Object.keys(variables)[0] ?? '')]);
    expect(await run(target, 'plan', place, '--json')).toMatchObject({ exitCode: 2 });
  });

  it('keeps a link to a visual that is shared with the owner of the dashboard', async () => {
    const [from, to] = [await createOrganization(), await createOrganization()];
    const created = ['ann', 'bob', 'carol'].map((name) =>
      from.createOrgUser('AUTHOR', { email: `${name}@example.com` }),
    );
    const [ann, bob, carol] = await Promise.all(created);
    const open = async (api: OrganizationApi, id = '') => api.openSession({ orgUserId: id });
    const [annHere, bobHere] = [await open(from, ann?.id), await open(from, bob?.id)];
    const visual = await from.createVisual(annHere, { title: 'Chart' });
    const template = { sheets: [{ id: 's', title: 'Sheet', frames: [{ id: 'f', visualId: visual.id }] }] };
    const toUser = (orgUserId = '') => [{ scope: 'specific_org_user', orgUserId, role: 'VIEWER' }];
    succeeded(await annHere.post(`/visuals/${visual.id}/share`, { shares: toUser(bob?.id) }));
    const second = await from.createDashboard(bobHere, { title: 'A', template });
    await from.share(bobHere, second.id, toUser(carol?.id));
    const titlesOf = async (api: OrganizationApi, id?: string) => {
      const session = await open(api, id);
      const { visuals } = succeeded(await session.get<{ visuals: { title: string }[] }>('/visuals'));
      return visuals.map(({ title }) => title);
    };
    expect(await titlesOf(from, carol?.id)).toEqual(['Chart']);
    const copied = join(folder, 'links');
    await run(from, 'pull', copied);
    expect(await run(to, 'apply', copied)).toMatchObject({ exitCode: 0 });
    const { users } = succeeded(
      await to.admin.get<{ users: { id: string }[] }>('/org-users?search=carol@example.com'),
    );
    expect(await titlesOf(to, users[0]?.id)).toEqual(['Chart']);
  });

  /** Runs apply in a process of its own behind a proxy, which calls back at one of the changes. */
  async function applyThrough(
    target: OrganizationApi,
    { what, at, moment }: { what: string; at: number; moment: Moment },
    act: (child: ChildProcess) => void | Promise<void> = (child) => void child.kill('SIGKILL'),
  ): Promise<{ signal: string | null; exitCode: number | null; changes: number; errors: string }> {
    const started: { child?: ChildProcess } = {};
    const kill = () => started.child && act(started.child);
    await using proxy = await startKillingProxy(target.baseUrl, { at, moment, kill });
    const child = spawn(process.execPath, [PROGRAM, 'apply', what], {
      env: { ...variables, ...credentialsOf(target, proxy.url) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    started.child = child;
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
    const [exitCode, signal] = (await once(child, 'close')) as [number | null, string | null];
    return { signal, exitCode, changes: proxy.changes(), errors };
  }

  const credentialsOf = ({ project, adminId }: OrganizationApi, url: string) => ({
    GATEHOUSE_URL: url,
    GATEHOUSE_PROJECT_ID: project.projectId,
    GATEHOUSE_PROJECT_SECRET: project.projectSecret,
    GATEHOUSE_ORG_USER_ID: adminId,
  });

  it('is completed by the next run after a kill at any point', async () => {
    const { changes } = applied;
    expect(changes).toBeGreaterThan(30);
    const cut = fc.record({
      at: fc.integer({ min: 1, max: changes }),
      moment: fc.constantFrom<Moment>('before', 'after'),
      isSaved: fc.boolean(),
    });
    const property = fc.asyncProperty(cut, async ({ at, moment, isSaved }) => {
      const target = await createOrganization();
      const plan = join(folder, 'killed.json');
      expect(await run(target, 'plan', place, `--out=${plan}`)).toMatchObject({ exitCode: 2 });
      const what = isSaved ? plan : place;
      expect(await applyThrough(target, { what, at, moment })).toMatchObject({ signal: 'SIGKILL' });
      expect(await run(target, 'apply', what)).toMatchObject({ exitCode: 0, errors: '' });
      await expectWhole(target);
    });
    await fc.assert(property, { numRuns: KILLS, endOnFailure: true });
  });

  async function expectWhole(target: OrganizationApi): Promise<void> {
    expect(await run(target, 'plan', place)).toMatchObject({ exitCode: 0 });
    const { dashboards } = succeeded(
      await target.admin.get<{ dashboards: unknown[] }>('/dashboards?scope=organization&limit=500'),
    );
    expect(dashboards).toHaveLength(TITLES.length + 2);
  }

  it('does not overwrite a change that comes between the comparison and the update', async () => {
    const { target } = applied;
    const { users } = succeeded(
      await target.admin.get<{ users: { id: string }[] }>('/org-users?search=ann@example.com'),
    );
    const path = `/org-users/${users[0]?.id}`;
    succeeded(await target.admin.patch(path, { department: 'Finance' }));
    const cut = { what: place, at: 1, moment: 'meanwhile' as const };
    const result = await applyThrough(target, cut, async () => {
      succeeded(await target.admin.patch(path, { name: 'Ann' }));
    });
    expect(result).toMatchObject({ exitCode: 6, changes: 1 });
    const { user } = succeeded(await target.admin.get<{ user: object }>(path));
    expect(user).toMatchObject({ name: 'Ann', department: 'Finance' });
    expect(await run(target, 'apply', place)).toMatchObject({ exitCode: 0 });
  });

  it('changes what a deactivated owner has with --raise-owners alone, and restores it', async () => {
    const { target } = applied;
    const { users } = succeeded(
      await target.admin.get<{ users: { id: string }[] }>('/org-users?search=ann@example.com'),
    );
    const path = `/org-users/${users[0]?.id}`;
    succeeded(await target.admin.patch(path, { role: 'VIEWER', isActive: false }));
    const changed = join(folder, 'raised');
    const pulled = await run(target, 'pull', changed);
    // A private dashboard of its own.
    expect([pulled.exitCode, pulled.errors]).toEqual([
      0,
      expect.stringContaining('no active user may read it'),
    ]);
    const file = join(changed, 'visuals', 'chart.yaml');
    await writeFile(file, `${await readFile(file, 'utf8')}description: Changed\n`);
    expect(await run(target, 'plan', changed)).toMatchObject({ exitCode: 1 });
    expect(await run(target, 'apply', changed)).toMatchObject({ exitCode: 6 });
    expect(await run(target, 'apply', changed, '--raise-owners')).toMatchObject({ exitCode: 0 });
    expect(await run(target, 'plan', changed)).toMatchObject({ exitCode: 0 });
    const { user } = succeeded(await target.admin.get<{ user: object }>(path));
    expect(user).toMatchObject({ role: 'VIEWER', isActive: false });
  });

  it('stops after the current change at Ctrl-C, and keeps what is done', async () => {
    const target = await createOrganization();
    const cut = { what: place, at: 8, moment: 'meanwhile' as const };
    const stopped = await applyThrough(target, cut, (child) => void child.kill('SIGINT'));
    expect(stopped).toMatchObject({ exitCode: 4, changes: 8 });
    expect(stopped.errors).toMatch(
      /^gatehouse: stopped at .*: 8 of \d+ steps are done; run the command again/,
    );
    expect(await run(target, 'apply', place)).toMatchObject({ exitCode: 0 });
    await expectWhole(target);
  });

  it('stops at a change that the server rejects, and continues when the cause is removed', async () => {
    const target = await createOrganization();
    const blocker = await target.createOrgUser('VIEWER', { email: 'ANN@example.com' });
    const { exitCode, errors } = await run(target, 'apply', place);
    expect([exitCode, errors]).toEqual([6, expect.stringContaining('stopped at create org user')]);
    succeeded(await target.admin.delete(`/org-users/${blocker.id}`));
    expect(await run(target, 'apply', place)).toMatchObject({ exitCode: 0 });
    await expectWhole(target);
  });
});

describe('files that are written by hand', () => {
  const FILES: Readonly<Record<string, string>> = {
    'tenants/acme.yaml': 'name: Acme\n',
    'org-users/ann.yaml': 'email: ann@example.com\nname: " Ann "\nrole: AUTHOR\n',
    'tenant-users/bob.yaml': 'tenant: Acme\nemail: Bob@Example.com\nname: Bob\n',
    'groups/all.yaml': 'name: All\ntype: ORG_GROUP\nmembers: [Acme/Bob@Example.com, ann@example.com]\n',
    'connections/w.yml': `name: Warehouse
type: static
config: { dialect: postgres }
catalog: { schemas: [{ name: public, tables: [{ name: orders, columns: [{ name: id }] }] }] }
`,
    'domains/sales.yaml': 'name: sales\ntemplate: { datasets: [{ name: orders, table: orders }] }\n',
    'data-models/orders.yaml': 'name: Orders\nconnection: Warehouse\n',
    'visuals/chart.yaml': 'title: Chart\nowner: ann@example.com\nframeObject: { text: "$${x}" }\n',
    'dashboards/sales.yaml': `title: Sales
owner: ann@example.com
tags: [b, a]
template: { sheets: [{ id: s, frames: [{ id: f, visualId: "\${visual:Chart}" }] }] }
shares:
  - { scope: group, group: All, role: VIEWER, expiresAt: "2100-01-01T01:00:00+01:00" }
`,
    'policy-definitions/own.yaml': `name: Own
connection: Warehouse
rlsConfig: { rules: [{ matcher: { type: ALL_TABLES_WITH_COLUMN, column: id }, expression: "id = '1'" }] }
`,
    'policy-assignments/all.yaml': 'definition: Warehouse/Own\nactor: { kind: ALL_TENANTS }\n',
    'policy-tests/a.yaml': `definition: Warehouse/Own
name: a
actor: { kind: TENANT, tenant: Acme }
sql: SELECT id FROM orders
expect: { status: compiled }
`,
    'webhooks/a.yaml': 'url: HTTPS://127.0.0.1:9\neventTypes: ["*"]\n',
  };

  it('need only what has no default, and leave no difference after apply', async () => {
    const target = await createOrganization();
    const written = join(folder, 'written');
    for (const [file, text] of Object.entries(FILES)) {
      await mkdir(join(written, dirname(file)), { recursive: true });
      await writeFile(join(written, file), text);
    }
    expect(await run(target, 'apply', written)).toMatchObject({ exitCode: 0, errors: '' });
    expect(await run(target, 'plan', written, '--prune')).toMatchObject({
      exitCode: 0,
      output: 'No differences.\n',
    });
  });
});

describe('a saved plan', () => {
  let target: OrganizationApi;
  let plan: string;
  let group: { id: string };

  beforeAll(async () => {
    target = await createOrganization();
    plan = join(folder, 'plan.json');
    group = await target.createGroup();
    await run(target, 'plan', place, `--out=${plan}`);
  });

  it('holds no secret', async () => {
    expect(await readFile(plan, 'utf8')).toContain('${env:GATEHOUSE_LIVE_PASSWORD}');
  });

  it('is rejected for another project', async () => {
    const { exitCode, errors } = await run(source, 'apply', plan);
    expect([exitCode, errors]).toEqual([2, expect.stringContaining('the plan is for project')]);
  });

  it('is rejected when a record has changed since', async () => {
    const tenant = await target.createTenant({ name: 'Acme' });
    const { exitCode, errors } = await run(target, 'apply', plan);
    expect([exitCode, errors]).toEqual([6, expect.stringContaining('The plan is stale')]);
    succeeded(await target.admin.delete(`/tenants/${tenant.id}`));
  });

  it('is applied as it was shown, and again without effect', async () => {
    expect(await run(target, 'apply', plan)).toMatchObject({ exitCode: 0 });
    expect(await run(target, 'apply', plan)).toMatchObject({ output: '0 created, 0 updated, 0 deleted.\n' });
    expect(succeeded(await target.admin.get<{ group: object }>(`/groups/${group.id}`)).group).toBeDefined();
  });

  it('is rejected after a change that it would undo', async () => {
    const [first] = succeeded(
      await target.admin.get<{ users: { id: string }[] }>('/org-users?search=ann@example.com'),
    ).users;
    succeeded(await target.admin.patch(`/org-users/${first?.id}`, { department: 'Finance' }));
    expect(await run(target, 'apply', plan)).toMatchObject({ exitCode: 6 });
  });

  it('reports drift, field by field', async () => {
    const { exitCode, output } = await run(target, 'plan', place);
    expect([exitCode, output]).toEqual([2, expect.stringContaining('department: "Finance" → ""')]);
    const { output: json } = await run(target, 'plan', place, '--json');
    expect(JSON.parse(json)).toMatchObject({
      changes: [
        {
          action: 'update',
          kind: 'orgUser',
          key: 'ann@example.com',
          fields: [{ field: 'department', before: 'Finance', after: '' }],
        },
      ],
      summary: { create: 0, update: 1, delete: 0 },
    });
  });

  it('deletes with --prune and a confirmation alone', async () => {
    expect(await run(target, 'apply', place)).toMatchObject({ exitCode: 0 });
    const { exitCode, output } = await run(target, 'plan', place, '--prune');
    expect([exitCode, output]).toEqual([2, expect.stringMatching(/^- delete group /)]);
    expect(await run(target, 'apply', place, '--prune')).toMatchObject({ exitCode: 2 });
    expect((await target.admin.get(`/groups/${group.id}`)).status).toBe(200);
    expect(await run(target, 'apply', place, '--prune', '--yes')).toMatchObject({ exitCode: 0 });
    expect((await target.admin.get(`/groups/${group.id}`)).status).toBe(404);
    expect(await run(target, 'plan', place, '--prune')).toMatchObject({ exitCode: 0 });
  });

  it('deletes no other record that has the name of the shown one since', async () => {
    const file = join(folder, 'prune.json');
    const old = await target.createDashboard(target.admin, { title: 'Old' });
    expect((await run(target, 'plan', place, '--prune', `--out=${file}`)).output).toContain(
      '- delete dashboard',
    );
    succeeded(await target.admin.delete(`/dashboards/${old.id}`));
    const { id } = await target.createDashboard(target.admin, { title: 'Old' });
    expect(await run(target, 'apply', file, '--yes')).toMatchObject({ exitCode: 6 });
    succeeded(await target.admin.delete(`/dashboards/${id}`));
  });

  it('deletes everything in the order of the references', async () => {
    const empty = join(folder, 'empty');
    await run(await createOrganization(), 'pull', empty);
    expect(await run(target, 'apply', empty, '--prune', '--yes')).toMatchObject({ exitCode: 0, errors: '' });
    expect(await run(target, 'plan', empty, '--prune')).toMatchObject({ exitCode: 0 });
  });
});

describe('a share that has expired since it was written', () => {
  it('is neither planned nor applied: the API would reject it, and with it the whole apply', async () => {
    const [origin, other] = [await createOrganization(), await createOrganization()];
    const { id } = await origin.createDashboard(origin.admin, { title: 'Briefly shared' });
    const expiresAt = new Date(Date.now() + 4000).toISOString();
    const share = { scope: 'all_org_users', role: 'VIEWER', expiresAt };
    await origin.share(origin.admin, id, [share]);
    const files = join(folder, 'expired');
    await run(origin, 'pull', files);
    expect(await readFile(join(files, 'dashboards/briefly-shared.yaml'), 'utf8')).toContain(expiresAt);
    await sleep(Date.parse(expiresAt) - Date.now() + 50);
    expect(await run(origin, 'plan', files)).toMatchObject({ exitCode: 0 });
    expect(await run(origin, 'apply', files)).toMatchObject({ exitCode: 0, errors: '' });
    expect(await run(other, 'apply', files)).toMatchObject({ exitCode: 0, errors: '' });
  });
});

describe('invalid files', () => {
  it.each([
    ['tenants/acme.yaml', (text: string) => text.replace('name: Acme', 'name: [1'), 'tenants/acme.yaml:'],
    ['tenants/acme.yaml', (text: string) => `${text}unknown: 1\n`, 'tenants/acme.yaml:'],
    [
      'visuals/chart.yaml',
      (text: string) => text.replace('ann@', 'nn@'),
      'there is no user "nn@example.com"',
    ],
    [
      'visuals/chart.yaml',
      (text: string) => text.replace('connection:Ware', 'connection:ware'),
      'connection',
    ],
    [
      'connections/live.yaml',
      (text: string) => text.replace(/\$\{env.*\}/, 'hunter2'),
      'config.password must refer',
    ],
  ])('%s: the file and the line are named, and nothing is sent', async (name, change, message) => {
    const copy = join(folder, 'invalid');
    await run(source, 'pull', copy);
    const file = join(copy, name);
    const text = await readFile(file, 'utf8');
    expect(change(text)).not.toBe(text);
    await writeFile(file, change(text));
    const { exitCode, errors } = await run(source, 'plan', copy);
    expect([exitCode, errors]).toEqual([1, expect.stringContaining(message)]);
    expect(errors).toMatch(new RegExp(`${name}:\\d+: `));
    await rm(copy, { recursive: true });
  });
});
