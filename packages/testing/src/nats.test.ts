import { access, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startNats } from './nats.js';

async function readGreeting(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  try {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    return chunk.toString();
  } finally {
    socket.destroy();
  }
}

describe('startNats', () => {
  it('starts a server with JetStream on a free loopback port', async () => {
    await using first = await startNats();
    await using second = await startNats();
    expect(second.port).not.toBe(first.port);
    expect(await readGreeting(first.port)).toMatch(/^INFO .*"jetstream":true/);
    expect(first.url).toBe(`nats://127.0.0.1:${first.port}`);
  });

  it('starts again on the same port and store after a stop and after a kill', async () => {
    await using first = await startNats();
    await first.stop();
    await expect(readGreeting(first.port)).rejects.toThrow('ECONNREFUSED');
    await using second = await startNats({ port: first.port, storeDir: first.storeDir });
    await second.kill();
    await using third = await startNats({ port: first.port, storeDir: first.storeDir });
    expect(third.port).toBe(first.port);
    expect(await readGreeting(first.port)).toMatch(/^INFO /);
  });

  it('ends the server, also a stopped one, and removes its own store but not a given one', async () => {
    const storeDir = await mkdtemp(join(tmpdir(), 'gatehouse-nats-'));
    const own = await startNats();
    const given = await startNats({ storeDir });
    process.kill(own.pid, 'SIGSTOP');
    await own[Symbol.asyncDispose]();
    await given[Symbol.asyncDispose]();
    expect(() => process.kill(own.pid, 0)).toThrow('ESRCH');
    await expect(access(own.storeDir)).rejects.toThrow('ENOENT');
    await access(storeDir);
    await rm(storeDir, { recursive: true });
  });

  it('reports the output of nats-server when it cannot start', async () => {
    await using running = await startNats();
    await expect(startNats({ port: running.port })).rejects.toThrow(
      /did not start:[^]*address already in use/,
    );
  });
});
