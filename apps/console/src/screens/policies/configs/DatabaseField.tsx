import { Box, Input, NativeSelect, Stack } from '@mantine/core';
import { INVALID_VALUE, type ControlProps } from '../../../components/fields.js';
import { faultAt, otherFaults } from '../../../logic/configForm.js';
import {
  missingInDatabase,
  readDatabase,
  writeDatabase,
  type DatabaseForm,
  type Destination,
} from '../../../logic/databasePolicy.js';
import type { ValueType } from '../../../logic/placeholderValues.js';
import { useTyped } from '../values/useTyped.js';
import { ValueRows } from '../values/ValueRows.js';
import { ConfigForm } from './ConfigForm.js';
import { FileRows } from './FileRows.js';
import { TemplateField } from './TemplateField.js';

const DESTINATIONS = [
  { value: 'connection', label: 'The database of the connection' },
  { value: 'address', label: 'Another database, by its address' },
  { value: 'files', label: 'Files' },
];
const TYPES: readonly ValueType[] = ['text', 'number', 'boolean'];
const ADDRESS = 'clsConfig.connectionTemplate';
const pathOfFile = (name: string) => `clsConfig.filePathTemplates.${name}`;
const pathOfValue = (name: string) => `clsConfig.params.${name}`;

/** Edits the connection policy of a definition. */
export function DatabaseField(control: ControlProps) {
  const { typed, set } = useTyped(control, {
    read: readDatabase,
    write: (form: DatabaseForm) => {
      const config = writeDatabase(form);
      return config === undefined ? INVALID_VALUE : config;
    },
  });
  const names = { files: typed?.files ?? [], values: typed?.values ?? [] };
  const places = [
    ADDRESS,
    ...names.files.map(({ name }) => pathOfFile(name)),
    ...names.values.map(({ name }) => pathOfValue(name)),
  ];
  return (
    <ConfigForm
      control={control}
      isFit={typed !== null}
      description="The connection policy as the API stores it. Secret values are ***."
      toForm="Use the form of the database connection"
      toJson="Write the database connection as JSON"
      others={otherFaults(control.faults ?? [], 'clsConfig', places)}
    >
      {typed !== null && <Fields {...control} typed={typed} onForm={set} />}
    </ConfigForm>
  );
}

function Fields(props: ControlProps & { typed: DatabaseForm; onForm(form: DatabaseForm): void }) {
  const { faults = [], isDisabled, typed, onForm } = props;
  const { destination, address, files, values } = typed;
  const names = values.map(({ name }) => name).filter((name) => name !== '');
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Queries go to"
        disabled={isDisabled}
        data={DESTINATIONS}
        value={destination}
        onChange={(event) => onForm({ ...typed, destination: event.currentTarget.value as Destination })}
      />
      {destination === 'address' && (
        <TemplateField
          label="Address of the database"
          description="Write a password as {{ password@secret }}. Its value below is never shown."
          placeholder="postgres://reader:{{ password@secret }}@db.example.com/{{ actor.tenantId }}"
          error={faultAt(faults, ADDRESS)}
          isDisabled={isDisabled}
          names={names}
          value={address}
          onChange={(next) => onForm({ ...typed, address: next })}
        />
      )}
      {destination === 'files' && (
        <FileRows
          files={files}
          names={names}
          faultOf={(name) => faultAt(faults, pathOfFile(name))}
          isDisabled={isDisabled}
          onChange={(next) => onForm({ ...typed, files: next })}
        />
      )}
      {(destination !== 'connection' || values.length > 0) && (
        <Input.Wrapper
          label="Values"
          labelElement="div"
          description="What stands for each {{ name }}, unless an assignment or a request states it."
        >
          <Box mt="xs">
            <ValueRows
              rows={values}
              suggestions={missingInDatabase(typed)}
              types={TYPES}
              faultOf={(name) => faultAt(faults, pathOfValue(name))}
              isDisabled={isDisabled}
              onChange={(next) => onForm({ ...typed, values: next })}
            />
          </Box>
        </Input.Wrapper>
      )}
    </Stack>
  );
}
