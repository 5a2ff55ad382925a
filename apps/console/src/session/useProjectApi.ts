import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { createApi, type Api } from '../data/api.js';
import { sessionQuery } from './session.js';

/** The REST client of a session, whose requests act in a project. Its end is read from their responses. */
export function useProjectApi(projectId: string, csrfToken: string): Api {
  const queries = useQueryClient();
  return useMemo(() => {
    const readSession = () => void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    return createApi(projectId, csrfToken, readSession);
  }, [projectId, csrfToken, queries]);
}
