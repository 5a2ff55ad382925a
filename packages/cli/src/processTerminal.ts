import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Terminal } from './terminal.js';

/** Typed characters are not echoed. */
class Nowhere extends Writable {
  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }
}

interface Streams {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/** The next line; an empty one if the input ends, or after an interrupt. */
export async function readAnswer({ input, output }: Streams, question: string): Promise<string> {
  const lines = createInterface({ input, output, terminal: true });
  const ended = once(lines, 'close').then(() => '');
  try {
    return await Promise.race([lines.question(question), ended]);
  } catch (error) {
    // Newer versions of Node reject after an interrupt, and leave the cursor in the line.
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    output.write('\n');
    return '';
  } finally {
    lines.close();
  }
}

async function askSecret(question: string): Promise<string> {
  process.stderr.write(question);
  try {
    return await readAnswer({ input: process.stdin, output: new Nowhere() }, '');
  } finally {
    process.stderr.write('\n');
  }
}

/** The terminal of this process. */
export function openProcessTerminal(): Terminal {
  // A reader of the output may stop early, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  let interruption: AbortController | undefined;
  return {
    async write(content) {
      if (!process.stdout.write(content)) await once(process.stdout, 'drain');
    },
    writeError: (content) => void process.stderr.write(content),
    isErrorWatched: process.stderr.isTTY,
    isInteractive: process.stdin.isTTY && process.stderr.isTTY,
    ask: (question) => readAnswer({ input: process.stdin, output: process.stderr }, question),
    askSecret,
    readInput: () => text(process.stdin),
    // Only a command that ends by itself takes the signal from the process, and only once.
    get interrupted() {
      if (!interruption) {
        interruption = new AbortController();
        process.once('SIGINT', () => interruption?.abort());
      }
      return interruption.signal;
    },
  };
}
