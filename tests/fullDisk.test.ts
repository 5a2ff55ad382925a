import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { childEnvironment } from '@gatehouse/service';
import { removeDataDir } from '@gatehouse/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { spawnServer } from './src/servers.js';

const run = promisify(execFile);

/** Runs a command in mounts of its own, which end with it. */
const OWN_MOUNTS = ['--user', '--map-root-user', '--mount'];
const MOUNT = 'mount -t tmpfs -o size="$SIZE" tmpfs "$DATA_DIR"';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-disk-'));
});
afterEach(() => removeDataDir(dataDir));

function canMount(): boolean {
  const env = { ...process.env, SIZE: '1m', DATA_DIR: tmpdir() };
  return spawnSync('unshare', [...OWN_MOUNTS, 'sh', '-c', MOUNT], { env }).status === 0;
}

async function findEngine(parent: number): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'pid=,args=', '--ppid', String(parent)]);
  const line = stdout.split('\n').find((each) => each.includes('engine/host.mjs')) ?? '';
  return Number.parseInt(line, 10);
}

/** Runs the platform on a disk of this size until it ends. Returns what it wrote to standard error. */
async function startOnDisk(settings: Record<'SIZE' | 'DEMO', string>): Promise<string> {
  const program = fileURLToPath(new URL('../apps/standalone/dist/bundle/main.js', import.meta.url));
  const script = `${MOUNT} && exec "$0" "$@"`;
  const child = spawn('unshare', [...OWN_MOUNTS, 'sh', '-c', script, process.execPath, program], {
    env: childEnvironment({ ...settings, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'fatal' }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(code).toBe(1);
  return errors;
}

describe.skipIf(!canMount())('a start on a full disk', () => {
  it.each([
    { SIZE: '64k', DEMO: '0' },
    { SIZE: '1m', DEMO: '0' },
    { SIZE: '1m', DEMO: '1' },
  ])('of $SIZE reports that no space is left, with DEMO=$DEMO', async (settings) => {
    const errors = await startOnDisk(settings);
    expect(errors).toContain(`DATA_DIR must be writable and have free space: ${dataDir}: ENOSPC`);
  });
});

it.each(['standalone', 'mesh'] as const)(
  'reports why nothing can be written, and the signal, when the engine of %s ends',
  async (form) => {
    await using server = await spawnServer(form, { DATA_DIR: join(dataDir, 'removed') });
    const engine = await findEngine(server.pid);
    await rm(server.dataDir, { recursive: true });
    process.kill(engine, 'SIGKILL');
    expect(await server.exited).toBe(1);
    expect(server.errors()).toContain(
      'The embedded MongoDB engine ended by SIGKILL; Gatehouse ends with it. ' +
        `DATA_DIR must be writable and have free space: ${server.dataDir}: ENOENT`,
    );
  },
);
