import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Parsed } from '../../sql/polyglot/logic/readText.js';

/** The file of the build: a worker cannot load TypeScript. */
const PARSER = new URL('../../../dist/sql/compiler/parsePolyglot.js', import.meta.url);
const PROGRAM = `
  const { parentPort } = require('node:worker_threads');
  const parser = import(${JSON.stringify(PARSER.href)});
  parentPort.on('message', ({ text, dialect }) => {
    parser.then(({ parsePolyglot }) => parentPort.postMessage(JSON.stringify(parsePolyglot(text, dialect))));
  });`;

/** The parser in a thread of its own, so that tests run the engine from source. */
export class ParserThread {
  readonly #worker = new Worker(PROGRAM, { eval: true, resourceLimits: { stackSizeMb: 64 } });
  #last: Promise<unknown> = Promise.resolve();

  parse(text: string, dialect: string): Promise<Parsed> {
    const parsed = this.#last.then(async () => {
      const answer = once(this.#worker, 'message');
      this.#worker.postMessage({ text, dialect }, []);
      const [json] = await answer;
      return JSON.parse(json) as Parsed;
    });
    this.#last = parsed.catch(() => {});
    return parsed;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
