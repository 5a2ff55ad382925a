import type { Connection } from '@gatehouse/contract';
import { useMemo } from 'react';
import { useRecord, versioned, type RecordSource } from '../../../data/useRecord.js';
import { tablesOf, type KnownTable } from '../../../logic/policyRules.js';

function connectionWithCatalog(id: string): RecordSource<Connection> {
  return {
    key: ['connections', id],
    load: async (api, signal) =>
      versioned<{ connection: Connection }, Connection>(
        await api.withResponse.getConnection({ id }, { signal }),
        ({ connection }) => connection,
      ),
  };
}

/** The tables of a connection, for completion; none until they are there. */
export function useCatalog(connectionId: string | null): readonly KnownTable[] {
  const { data } = useRecord(connectionWithCatalog(connectionId ?? ''), { isEnabled: connectionId !== null });
  const catalog = data?.record.catalog ?? null;
  return useMemo(() => tablesOf(catalog), [catalog]);
}
