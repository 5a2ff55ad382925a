import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Environment } from './environment.js';
import { runRecorded } from './testing/commandRun.js';
import { startRecordingServer, type RecordingServer } from './testing/recordingServer.js';

let folder: string;
let production: RecordingServer;
let staging: RecordingServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-settings-'));
  production = await startRecordingServer();
  staging = await startRecordingServer();
});
afterEach(async () => {
  await production[Symbol.asyncDispose]();
  await staging[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

type Variables = Partial<Environment>;
const run = (words: string[], environment: Variables = {}, input = '') =>
  runRecorded(words, { input, environment: { configFolder: folder, ...environment } });
const whoami = async (environment: Variables = {}, words: string[] = []) => {
  const result = await run(['whoami', '--json', ...words], environment);
  return result.exitCode === 0
    ? (JSON.parse(result.output) as { settings: { setting: string; value: string; source: string }[] })
    : result.errors;
};
const deleteDashboard = (environment: Variables = {}, words: string[] = []) =>
  run(['dashboards', 'delete', 'd_1', '--yes', ...words], environment);

/** As the login of earlier releases wrote it. */
async function storeEarlierLogin(mode = 0o600): Promise<void> {
  const login = {
    baseUrl: production.baseUrl,
    projectId: 'p_production',
    projectSecret: 'secret-of-production',
    orgUserId: 'user_production',
  };
  await writeFile(join(folder, 'credentials.json'), JSON.stringify(login), { mode });
}

async function signInToStaging(): Promise<void> {
  const words = ['login', '--profile=staging', `--url=${staging.baseUrl}`, '--project=p_staging'];
  expect((await run([...words, '--end-user=user_staging'], {}, 'secret-of-staging')).exitCode).toBe(0);
}

const token = (claims: object) => `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;

describe('an environment variable beside a stored login', () => {
  beforeEach(() => storeEarlierLogin());

  it('that names another server does not let a deletion reach the server of the login', async () => {
    const { exitCode, errors } = await deleteDashboard({ url: staging.baseUrl });
    expect([exitCode, errors]).toEqual([2, expect.stringContaining(`GATEHOUSE_URL is ${staging.baseUrl}`)]);
    expect([production.requests, staging.requests]).toEqual([[], []]);
    expect(staging.received).not.toContain('secret-of-production');
  });

  it('that names the same server in another form is accepted', async () => {
    const { exitCode } = await deleteDashboard({ url: `${production.baseUrl.toUpperCase()}//` });
    expect([exitCode, production.requests]).toEqual([0, ['DELETE /api/management/v1/dashboards/d_1']]);
  });

  it.each([
    [{ endUserId: 'user_2' }, { endUserId: 'user_2' }],
    [{ orgUserId: 'user_2' }, { orgUserId: 'user_2' }],
    [{}, { orgUserId: 'user_production' }],
  ])('%j decides which user acts', async (environment, subject) => {
    expect((await deleteDashboard(environment)).exitCode).toBe(0);
    expect(production.subjects).toEqual([
      { projectId: 'p_production', projectSecret: 'secret-of-production', ...subject },
    ]);
  });

  it.each([
    [{ projectId: 'p_2' }, 'GATEHOUSE_PROJECT_SECRET is missing'],
    [{ projectSecret: 's' }, 'GATEHOUSE_PROJECT_ID is missing'],
    [{ token: 'x.x.x' }, 'GATEHOUSE_URL is missing: GATEHOUSE_TOKEN is not sent to'],
    [{ projectId: 'p_2', projectSecret: 's' }, 'GATEHOUSE_URL is missing: GATEHOUSE_PROJECT_SECRET'],
    [{ orgUserId: 'u_1', endUserId: 'u_2' }, 'An org user and an end user do not go together'],
    [{ url: 'gatehouse.example.com' }, 'GATEHOUSE_URL must be an address'],
    [{ profile: 'nowhere' }, 'Profile nowhere is not signed in'],
    [{ profile: '../credentials' }, 'GATEHOUSE_PROFILE must have 1 to 63'],
  ])('%j is incomplete or invalid, and nothing is sent', async (environment, reason) => {
    const { exitCode, errors } = await deleteDashboard(environment);
    expect(errors).toContain(reason);
    expect([2, 3]).toContain(exitCode);
    expect(production.received).toBe('');
  });

  it('that repeats a part of the login changes nothing', async () => {
    const repeated = { projectId: 'p_production' };
    expect((await deleteDashboard(repeated)).exitCode).toBe(0);
    expect((await deleteDashboard({ projectSecret: 'secret-of-production' })).exitCode).toBe(0);
    expect(production.subjects.map(({ orgUserId }) => orgUserId)).toEqual([
      'user_production',
      'user_production',
    ]);
  });

  it('completes a set that replaces the login, and the user of the login is not taken over', async () => {
    const environment = { url: staging.baseUrl, projectId: 'p_2', projectSecret: 'secret-2' };
    expect((await deleteDashboard(environment)).exitCode).toBe(0);
    expect(staging.subjects).toEqual([{ projectId: 'p_2', projectSecret: 'secret-2' }]);
    expect(production.received).toBe('');
  });

  it.each([
    [{ projectId: 'p_2' }, 'GATEHOUSE_PROJECT_ID does not match GATEHOUSE_TOKEN'],
    [{ endUserId: 'u_2' }, 'GATEHOUSE_END_USER_ID does not match GATEHOUSE_TOKEN'],
  ])('%j must match the token', async (environment, reason) => {
    const given = { url: staging.baseUrl, token: token({ projectId: 'p_1', orgUserId: 'u_1' }) };
    expect((await deleteDashboard({ ...given, ...environment })).errors).toContain(reason);
    expect((await deleteDashboard({ ...given, projectId: 'p_1', orgUserId: 'u_1' })).exitCode).toBe(0);
    expect(staging.requests).toHaveLength(1);
  });
});

describe('without a stored login', () => {
  it.each([
    [{}, 'Not signed in: run "gatehouse login", or set GATEHOUSE_TOKEN'],
    [{ url: 'https://gatehouse.example.com' }, 'Not signed in'],
    [{ projectId: 'p_1' }, 'GATEHOUSE_PROJECT_SECRET is missing'],
    [{ projectSecret: 's' }, 'GATEHOUSE_PROJECT_ID is missing'],
  ])('%j states what is missing', async (environment, reason) => {
    expect((await deleteDashboard(environment)).errors).toContain(reason);
  });
});

describe('in a clone', () => {
  it('the missing login is named as npm runs it', async () => {
    const { errors } = await deleteDashboard({ program: 'npm run gatehouse --' });
    expect(errors).toContain('Not signed in: run "npm run gatehouse -- login", or set GATEHOUSE_TOKEN');
  });
});

describe('whoami', () => {
  it('shows each setting with its source, and no secret', async () => {
    await storeEarlierLogin();
    expect(await whoami({ endUserId: 'user_2', url: production.baseUrl })).toMatchObject({
      settings: [
        { setting: 'profile', value: 'default', source: 'current profile' },
        { setting: 'address', value: production.baseUrl, source: 'environment: GATEHOUSE_URL' },
        { setting: 'project', value: 'p_production', source: 'profile default' },
        { setting: 'credentials', value: 'project secret', source: 'profile default' },
        { setting: 'user', value: 'user_2', source: 'environment: GATEHOUSE_END_USER_ID' },
      ],
    });
    const { output } = await run(['whoami']);
    expect(output).toMatch(/user +user_production +profile default/);
    expect(output).not.toContain('secret-of-production');
  });

  it('shows the option or the variable that chose the profile', async () => {
    await signInToStaging();
    const chosen = (source: string) => ({ settings: [{ value: 'staging', source }, {}, {}, {}, {}] });
    expect(await whoami({}, ['--profile=staging'])).toMatchObject(chosen('flag: --profile'));
    expect(await whoami({ profile: 'staging' })).toMatchObject(chosen('environment: GATEHOUSE_PROFILE'));
  });

  it('shows the token as the source of project and user', async () => {
    const given = token({ projectId: 'p_1', tenantUserId: 'u_1' });
    expect(await whoami({ url: staging.baseUrl, token: given })).toMatchObject({
      settings: [
        { setting: 'address', source: 'environment: GATEHOUSE_URL' },
        { setting: 'project', value: 'p_1', source: 'environment: GATEHOUSE_TOKEN' },
        { setting: 'credentials', value: 'access token' },
        { setting: 'user', value: 'u_1', source: 'environment: GATEHOUSE_TOKEN' },
      ],
    });
  });
});

describe('profiles', () => {
  beforeEach(async () => {
    await storeEarlierLogin();
    await signInToStaging();
  });

  const names = async () => {
    const { output } = await run(['profile', 'list', '--json']);
    const { profiles } = JSON.parse(output) as { profiles: { name: string; isCurrent: boolean }[] };
    return profiles.map(({ name, isCurrent }) => (isCurrent ? `*${name}` : name));
  };

  it('are listed without secrets, the login of an earlier release as default', async () => {
    const { output } = await run(['profile', 'list']);
    expect(output).toMatch(/^ +default +\S+ +p_production +user_production$/m);
    expect(output).toMatch(/^\* +staging +\S+ +p_staging +user_staging$/m);
    expect(output).not.toContain('secret-of');
  });

  it('are files that only their owner can read', async () => {
    const modes = ['profiles', 'profiles/staging.json', 'current-profile'].map(
      async (name) => (await stat(join(folder, name))).mode & 0o777,
    );
    expect(await Promise.all(modes)).toEqual([0o700, 0o600, 0o600]);
    expect(await readdir(join(folder, 'profiles'))).toEqual(['staging.json']);
  });

  it('that others can read are rejected', async () => {
    await writeFile(join(folder, 'profiles/open.json'), '{}', { mode: 0o644 });
    const { exitCode, errors } = await deleteDashboard({}, ['--profile=open']);
    expect([exitCode, errors]).toEqual([3, expect.stringContaining('can be read by others')]);
  });

  it('that are damaged are rejected by name', async () => {
    await writeFile(join(folder, 'profiles/damaged.json'), '{}', { mode: 0o600 });
    expect((await deleteDashboard({}, ['--profile=damaged'])).errors).toContain('damaged.json contains no');
  });

  it('are chosen by --profile, then GATEHOUSE_PROFILE, then profile use', async () => {
    expect((await run(['profile', 'use', 'default'])).output).toContain(production.baseUrl);
    expect(await names()).toEqual(['*default', 'staging']);
    await deleteDashboard();
    await deleteDashboard({ profile: 'staging' });
    await deleteDashboard({ profile: 'staging' }, ['--profile=default']);
    await run(['--profile', 'staging', 'dashboards', 'delete', 'd_2', '--yes']);
    expect(production.requests).toHaveLength(2);
    expect(staging.requests.map((request) => request.slice(-3))).toEqual(['d_1', 'd_2']);
    expect(production.received).not.toContain('secret-of-staging');
    expect(staging.received).not.toContain('secret-of-production');
  });

  it('and a token of the environment are not mixed', async () => {
    const environment = { url: production.baseUrl, token: 'x.x.x' };
    const { exitCode, errors } = await deleteDashboard(environment, ['--profile=staging']);
    expect([exitCode, errors]).toEqual([2, expect.stringContaining('--profile and GATEHOUSE_TOKEN exclude')]);
    const chosen = await deleteDashboard({ ...environment, profile: 'staging' });
    expect(chosen.errors).toContain('GATEHOUSE_PROFILE and GATEHOUSE_TOKEN exclude each other');
    expect(production.received).toBe('');
  });

  it('are named with their server before a deletion', async () => {
    const environment = { configFolder: folder };
    const { questions } = await runRecorded(['dashboards', 'delete', 'd_1'], {
      environment,
      responses: ['n'],
    });
    expect(questions).toEqual([expect.stringContaining(`on ${staging.baseUrl} (profile staging)?`)]);
  });

  it('that are deleted while they are current are not replaced by another', async () => {
    expect((await run(['profile', 'delete', 'staging'])).output).toContain('It was the current profile');
    const { exitCode, errors } = await deleteDashboard();
    expect([exitCode, errors]).toEqual([3, expect.stringContaining('Profile staging is not signed in')]);
    expect(production.requests).toEqual([]);
    expect(await names()).toEqual(['default']);
    expect((await deleteDashboard({}, ['--profile=default'])).exitCode).toBe(0);
  });

  it('are signed out one by one', async () => {
    expect((await run(['logout', '--profile=default'])).output).toBe(
      'Signed out. Profile default is deleted.\n',
    );
    expect((await run(['logout', '--profile=default'])).output).toBe('Profile default was not signed in.\n');
    expect(await names()).toEqual(['*staging']);
  });

  it.each([
    ['use', 'nowhere', 'There is no profile nowhere'],
    ['delete', 'nowhere', 'There is no profile nowhere'],
    ['use', '../../etc', 'must have 1 to 63 lower-case letters'],
  ])('%s %s is rejected', async (verb, name, reason) => {
    const { exitCode, errors } = await run(['profile', verb, name]);
    expect([exitCode, errors]).toEqual([2, expect.stringContaining(reason)]);
    expect(await names()).toEqual(['default', '*staging']);
  });

  it('use reports a variable that takes precedence', async () => {
    const { errors } = await run(['profile', 'use', 'default'], { profile: 'staging' });
    expect(errors).toContain('GATEHOUSE_PROFILE is staging, and takes precedence');
  });

  it('named default stay readable for an earlier release', async () => {
    await mkdir(join(folder, 'other'));
    const words = ['login', `--url=${staging.baseUrl}`, '--project=p_staging'];
    await run(words, { configFolder: join(folder, 'other') }, 'secret-of-staging');
    expect(JSON.parse(await readFile(join(folder, 'other/credentials.json'), 'utf8'))).toEqual({
      baseUrl: staging.baseUrl,
      projectId: 'p_staging',
      projectSecret: 'secret-of-staging',
    });
  });
});
