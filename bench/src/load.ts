import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

type Method = 'GET' | 'PATCH' | 'POST' | 'PUT' | 'DELETE';

/** Requests to a server. `next` returns the path and body of each request, and its method if they differ. */
export interface Work {
  method: Method;
  next(): { path: string; body?: unknown; method?: Method };
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
function writeRequests({ headers }: Aim, work: Work, count: number): string {
  const lines = Object.entries({ ...headers, 'content-type': 'application/json' }).flat();
  lines.push('');
  for (let made = 0; made < count; made += 1) {
    const { path, body, method = work.method } = work.next();
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

export interface LoadSettings {
  connections: number;
  seconds: number;
  /** The rate of the load; absent for as many requests as the server answers. */
  requestsPerSecond?: number;
}

/** With a rate, one thread may send a few more requests than it implies. */
const RATE_MARGIN = 1.1;

/**
 * Loads a server on loopback for `seconds`, with wrk, which uses little CPU time, and measures it. Stops by
 * itself.
 */
export async function load(
  aim: Aim,
  work: Work,
  { connections, seconds, requestsPerSecond: rate }: LoadSettings,
): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-load-'));
  try {
    const file = join(folder, 'requests');
    const count = rate === undefined ? REQUESTS_PER_SECOND_MAX * seconds : rate * seconds * RATE_MARGIN;
    await writeFile(file, writeRequests(aim, work, count));
    const size = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`];
    const args = [...size, '--timeout', '30s', '--script', SCRIPT, aim.baseUrl, '--', file];
    if (rate !== undefined) args.push(String(rate));
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
