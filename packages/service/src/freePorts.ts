import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/** An address that a server is going to listen on. */
export interface Place {
  host: string;
  /** 0 selects a free port. */
  port: number;
}

/**
 * Blocks of ports below the ephemeral ports, which the system assigns to servers without a port and to
 * outgoing connections. Ephemeral ports begin at 32768 on Linux and at 49152 (RFC 6335, section 6) elsewhere.
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
 * The ports that this process reserves, each used once. A block belongs to the process that listens on its
 * first port. The system prevents two processes from owning the same block, and releases the block of a
 * process that has died.
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

/** Listens on a port that no other process reserves. */
async function listenAnywhere(host: string): Promise<{ port: number; server: Server }> {
  for (;;) {
    const { value: port } = await ownPorts.next();
    if (port === undefined) throw new Error('No port is free');
    const server = await listenIfFree({ host, port });
    if (server !== undefined) return { port, server };
  }
}

/**
 * Finds a different free port for each place and leaves it unbound. Until a server listens on it, and while
 * that server restarts, neither the system nor another process that finds its ports here takes it.
 *
 * @throws Error naming the address of a place whose port is taken
 */
export async function findFreePorts(places: readonly Place[]): Promise<number[]> {
  const servers: Server[] = [];
  try {
    // Fixed ports come first, so that none of them is found for another place.
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

/** Finds a free port on the loopback address: see {@link findFreePorts}. */
export async function findFreePort(): Promise<number> {
  const [port = 0] = await findFreePorts([{ host: LOOPBACK, port: 0 }]);
  return port;
}
