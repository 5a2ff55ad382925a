import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** One request of a flood. `@` in its body stands for a number that is never the same. */
export interface FloodRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** What an attacker does, in a thread of its own. */
export interface Flood {
  requests: readonly FloodRequest[];
  /** In place of requests: what each connection sends, and then nothing more. */
  held?: string;
  connections: number;
  requestsMax: number;
}

const ATTACKER = new URL('attacker.mjs', import.meta.url);
/** Attackers come from another address than the organization that they disturb. */
const ATTACKER_ADDRESS = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1';

/** A flood that runs. It ends with its disposal. */
export class RunningFlood implements AsyncDisposable {
  readonly #worker: Worker;
  #outcomes: Record<string, number> = {};

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  static async start(baseUrl: string, flood: Flood): Promise<RunningFlood> {
    const worker = new Worker(ATTACKER, {
      workerData: { baseUrl, localAddress: ATTACKER_ADDRESS, ...flood },
    });
    await once(worker, 'message');
    return new RunningFlood(worker);
  }

  /** How often each status was answered, known once it has ended. */
  get outcomes(): Record<string, number> {
    return this.#outcomes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#worker, 'message');
    this.#worker.postMessage('stop', []);
    [this.#outcomes] = (await ended) as [Record<string, number>];
    await this.#worker.terminate();
  }
}
