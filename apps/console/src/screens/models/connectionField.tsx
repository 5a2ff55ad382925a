import { ConnectionPicker } from '../../components/ConnectionPicker.js';
import type { ControlProps, Field } from '../../components/fields.js';

/** The connection of a data model, by its id. */
export interface ConnectionValue {
  id: string;
}

/** The connection of a data model. */
export const connectionField: Field = {
  name: 'connection',
  label: 'Connection',
  kind: 'custom',
  isRequired: true,
  render: (control) => <ModelConnection {...control} />,
};

function ModelConnection({ value, onChange, ...control }: ControlProps) {
  return (
    <ConnectionPicker
      {...control}
      connectionId={(value as ConnectionValue | null)?.id}
      onChoose={(id) => onChange(id === null ? null : { id })}
    />
  );
}
