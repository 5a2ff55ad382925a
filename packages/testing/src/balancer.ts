import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const HOST = '127.0.0.1';
/** Until a process is ready, and after that. */
const START_INTERVAL_MS = 250;
const PROBE_INTERVAL_MS = 1000;
/** A process that is slow because of the machine is still ready. */
const PROBE_TIMEOUT_MS = 30_000;
/** Number of consecutive failed probes, as in the manifests. */
const FAILURES = 2;

/**
 * A load balancer for several processes of one kind, as a Service of Kubernetes: each new connection goes
 * to the ready process with the fewest connections, and stays with it. A client that reconnects on a busy
 * machine therefore does not leave a process without connections.
 */
export interface Balancer extends AsyncDisposable {
  port: number;
  /** Adds a process, and resolves once it is ready. */
  add(port: number): Promise<void>;
  /** Sends no new connections to it. */
  remove(port: number): void;
}

/** Starts a balancer on 127.0.0.1, for processes that listen there too. */
export async function startBalancer(): Promise<Balancer> {
  const balancer = new LeastConnections();
  await balancer.listen();
  return balancer;
}

async function isReady(port: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const answer = await fetch(`http://${HOST}:${port}/readyz`, { signal, headers: { connection: 'close' } });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

class LeastConnections implements Balancer {
  /**
   * Number of further failed probes until a process counts as not ready; 0 after that, until one succeeds.
   */
  readonly #readiness = new Map<number, number>();
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer({ noDelay: true }, (client) => this.#accept(client));
  /** The number of open connections of each process. */
  readonly #open = new Map<number, number>();

  async listen(): Promise<void> {
    await once(this.#server.listen(0, HOST), 'listening');
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async add(port: number): Promise<void> {
    this.#readiness.set(port, 0);
    while (!(await this.#probe(port))) await sleep(START_INTERVAL_MS);
    void this.#keepProbing(port);
  }

  remove(port: number): void {
    this.#readiness.delete(port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#readiness.clear();
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #probe(port: number): Promise<boolean> {
    const ready = await isReady(port);
    const lacking = this.#readiness.get(port);
    if (lacking !== undefined) this.#readiness.set(port, ready ? FAILURES : Math.max(0, lacking - 1));
    return ready;
  }

  async #keepProbing(port: number): Promise<void> {
    while (this.#readiness.has(port)) {
      await sleep(PROBE_INTERVAL_MS, undefined, { ref: false });
      await this.#probe(port);
    }
  }

  #accept(client: Socket): void {
    const ready = [...this.#readiness].filter(([, lacking]) => lacking > 0).map(([port]) => port);
    const [port] = ready.toSorted((one, other) => this.#countOf(one) - this.#countOf(other));
    if (port === undefined) {
      client.resetAndDestroy();
      return;
    }
    this.#open.set(port, this.#countOf(port) + 1);
    const server = connect({ port, host: HOST, noDelay: true });
    server.once('close', () => this.#open.set(port, this.#countOf(port) - 1));
    this.#join(client, server);
    this.#join(server, client);
  }

  #countOf(port: number): number {
    return this.#open.get(port) ?? 0;
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.pipe(to);
    from.on('error', () => to.resetAndDestroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroySoon();
    });
  }
}
