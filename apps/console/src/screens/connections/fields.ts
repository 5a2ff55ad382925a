import type { Connection } from '@gatehouse/contract';
import type { Field, FormValues } from '../../components/fields.js';
import { hasField, valuesOf } from '../../logic/connectionConfig.js';

const TLS = [
  { value: 'disable', label: 'Not encrypted' },
  { value: 'require', label: 'Encrypted, without a check of the server' },
  { value: 'verify', label: 'Encrypted, with a check of the certificate' },
];
const DIALECTS = ['postgres', 'mysql', 'sqlite', 'duckdb', 'snowflake', 'bigquery', 'mssql'];

const TYPE: Field = {
  name: 'type',
  label: 'Type',
  kind: 'select',
  options: [
    { value: 'postgres', label: 'PostgreSQL' },
    { value: 'mysql', label: 'MySQL or MariaDB' },
    { value: 'sqlite', label: 'SQLite, a file of the operator' },
    { value: 'static', label: 'Static: you provide the catalog' },
  ],
};

const CONFIG: readonly Field[] = [
  { name: 'host', label: 'Host', kind: 'text', isRequired: true, maxLength: 253 },
  { name: 'port', label: 'Port', kind: 'text', maxLength: 5, placeholder: 'The default of the database' },
  { name: 'database', label: 'Database', kind: 'text', isRequired: true, maxLength: 200 },
  { name: 'user', label: 'User', kind: 'text', isRequired: true, maxLength: 200 },
  { name: 'password', label: 'Password', description: 'It is never shown again.', kind: 'password' },
  { name: 'tls', label: 'Encryption', kind: 'select', options: TLS },
  { name: 'file', label: 'File', kind: 'text', isRequired: true, maxLength: 1000 },
  {
    name: 'dialect',
    label: 'SQL dialect',
    kind: 'select',
    options: DIALECTS.map((value) => ({ value, label: value })),
  },
];

const GOVERNANCE: readonly Field[] = [
  {
    name: 'unassignedActors',
    label: 'Users without a policy',
    description: 'What a user sees who has no assignment, once a policy governs the connection.',
    kind: 'select',
    options: [
      { value: 'deny', label: 'See no rows' },
      { value: 'allow', label: 'See all rows' },
    ],
  },
  {
    name: 'rowBarrier',
    label: 'Row barrier',
    description: 'The database evaluates the conditions of a statement after those of the policies.',
    kind: 'switch',
  },
];

const NAME: Field = { name: 'name', label: 'Name', kind: 'text', isRequired: true, maxLength: 200 };

/** The fields of a new connection, of which the type decides which are shown. */
export const newConnectionFields: readonly Field[] = [
  NAME,
  TYPE,
  ...CONFIG.map((field): Field => ({ ...field, isShown: ({ type }) => hasField(type, field.name) })),
  {
    name: 'catalog',
    label: 'Catalog',
    description: 'The schemas with their tables and columns, as JSON.',
    kind: 'json',
    isShown: ({ type }) => type === 'static',
  },
  ...GOVERNANCE,
];

/** The fields of a stored connection. */
export function connectionFields(type: string): Field[] {
  return [NAME, ...CONFIG.filter(({ name }) => hasField(type, name)), ...GOVERNANCE];
}

/** The values of the fields of a stored connection. */
export function connectionValues({ name, config, unassignedActors, rowBarrier }: Connection): FormValues {
  return { name, ...valuesOf(config), unassignedActors, rowBarrier };
}
