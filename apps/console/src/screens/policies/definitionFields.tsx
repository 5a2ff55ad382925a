import type { DefinitionItem, RlsConfig } from '@gatehouse/contract';
import { ConnectionPicker } from '../../components/ConnectionPicker.js';
import type { ControlProps, Field, FormValues } from '../../components/fields.js';
import { schemasOf } from '../../logic/policyRules.js';
import { DatabaseField } from './configs/DatabaseField.js';
import { SchemaField } from './configs/SchemaField.js';
import { RulesField } from './rules/RulesField.js';
import { useCatalog } from './rules/useCatalog.js';

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

/** The schemas that may be read, with suggestions from the connection, as for the rules. */
export function schemaField(ofDefinition?: string): Field {
  return {
    name: 'slsConfig',
    label: 'Schema',
    description: 'Which schema a statement reads its tables from, and which schemas it may read at all.',
    kind: 'custom',
    render: (control, { connectionId }) => (
      <ConnectedSchemaField {...control} connectionId={ofDefinition ?? idOf(connectionId) ?? null} />
    ),
  };
}

function ConnectedSchemaField({ connectionId, ...control }: ControlProps & { connectionId: string | null }) {
  const tables = useCatalog(connectionId);
  return <SchemaField {...control} schemas={schemasOf(tables)} />;
}

export const DATABASE: Field = {
  name: 'clsConfig',
  label: 'Database connection',
  description: 'Which database a query goes to. Each tenant can have its own database, or its own files.',
  kind: 'custom',
  render: (control) => <DatabaseField {...control} />,
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
