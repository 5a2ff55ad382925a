import { errorCodeOf } from './errorCode.js';
import { count, observeSince } from './metrics.js';
import { currentTraceparent, inSpan } from './tracing.js';

function describeCall(procedure: string) {
  return { 'rpc.system.name': 'trpc', 'rpc.method': procedure } as const;
}

/** Makes a call of a procedure, `directory.projects.get`; the work is given what the other side needs to go on with the trace. */
export function sendCall<T>(
  procedure: string,
  work: (traceparent: string | undefined) => Promise<T>,
): Promise<T> {
  const options = { kind: 'client', attributes: describeCall(procedure) } as const;
  return inSpan(procedure, options, () => work(currentTraceparent()));
}

/** Answers a call: counts it by how it ended, and goes on with the caller's trace. */
export async function answerCall<T>(
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
