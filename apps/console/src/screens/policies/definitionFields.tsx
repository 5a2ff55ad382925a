import type { DefinitionItem, RlsConfig } from '@gatehouse/contract';
import { ConnectionPicker } from '../../components/ConnectionPicker.js';
import type { Field, FormValues } from '../../components/fields.js';
import { RulesField } from './rules/RulesField.js';

export const NAME: Field = { name: 'name', label: 'Name', kind: 'text', isRequired: true, maxLength: 200 };

const idOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

export const CONNECTION: Field = {
  name: 'connectionId',
  label: 'Connection',
  description: 'The connection whose statements are restricted. It cannot be changed later.',
  kind: 'custom',
  isRequired: true,
  render: ({ value, onChange, ...control }) => (
    <ConnectionPicker {...control} connectionId={idOf(value)} onChoose={(id) => onChange(id ?? '')} />
  ),
};

/** The rules of a definition, with completion from its connection, which a new definition has in the form. */
export function rulesField(ofDefinition?: string): Field {
  return {
    name: 'rlsConfig',
    label: 'Rows',
    description: 'Each rule is a condition that the rows of the tables it matches must meet.',
    kind: 'custom',
    render: ({ value, error, faults, isDisabled, onChange }, { connectionId }) => (
      <RulesField
        connectionId={ofDefinition ?? idOf(connectionId) ?? null}
        value={value as RlsConfig | null}
        error={error}
        faults={faults}
        isDisabled={isDisabled}
        onChange={onChange}
      />
    ),
  };
}

export const SCHEMAS: Field = {
  name: 'slsConfig',
  label: 'Schemas',
  description:
    'JSON: schema or schemaTemplate is where unqualified tables are, allowedSchemas what may be read, ' +
    'defaultSchema one of them. Empty for no restriction.',
  kind: 'json',
};
export const DATABASE: Field = {
  name: 'clsConfig',
  label: 'Database',
  description:
    'JSON: connectionTemplate or filePathTemplates leads queries to a database, params are the values of ' +
    'its placeholders. Empty for the database of the connection.',
  kind: 'json',
};

export const RUN_TESTS: Field = {
  name: 'runTests',
  label: 'Run the tests first',
  description: 'A test that fails against the change prevents it.',
  kind: 'switch',
};

/** The values of the form of a definition. */
export function definitionValues({ definition }: DefinitionItem): FormValues {
  const { name, rlsConfig, slsConfig, clsConfig } = definition;
  return { name, rlsConfig, slsConfig, clsConfig, runTests: false };
}
