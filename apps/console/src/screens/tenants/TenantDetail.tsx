import type { Tenant } from '@gatehouse/contract';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Icon } from '../../components/Icon.js';
import { RecordSettings } from '../../components/RecordSettings.js';
import type { Field, FormValues } from '../../components/fields.js';
import { NameLink } from '../../components/NameLink.js';
import { NewRecord } from '../../components/NewRecord.js';
import { Picker, type Choice } from '../../components/Picker.js';
import { RecordMenu } from '../../components/RecordMenu.js';
import { RecordScreen } from '../../components/RecordScreen.js';
import { peopleSource } from '../../data/choices.js';
import { usePersonName } from '../../data/names.js';
import { useParam } from '../../data/useParam.js';
import { versioned, type Versioned } from '../../data/useRecord.js';
import { useHasRole } from '../../session/SessionContext.js';
import { tenantOf } from './sources.js';

const NAME: Field = { name: 'name', label: 'Name', kind: 'text', isRequired: true, maxLength: 200 };
const ID: Field = {
  name: 'id',
  label: 'Id',
  description: 'The id that your own systems use for it. Without one, Gatehouse makes one.',
  kind: 'text',
  maxLength: 64,
};
const PARENT = { title: 'Tenants', to: '/tenants' };

/** The form of a new tenant. */
export function NewTenant() {
  return (
    <NewRecord
      noun="tenant"
      parent={PARENT}
      fields={[NAME, ID]}
      initial={{ name: '', id: '' }}
      create={async (api, values) => (await api.createTenant(values as { name: string })).tenant}
      outdates={['tenants']}
    />
  );
}

/** A tenant. */
export function TenantDetail() {
  const id = useParam('id');
  const isAdmin = useHasRole('ADMIN');
  return (
    <RecordScreen
      source={tenantOf(id)}
      noun="tenant"
      parent={PARENT}
      titleOf={({ name }) => name}
      actions={({ name }) => (
        <>
          {isAdmin && (
            <Button
              component={Link}
              to="/people/new/tenant"
              search={{ tenant: id } as never}
              variant="default"
              leftSection={<Icon name="plus" />}
            >
              New user
            </Button>
          )}
          <RecordMenu
            noun="tenant"
            name={name}
            recordKey={['tenants', id]}
            listPath="/tenants"
            remove={isAdmin ? (api) => api.deleteTenant({ id }) : undefined}
            consequence="Only a tenant without users can be deleted."
            mustType
          />
        </>
      )}
      tabs={(current) => [
        {
          id: 'settings',
          title: 'Settings',
          content: () => <Settings current={current} isAdmin={isAdmin} />,
        },
      ]}
    />
  );
}

function toValues({ name, defaultOwnerId }: Tenant): FormValues {
  return { name, defaultOwnerId };
}

function Settings({ current, isAdmin }: { current: Versioned<Tenant>; isAdmin: boolean }) {
  const { record } = current;
  const owner: Field = {
    name: 'defaultOwnerId',
    label: 'Default owner',
    description: 'The tenant user who receives what deleted users of the tenant owned.',
    kind: 'custom',
    render: ({ value, onChange, ...control }) => (
      <OwnerPicker
        {...control}
        tenantId={record.id}
        value={typeof value === 'string' ? value : null}
        onChange={onChange}
      />
    ),
  };
  return (
    <RecordSettings
      facts={[
        [
          'Users',
          <NameLink key="users" to="/people" search={{ tenant: record.id }} name="Users of this tenant" />,
        ],
      ]}
      source={tenantOf(record.id)}
      current={current}
      fields={[NAME, owner]}
      toValues={toValues}
      save={async (api, changes, ifMatch) =>
        versioned(
          await api.withResponse.updateTenant({ id: record.id, ...changes }, { ifMatch }),
          ({ tenant }) => tenant,
        )
      }
      outdates={['tenants']}
      isReadOnly={!isAdmin}
    />
  );
}

interface OwnerProps {
  label: string;
  description: string | undefined;
  error: string | undefined;
  isDisabled: boolean;
  tenantId: string;
  value: string | null;
  onChange(value: string | null): void;
}

function OwnerPicker({ tenantId, value, onChange, ...control }: OwnerProps) {
  const name = usePersonName(value);
  const chosen: Choice | null = value === null ? null : { id: value, name };
  return (
    <Picker
      {...control}
      value={chosen}
      onChange={(choice) => onChange(choice?.id ?? null)}
      source={(search) => peopleSource(search, { type: 'tenant', tenantId })}
    />
  );
}
