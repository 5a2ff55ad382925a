import { IdCopy } from '../../components/IdCopy.js';
import { useSession } from '../../session/SessionContext.js';

/** The name of a project that the session knows, or its id. */
export function ProjectName({ id }: { id: string }) {
  const { projects } = useSession();
  const name = projects.find((project) => project.id === id)?.name;
  return name === undefined ? <IdCopy value={id} /> : <span dir="auto">{name}</span>;
}
