import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** One kind of request to a server. `next` returns the path and body of each request. */
export interface Work {
  method: 'GET' | 'PATCH' | 'POST' | 'PUT';
  next(): { path: string; body?: unknown };
}

export interface Aim {
  baseUrl: string;
  headers: Record<string, string>;
}

export interface Measured {
  requestsPerSecond: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  failures: number;
}

/** The quantile of the sorted values. */
export function percentile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** More than any server here can handle. */
const REQUESTS_PER_SECOND_MAX = 8000;
const SCRIPT = fileURLToPath(new URL('../src/load.lua', import.meta.url));

/**
 * The requests of one load in the format of `load.lua`, without repetition unless the work itself repeats
 * them.
 */
function writeRequests({ headers }: Aim, { method, next }: Work, count: number): string {
  const lines = Object.entries({ ...headers, 'content-type': 'application/json' }).flat();
  lines.push('');
  for (let made = 0; made < count; made += 1) {
    const { path, body } = next();
    lines.push(method, path, body === undefined ? '' : JSON.stringify(body));
  }
  return `${lines.join('\n')}\n`;
}

/** The output of `load.lua`; times in microseconds. */
interface Printed {
  requests: number;
  microseconds: number;
  p50: number;
  p95: number;
  p99: number;
  failures: number;
}

/**
 * Loads a server on loopback for `seconds`, with wrk, which uses little CPU time, and measures it. Stops by
 * itself.
 */
export async function load(
  aim: Aim,
  work: Work,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-load-'));
  try {
    const file = join(folder, 'requests');
    await writeFile(file, writeRequests(aim, work, REQUESTS_PER_SECOND_MAX * seconds));
    const size = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`];
    const args = [...size, '--timeout', '30s', '--script', SCRIPT, aim.baseUrl, '--', file];
    const { stdout } = await promisify(execFile)('wrk', args);
    const last = stdout.trimEnd().split('\n').at(-1) ?? '';
    const { requests, microseconds, p50, p95, p99, failures } = JSON.parse(last) as Printed;
    return {
      requestsPerSecond: requests / (microseconds / 1e6),
      p50Ms: p50 / 1000,
      p95Ms: p95 / 1000,
      p99Ms: p99 / 1000,
      failures,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}
