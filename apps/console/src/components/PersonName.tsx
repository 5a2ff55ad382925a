import { useNames } from '../data/names.js';

/** The name of a person whose id a record has. */
export function PersonName({ id }: { id: string }) {
  const person = useNames('people', [id]).get(id);
  return (
    <span title={person?.email} dir="auto">
      {person?.name ?? id}
    </span>
  );
}
