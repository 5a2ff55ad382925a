import type { Connection, ConnectionSummary } from '@gatehouse/contract';
import { byCursor } from '../../data/listSources.js';
import type { ListSource } from '../../data/useList.js';
import { versioned, type RecordSource } from '../../data/useRecord.js';

const PART = 100;

/** The connections of the project whose names contain the search. */
export function connectionList(search: string): ListSource<ConnectionSummary> {
  return {
    key: ['connections', 'list', search],
    load: async (api, cursor, signal) => {
      const input = { limit: PART, cursor, ...(search === '' ? {} : { search }) };
      const page = await api.listConnections(input, { signal });
      return byCursor(page.connections, page.nextCursor);
    },
  };
}

/** One connection with its catalog. */
export function connectionOf(id: string): RecordSource<Connection> {
  return {
    key: ['connections', id],
    load: async (api, signal) =>
      versioned(await api.withResponse.getConnection({ id }, { signal }), ({ connection }) => connection),
  };
}
