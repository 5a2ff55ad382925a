import { errorCodeOf } from './errorCode.js';
import { count, observeSince } from './metrics.js';
import { inSpan } from './tracing.js';

function describeCall(procedure: string) {
  return { 'rpc.system.name': 'trpc', 'rpc.method': procedure } as const;
}

/** Runs an outgoing call of a procedure, such as `directory.projects.get`, in a span. */
export function sendCall<T>(procedure: string, work: () => Promise<T>): Promise<T> {
  return inSpan(procedure, { kind: 'client', attributes: describeCall(procedure) }, work);
}

/** Runs an incoming call in the trace of its caller, and counts it by its outcome. */
export async function receiveCall<T>(
  procedure: string,
  traceparent: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const startedMs = performance.now();
  const options = { kind: 'server', parent: traceparent, attributes: describeCall(procedure) } as const;
  let code = 'ok';
  try {
    return await inSpan(procedure, options, work);
  } catch (error) {
    code = errorCodeOf(error);
    throw error;
  } finally {
    count('procedureCalls', { procedure, code });
    observeSince('procedureDuration', { procedure }, startedMs);
  }
}
