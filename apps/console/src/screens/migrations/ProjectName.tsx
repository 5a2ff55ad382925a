import { useMemo } from 'react';
import { IdCopy } from '../../components/IdCopy.js';
import { useSession } from '../../session/SessionContext.js';

/** The names of the projects that the session knows, by their ids. */
export function useProjectNames(): ReadonlyMap<string, string> {
  const { projects } = useSession();
  return useMemo(() => new Map(projects.map(({ id, name }) => [id, name])), [projects]);
}

/** The name of a project that the session knows, or its id. */
export function ProjectName({ id }: { id: string }) {
  const name = useProjectNames().get(id);
  return name === undefined ? <IdCopy value={id} /> : <span dir="auto">{name}</span>;
}
