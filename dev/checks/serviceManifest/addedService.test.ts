import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { childEnvironment, generateInternalKeys } from '@gatehouse/service';
import type { Credentials } from '@gatehouse/standalone';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { allowedCalls, podsOf } from '../manifests/calls.mjs';
import { canRender, renderFolder } from '../manifests/render.mjs';
import { findRuleFaults } from '../manifests/rules.mjs';
import { findSchemaFaults } from '../manifests/schema.mjs';
import { addService, compileCaller, copyRepository, MANIFEST, PAGE, type Copy } from './addedService.js';
import { findBlock, runCommands } from '../../../tests/src/docCommands.js';

const SECRETS = '.data/secrets';
/** All packages are installed. */
const NPM = {
  npm_config_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  // Otherwise `npm test --silent` hides the errors of the commands here too.
  npm_config_loglevel: 'error',
};
const JSON_TYPE = { 'content-type': 'application/json' };
const LIMIT_MS = 20 * 60_000;
/** A part of `npm run check`. */
const CHECK = ['dev/checks/serviceManifest.mjs', 'check'];

const COMMON = {
  DEMO: '0',
  LOG_LEVEL: 'info',
  MONGODB_URL: '',
  NATS_URL: '',
  HOST: '127.0.0.1',
  PORT: '0',
  RATE_LIMIT: '0',
  RATE_LIMIT_TOKEN: '0',
};

/** Starts a program of the copy; resolves once it has printed the address of the gateway. */
async function startProgram(copy: Copy, program: string, environment: Record<string, string>) {
  const child = spawn(process.execPath, [join(copy.path, 'apps/standalone/dist/bundle', program)], {
    cwd: copy.path,
    env: childEnvironment({ ...COMMON, ...environment }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  createInterface(child.stderr).on('line', (line) => log.push(line));
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    const [code] = (await exited) as [number | null];
    return code;
  };
  const printed = once(child.stdout, 'data');
  const ended = exited.then(() => {
    throw new Error(`${program} ended:\n${log.join('\n')}`);
  });
  await Promise.race([printed, ended]);
  ended.catch(() => {});
  return { log, stop };
}

const DASHBOARDS = 5;

/** Creates dashboards on a platform that runs. */
async function createDashboards(dataDir: string): Promise<void> {
  const { baseUrl, projectId, projectSecret, adminOrgUserId } = JSON.parse(
    await readFile(join(dataDir, 'credentials.json'), 'utf8'),
  ) as Credentials;
  const post = async (path: string, body: unknown, headers = {}) => {
    const init = { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) };
    const response = await fetch(`${baseUrl}/api/${path}`, init);
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
    return (await response.json()) as { accessToken?: string };
  };
  const { accessToken } = await post('v1/token', { projectId, projectSecret, orgUserId: adminOrgUserId });
  const authorization = `Bearer ${accessToken}`;
  for (let index = 0; index < DASHBOARDS; index += 1)
    await post('management/v1/dashboards', { title: `Dashboard ${index}` }, { authorization });
}

describe('a seventh service', { timeout: LIMIT_MS }, () => {
  let copy: Copy;
  let caller: string;
  let changes: readonly string[];
  let written: string;
  beforeAll(async () => {
    copy = await copyRepository();
    // Those of an installation that is older than the service.
    await copy.run('npm', ['run', 'secrets', '--', SECRETS]);
    await addService(copy);
    changes = await copy.listChanges();
    const commands = await findBlock(PAGE, 'npm run manifest');
    const { code, output, errors } = await runCommands(commands.text, {
      folder: copy.path,
      environment: NPM,
    });
    if (code !== 0) throw new Error(`${commands.text}\n${output}${errors}`);
    written = output;
    caller = await compileCaller(copy);
  }, LIMIT_MS);
  afterAll(() => copy[Symbol.asyncDispose]());

  const readCounts = async (environment: Record<string, string>, dataDir: string) => {
    const settings = { ...COMMON, LOG_LEVEL: 'silent', ...environment, DATA_DIR: dataDir };
    const output = await copy.run(process.execPath, [caller, join(dataDir, 'credentials.json')], settings);
    return JSON.parse(output.slice(output.lastIndexOf('{'))) as { visible: number; created: number };
  };

  it('needs a change of the manifest and one folder', async () => {
    expect(changes).toEqual(['apps/reports', MANIFEST]);
  });

  it('changes no other file than those that the command for the manifest writes', async () => {
    const later = (await copy.listChanges()).filter((file) => !changes.includes(file));
    expect(later).toContain('infra/compose.yaml');
    expect(later.filter((file) => !written.includes(file))).toEqual([]);
    await copy.run(process.execPath, CHECK);
  });

  it('is a part of the check that the written files are up to date', async () => {
    const text = await copy.read('infra/compose.yaml');
    await copy.write('infra/compose.yaml', text.replace('REPORTS_URL', 'REPORT_URL'));
    await expect(copy.run(process.execPath, CHECK)).rejects.toThrow('infra/compose.yaml');
    await copy.write('infra/compose.yaml', text);
  });

  it('does not compile if it calls a service that the manifest does not list', async () => {
    const file = 'apps/reports/src/service.ts';
    const text = await copy.read(file);
    await copy.write(file, text.replaceAll(/\baccess\b/g, 'policy'));
    const compiled = copy.run('node_modules/.bin/tsc', [
      '--noEmit',
      '-p',
      'apps/reports/tsconfig.build.json',
    ]);
    await expect(compiled).rejects.toThrow("Property 'policy' does not exist");
    await copy.write(file, text);
  });

  it('is subject to the import rules of a service', async () => {
    const file = 'apps/reports/src/planted.ts';
    const violation =
      "import { accessService } from '@gatehouse/access';\n\nexport const { name } = accessService;\n";
    await copy.write(file, violation);
    const linted = copy.run('node_modules/.bin/oxlint', [
      'apps/reports',
      'apps/standalone/src/definitions.ts',
    ]);
    await expect(linted).rejects.toThrow(
      /apps\/reports may not import @gatehouse\/access[^]*Found 0 warnings and 1 error/,
    );
    await copy.run('rm', [file]);
  });

  it('runs in one process, calls another service and consumes events', async () => {
    const dataDir = join(copy.path, '.data/standalone');
    const program = await startProgram(copy, 'main.js', { DATA_DIR: dataDir });
    await createDashboards(dataDir);
    expect(await program.stop()).toBe(0);
    expect(await readCounts({}, dataDir)).toEqual({ visible: DASHBOARDS, created: DASHBOARDS });
  });

  it('runs in the mesh, calls another service and consumes events', async () => {
    const dataDir = join(copy.path, '.data/mesh');
    const { signingKey } = await generateInternalKeys();
    const settings = { DATA_DIR: dataDir, INTERNAL_SIGNING_KEY: signingKey };
    const program = await startProgram(copy, 'mesh.js', settings);
    try {
      const own = program.log.find(
        (line) => line.includes('"service":"reports"') && line.includes('"listening"'),
      );
      const url = /"url":"([^"]*)"/.exec(own ?? '')?.[1];
      if (url === undefined) throw new Error(`reports does not listen:\n${program.log.join('\n')}`);
      await createDashboards(dataDir);
      const counts = await readCounts({ INTERNAL_SIGNING_KEY: signingKey, REPORTS_URL: url }, dataDir);
      expect(counts).toEqual({ visible: DASHBOARDS, created: DASHBOARDS });
    } finally {
      expect(await program.stop()).toBe(0);
    }
  });

  it('is added to the secrets, which stay, with its own user of NATS and MongoDB', async () => {
    const read = (name: string) => copy.read(join(SECRETS, name));
    const [access, users, bus] = [
      await read('access.env'),
      await read('mongodb-users.env'),
      await read('nats.conf'),
    ];
    expect(await copy.run('npm', ['run', 'secrets', '--', SECRETS])).toContain(
      'Added the secrets of reports',
    );
    expect(await read('access.env')).toBe(access);
    expect((await read('mongodb-users.env')).startsWith(users)).toBe(true);
    const others = (await read('nats.conf')).split('\n').filter((line) => !line.includes('user: reports'));
    expect(others.join('\n')).toBe(bus);
    const names = (await read('reports.env')).split('\n').map((line) => line.split('=')[0]);
    expect(names).toEqual(['INTERNAL_VERIFY_KEY', 'MONGODB_URL', 'NATS_URL', '']);
    expect(await read('reports.env')).toContain('authSource=gatehouse_reports');
    expect(await read('mongodb-users.env')).toMatch(/^reports=/m);
    const [, permissions = ''] =
      /user: reports, password: "[^"]*", permissions: (.*) \}/.exec(await read('nats.conf')) ?? [];
    expect(JSON.parse(permissions)).toMatchObject({
      publish: expect.arrayContaining(['$JS.ACK.MANAGEMENT.reports-dashboards.>', 'management.request.*.v1']),
      subscribe: ['_INBOX.>', 'replay.reports-dashboards'],
    });
  });

  it('is a service of the compose file', async () => {
    const { services } = parse(await copy.read('infra/compose.yaml'), { merge: true });
    expect(services.reports).toMatchObject({
      build: { args: { SERVICE: 'reports' } },
      env_file: 'k8s/overlays/local/secrets/reports.env',
      environment: { REPORTS_URL: 'ws://reports:8080' },
      read_only: true,
    });
  });

  it.skipIf(!canRender())('has Kubernetes manifests that conform to the schemas and the rules', async () => {
    await copy.run('npm', ['run', 'secrets']);
    const render = (name: string) => renderFolder(join(copy.path, 'infra/k8s', name));
    const manifests = [...render('overlays/local'), ...render('indexes')];
    expect([...manifests.flatMap(findSchemaFaults), ...findRuleFaults(manifests)]).toEqual([]);
    const servers = manifests.filter(({ kind }) => ['Deployment', 'StatefulSet'].includes(kind)).map(podsOf);
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
    const calls = allowedCalls(servers, policies).filter((call) => call.includes('reports'));
    expect(calls.toSorted()).toEqual([
      'gateway -> reports:http',
      'reports -> access:http',
      'reports -> mongodb:mongodb',
      'reports -> nats:nats',
    ]);
    const jobs = manifests.filter(({ kind }) => kind === 'Job').map(({ metadata }) => metadata.name);
    expect(jobs).toContain('reports-indexes');
    render('overlays/production');
  });
});
