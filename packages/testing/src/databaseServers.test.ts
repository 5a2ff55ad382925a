import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startMariaDb } from './mariaDb.js';
import { startPostgres } from './postgres.js';
import { ServerFolder, startServer } from './serverProcess.js';

async function connectTo(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect').finally(() => socket.destroy());
}

describe.each([
  ['startPostgres', startPostgres],
  ['startMariaDb', startMariaDb],
])('%s', (_name, start) => {
  it('starts separate servers, which end with all their processes and files', async () => {
    const [first, second] = await Promise.all([start(), start()]);
    expect(second.port).not.toBe(first.port);
    await Promise.all([connectTo(first.port), connectTo(second.port)]);
    await first[Symbol.asyncDispose]();
    await expect(connectTo(first.port)).rejects.toThrow('ECONNREFUSED');
    expect(() => process.kill(first.pid, 0)).toThrow('ESRCH');
    await connectTo(second.port);
    await second[Symbol.asyncDispose]();
    expect(() => process.kill(second.pid, 0)).toThrow('ESRCH');
  });
});

describe('startServer', () => {
  it('reports the output of a server that ends before it is ready', async () => {
    const folder = await ServerFolder.make('gatehouse-testing-');
    const program = {
      program: 'sh',
      argsFor: () => ['-c', 'echo out of luck >&2'],
      stopSignal: 'SIGKILL',
    } as const;
    await expect(startServer(folder, { ...program, ready: /ready/ })).rejects.toThrow(
      /did not start:\nout of luck/,
    );
    await folder.remove();
  });
});

describe('ServerFolder', () => {
  it('reports how to install a missing program', async () => {
    const folder = await ServerFolder.make('gatehouse-testing-');
    await expect(folder.run('no-such-program', [], 'Install it.')).rejects.toThrow(
      'no-such-program is not installed. Install it.',
    );
    await folder.remove();
    await expect(readFile(folder.path)).rejects.toThrow('ENOENT');
  });
});
