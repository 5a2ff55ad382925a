import { Autocomplete, NativeSelect, Stack, TagsInput } from '@mantine/core';
import type { ControlProps } from '../../../components/fields.js';
import { faultAt, otherFaults } from '../../../logic/configForm.js';
import { readSchemas, writeSchemas, type SchemaForm } from '../../../logic/schemaPolicy.js';
import { useTyped } from '../values/useTyped.js';
import { ConfigForm } from './ConfigForm.js';
import { TemplateField } from './TemplateField.js';

interface Props extends ControlProps {
  /** The schemas of the connection. */
  schemas: readonly string[];
}

const READABLE = [
  { value: 'all', label: 'All schemas' },
  { value: 'some', label: 'Only these schemas' },
];
const PLACES = ['schema', 'schemaTemplate', 'allowedSchemas', 'defaultSchema'].map(
  (field) => `slsConfig.${field}`,
);

/** Edits the schema policy of a definition. */
export function SchemaField({ schemas, ...control }: Props) {
  const { typed, set } = useTyped(control, { read: readSchemas, write: writeSchemas });
  return (
    <ConfigForm
      control={control}
      isFit={typed !== null}
      description="The schema policy as the API stores it."
      toForm="Use the form of the schema"
      toJson="Write the schema as JSON"
      others={otherFaults(control.faults ?? [], 'slsConfig', PLACES)}
    >
      {typed !== null && <Fields {...control} schemas={schemas} typed={typed} onForm={set} />}
    </ConfigForm>
  );
}

function Fields(props: Props & { typed: SchemaForm; onForm(form: SchemaForm): void }) {
  const { schemas, faults = [], isDisabled, typed, onForm } = props;
  const { schema, allowed, fallback } = typed;
  const shared = { disabled: isDisabled };
  return (
    <Stack gap="sm">
      <TemplateField
        label="Schema of the tables"
        description="Where a table without a schema in its name is. Empty: the schema of the connection."
        placeholder="sales, or tenant_{{ actor.tenantId }}"
        error={faultAt(faults, 'slsConfig.schema') ?? faultAt(faults, 'slsConfig.schemaTemplate')}
        isDisabled={isDisabled}
        suggestions={schemas}
        value={schema}
        onChange={(next) => onForm({ ...typed, schema: next })}
      />
      <NativeSelect
        {...shared}
        label="Statements may read"
        data={READABLE}
        value={allowed === null ? 'all' : 'some'}
        onChange={(event) => onForm({ ...typed, allowed: event.currentTarget.value === 'all' ? null : [] })}
      />
      {allowed !== null && (
        <TagsInput
          {...shared}
          label="Schemas"
          description="A statement on a table of any other schema is denied. Without a schema, all are."
          error={faultAt(faults, 'slsConfig.allowedSchemas')}
          maxTags={1000}
          splitChars={[]}
          data={[...schemas]}
          value={[...allowed]}
          onChange={(next) => onForm({ ...typed, allowed: next })}
        />
      )}
      {(allowed !== null || fallback !== '') && (
        <Autocomplete
          {...shared}
          label="Default schema"
          description="The schema of the tables if no policy states it. One of those above."
          error={faultAt(faults, 'slsConfig.defaultSchema')}
          maxLength={200}
          data={[...(allowed ?? [])]}
          value={fallback}
          onChange={(next) => onForm({ ...typed, fallback: next })}
        />
      )}
    </Stack>
  );
}
