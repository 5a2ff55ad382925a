import type { PolicyTest } from '@gatehouse/contract';
import { Input } from '@mantine/core';
import { CodeEditor } from '../../../components/CodeEditor.js';
import type { Field, FormValues } from '../../../components/fields.js';
import { statementNames, type KnownTable } from '../../../logic/policyRules.js';
import { ActorField } from '../ActorField.js';
import { actorOf, choiceOf, type ActorChoice } from '../actors.js';
import classes from '../policies.module.css';

const STATUSES = [
  { value: '', label: 'Not checked' },
  { value: 'compiled', label: 'Compiled' },
  { value: 'denied', label: 'Denied' },
  { value: 'invalid_sql', label: 'Invalid SQL' },
];

const EXPECTED: readonly Field[] = [
  { name: 'expect.status', label: 'Expected status', kind: 'select', options: STATUSES },
  {
    name: 'expect.reason',
    label: 'Expected reason',
    description: 'The code of a reason of a denial, such as MISSING_VALUE.',
    kind: 'text',
    maxLength: 100,
    isShown: (values) => values['expect.status'] === 'denied',
  },
  { name: 'expect.tables', label: 'Expected governed tables', kind: 'tags' },
  {
    name: 'expect.conditions',
    label: 'Expected conditions',
    description: 'JSON: the condition of each table, by its name.',
    kind: 'json',
  },
  {
    name: 'sampleData',
    label: 'Rows of the tables',
    description: 'JSON: a list of rows for each table, as {"orders": [{"id": 1}]}.',
    kind: 'json',
  },
  {
    name: 'expect.rows',
    label: 'Expected rows',
    description: 'JSON: the list of rows that the restricted statement returns on them, in any order.',
    kind: 'json',
  },
];

/** The fields of a test, with completion from a catalog. */
export function testFields(tables: readonly KnownTable[]): Field[] {
  const names = statementNames(tables);
  return [
    { name: 'name', label: 'Name', kind: 'text', isRequired: true, maxLength: 200 },
    {
      name: 'actor',
      label: 'Actor',
      kind: 'custom',
      render: ({ label, value, error, onChange }) => (
        <ActorField label={label} value={value as ActorChoice} error={error} onChange={onChange} />
      ),
    },
    {
      name: 'sql',
      label: 'Statement',
      kind: 'custom',
      render: ({ label, value, error, onChange }) => (
        <Input.Wrapper label={label} error={error} labelElement="div" withAsterisk>
          <div className={classes['editor']}>
            <CodeEditor
              label={label}
              language="sql"
              minHeight="5rem"
              schema={names}
              value={String(value)}
              onChange={onChange}
            />
          </div>
        </Input.Wrapper>
      ),
    },
    {
      name: 'runtimeParams',
      label: 'Values at run time',
      description: 'JSON: values of placeholders, by name. Empty for none.',
      kind: 'json',
    },
    ...EXPECTED,
  ];
}

export const newTest: FormValues = {
  name: '',
  actor: { kind: 'ALL_TENANTS', id: null } satisfies ActorChoice,
  sql: '',
  runtimeParams: null,
  sampleData: null,
  'expect.status': 'compiled',
  'expect.reason': '',
  'expect.tables': [],
  'expect.conditions': null,
  'expect.rows': null,
};

/** The values of the form of a test. */
export function testValues({ name, actor, sql, runtimeParams, sampleData, expect }: PolicyTest): FormValues {
  const { status = '', reason = '', tables = [], conditions = null, rows = null } = expect;
  return {
    name,
    actor: choiceOf(actor),
    sql,
    runtimeParams,
    sampleData,
    'expect.status': status,
    'expect.reason': reason,
    'expect.tables': tables,
    'expect.conditions': conditions,
    'expect.rows': rows,
  };
}

/** The fields of a request for the values of a form. */
export function testInput(values: FormValues) {
  const { name, actor, sql, runtimeParams, sampleData } = values;
  const expected = Object.entries(values)
    .filter(([field, value]) => field.startsWith('expect.') && isGiven(value))
    .map(([field, value]) => [field.slice('expect.'.length), value] as const);
  return {
    name: String(name),
    // An actor that is not chosen yet is rejected by the server, which names the field.
    actor: actorOf(actor as ActorChoice) ?? (actor as { kind: 'ALL_TENANTS' }),
    sql: String(sql),
    runtimeParams: runtimeParams as null,
    sampleData: sampleData as null,
    expect: Object.fromEntries(expected),
  };
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
}
