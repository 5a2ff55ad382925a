import { findFreePorts, newSecret, type Config, type Logger } from '@gatehouse/service';
import { setTimeout as sleep } from 'node:timers/promises';
import { CREDENTIALS_FILE } from '../credentials.js';
import type { DataDirectory } from '../dataDirectory.js';
import type { StopSequence } from '../stopSequence.js';
import { startDemoServers, type DemoServers } from './demoServers.js';
import { DEMO_FILE, formatDemoSettings, parseDemoSettings, type DemoSettings } from './settings.js';
import { READER } from './servers/tables.js';

export const LOOPBACK = '127.0.0.1';
/** Exists while the demo organization is not complete, and states what is pending. */
const PENDING_FILE = 'demo.pending';
const MOVE = 'move';
/** How long the servers of a launcher that was killed may keep their ports. */
const PORT_WAIT_MS = 3000;
const PORT_POLL_MS = 50;

/** The demo organization of a data directory, and its running servers. */
export interface Demo {
  /** `load`: the organization is not complete; `move`: only the ports of its servers have changed. */
  pending: 'load' | 'move' | null;
  settings: DemoSettings;
  servers: DemoServers;
  /** The hosts that connections may reach: those of the operator, and the database of the demo. */
  connectionHosts: string;
  /** The hosts that webhooks may reach: those of the operator, and the receiver of the demo. */
  webhookHosts: string;
}

export interface DemoParts {
  config: Config;
  log: Logger;
  stops: StopSequence;
}

/**
 * Starts the servers of the demo organization without waiting for them. Returns null without DEMO, and for a
 * data directory whose first start was without it.
 */
export async function openDemo(
  directory: DataDirectory,
  { config, log, stops }: DemoParts,
): Promise<Demo | null> {
  const isFirstStart = (await directory.read(CREDENTIALS_FILE)) === null;
  if (!config.DEMO) {
    if (isFirstStart) await directory.remove(PENDING_FILE);
    return null;
  }
  if (isFirstStart) await directory.createOnce(PENDING_FILE, '');
  const stored = await directory.read(DEMO_FILE);
  if (stored === null && (await directory.read(PENDING_FILE)) === null) return null;

  const settings = await provideSettings(directory, stored);
  const pending = await directory.read(PENDING_FILE);
  const servers = startDemoServers(directory.path, log);
  stops.add((timeoutMs) => servers.stop(timeoutMs));
  if (pending !== '') void keepRenamed(servers);
  return {
    pending: pending === null ? null : pending === MOVE ? 'move' : 'load',
    settings,
    servers,
    connectionHosts: allow(config.CONNECTION_HOSTS, settings.database.port),
    webhookHosts: allow(config.WEBHOOK_HOSTS, settings.webhook.port),
  };
}

/** A database that was deleted and created again begins with the former name of the column. */
async function keepRenamed(servers: DemoServers): Promise<void> {
  await servers
    .ready()
    .then(() => servers.renameColumn())
    // The end of the process is logged.
    .catch(() => {});
}

/** Marks the demo organization as complete. */
export async function completeDemo(directory: DataDirectory): Promise<void> {
  await directory.remove(PENDING_FILE);
}

function allow(hosts: string, port: number): string {
  return [hosts, `${LOOPBACK}:${port}`].filter(Boolean).join(', ');
}

/** The stored settings if their ports are free, else settings with other ports. */
async function provideSettings(directory: DataDirectory, stored: string | null): Promise<DemoSettings> {
  const known = stored === null ? undefined : parseDemoSettings(stored);
  if (known !== undefined && (await areFree([known.database.port, known.webhook.port]))) return known;
  const anywhere = { host: LOOPBACK, port: 0 };
  const [databasePort = 0, webhookPort = 0] = await findFreePorts([anywhere, anywhere]);
  const password = known?.database.password ?? newSecret();
  const settings = {
    ...known,
    database: { port: databasePort, user: READER, password },
    webhook: { port: webhookPort },
  };
  // Before the ports: a start that dies in between moves the records again.
  await directory.createOnce(PENDING_FILE, MOVE);
  await directory.replace(DEMO_FILE, formatDemoSettings(settings));
  return settings;
}

async function areFree(ports: number[]): Promise<boolean> {
  const deadlineMs = performance.now() + PORT_WAIT_MS;
  for (;;) {
    const isFree = await findFreePorts(ports.map((port) => ({ host: LOOPBACK, port }))).then(
      () => true,
      () => false,
    );
    if (isFree || performance.now() > deadlineMs) return isFree;
    await sleep(PORT_POLL_MS);
  }
}
