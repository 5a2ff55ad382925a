import { Worker } from 'node:worker_threads';
import type { Parsed } from '../logic/polyglot/read.js';

/** The parser is gone, or took too long. */
export class ParserUnavailableError extends Error {
  override readonly name = 'ParserUnavailableError';
}

interface ParserThreadOptions {
  /** The longest that a text may take, and the longest that it may wait for its turn. */
  timeoutMs: number;
  /** Other than the parser's own in tests of what happens when it fails. */
  workerFile?: URL;
}

interface Task {
  text: string;
  /** As the parser calls it. */
  dialect: string;
  resolve(parsed: Parsed): void;
  reject(error: ParserUnavailableError): void;
  timer: NodeJS.Timeout;
}

type Answer =
  | { id: number; trees: string; failure?: undefined }
  | { id: number; trees?: undefined; failure: 'invalid' | 'tooDeep' };

const WORKER_FILE = new URL('../../parserWorker.mjs', import.meta.url);
/** The parser overflows a stack of the ordinary size on nested queries. */
const STACK_MB = 64;
/** A worker that does not answer by then does not start. */
const START_TIMEOUT_MS = 20_000;
/** Waiting texts beyond these are turned away at once. */
const WAITING_MAX = 1000;
const CANARY = { text: 'SELECT 1', dialect: 'mysql' };

/**
 * The parser in a thread of its own, one text at a time. A text that traps the parser, ends it or takes too long is rejected, and
 * those after it get a fresh thread: a parser that trapped once is not asked again. The thread takes a hundred megabytes, so it
 * starts with the first text.
 */
export class ParserThread {
  private readonly waiting: Task[] = [];
  private current: Task | null = null;
  private worker: Worker | null = null;
  private isStarted = false;
  private isClosed = false;
  private isWanted = false;
  private lastId = 0;

  constructor(private readonly options: ParserThreadOptions) {}

  /**
   * The trees of the statements in a text, or why it has none.
   * @throws ParserUnavailableError
   */
  parse(text: string, dialect: string): Promise<Parsed> {
    this.isWanted = true;
    return new Promise((resolve, reject) => {
      if (this.isClosed || this.waiting.length >= WAITING_MAX) {
        reject(new ParserUnavailableError('the parser takes no more texts'));
        return;
      }
      const timer = setTimeout(() => this.dropWaiting(task), this.options.timeoutMs + START_TIMEOUT_MS);
      const task: Task = { text, dialect, resolve, reject, timer };
      this.waiting.push(task);
      if (this.worker === null) this.start();
      this.sendNext();
    });
  }

  /** Whether the parser answers, or nobody has wanted it yet. */
  async isReady(): Promise<boolean> {
    if (!this.isWanted) return true;
    return this.parse(CANARY.text, CANARY.dialect).then(
      (parsed) => typeof parsed !== 'string',
      () => false,
    );
  }

  /** Ends the thread; what is waiting is rejected. */
  async close(): Promise<void> {
    this.isClosed = true;
    const worker = this.worker;
    this.fail('the parser was closed');
    this.rejectWaiting('the parser was closed');
    await worker?.terminate();
  }

  private start(): void {
    const worker = new Worker(this.options.workerFile ?? WORKER_FILE, {
      resourceLimits: { stackSizeMb: STACK_MB },
    });
    worker.unref();
    this.worker = worker;
    this.isStarted = false;
    const startTimer = setTimeout(() => this.end(worker, 'the parser did not start'), START_TIMEOUT_MS);
    startTimer.unref();
    worker.on('message', (message: Answer) => {
      if (this.worker !== worker) return;
      clearTimeout(startTimer);
      if (this.isStarted) this.answer(message);
      else this.isStarted = true;
      this.sendNext();
    });
    worker.on('error', () => this.end(worker, 'the parser failed'));
    worker.on('exit', () => this.end(worker, 'the parser ended'));
    worker.postMessage({ id: this.lastId, ...CANARY }, []);
  }

  private sendNext(): void {
    if (!this.isStarted || this.current !== null) return;
    const task = this.waiting.shift();
    if (task === undefined || this.worker === null) return;
    clearTimeout(task.timer);
    const { worker } = this;
    task.timer = setTimeout(() => this.end(worker, 'a text took too long'), this.options.timeoutMs);
    this.current = task;
    this.lastId += 1;
    worker.postMessage({ id: this.lastId, text: task.text, dialect: task.dialect }, []);
  }

  private answer({ id, trees, failure }: Answer): void {
    const task = this.current;
    if (task === null || id !== this.lastId) return;
    clearTimeout(task.timer);
    this.current = null;
    task.resolve(failure ?? JSON.parse(trees));
  }

  /** Gives a thread up and starts another one for those that wait, unless this one never began to work. */
  private end(worker: Worker, reason: string): void {
    if (this.worker !== worker) return;
    const didStart = this.isStarted;
    this.fail(reason);
    void worker.terminate();
    if (!didStart) this.rejectWaiting(reason);
    else if (!this.isClosed) this.start();
  }

  private fail(reason: string): void {
    const task = this.current;
    this.worker = null;
    this.isStarted = false;
    this.current = null;
    if (task === null) return;
    clearTimeout(task.timer);
    task.reject(new ParserUnavailableError(reason));
  }

  private dropWaiting(task: Task): void {
    const index = this.waiting.indexOf(task);
    if (index === -1) return;
    this.waiting.splice(index, 1);
    task.reject(new ParserUnavailableError('the parser is busy'));
  }

  private rejectWaiting(reason: string): void {
    for (const task of this.waiting.splice(0)) {
      clearTimeout(task.timer);
      task.reject(new ParserUnavailableError(reason));
    }
  }
}
