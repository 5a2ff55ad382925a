import { connectNatsBus, createLog } from '@gatehouse/service';

/** The ids of the requests whose events have come by NATS. */
export interface EventLog extends AsyncDisposable {
  /** Which of these have no event yet. */
  missing(requestIds: readonly string[]): string[];
}

/** Follows every event of a NATS server from now on. */
export async function followEvents(url: string): Promise<EventLog> {
  const log = createLog('test', { LOG_LEVEL: 'silent' });
  const bus = await connectNatsBus({ url, name: 'faults-test', log });
  const seen = new Set<string | undefined>();
  await bus.consume({
    name: 'faults-test',
    types: ['management.*.*.v1'],
    handle: async ({ requestid }) => void seen.add(requestid),
  });
  return {
    missing: (requestIds) => requestIds.filter((id) => !seen.has(id)),
    [Symbol.asyncDispose]: () => bus.close(),
  };
}
