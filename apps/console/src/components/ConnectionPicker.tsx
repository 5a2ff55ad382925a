import { connectionSource } from '../data/choices.js';
import { useConnectionName } from '../data/useConnectionName.js';
import type { ControlProps } from './fields.js';
import { Picker } from './Picker.js';

type Props = Omit<ControlProps, 'value' | 'onChange'> & {
  /** The id of the chosen connection. */
  connectionId: string | undefined;
  onChoose(id: string | null): void;
};

/** Chooses the connection of a record by its name. */
export function ConnectionPicker({ connectionId, onChoose, ...control }: Props) {
  const { label, description, error, isDisabled } = control;
  const name = useConnectionName(connectionId);
  return (
    <Picker
      label={label}
      description={description}
      error={error}
      isDisabled={isDisabled}
      isRequired
      value={connectionId === undefined ? null : { id: connectionId, name }}
      onChange={(choice) => onChoose(choice?.id ?? null)}
      source={connectionSource}
    />
  );
}
