import type { ControlProps, Field, FormValues } from '../../components/fields.js';
import { Picker } from '../../components/Picker.js';
import { tenantSource } from '../../data/choices.js';
import { useNames } from '../../data/names.js';
import type { User } from './sources.js';

const ORG_ROLES = [
  { value: 'VIEWER', label: 'Viewer: views what is shared' },
  { value: 'AUTHOR', label: 'Author: creates, shares, manages groups' },
  { value: 'ADMIN', label: 'Admin: manages everything' },
];
const TENANT_ROLES = [
  { value: 'VIEWER', label: 'Viewer: views what is shared' },
  { value: 'POWER_USER', label: 'Power user: creates, and shares within the tenant' },
];

/** The fields of a user. */
export function userFields(type: 'organization' | 'tenant'): Field[] {
  return [
    { name: 'name', label: 'Name', kind: 'text', isRequired: true, maxLength: 200 },
    { name: 'email', label: 'E-mail address', kind: 'text', isRequired: true, maxLength: 254 },
    {
      name: 'role',
      label: 'Role',
      description: 'The ceiling of everything that is shared with the user.',
      kind: 'select',
      options: type === 'organization' ? ORG_ROLES : TENANT_ROLES,
    },
    { name: 'department', label: 'Department', kind: 'text', maxLength: 200 },
    {
      name: 'isActive',
      label: 'Active',
      description: 'A user who is not active cannot sign in and has no access.',
      kind: 'switch',
    },
  ];
}

/** The id of a new tenant user, which tokens for the user name. */
export const idField: Field = {
  name: 'id',
  label: 'Id',
  description:
    'The id by which your own systems request tokens for the user. Without one, Gatehouse creates one.',
  kind: 'text',
  maxLength: 64,
};

/** The tenant of a new record of a tenant. */
export const tenantField: Field = {
  name: 'tenantId',
  label: 'Tenant',
  kind: 'custom',
  isRequired: true,
  render: (props) => <TenantPicker {...props} />,
};

function TenantPicker({ label, value, error, onChange }: ControlProps) {
  const id = typeof value === 'string' ? value : '';
  const name = useNames('tenants', id === '' ? [] : [id]).get(id)?.name;
  return (
    <Picker
      label={label}
      error={error}
      isRequired
      value={id === '' ? null : { id, name: name ?? id }}
      onChange={(choice) => onChange(choice?.id ?? '')}
      source={tenantSource}
    />
  );
}

/** The values of the fields of a user. */
export function userValues({ name, email, role, department, isActive }: User): FormValues {
  return { name, email, role, department, isActive };
}
