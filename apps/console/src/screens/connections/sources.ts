import type { Connection, ConnectionSummary } from '@gatehouse/contract';
import { byCursor } from '../../data/listSources.js';
import type { ListSource } from '../../data/useList.js';
import { versioned, type RecordSource } from '../../data/useRecord.js';

const PART = 200;

/** The connections of the project. */
export const connections: ListSource<ConnectionSummary> = {
  key: ['connections', 'list'],
  load: async (api, next, signal) => {
    const input = { limit: PART, ...(typeof next === 'string' ? { cursor: next } : {}) };
    const page = await api.listConnections(input, { signal });
    return byCursor(page.connections, page.nextCursor);
  },
};

/** One connection with its catalog. */
export function connectionOf(id: string): RecordSource<Connection> {
  return {
    key: ['connections', id],
    load: async (api, signal) =>
      versioned(await api.withResponse.getConnection({ id }, { signal }), ({ connection }) => connection),
  };
}
