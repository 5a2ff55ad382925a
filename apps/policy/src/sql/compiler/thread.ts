import type { Catalog } from '@gatehouse/contract';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { RestrictionRequest, SqlEngine } from '../logic/restriction.js';
import { countColumns } from '../logic/catalogIndex.js';

/** A request as a thread receives it, with the key of its catalog in place of the catalog. */
export type KeyedRequest = Omit<RestrictionRequest, 'catalog'> & { catalog: number | null };

/** A call of `SqlEngine` in a thread. */
export type CompileCall =
  | { method: 'restrict'; args: [KeyedRequest] }
  | { method: 'checkExpression'; args: Parameters<SqlEngine['checkExpression']> }
  | { method: 'analyzeExpression'; args: Parameters<SqlEngine['analyzeExpression']> }
  | { method: 'printExpression'; args: Parameters<SqlEngine['printExpression']> };

/** A message to a thread. */
export interface CompileMessage {
  call: CompileCall;
  /** A catalog that the thread does not have yet, and its key. */
  catalog: { key: number; catalog: Catalog } | null;
  /** The keys of catalogs to evict: no more calls use them. */
  evicted: number[];
}

/**
 * A message from a thread: it has started, the running call waits for a parser that loads, that parser is
 * loaded, or the result of a call as JSON.
 */
export type CompileReply =
  | { kind: 'started' }
  | { kind: 'loading' }
  | { kind: 'loaded' }
  | {
      kind: 'result';
      json: string;
      /** Bytes outside the JavaScript heap, including the memory of the parsers. It never shrinks. */
      externalBytes: number;
    };

/** Assigns a number to each catalog object. A catalog is immutable, and a new version is a new object. */
export function createCatalogNumbers(): (catalog: Catalog) => number {
  const numbers = new WeakMap<Catalog, number>();
  let last = 0;
  return (catalog) => {
    const number = numbers.get(catalog) ?? (last += 1);
    numbers.set(catalog, number);
    return number;
  };
}

/** The thread ended, or was terminated on a timeout. */
export class CompilerUnavailableError extends Error {
  override readonly name = 'CompilerUnavailableError';
}

export interface CompileThreadOptions {
  /** The time limit of one call, without the start of the thread and of the parser that it needs. */
  timeoutMs: number;
  /** Replaces the compiler in tests of its failures. */
  workerFile?: URL;
}

/** A call and its catalog. */
export interface CompileTask {
  call: CompileCall;
  catalog: { key: number; catalog: Catalog } | null;
}

/** The file of the build, also when this module runs from source: a worker cannot load TypeScript. */
const WORKER_FILE = new URL('../../../dist/sql/compiler/worker.js', import.meta.url);
const LIMITS = {
  // The polyglot parser overflows a stack of the default size on nested queries.
  stackSizeMb: 64,
  maxOldGenerationSizeMb: 256,
  maxYoungGenerationSizeMb: 64,
};
/** The time limit of the start of a thread, and of that of a parser. */
const START_TIMEOUT_MS = 20_000;
/**
 * The memory of a parser never shrinks: a thread that holds more than this is replaced. Both parsers need 210
 * MB at first.
 */
const EXTERNAL_BYTES_MAX = 512 * 1024 * 1024;
/** The columns and tables of the cached catalogs of a thread: about 50 MB. */
const CACHED_COLUMNS_MAX = 400_000;

interface Job {
  task: CompileTask;
  resolve(json: string): void;
  reject(error: CompilerUnavailableError): void;
}

/**
 * A thread that runs calls in sequence. It starts with the first call. A call that times out, fills the heap
 * or ends the thread is rejected, and the calls behind it run in a new thread.
 */
export class CompileThread {
  #worker: Worker | null = null;
  #hasStarted = false;
  /**
   * The first job runs. The others have been sent as well, so that the thread does not wait for the main
   * thread between jobs.
   */
  #jobs: Job[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** The catalogs that the thread has, by key, with their weights. */
  readonly #catalogs = new LRUCache<number, number>({
    maxSize: CACHED_COLUMNS_MAX,
    // A larger catalog is sent as well: it evicts all others.
    sizeCalculation: (weight) => Math.min(weight, CACHED_COLUMNS_MAX),
    dispose: (_, key, reason) => void (reason === 'evict' && this.#evicted.push(key)),
  });
  /** The keys of evicted catalogs that the thread still has. */
  #evicted: number[] = [];

  readonly #options: CompileThreadOptions;

  constructor(options: CompileThreadOptions) {
    this.#options = options;
  }

  /** Whether the thread already has this catalog. */
  hasCatalog(key: number): boolean {
    return this.#catalogs.has(key);
  }

  /**
   * Queues a call. Resolves to its result as JSON.
   * @throws CompilerUnavailableError
   */
  run(task: CompileTask): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ task, resolve, reject });
      const worker = this.#worker ?? this.#start();
      if (this.#hasStarted) this.#send(worker, task);
    });
  }

  /** Terminates the thread. Unfinished calls are rejected. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#releaseWorker();
    for (const job of this.#jobs.splice(0))
      job.reject(new CompilerUnavailableError('the compiler was stopped'));
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#options.workerFile ?? WORKER_FILE, {
      env: {},
      execArgv: [],
      resourceLimits: LIMITS,
      stdout: true,
      stderr: true,
    });
    worker.unref();
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('message', (reply: CompileReply) => {
      if (this.#worker === worker) this.#receive(worker, reply);
    });
    for (const event of ['error', 'exit']) {
      worker.on(event, () => this.#endWorker(worker, 'the compiler failed'));
    }
    this.#worker = worker;
    this.#limit(worker, { ms: START_TIMEOUT_MS, reason: 'the compiler did not start' });
    return worker;
  }

  #send(worker: Worker, task: CompileTask): void {
    if (this.#jobs[0]?.task === task) this.#limitFirst(worker);
    worker.postMessage(this.#messageOf(task), []);
  }

  #limitFirst(worker: Worker): void {
    this.#limit(worker, { ms: this.#options.timeoutMs, reason: 'the statement took too long' });
  }

  #receive(worker: Worker, reply: CompileReply): void {
    clearTimeout(this.#timer);
    if (reply.kind === 'started') {
      this.#hasStarted = true;
      for (const { task } of this.#jobs) this.#send(worker, task);
      return;
    }
    // A thread that was terminated while it loads a parser would load it again for the next call.
    if (reply.kind === 'loading') {
      this.#limit(worker, { ms: START_TIMEOUT_MS, reason: 'the parser did not start' });
      return;
    }
    if (reply.kind === 'loaded') {
      this.#limitFirst(worker);
      return;
    }
    this.#jobs.shift()?.resolve(reply.json);
    if (reply.externalBytes > EXTERNAL_BYTES_MAX) this.#replace(worker);
    else if (this.#jobs.length > 0) this.#limitFirst(worker);
  }

  #limit(worker: Worker, { ms, reason }: { ms: number; reason: string }): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#endWorker(worker, reason), ms);
  }

  /** Terminates a thread because of the running call, which is rejected. */
  #endWorker(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    const didStart = this.#hasStarted;
    // If no thread starts, none of the calls can run.
    for (const job of this.#jobs.splice(0, didStart ? 1 : Infinity)) {
      job.reject(new CompilerUnavailableError(reason));
    }
    this.#replace(worker);
  }

  /** Terminates a thread and starts another one for the unfinished calls. */
  #replace(worker: Worker): void {
    this.#releaseWorker();
    void worker.terminate();
    if (this.#jobs.length > 0) this.#start();
  }

  #releaseWorker(): void {
    clearTimeout(this.#timer);
    this.#worker = null;
    this.#hasStarted = false;
    this.#catalogs.clear();
    this.#evicted = [];
  }

  /** Sends a catalog with its first call, and evicts the least recently used ones. */
  #messageOf({ call, catalog }: CompileTask): CompileMessage {
    if (catalog === null) return { call, catalog: null, evicted: [] };
    const isKnown = this.#catalogs.get(catalog.key) !== undefined;
    if (!isKnown) this.#catalogs.set(catalog.key, countColumns(catalog.catalog));
    return { call, catalog: isKnown ? null : catalog, evicted: this.#evicted.splice(0) };
  }
}
