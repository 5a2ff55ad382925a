import type { Catalog } from '@gatehouse/contract';
import { FairShares } from '@gatehouse/service';
import type { SqlEngine } from '../logic/restriction.js';
import {
  createCatalogNumbers,
  type CompileCall,
  type KeyedRequest,
  CompileThread,
  CompilerUnavailableError,
  type CompileTask,
  type CompileThreadOptions,
} from './thread.js';

/** Each thread takes about 150 MB when both parsers are loaded. */
const THREADS = 2;
const LIMITS = {
  capacity: THREADS,
  // One organization always leaves a thread to the others.
  perShare: THREADS - 1,
  // Linting a connection analyzes each of its rules at once.
  waitingPerShare: 10_000,
  waiting: 50_000,
  // Longer than any call may take, including the start of a thread or of its parser.
  waitMs: 30_000,
};

/**
 * The most calls of one organization that are sent to a thread at once while no other organization has any.
 * Sent one by one, each call would wait for the main thread.
 */
const BATCH_MAX = 8;

interface Waiting {
  task: CompileTask;
  resolve(json: string): void;
  reject(error: unknown): void;
}

/**
 * Runs the SQL engines in threads that can be terminated, shared fairly between organizations. The second
 * thread starts only when two organizations have calls at the same time.
 */
export class CompilePool {
  readonly #shares = new FairShares(LIMITS);
  /** The most recently used thread is last, so that one thread serves calls that do not overlap. */
  readonly #idle: CompileThread[];
  readonly #threads: readonly CompileThread[];
  readonly #numberOf = createCatalogNumbers();
  /** The calls of each organization that have not been sent to a thread, in order. */
  readonly #waiting = new Map<string, Waiting[]>();
  #isWanted = false;
  #isStopped = false;

  constructor(options: CompileThreadOptions) {
    this.#threads = Array.from({ length: THREADS }, () => new CompileThread(options));
    this.#idle = [...this.#threads];
  }

  /** The engine of every dialect, for the calls of one organization. */
  engineOf(organizationId: string): SqlEngine {
    const call = <T>(made: CompileCall, catalog: Catalog | null = null) =>
      this.#run<T>(organizationId, { call: made, catalog });
    return {
      restrict: (request) => {
        const args: [KeyedRequest] = [
          { ...request, catalog: request.catalog && this.#numberOf(request.catalog) },
        ];
        return call({ method: 'restrict', args }, request.catalog);
      },
      checkExpression: (...args) => call({ method: 'checkExpression', args }),
      analyzeExpression: (...args) => call({ method: 'analyzeExpression', args }),
      printExpression: (...args) => call({ method: 'printExpression', args }),
    };
  }

  /**
   * Whether the threads respond. Busy threads count as ready: each responds or is terminated within the time
   * limit. Before the first call there are no threads.
   */
  async isReady(): Promise<boolean> {
    if (this.#isStopped) return false;
    if (!this.#isWanted || this.#idle.length === 0) return true;
    const canary = this.engineOf('').checkExpression('a = 1', 'postgres');
    return canary.then(
      (fault) => fault === null,
      () => false,
    );
  }

  /** Terminates the threads. Calls that run or wait are rejected. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }

  async #run<T>(
    share: string,
    { call, catalog }: { call: CompileCall; catalog: Catalog | null },
  ): Promise<T> {
    this.#isWanted = true;
    const keyed = catalog && { key: this.#numberOf(catalog), catalog };
    const json = await new Promise<string>((resolve, reject) => {
      const waiting = { task: { call, catalog: keyed }, resolve, reject };
      const own = this.#waiting.get(share) ?? [];
      own.push(waiting);
      this.#waiting.set(share, own);
      this.#shares
        .run(share, () => this.#runBatch(share))
        .catch((error: unknown) => {
          // A call that was sent in a batch with an earlier one settles with the result of the thread.
          const place = this.#waiting.get(share)?.indexOf(waiting) ?? -1;
          if (this.#take(share, place, 1).length > 0) reject(error);
        });
    });
    return JSON.parse(json) as T;
  }

  /** Sends calls of an organization to a thread, and resolves when all of them have settled. */
  async #runBatch(share: string): Promise<void> {
    const size = this.#waiting.size > 1 || this.#shares.running > 1 ? 1 : BATCH_MAX;
    const batch = this.#take(share, 0, size);
    const [first] = batch;
    if (!first) return;
    const run = async (thread: CompileThread) => {
      const answers = batch.map(({ task, resolve, reject }) => thread.run(task).then(resolve, reject));
      await Promise.all(answers);
    };
    await this.#withThread(first.task.catalog?.key ?? null, run).catch((error: unknown) => {
      for (const { reject } of batch) reject(error);
    });
  }

  /** Removes waiting calls from the queue, starting at an index. */
  #take(share: string, start: number, count: number): Waiting[] {
    const own = this.#waiting.get(share) ?? [];
    const taken = start < 0 ? [] : own.splice(start, count);
    if (own.length === 0) this.#waiting.delete(share);
    return taken;
  }

  async #withThread<T>(catalogKey: number | null, use: (thread: CompileThread) => Promise<T>): Promise<T> {
    if (this.#isStopped) throw new CompilerUnavailableError('the compiler was stopped');
    const known = this.#idle.findLastIndex((thread) => catalogKey !== null && thread.hasCatalog(catalogKey));
    const [thread] = this.#idle.splice(known, 1);
    if (!thread) throw new Error('No thread is idle');
    try {
      return await use(thread);
    } finally {
      this.#idle.push(thread);
    }
  }
}
