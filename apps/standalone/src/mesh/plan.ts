import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@gatehouse/contract';
import { childEnvironment, SERVICE_URLS, type Config } from '@gatehouse/service';
import { baseUrlOf } from '../baseUrl.js';
import type { ProcessPlan } from './supervisor.js';

const LOOPBACK = '127.0.0.1';
const PROBE_TIMEOUT_MS = 1000;
// The same place seen from the source and from the build: programs run from the build alone.
const APPS = new URL('../../../', import.meta.url);
const END_WITH_PARENT = new URL('standalone/dist/mesh/endWithParent.js', APPS).href;

/** The parts of a mesh that are processes of this project. */
export type MeshApp = 'gateway' | ServiceName;

/** What the processes of one mesh agree on. */
export interface MeshSettings {
  config: Config;
  /** The values of the settings in `OWN_SETTINGS`. */
  own: Record<OwnSetting, string>;
  natsUrl: string;
  ports: Record<MeshApp, number>;
  /** Where each process tells its metrics; null when none does. */
  metricsPorts: Record<MeshApp, number> | null;
}

type Environment = Partial<Record<keyof Config, string>>;

const SERVICE = ['INTERNAL_VERIFY_KEY', 'MONGODB_URL'] as const;

/** The secrets, and what else is the business of a few: each process is given those that it needs and no others. */
const OWN_SETTINGS = {
  gateway: ['INTERNAL_SIGNING_KEY'],
  directory: [...SERVICE, 'SEALING_KEYS'],
  access: SERVICE,
  semantics: [...SERVICE, 'SEALING_KEYS', 'CONNECTION_HOSTS', 'SQLITE_DIR'],
  policy: [...SERVICE, 'SEALING_KEYS'],
  lifecycle: [...SERVICE, 'LIFECYCLE_SIGNING_KEY', 'SEALING_KEYS', 'REPOSITORY_DIR', 'REPOSITORY_HOSTS'],
  audit: [...SERVICE, 'SEALING_KEYS', 'WEBHOOK_HOSTS'],
} as const satisfies Record<MeshApp, readonly (keyof Config)[]>;
type OwnSetting = (typeof OWN_SETTINGS)[MeshApp][number];

export const MESH_APPS = Object.keys(OWN_SETTINGS) as MeshApp[];
export const MESH_SERVICES = MESH_APPS.filter((app) => app !== 'gateway');

/** How to run one part of the mesh. */
export function planApp(app: MeshApp, settings: MeshSettings): ProcessPlan {
  const { config, ports, metricsPorts } = settings;
  const host = app === 'gateway' ? config.HOST : LOOPBACK;
  const environment = childEnvironment({
    ...toEnvironment(config),
    ...ownEnvironment(app, settings),
    ...serviceUrls(settings),
    HOST: host,
    PORT: String(ports[app]),
    NATS_URL: settings.natsUrl,
    METRICS_PORT: metricsPorts === null ? '' : String(metricsPorts[app]),
  });
  return {
    name: app,
    command: process.execPath,
    args: ['--import', END_WITH_PARENT, fileURLToPath(new URL(`${app}/dist/bundle/main.js`, APPS))],
    environment,
    isReady: () => answersReady(`${baseUrlOf(host, ports[app])}/readyz`),
  };
}

/** Where the services of a mesh listen, by the variables that say so. */
export function serviceUrls({ ports }: MeshSettings): Record<(typeof SERVICE_URLS)[ServiceName], string> {
  const urls = MESH_SERVICES.map((name) => [SERVICE_URLS[name], `ws://${LOOPBACK}:${ports[name]}`]);
  return Object.fromEntries(urls) as Record<(typeof SERVICE_URLS)[ServiceName], string>;
}

function ownEnvironment(app: MeshApp, { own }: MeshSettings): Environment {
  const given: readonly OwnSetting[] = OWN_SETTINGS[app];
  const names = new Set(Object.values(OWN_SETTINGS).flat());
  return Object.fromEntries([...names].map((name) => [name, given.includes(name) ? own[name] : '']));
}

/** A configuration as an environment holds it, where an empty variable is one that is not set. */
function toEnvironment(config: Config): Environment {
  const toText = (value: Config[keyof Config]) =>
    typeof value === 'boolean' ? (value ? '1' : '0') : String(value ?? '');
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, toText(value)]));
}

async function answersReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
