import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { findFreePort, findFreePorts } from './freePorts.js';

const MODULE = new URL('../dist/freePorts.js', import.meta.url).href;
const host = '127.0.0.1';
/** The first ephemeral port. Linux has the lowest one. */
const FIRST_EPHEMERAL = 32_768;

async function listenOn(port: number) {
  const server = createServer();
  await once(server.listen({ host, port }), 'listening');
  return { [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) };
}

/** Finds ports in a process of its own, which the test ends. */
async function findElsewhere(count: number) {
  const places = JSON.stringify(Array.from({ length: count }, () => ({ host, port: 0 })));
  const code = `
    import { findFreePorts } from ${JSON.stringify(MODULE)};
    process.stdin.resume();
    console.log(JSON.stringify(await findFreePorts(${places})));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const end = async () => {
    child.stdin.end();
    await exited;
  };
  return { ports: JSON.parse(line.toString()) as number[], end };
}

describe('free ports', () => {
  it('are outside the ephemeral ports, and all different', async () => {
    const found = await Promise.all(
      Array.from({ length: 20 }, () =>
        findFreePorts([
          { host, port: 0 },
          { host, port: 0 },
        ]),
      ),
    );
    const ports = found.flat();
    expect(new Set(ports).size).toBe(40);
    expect(Math.max(...ports)).toBeLessThan(FIRST_EPHEMERAL);
    for (const port of ports) await (await listenOn(port))[Symbol.asyncDispose]();
  });

  it('are not reserved by other processes, and stay free when their finder ends', async () => {
    const finders = await Promise.all(Array.from({ length: 6 }, () => findElsewhere(40)));
    const ports = finders.flatMap((finder) => finder.ports);
    expect(new Set(ports).size).toBe(240);
    await Promise.all(finders.map((finder) => finder.end()));
  });

  it('are not in use', async () => {
    const port = await findFreePort();
    await using _next = await listenOn(port + 1);
    expect(await findFreePort()).toBeGreaterThan(port + 1);
  });

  it('include the fixed ports unless they are in use, each for its own place', async () => {
    const next = (await findFreePort()) + 1;
    const [any, wanted] = await findFreePorts([
      { host, port: 0 },
      { host, port: next },
    ]);
    expect(wanted).toBe(next);
    expect(any).not.toBe(next);
    await using _taken = await listenOn(next);
    await expect(findFreePorts([{ host, port: next }])).rejects.toThrow(
      `EADDRINUSE: address already in use ${host}:${next}`,
    );
  });
});
