import { useQuery } from '@tanstack/react-query';
import type { ControlProps, Field } from '../../components/fields.js';
import { Picker } from '../../components/Picker.js';
import { useApi } from '../../data/api.js';
import { connectionSource } from '../../data/choices.js';

/** The connection of a data model, by its id. */
export interface ConnectionValue {
  id: string;
}

/** The connection of a data model. */
export const connectionField: Field = {
  name: 'connection',
  label: 'Connection',
  kind: 'custom',
  render: (control) => <ConnectionPicker {...control} />,
};

function ConnectionPicker({ label, description, value, error, isDisabled, onChange }: ControlProps) {
  const api = useApi();
  const chosen = value as ConnectionValue | null;
  const { data } = useQuery({
    queryKey: ['connections', 'name', chosen?.id],
    queryFn: async ({ signal }) =>
      (await api.getConnection({ id: chosen?.id ?? '' }, { signal })).connection.name,
    enabled: chosen !== null,
  });
  return (
    <Picker
      label={label}
      description={description}
      error={error}
      isDisabled={isDisabled}
      isRequired
      value={chosen && { id: chosen.id, name: data ?? chosen.id }}
      onChange={(choice) => onChange(choice && { id: choice.id })}
      source={connectionSource}
    />
  );
}
