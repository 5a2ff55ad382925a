import autocannon from 'autocannon';

/** One kind of request, aimed at a server. `next` makes the path and body of each request. */
export interface Work {
  method: 'GET' | 'PATCH' | 'POST';
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

/** The value below which that share of the sorted values lies. */
export function percentile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function requestOf(aim: Aim, work: Work): autocannon.Request {
  return {
    method: work.method,
    setupRequest(request) {
      const { path, body } = work.next();
      if (body === undefined) return { ...request, path, headers: aim.headers };
      const headers = { ...aim.headers, 'content-type': 'application/json' };
      return { ...request, path, headers, body: JSON.stringify(body) };
    },
  };
}

/** Loads a server on loopback for `seconds` and measures it. Stops by itself. */
export async function load(
  aim: Aim,
  work: Work,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Measured> {
  const timesMs: number[] = [];
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options = { url: aim.baseUrl, connections, duration: seconds, requests: [requestOf(aim, work)] };
    const running = autocannon(options, (error: unknown, done) => (error ? reject(error) : resolve(done)));
    // The library's own percentiles are whole milliseconds, too coarse for answers that take less than one.
    running.on('response', (...[, , , timeMs]) => timesMs.push(timeMs));
  });
  timesMs.sort((a, b) => a - b);
  return {
    requestsPerSecond: result.requests.total / result.duration,
    p50Ms: percentile(timesMs, 0.5),
    p95Ms: percentile(timesMs, 0.95),
    p99Ms: percentile(timesMs, 0.99),
    failures: result.non2xx + result.errors + result.timeouts,
  };
}
