import { usePerson } from '../data/names.js';
import { useSession } from '../session/SessionContext.js';

/** The name of a person whose id a record has. */
export function PersonName({ id }: { id: string }) {
  const { name, email } = usePerson(id);
  return (
    <span title={email} dir="auto">
      {name}
    </span>
  );
}

/** The name of who or what acted: a person, a project token without a user, or the platform. */
export function ActorName({ id }: { id: string | null }) {
  const { projects } = useSession();
  const project = projects.find((each) => each.id === id);
  if (id === null) return <>The platform</>;
  return project === undefined ? <PersonName id={id} /> : <span dir="auto">{`Project ${project.name}`}</span>;
}
