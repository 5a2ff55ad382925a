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

async function askSecret(question: string): Promise<string> {
  process.stderr.write(question);
  const lines = createInterface({ input: process.stdin, output: new Nowhere(), terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
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
    askSecret,
    readInput: () => text(process.stdin),
  };
}
