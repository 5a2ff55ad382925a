import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { commandOfOperation } from '@gatehouse/cli';
import { routes, type Route } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createApi, unique, type Api } from './src/api.js';
import { runCli, type CommandSettings } from './src/cliCalls.js';
import { startTestPlatform, type TestServer } from './src/servers.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';
import { specimens } from './src/statusCases/allCases.js';
import { makeStatusWorld, type RouteRequest, type World } from './src/statusCases/statusCase.js';

const PROGRAM = fileURLToPath(new URL('../packages/cli/dist/gatehouse.js', import.meta.url));
const run = promisify(execFile);

let server: TestServer;
let api: Api;
let world: World;
let folder: string;

beforeAll(async () => {
  server = await startTestPlatform(WEBHOOK_SETTINGS);
  api = await createApi(server.credentials);
  world = await makeStatusWorld(api, server.credentials.adminOrgUserId);
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-operations-'));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const asAdmin = (words: string[], settings: CommandSettings = {}) =>
  runCli(words, { ...settings, environment: { url: server.baseUrl, token: api.admin.token } });

const kebab = (field: string) => field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The option of a field, as the help shows it. */
function optionFor(help: string, field: string): string | undefined {
  const names = [kebab(field), kebab(field.replace(/Ids?$/, ''))];
  return names.find((name) => help.includes(`--${name} `));
}

/** The generated command that sends a request; null for a command that is written by hand. */
async function wordsOf(route: Route, { path = {}, query = {}, body }: RouteRequest) {
  const name = commandOfOperation(route.operationId).split(' ');
  const { output: help } = await runCli([...name, '--help']);
  if (!/^(GET|POST|PUT|PATCH|DELETE) \//m.test(help)) return null;
  const isOwnProject = name[0] !== 'projects';
  const positionals = Object.entries(path).flatMap(([field, value]) =>
    field === 'projectId' && isOwnProject ? [] : [value],
  );
  const project = isOwnProject && path['projectId'] ? [`--project=${path['projectId']}`] : [];
  const options = Object.entries(query).flatMap(([field, value]) => {
    // Lists are read page by page.
    if (['page', 'pageSize', 'offset', 'cursor'].includes(field)) return [];
    const option = optionFor(help, field) ?? kebab(field);
    // A switch has no value.
    return [
      new RegExp(`--${option} +[^<]`).test(help) && value === 'true' ? `--${option}` : `--${option}=${value}`,
    ];
  });
  return {
    words: [
      ...name,
      ...positionals,
      ...project,
      ...options,
      ...(body === undefined ? [] : ['--input=-']),
      ...(help.includes('--yes ') ? ['--yes'] : []),
      ...(help.includes('--secret-file ') ? [`--secret-file=${join(folder, 'secret')}`] : []),
    ],
    input: body === undefined ? '' : JSON.stringify(body),
  };
}

const WRITTEN_BY_HAND = [
  'dashboards list',
  'dashboards get',
  'dashboards create',
  'dashboards update',
  'dashboards duplicate',
  'dashboards delete',
];
const rows = routes.map((route) => [commandOfOperation(route.operationId), route] as const);

describe('every operation of the API', () => {
  const succeededIn = new Set<string>();

  it.each(rows)('has a command: %s', async (name, route) => {
    const { exitCode, output } = await runCli([...name.split(' '), '--help']);
    expect([exitCode, output]).toEqual([0, expect.stringContaining(`gatehouse ${name}`)]);
    const isGenerated =
      output.includes(`${route.method} /`) || /^(GET|POST|PUT|PATCH|DELETE) \//m.test(output);
    expect(isGenerated).toBe(!WRITTEN_BY_HAND.includes(name));
  });

  it.each(rows.filter(([name]) => !WRITTEN_BY_HAND.includes(name)))('runs as %s', async (name, route) => {
    const prepare = specimens[route.operationId as keyof typeof specimens];
    const request = await prepare(world);
    const command = await wordsOf(route, request);
    if (command === null) throw new Error(`${name} is not generated`);
    const token = request.session?.token ?? api.admin.token;
    const { exitCode, output, errors } = await runCli([...command.words, '-o', 'json'], {
      input: command.input,
      environment: { url: server.baseUrl, token },
    });
    expect({ exitCode, errors: errors.replace(/^gatehouse: only the first .*\n/, '') }).toEqual({
      exitCode: 0,
      errors: '',
    });
    expect(JSON.parse(output)).toBeTypeOf('object');
    expect(output).not.toContain('"secret"');
    succeededIn.add(name.split(' ')[0] ?? '');
  });

  it('runs at least once for each noun', () => {
    expect(succeededIn).toEqual(new Set(rows.map(([name]) => name.split(' ')[0])));
  });
});

describe('a name in place of an id', () => {
  it('is resolved for dashboards, users, groups, tenants, connections and definitions', async () => {
    const title = unique('Named dashboard');
    const { id } = await api.createDashboard(api.admin, { title });
    const tenant = await api.createTenant();
    const user = await api.createTenantUser(tenant.id);
    const group = await api.createGroup();
    expect(await asAdmin(['dashboards', 'get', title, '-o', 'name'])).toMatchObject({ output: `${id}\n` });
    expect(await asAdmin(['groups', 'get', group.name, '-o', 'name'])).toMatchObject({
      output: `${group.id}\n`,
    });
    expect(await asAdmin(['tenants', 'get', tenant.name, '-o', 'name'])).toMatchObject({
      output: `${tenant.id}\n`,
    });
    expect(await asAdmin(['tenant-users', 'get', user.email, '-o', 'name'])).toMatchObject({
      output: `${user.id}\n`,
    });
    const added = await asAdmin(['groups', 'add-members', group.name, '--user', user.email]);
    expect(added).toMatchObject({ exitCode: 0, errors: '' });
    const shared = await asAdmin(['share', title, '--role=VIEWER', `--group=${group.name}`, '--json']);
    expect(JSON.parse(shared.output)).toMatchObject({ shares: [{ groupId: group.id }] });
  });

  it('that several records have is rejected with their ids', async () => {
    const title = unique('Twice');
    const ids = [
      await api.createDashboard(api.admin, { title }),
      await api.createDashboard(api.admin, { title }),
    ];
    const { exitCode, errors } = await asAdmin(['dashboards', 'get', title]);
    expect([exitCode, errors]).toEqual([2, expect.stringContaining('is ambiguous')]);
    for (const { id } of ids) expect(errors).toContain(id);
  });

  it('prefers an id of the form that callers choose over the name of another record', async () => {
    const id = unique('own');
    await api.createTenant({ id });
    await api.createTenant({ name: id });
    expect(await asAdmin(['tenants', 'get', id, '-o', 'name'])).toMatchObject({ output: `${id}\n` });
  });

  it('is found by an ADMIN without access to the record', async () => {
    const title = unique('Private');
    const { id } = await api.createDashboard(world.author.session, { title });
    const words = ['dashboards', 'take-ownership', title, '-o', 'name'];
    expect(await asAdmin(words)).toMatchObject({ exitCode: 0, output: `${id}\n` });
  });

  it('that no record has is reported as not found', async () => {
    expect(await asAdmin(['dashboards', 'get', unique('Nothing')])).toMatchObject({
      exitCode: 5,
      output: '',
    });
  });
});

describe('the result', () => {
  it('is printed as a table, JSON, YAML or names', async () => {
    const tenant = await api.createTenant();
    const words = ['tenants', 'get', tenant.id];
    const [table, json, yaml, name, short] = await Promise.all(
      [[], ['--json'], ['--format', 'yaml'], ['-o', 'name'], ['-o', 'json']].map(async (more) =>
        asAdmin([...words, ...more]),
      ),
    );
    expect(table?.output).toMatch(new RegExp(`^id +${tenant.id}\nname +${tenant.name}\n`));
    expect(JSON.parse(json?.output ?? '')).toEqual({ tenant });
    expect(parse(yaml?.output ?? '')).toEqual({ tenant });
    expect(name?.output).toBe(`${tenant.id}\n`);
    expect(short?.output).toBe(json?.output);
  });

  it('keeps secrets out of the output, and in a file of the owner', async () => {
    const file = join(folder, 'project.secret');
    const words = ['projects', 'create', '--name', unique('Project')];
    expect(await asAdmin(words)).toMatchObject({
      exitCode: 2,
      errors: 'gatehouse: --secret-file is required\n',
    });
    const { exitCode, output } = await asAdmin([...words, `--secret-file=${file}`, '--json']);
    const secret = (await readFile(file, 'utf8')).trim();
    expect([exitCode, secret.length > 20, output.includes(secret)]).toEqual([0, true, false]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});

describe('a deletion', () => {
  it('of any record requires --yes without a terminal, and sends nothing', async () => {
    const tenant = await api.createTenant();
    const { exitCode, errors } = await asAdmin(['tenants', 'delete', tenant.id]);
    expect([exitCode, errors]).toEqual([2, 'gatehouse: Deleting a tenant is permanent: add --yes\n']);
    expect(await asAdmin(['tenants', 'delete', tenant.name, '--yes'])).toMatchObject({ exitCode: 0 });
  });
});

describe('--validate-only', () => {
  const changing = rows.filter(([, { options }]) => options.includes('validateOnly'));
  const VALID = 'Valid: nothing was changed.\n';

  it('is an option of exactly those commands whose operations can be checked', async () => {
    const offering: string[] = [];
    for (const [name] of rows)
      if ((await runCli([...name.split(' '), '--help'])).output.includes('--validate-only'))
        offering.push(name);
    expect(new Set(offering)).toEqual(new Set(changing.map(([name]) => name)));
    for (const name of ['share', 'unshare'])
      expect((await runCli([name, '--help'])).output).toContain('--validate-only');
  });

  it('checks changes of dashboards, and makes none', async () => {
    const dashboard = await api.createDashboard(api.admin, { title: unique('Checked') });
    const { id } = dashboard;
    const target = '--all-org-users';
    const shown = async () => (await asAdmin(['dashboards', 'list', '-o', 'json', '--limit=1000'])).output;
    const shares = async () => (await api.admin.get(`/dashboards/${id}/shares`)).body;
    const before = [await shown(), await shares()];
    const secret = join(folder, 'unused.secret');
    for (const words of [
      ['dashboards', 'create', '--title=Never', `--secret-file=${secret}`],
      ['dashboards', 'update', id, '--title=Never'],
      ['dashboards', 'duplicate', id, '--title=Never'],
      ['dashboards', 'delete', id],
      ['share', id, '--role=VIEWER', target],
      ['unshare', id, target],
    ])
      expect(await asAdmin([...words, '--validate-only'])).toMatchObject({
        exitCode: 0,
        output: VALID,
        errors: '',
      });
    expect([await shown(), await shares()]).toEqual(before);
    await expect(stat(secret)).rejects.toThrow('ENOENT');
  });

  it('checks what a generated command would change, and deletes without a confirmation nothing', async () => {
    const name = unique('Checked');
    const group = await api.createGroup();
    for (const words of [
      ['groups', 'create', `--name=${name}`, '--type=ORG_GROUP'],
      ['groups', 'delete', group.id],
    ])
      expect(await asAdmin([...words, '--validate-only'])).toMatchObject({ exitCode: 0, output: VALID });
    expect((await api.admin.get(`/groups/${group.id}`)).status).toBe(200);
    expect((await asAdmin(['groups', 'list', '-o', 'json', '--limit=1000'])).output).not.toContain(name);
  });

  it('reports what the change would be rejected for', async () => {
    const long = 'x'.repeat(201);
    const rejected = await asAdmin(['dashboards', 'create', `--title=${long}`, '--validate-only']);
    expect([rejected.exitCode, rejected.errors]).toEqual([2, expect.stringContaining('title must be')]);
    const missing = await asAdmin(['dashboards', 'delete', 'd_none', '--validate-only']);
    expect(missing).toMatchObject({ exitCode: 5, output: '' });
  });
});

describe('completion', () => {
  it('in bash offers nouns, verbs, options and choices', async () => {
    const { stdout: script } = await run(process.execPath, [PROGRAM, 'completion', 'bash']);
    const program = `
      gatehouse() { ${process.execPath} ${PROGRAM} "$@"; }
      ${script}
      try() { COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _gatehouse; IFS=" "; echo "\${COMPREPLY[*]}"; }
      try gatehouse tena; try gatehouse groups add; try gatehouse groups list --ta; try gatehouse plan -o j
      try gatehouse plan --pr`;
    const { stdout } = await run('bash', ['-c', program]);
    expect(stdout.split('\n')).toEqual([
      'tenant-users tenants',
      'add-members',
      '',
      'json',
      '--profile --prune',
      '',
    ]);
  });

  it.each(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell) => {
    const { exitCode, output } = await runCli(['completion', shell]);
    expect([exitCode, output]).toEqual([0, expect.stringContaining('complete-words')]);
  });

  it('rejects an unknown shell', async () => {
    expect(await runCli(['completion', 'csh'])).toMatchObject({ exitCode: 2, output: '' });
  });
});
