import { usePeople } from '../data/people.js';
import { useSession } from '../session/SessionContext.js';

/** The name of a person whose id a record has. */
export function PersonName({ id }: { id: string }) {
  const people = usePeople();
  const { user } = useSession();
  const person = people?.get(id);
  const name = person?.name ?? (id === user.id ? user.name : id);
  return (
    <span title={person?.email} dir="auto">
      {name}
    </span>
  );
}
