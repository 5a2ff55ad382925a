import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ERROR_STATUS, type PolicyConnection } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, unique, type Api } from './src/api.js';
import { commandOf, hasCommand, runCli, type CommandSettings } from './src/cliCalls.js';
import {
  compileIn,
  evaluateIn,
  installAlone,
  installedIn,
  RESOLUTIONS,
  withoutRegistry,
} from './src/packedPackage.js';
import { createDefinition, securityPath } from './src/policyRecords.js';
import { startTestPlatform, type TestServer } from './src/servers.js';
import { refusals, specimens } from './src/statusCases/allCases.js';
import { makeStatusWorld, type World } from './src/statusCases/statusCase.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

/** The exit code of a status. */
const EXIT_CODES: Readonly<Record<number, number>> = { 400: 2, 401: 3, 403: 3, 404: 5, 409: 6, 412: 6 };

/** Cases by name; a specimen has no code. */
const cases = [...Object.entries(specimens), ...Object.entries(refusals)].flatMap(([operationId, given]) => {
  const listed = typeof given === 'function' ? [[null, 'succeeds', given] as const] : given;
  return listed.map(([code, because, prepare]) => ({
    operationId,
    status: code === null ? null : ERROR_STATUS[code],
    name: `${operationId}: ${because}`,
    prepare,
  }));
});
/** One for each status of each operation. */
const chosen = cases.filter(
  ({ operationId, status }, index) =>
    hasCommand(operationId) &&
    cases.findIndex((other) => other.operationId === operationId && other.status === status) === index,
);

let server: TestServer;
let api: Api;
let world: World;
let folder: string;
/** The credentials of the ADMIN. */
let admin: CommandSettings['environment'];

beforeAll(async () => {
  server = await startTestPlatform();
  api = await createApi(server.credentials);
  world = await makeStatusWorld(api, server.credentials.adminOrgUserId);
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-cli-'));
  admin = { url: server.baseUrl, token: api.admin.token };
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const asAdmin = (words: string[], settings: CommandSettings = {}) =>
  runCli(words, { ...settings, environment: admin ?? {} });

/** Sends the request of a case as a command; null if no command can express all of it. */
async function runCase({ operationId, prepare }: (typeof chosen)[number]) {
  const request = await prepare(world);
  const command = commandOf(operationId, request);
  if (command === null || request.session === undefined) return null;
  const { token } = request.session;
  const environment = { url: server.baseUrl, token };
  const result = await runCli([...command.words, '--json'], { input: command.input ?? '', environment });
  expect(result.output + result.errors).not.toContain(token);
  return result;
}

describe('the command line ends', () => {
  const told = { done: 0, refused: 0 };
  const rowsOf = (isRefused: boolean) =>
    chosen.filter(({ status }) => (status !== null) === isRefused).map((row) => [row.name, row] as const);

  it.each(rowsOf(false))('with the exit code for the response of %s', async (_, row) => {
    const result = await runCase(row);
    if (result === null) return;
    told.done += 1;
    // A dashboard without a template is invalid, and a migration may need decisions first.
    expect([0, 1]).toContain(result.exitCode);
    expect(result.errors).toBe('');
    for (const line of result.output.trim().split(/\n(?=\{)/)) expect(JSON.parse(line)).toBeTypeOf('object');
    expect(result.output).not.toContain('"secret"');
  });

  it.each(rowsOf(true))('with the exit code for the error of %s', async (_, row) => {
    const result = await runCase(row);
    if (result === null) return;
    told.refused += 1;
    expect(result).toEqual({
      exitCode: EXIT_CODES[row.status ?? 0],
      errors: expect.stringMatching(/^gatehouse: [^\n]+\n$/) as unknown,
      output: '',
    });
  });

  it('for most of these', () => {
    expect(told.done).toBeGreaterThanOrEqual(14);
    expect(told.refused).toBeGreaterThanOrEqual(25);
  });
});

describe('a command', () => {
  it('shows a statement before and after the policies', async () => {
    const catalog = {
      defaultSchema: 'public',
      schemas: [{ name: 'public', tables: [{ name: 'orders', columns: [{ name: 'id', type: 'integer' }] }] }],
    };
    const made = await api.admin.post<{ connection: PolicyConnection }>('/api/v1/connections', {
      name: unique('Connection'),
      type: 'static',
      config: { dialect: 'postgres' },
      catalog,
    });
    const { connection } = succeeded(made);
    const { id: definitionId } = await createDefinition(api, connection.id);
    const assignment = { definitionId, scopeType: 'ALL_TENANTS' };
    succeeded(await api.admin.post(`${securityPath(api)}/assignments`, assignment));
    const words = [
      'preview',
      `--connection=${connection.id}`,
      `--actor=tenant:${world.tenantId}`,
      '--sql-file=-',
    ];
    const { exitCode, output } = await asAdmin(words, { input: 'SELECT id FROM orders' });
    expect([exitCode, output]).toEqual([
      0,
      expect.stringMatching(
        /Before:\n {2}SELECT id FROM orders\n\nAfter:\n {2}SELECT id FROM \(\s*SELECT[^]*length/i,
      ),
    ]);
    const denied = await asAdmin(words, { input: 'DROP TABLE orders' });
    expect([denied.exitCode, denied.output]).toEqual([1, expect.stringContaining('no statement:')]);
  });

  it('rejects a number that parsing would round, before it sends a request', async () => {
    const words = ['preview', '--connection=c_none', '--actor=all-tenants', '--sql=SELECT 1'];
    const { exitCode, errors } = await asAdmin([...words, '--param=tenant=9007199254740993']);
    expect([exitCode, errors]).toEqual([
      2,
      expect.stringContaining('--param tenant holds 9007199254740993, which a 64-bit float does not hold'),
    ]);
  });

  it('shows progress only on a terminal, and reports invalid dashboards', async () => {
    const title = unique('Broken');
    const { id } = await api.createDashboard(api.admin, { title, template: { sheets: 'none' } });
    const watched = await asAdmin(['validate', '--all'], { isErrorWatched: true });
    const unwatched = await asAdmin(['validate', '--all', '--json']);
    expect([watched.exitCode, unwatched.exitCode]).toEqual([1, 1]);
    const row = `${id}  ${title}  error  TEMPLATE_MALFORMED`;
    expect(watched.output.replaceAll(/ {2,}/g, '  ')).toContain(row);
    const { results } = JSON.parse(unwatched.output) as {
      results: { dashboardId: string; isValid: boolean }[];
    };
    const invalid = results.filter(({ isValid }) => !isValid).map(({ dashboardId }) => dashboardId);
    // The issues of those that the ADMIN may list but not read are hidden.
    expect(invalid.length).toBeGreaterThan(1);
    expect(invalid.filter((invalidId) => !watched.output.includes(invalidId))).toEqual([]);
    expect(watched.errors).toMatch(/Validated: \d+ of \d+/);
    expect(unwatched.errors).toBe('');
    expect(JSON.parse(unwatched.output)).toMatchObject({ projectId: api.project.projectId });
  });

  it('plans and runs a migration, with the secret only in a file', async () => {
    const { id } = await api.createDashboard(api.admin, { template: { sheets: [] } });
    const { projectId } = await api.createProject();
    const words = ['migrate', id, `--to=${projectId}`];
    const planned = await asAdmin([...words, '--plan']);
    expect([planned.exitCode, planned.output]).toEqual([0, expect.stringContaining('createDashboard')]);
    const file = join(folder, 'migrated.secret');
    const applied = await asAdmin([...words, '--apply', `--secret-file=${file}`, '--json']);
    const secret = (await readFile(file, 'utf8')).trim();
    expect([applied.exitCode, secret.length > 20, (await stat(file)).mode & 0o777]).toEqual([0, true, 0o600]);
    expect(applied.output).not.toContain(secret);
    const dashboardId = (JSON.parse(applied.output) as { result: { dashboard: { id: string } } }).result
      .dashboard.id;
    const opened = await api.requestToken({ dashboardId, dashboardSecret: secret });
    expect(opened.status).toBe(200);
  });

  it('verifies the log, and finds an entry that was changed in an export', async () => {
    const file = join(folder, 'log.ndjson');
    expect((await asAdmin(['audit', 'export', `--output=${file}`])).exitCode).toBe(0);
    const report = await asAdmin(['audit', 'verify', '--json']);
    expect([report.exitCode, JSON.parse(report.output)]).toMatchObject([
      0,
      { reports: [{ outcome: 'intact' }] },
    ]);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('"outcome":"done"', '"outcome":"refused"'));
    const { exitCode, output } = await asAdmin(['audit', 'verify', `--file=${file}`]);
    expect([exitCode, output]).toEqual([1, expect.stringMatching(/1\s+hashWrong/)]);
  });

  it('shows texts of other users without their control characters', async () => {
    const title = `\u001b[2Jgone\u202e ${unique('x')}`;
    await api.createDashboard(api.admin, { title });
    const { output } = await asAdmin(['dashboards', 'list', '--search=gone']);
    expect(output).toContain('\ufffd[2Jgone\ufffd');
    expect(['\u001b', '\u202e'].filter((character) => output.includes(character))).toEqual([]);
  });

  it.each(['json', 'yaml'])('shows all control characters in %s as escapes', async (format) => {
    const title = `\u009b2Jgone\u007f ${unique('x')}`;
    await api.createDashboard(api.admin, { title });
    const { output } = await asAdmin(['dashboards', 'list', `--search=${title}`, '-o', format]);
    expect(output).toContain(
      title.replace('\u009b', String.raw`\u009b`).replace('\u007f', String.raw`\u007f`),
    );
    expect(output).not.toMatch(/[\u007f-\u009f]/);
  });

  it.each([
    [['nothing'], 'Unknown command: nothing.'],
    [['dashboards', 'get'], '<dashboard> is missing'],
    [['dashboards', 'get', 'd_1', 'd_2'], 'unexpected argument: d_2'],
    [['dashboards', 'list', '--limit=0'], '--limit is a whole number'],
    [['dashboards', 'list', '--colour'], "Unknown option '--colour'"],
    [['dashboards', 'update', 'd_1'], 'Nothing is to be changed'],
    [['dashboards', 'delete', 'd_1'], 'add --yes'],
    [['share', 'd_1', '--role=OWNER'], 'A target is missing'],
    [['share', 'd_1', '--role=KING', '--all-org-users'], '--role is one of VIEWER'],
    [['preview', '--connection=c_1', '--actor=dana'], '--actor is org-user:<id>'],
    [['validate'], 'Give a dashboard'],
    [['validate', '--template=/nonexistent.json'], 'There is no file'],
    [['migrate', 'd_1', '--to=p_1', '--plan', '--apply'], 'exclude each other'],
    [['audit', 'verify', '--file=/nonexistent.ndjson'], 'There is no file'],
    [['login', '--project-secret=s'], "Unknown option '--project-secret'"],
  ])('%j is refused in one line', async (words, reason) => {
    const { exitCode, output, errors } = await asAdmin(words);
    expect({ exitCode, output, errors }).toEqual({
      exitCode: 2,
      output: '',
      errors: expect.stringMatching(/^gatehouse: [^\n]+\n$/) as unknown,
    });
    expect(errors).toContain(reason);
  });

  it('reports that the user is not signed in, and that the server is unreachable', async () => {
    expect((await runCli(['whoami'])).exitCode).toBe(3);
    const environment = { url: 'http://127.0.0.1:1', token: api.admin.token };
    expect(await runCli(['dashboards', 'list'], { environment })).toMatchObject({
      exitCode: 4,
      errors: 'gatehouse: Gatehouse cannot be reached\n',
    });
  });
});

describe('a link to the console', () => {
  it('has a code for the user that works once', async () => {
    const { projectId, projectSecret, adminOrgUserId: orgUserId } = server.credentials;
    const environment = { url: server.baseUrl, projectId, projectSecret, orgUserId };
    const { output } = await runCli(['console'], { environment });
    const [address, signInCode] = output.trim().split('#sign-in=');
    expect(address).toBe(`${server.baseUrl}/console?project=${projectId}`);
    const { accessToken } = succeeded(await api.requestToken({ signInCode }));
    const who = await runCli(['whoami'], { environment: { url: server.baseUrl, token: accessToken } });
    expect(who.output).toContain(orgUserId);
    expect((await api.requestToken({ signInCode })).status).toBe(401);
  });

  it('needs the secret of a project', async () => {
    expect(await asAdmin(['console'])).toMatchObject({ exitCode: 2 });
  });

  it('signs the first ADMIN in by the file of the first start, without a login', async () => {
    const file = join(server.dataDir, 'credentials.json');
    const { output, exitCode } = await runCli(['console', '--from', file]);
    expect(exitCode).toBe(0);
    const [address, signInCode] = output.trim().split('#sign-in=');
    expect(address).toBe(`${server.baseUrl}/console?project=${server.credentials.projectId}`);
    const { accessToken } = succeeded(await api.requestToken({ signInCode }));
    const who = await runCli(['whoami'], { environment: { url: server.baseUrl, token: accessToken } });
    expect(who.output).toContain(server.credentials.adminOrgUserId);
  });

  it('is refused for a file of something else, and for a profile beside the file', async () => {
    const file = join(server.dataDir, 'credentials.json');
    for (const words of [
      ['--from', join(ROOT, 'package.json')],
      ['--from', file, '--profile', 'other'],
    ])
      expect(await runCli(['console', ...words])).toMatchObject({ exitCode: 2, output: '' });
  });
});

describe('a login', () => {
  const login = (words: string[], input: string) =>
    runCli(['login', `--url=${server.baseUrl}`, `--project=${api.project.projectId}`, ...words], {
      input,
      environment: { configFolder: join(folder, 'gatehouse') },
    });

  it('with invalid credentials stores nothing', async () => {
    const { exitCode, errors } = await login([], 'wrong-secret\n');
    expect([exitCode, errors.includes('wrong-secret')]).toEqual([3, false]);
    await expect(stat(join(folder, 'gatehouse'))).rejects.toThrow('ENOENT');
  });

  it('stores the credentials for their owner only, and rejects a file that others can read', async () => {
    const { projectSecret } = api.project;
    const { exitCode, output } = await login(
      [`--org-user=${server.credentials.adminOrgUserId}`],
      projectSecret,
    );
    const file = join(folder, 'gatehouse/credentials.json');
    expect([exitCode, output.includes(projectSecret), (await stat(file)).mode & 0o777]).toEqual([
      0,
      false,
      0o600,
    ]);
    const environment = { configFolder: join(folder, 'gatehouse') };
    expect((await runCli(['whoami'], { environment })).output).toMatch(/role +ADMIN/);
    const open = join(folder, 'open');
    await mkdir(open);
    await cp(file, join(open, 'credentials.json'));
    await run('chmod', ['644', join(open, 'credentials.json')]);
    const refused = await runCli(['whoami'], { environment: { configFolder: open } });
    expect([refused.exitCode, refused.errors]).toEqual([3, expect.stringContaining('can be read by others')]);
  });
});

describe('the package', () => {
  it('is installed without a registry, and works as in docs/cli.md', async () => {
    const page = await readFile(join(ROOT, 'docs/cli.md'), 'utf8');
    const [install = '', ...session] = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(
      ([, text = '']) => text,
    );
    const home = join(folder, 'home');
    await mkdir(join(home, '.data'), { recursive: true });
    await cp(join(server.dataDir, 'credentials.json'), join(home, '.data/credentials.json'));
    const env = { ...withoutRegistry(folder), FOLDER: folder, HOME: home };
    const script = `${install}\ncd "$HOME"\n${session.join('\n')}`;
    const { stdout } = await run('sh', ['-eu', '-c', script], { cwd: ROOT, env });
    for (const line of ['Signed in.', 'Created d_', 'all_org_users', '* ', 'intact', 'Signed out.'])
      expect(stdout).toContain(line);
    expect(stdout).not.toContain(api.project.projectSecret);
    expect((await stat(join(home, 'sales.secret'))).mode & 0o777).toBe(0o600);
  });

  it('has no dependencies, a version and types', async () => {
    const alone = await mkdtemp(join(folder, 'alone-'));
    const project = await installAlone('@gatehouse/cli', alone);
    expect(await installedIn(project)).toEqual([join(project, 'node_modules/@gatehouse/cli')]);
    const file = await readFile(join(ROOT, 'packages/cli/package.json'), 'utf8');
    const { version } = JSON.parse(file) as { version: string };
    const { stdout } = await run(join(project, 'node_modules/.bin/gatehouse'), ['--version']);
    expect(stdout).toBe(`${version}\n`);
    const program = `
      import { runCommand } from '@gatehouse/cli';
      let output = '';
      const terminal = { write: async (text) => void (output += text), writeError() {} };
      const exitCode = await runCommand(['--version'], terminal, {});
      console.log(JSON.stringify([exitCode, output]));`;
    expect(await evaluateIn(project, program)).toEqual([0, `${version}\n`]);
    const typed = `
      import { runCommand } from '@gatehouse/cli';
      export const words: Parameters<typeof runCommand>[0] = ['whoami'];
      // @ts-expect-error a number is no word
      export const wrong: Parameters<typeof runCommand>[0] = [1];`;
    for (const [, options] of RESOLUTIONS) expect(await compileIn(project, typed, options)).toBe('');
  });

  it('documents all exit codes in docs/cli.md, in the words of the help', async () => {
    const page = await readFile(join(ROOT, 'docs/cli.md'), 'utf8');
    const { output } = await runCli(['--help']);
    const shown = [...output.matchAll(/^ {2}(\d) {2}(.+)$/gm)].map(([, code, text]) => [code, text]);
    expect(shown).toHaveLength(8);
    const documented = [...page.matchAll(/^\| (\d) +\| (.+?) +\|$/gm)].map(([, code, text]) => [code, text]);
    expect(documented).toEqual(shown);
  });

  it('names the license of what it contains', async () => {
    const notices = await readFile(join(ROOT, 'packages/cli/THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const license of ['zod/LICENSE', 'leven/license'])
      expect(notices).toContain(await readFile(join(ROOT, 'node_modules', license), 'utf8'));
    // The bundler writes the source file of each part above it.
    const bundle = await readFile(join(ROOT, 'packages/cli/dist/gatehouse.js'), 'utf8');
    const contained = [...bundle.matchAll(/^\/\/ .*node_modules\/((?:@[^/]+\/)?[^/\n]+)/gm)].map(
      ([, name]) => name,
    );
    expect(new Set(contained)).toEqual(new Set(['commander', 'leven', 'yaml', 'zod']));
  });
});
