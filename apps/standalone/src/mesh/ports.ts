import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

export interface Place {
  host: string;
  /** 0 for any free one. */
  port: number;
}

/**
 * A port for each place that nobody listens on now, all different.
 *
 * @throws Error naming the address of a place whose port is taken.
 */
export async function findFreePorts(places: readonly Place[]): Promise<number[]> {
  const servers = places.map((place) => ({ place, server: createServer() }));
  const ports: number[] = [];
  try {
    for (const { place, server } of servers) {
      await once(server.listen(place), 'listening');
      ports.push((server.address() as AddressInfo).port);
    }
    return ports;
  } finally {
    // Closed together, or the system could give the same port twice.
    for (const { server } of servers) await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}
