import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/** Where something is going to listen. */
export interface Place {
  host: string;
  /** 0 for any free one. */
  port: number;
}

/**
 * Blocks of ports below those that a system gives by itself, to servers that name none and to outgoing connections: it begins with 32768
 * on Linux and with 49152 (RFC 6335, section 6) elsewhere.
 */
const FIRST_PORT = 20_000;
const BLOCK_SIZE = 32;
const BLOCKS = 375;
const LOOPBACK = '127.0.0.1';

async function listen(place: Place): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await once(server.listen(place), 'listening');
  return server;
}

async function listenIfFree(place: Place): Promise<Server | undefined> {
  try {
    return await listen(place);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return undefined;
    throw error;
  }
}

/**
 * Ports that this process alone is given, each once. A block belongs to the process that listens on its first port, until that ends:
 * the system itself keeps two of them from having the same, and frees what a process that died has had.
 */
async function* claimPorts(): AsyncGenerator<number, void> {
  const start = randomInt(BLOCKS);
  for (let tried = 0; tried < BLOCKS; tried += 1) {
    const first = FIRST_PORT + ((start + tried) % BLOCKS) * BLOCK_SIZE;
    const claim = await listenIfFree({ host: LOOPBACK, port: first });
    if (claim === undefined) continue;
    claim.unref();
    for (let port = first + 1; port < first + BLOCK_SIZE; port += 1) yield port;
  }
}

const ownPorts = claimPorts();

/** Listens on a port that no other process is given. */
async function listenAnywhere(host: string): Promise<{ port: number; server: Server }> {
  for (;;) {
    const { value: port } = await ownPorts.next();
    if (port === undefined) throw new Error('No port is free');
    const server = await listenIfFree({ host, port });
    if (server !== undefined) return { port, server };
  }
}

/**
 * A port for each place that nobody listens on now, all different. They are left to whoever asked: neither the system nor another process
 * that finds its ports here takes one before something listens on it, or while that is away and comes back.
 *
 * @throws Error naming the address of a place whose port is taken.
 */
export async function findFreePorts(places: readonly Place[]): Promise<number[]> {
  const servers: Server[] = [];
  try {
    // First, or one of them might be found for another place.
    for (const place of places) if (place.port !== 0) servers.push(await listen(place));
    const ports: number[] = [];
    for (const { host, port: wanted } of places) {
      if (wanted !== 0) {
        ports.push(wanted);
        continue;
      }
      const { port, server } = await listenAnywhere(host);
      servers.push(server);
      ports.push(port);
    }
    return ports;
  } finally {
    await Promise.all(servers.map((server) => once(server.close(), 'close')));
  }
}

/** A port of loopback that nobody listens on: see {@link findFreePorts}. */
export async function findFreePort(): Promise<number> {
  const [port = 0] = await findFreePorts([{ host: LOOPBACK, port: 0 }]);
  return port;
}
