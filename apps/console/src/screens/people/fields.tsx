import type { Field, FormValues } from '../../components/fields.js';
import { Picker, type Choice } from '../../components/Picker.js';
import { tenantSource } from '../../data/choices.js';
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

/** The tenant of a new tenant user. Its value is a choice. */
export const tenantField: Field = {
  name: 'tenant',
  label: 'Tenant',
  kind: 'custom',
  render: ({ label, value, error, onChange }) => (
    <Picker
      label={label}
      error={error}
      isRequired
      value={value as Choice | null}
      onChange={onChange}
      source={tenantSource}
    />
  ),
};

/** The values of the fields of a user. */
export function userValues({ name, email, role, department, isActive }: User): FormValues {
  return { name, email, role, department, isActive };
}
