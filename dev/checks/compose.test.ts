import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { PROCESS_NAMES, processEntry, SERVICE_NAMES, type ProcessName } from '@gatehouse/contract';
import { readConfig } from '@gatehouse/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { planApp, type MeshSettings } from '../../apps/standalone/src/mesh/plan.js';

interface Service {
  image: string;
  build?: { context: string; dockerfile: string; args: Record<string, string> };
  env_file?: string | string[];
  environment?: Record<string, string>;
  depends_on?: string[] | Record<string, { condition: string }>;
  volumes?: string[];
  [more: string]: unknown;
}
interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}
/** The configuration of a Prometheus. */
interface Scraping {
  scrape_configs: { static_configs: { targets: string[] }[] }[];
}

const NATS = 'nats-server';
const SECRETS = 'k8s/overlays/local/secrets/';
const given = 'given';
/** Variables that an operator may set, and that are not set by default. */
const notAllowed = {
  OIDC_CLIENT_SECRET: '',
  CONNECTION_HOSTS: '',
  REPOSITORY_HOSTS: '',
  SQLITE_DIR: '',
  WEBHOOK_HOSTS: '',
};
const OWN: MeshSettings['own'] = {
  INTERNAL_SIGNING_KEY: given,
  INTERNAL_VERIFY_KEY: given,
  LIFECYCLE_SIGNING_KEY: given,
  MONGODB_URL: given,
  SEALING_KEYS: given,
  REPOSITORY_DIR: given,
  ...notAllowed,
};

const { services, volumes } = parse(
  readFileSync(path.join(import.meta.dirname, '../../infra/compose.yaml'), 'utf8'),
  {
    merge: true,
  },
) as Compose;

describe('the compose file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-compose-'));
    spawnSync(process.execPath, [path.join(import.meta.dirname, '../../scripts/secrets.mjs'), folder]);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The environment of a process: its files, then the variables of the compose file. */
  function environmentOf(app: ProcessName): Record<string, string> {
    const { env_file: files = [], environment } = services[app] ?? { image: '' };
    const lines = [files].flat().flatMap((file) => {
      expect(file.startsWith(SECRETS)).toBe(true);
      return readFileSync(path.join(folder, file.slice(SECRETS.length)), 'utf8')
        .split('\n')
        .filter(Boolean);
    });
    const own = lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
    return { ...(Object.fromEntries(own) as Record<string, string>), ...environment };
  }

  it.each(PROCESS_NAMES)('gives %s the secrets of the mesh on one machine, and no others', (app) => {
    const ports = Object.fromEntries(PROCESS_NAMES.map((name) => [name, 1])) as MeshSettings['ports'];
    const { environment } = planApp(app, {
      config: readConfig({}),
      own: OWN,
      natsUrl: given,
      ports,
      metricsPorts: null,
    });
    const own = ['NATS_URL', ...Object.keys(OWN)];
    const set = environmentOf(app);
    expect(own.filter((name) => set[name])).toEqual(own.filter((name) => environment[name]));
  });

  it.each(PROCESS_NAMES)('sets variables of %s that the program reads, to valid values', (app) => {
    const environment = environmentOf(app);
    expect(Object.keys(environment).filter((name) => !(name in readConfig({})))).toEqual([]);
    const config = readConfig(environment);
    expect(config).toMatchObject({ HOST: '0.0.0.0', PORT: 8080 });
    expect(config).toMatchObject({ METRICS_HOST: '0.0.0.0', METRICS_PORT: 9464 });
    for (const name of SERVICE_NAMES) {
      expect(environment[`${name.toUpperCase()}_URL`]).toBe(`ws://${name}:8080`);
    }
  });

  it.each(PROCESS_NAMES)(
    'builds the image of %s, and leaves it nothing to write but /tmp and its volume',
    (app) => {
      const service = services[app];
      const { volume } = processEntry(app).deployment;
      expect(service).toMatchObject({
        build: { context: '..', dockerfile: 'infra/Dockerfile', args: { SERVICE: app } },
        read_only: true,
        tmpfs: ['/tmp'],
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        depends_on: {
          'mongodb-users': { condition: 'service_completed_successfully' },
          nats: { condition: 'service_started' },
        },
      });
      expect(service?.volumes ?? []).toEqual(volume ? [`${volume.name}:${volume.path}`] : []);
    },
  );

  it('starts NATS without its monitor, which every container could read without a password', async () => {
    const config = path.join(folder, 'nats.conf');
    const settings = readFileSync(config, 'utf8')
      .replace('port: 4222', 'host: 127.0.0.1\nport: -1')
      .replace('http_port: 8222', 'http_port: -1')
      .replace('/data', path.join(folder, 'streams'));
    writeFileSync(`${config}.local`, settings);
    const command = services['nats']?.['command'] as string[];
    const args = command.map((arg) => arg.replace('/etc/nats/nats.conf', `${config}.local`));
    // Debian installs it where a user without root does not look.
    const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };
    const server = spawn(NATS, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const lines: string[] = [];
    for await (const line of createInterface(server.stderr)) {
      lines.push(line);
      if (line.includes('Server is ready')) server.kill('SIGKILL');
    }
    expect(lines.filter((line) => line.includes('Server is ready'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('http monitor'))).toEqual([]);
  });

  it('publishes only the gateway, and that only to this machine', () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      (ports as string[]).map((port) => [name, port]),
    );
    expect(published).toEqual([['gateway', '127.0.0.1:${PORT:-8080}:8080']]);
  });

  it('has every process scraped as the page documents', () => {
    const page = readFileSync(path.join(import.meta.dirname, '../../docs/observability.md'), 'utf8');
    const block = page.match(/```yaml\n[^`]*static_configs[^`]*```/)?.[0] ?? '';
    const { scrape_configs: jobs } = parse(block.replaceAll(/```(?:yaml)?/g, '')) as Scraping;
    const scraped = jobs.flatMap((job) => job.static_configs.flatMap(({ targets }) => targets));
    expect(scraped.toSorted()).toEqual(PROCESS_NAMES.map((app) => `${app}:9464`).toSorted());
  });

  it('refers only to services and volumes that it defines', () => {
    const all = Object.values(services);
    const needed = all.flatMap(({ depends_on: needs = [] }) =>
      Array.isArray(needs) ? needs : Object.keys(needs),
    );
    const mounted = all.flatMap(({ volumes: mounts = [] }) =>
      mounts.map((mount) => mount.split(':')[0] ?? ''),
    );
    expect(needed.filter((name) => !(name in services))).toEqual([]);
    expect(mounted.filter((name) => !name.startsWith('./') && !(name in volumes))).toEqual([]);
  });
});
