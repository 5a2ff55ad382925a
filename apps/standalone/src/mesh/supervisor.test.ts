import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment, createLog } from '@gatehouse/service';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { superviseProcess, type ProcessPlan } from './supervisor.js';

const log = createLog('test', { LOG_LEVEL: 'silent' });
let dir: string;
let startsFile: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gatehouse-supervisor-'));
  startsFile = join(dir, 'starts');
});
afterEach(() => rm(dir, { recursive: true }));

const countStarts = async () => (await readFile(startsFile, 'utf8').catch(() => '')).length;
const CODE = 'require("node:fs").appendFileSync(process.env.DATA_DIR, "x"); setInterval(() => {}, 1000);';

function planOf(code: string): ProcessPlan {
  return {
    name: 'sample',
    command: process.execPath,
    args: ['-e', code],
    environment: childEnvironment({ DATA_DIR: startsFile }),
    isReady: async () => (await countStarts()) > 0,
  };
}

describe('a supervised process', () => {
  it('is restarted each time it is killed, and ends when it is stopped', async () => {
    const supervised = await superviseProcess(planOf(CODE), log);
    for (const starts of [2, 3]) {
      process.kill(supervised.pid ?? 0, 'SIGKILL');
      await expect.poll(countStarts).toBe(starts);
    }
    const { pid = 0 } = supervised;
    await supervised.stop(5000);
    expect(supervised.pid).toBeUndefined();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(await countStarts()).toBe(3);
  });

  it('is killed when it does not end in time', async () => {
    const supervised = await superviseProcess(planOf(`process.on("SIGTERM", () => {}); ${CODE}`), log);
    const startedAtMs = performance.now();
    await supervised.stop(200);
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(190);
    expect(supervised.pid).toBeUndefined();
  });

  it('fails the start without a retry if it ends before it is ready', async () => {
    await expect(superviseProcess(planOf('process.exit(3)'), log)).rejects.toThrow('sample did not start');
    await expect(superviseProcess({ ...planOf(''), command: join(dir, 'missing') }, log)).rejects.toThrow(
      'sample did not start',
    );
  });
});
