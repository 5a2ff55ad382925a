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

/** The next line; an empty one if the input ends, or after an interrupt. */
async function readAnswer(output: Writable, question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await Promise.race([lines.question(question), once(lines, 'close').then(() => '')]);
  } finally {
    lines.close();
  }
}

async function askSecret(question: string): Promise<string> {
  process.stderr.write(question);
  try {
    return await readAnswer(new Nowhere(), '');
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
  return {
    async write(content) {
      if (!process.stdout.write(content)) await once(process.stdout, 'drain');
    },
    writeError: (content) => void process.stderr.write(content),
    isErrorWatched: process.stderr.isTTY,
    isInteractive: process.stdin.isTTY && process.stderr.isTTY,
    ask: (question) => readAnswer(process.stderr, question),
    askSecret,
    readInput: () => text(process.stdin),
  };
}
