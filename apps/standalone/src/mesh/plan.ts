import { fileURLToPath } from 'node:url';
import { childEnvironment, type Config } from '@gatehouse/service';
import { baseUrlOf } from '../baseUrl.js';
import type { ProcessPlan } from './supervisor.js';

const LOOPBACK = '127.0.0.1';
const PROBE_TIMEOUT_MS = 1000;
// The same place seen from the source and from the build: programs run from the build alone.
const APPS = new URL('../../../', import.meta.url);
const END_WITH_PARENT = new URL('standalone/dist/mesh/endWithParent.js', APPS).href;

/** What the processes of one mesh agree on. */
export interface MeshSettings {
  config: Config;
  mongodbUrl: string;
  natsUrl: string;
  signingKey: string;
  verifyKey: string;
  sealingKeys: string;
  ports: { gateway: number; directory: number; access: number };
}

type App = keyof MeshSettings['ports'];
type Environment = Partial<Record<keyof Config, string>>;

/** How to run one part of the mesh. Each is given the secrets that it needs and no others. */
export function planApp(app: App, settings: MeshSettings): ProcessPlan {
  const { config, ports } = settings;
  const host = app === 'gateway' ? config.HOST : LOOPBACK;
  const environment = childEnvironment({
    ...toEnvironment(config),
    ...(app === 'gateway' ? gatewayEnvironment(settings) : serviceEnvironment(settings)),
    HOST: host,
    PORT: String(ports[app]),
    NATS_URL: settings.natsUrl,
    DIRECTORY_URL: serviceUrl('directory', settings),
    ACCESS_URL: serviceUrl('access', settings),
  });
  return {
    name: app,
    command: process.execPath,
    args: ['--import', END_WITH_PARENT, fileURLToPath(new URL(`${app}/dist/main.js`, APPS))],
    environment,
    isReady: () => answersReady(`${baseUrlOf(host, ports[app])}/readyz`),
  };
}

/** Where a service listens. */
export function serviceUrl(app: Exclude<App, 'gateway'>, settings: MeshSettings): string {
  return `ws://${LOOPBACK}:${settings.ports[app]}`;
}

function gatewayEnvironment({ signingKey }: MeshSettings): Environment {
  return { INTERNAL_SIGNING_KEY: signingKey, INTERNAL_VERIFY_KEY: '', SEALING_KEYS: '', MONGODB_URL: '' };
}

function serviceEnvironment({ verifyKey, sealingKeys, mongodbUrl }: MeshSettings): Environment {
  return {
    INTERNAL_SIGNING_KEY: '',
    INTERNAL_VERIFY_KEY: verifyKey,
    SEALING_KEYS: sealingKeys,
    MONGODB_URL: mongodbUrl,
  };
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
