import { useQuery } from '@tanstack/react-query';
import { useSession } from '../session/SessionContext.js';
import { useApi } from './api.js';

/** The name of a connection; its id until the name is there. */
export function useConnectionName(id: string | undefined): string {
  const api = useApi();
  const { project } = useSession();
  const { data } = useQuery({
    queryKey: ['connections', project.id, 'name', id],
    queryFn: async ({ signal }) =>
      (await api.getConnection({ id: id ?? '', fields: 'name' }, { signal })).connection.name,
    enabled: id !== undefined,
  });
  return data ?? id ?? '';
}
