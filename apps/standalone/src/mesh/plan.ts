import { fileURLToPath } from 'node:url';
import {
  ownVariables,
  SERVICE_NAMES,
  type OwnVariable,
  type ProcessName,
  type ServiceName,
} from '@gatehouse/contract';
import { childEnvironment, SERVICE_URLS, type Config } from '@gatehouse/service';
import { baseUrlOf } from '../baseUrl.js';
import type { ProcessPlan } from './supervisor.js';

const LOOPBACK = '127.0.0.1';
const PROBE_TIMEOUT_MS = 1000;
// The same path from the source and from the build: programs are only run from the build.
const APPS = new URL('../../../', import.meta.url);
const END_WITH_PARENT = new URL('standalone/dist/mesh/endWithParent.js', APPS).href;

/** The configuration that the processes of one mesh share. */
export interface MeshSettings {
  config: Config;
  /** The values of secrets and settings. Each process receives only those of its manifest entry. */
  own: Record<OwnSetting, string>;
  natsUrl: string;
  ports: Record<ProcessName, number>;
  /** Where each process serves its metrics; null if none does. */
  metricsPorts: Record<ProcessName, number> | null;
}

type Environment = Partial<Record<keyof Config, string>>;

/** The secrets and settings that the launcher provides; the URL of NATS is the same for all processes. */
type OwnSetting = Exclude<OwnVariable, 'NATS_URL'>;

/** How to run one part of the mesh. */
export function planApp(app: ProcessName, settings: MeshSettings): ProcessPlan {
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

/** The addresses of the services of a mesh, by their environment variables. */
export function serviceUrls({ ports }: MeshSettings): Record<(typeof SERVICE_URLS)[ServiceName], string> {
  const urls = SERVICE_NAMES.map((name) => [SERVICE_URLS[name], `ws://${LOOPBACK}:${ports[name]}`]);
  return Object.fromEntries(urls) as Record<(typeof SERVICE_URLS)[ServiceName], string>;
}

function ownEnvironment(app: ProcessName, { own }: MeshSettings): Environment {
  const given = ownVariables(app);
  const values = Object.entries(own) as [OwnSetting, string][];
  return Object.fromEntries(values.map(([name, value]) => [name, given.includes(name) ? value : '']));
}

/** A configuration as environment variables; an empty variable counts as not set. */
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
