import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const HOST = '127.0.0.1';
/** Until a process is ready, and from then on. */
const START_INTERVAL_MS = 250;
const PROBE_INTERVAL_MS = 1000;
const PROBE_TIMEOUT_MS = 3000;
/** So many probes have to fail one after the other, as in the manifests. */
const FAILURES = 2;

/**
 * Stands before several processes of one kind, as a Service of Kubernetes does: each new connection goes to the next process that is
 * ready, and stays with it.
 */
export interface Balancer extends AsyncDisposable {
  port: number;
  /** Takes a process in, and resolves once it is ready. */
  add(port: number): Promise<void>;
  /** Sends nothing new there any more. */
  remove(port: number): void;
}

/** Starts a balancer on 127.0.0.1, before processes that listen there too. */
export async function startBalancer(): Promise<Balancer> {
  const balancer = new RoundRobin();
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

class RoundRobin implements Balancer {
  /** How many probes are lacking until a process counts as not ready; 0 from then on, until one succeeds. */
  readonly #readiness = new Map<number, number>();
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer({ noDelay: true }, (client) => this.#accept(client));
  #next = 0;

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
    const ready = [...this.#readiness].filter(([, lacking]) => lacking > 0);
    const endpoint = ready[(this.#next += 1) % ready.length];
    if (endpoint === undefined) {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ port: endpoint[0], host: HOST, noDelay: true });
    this.#join(client, server);
    this.#join(server, client);
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
