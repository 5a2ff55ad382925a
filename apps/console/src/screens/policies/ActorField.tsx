import { Group, Select } from '@mantine/core';
import { Picker } from '../../components/Picker.js';
import { peopleSource, tenantSource } from '../../data/choices.js';
import { kindOptions, KIND_NAMES, useActorNames, type ActorChoice } from './actors.js';
import classes from './policies.module.css';

interface Props {
  label?: string;
  value: ActorChoice;
  error?: string | undefined;
  isDisabled?: boolean;
  onChange(actor: ActorChoice): void;
}

const sources = {
  TENANT: tenantSource,
  TENANT_USER: (search: string) => peopleSource(search, { type: 'tenant' as const }),
  ORG_USER: (search: string) => peopleSource(search, { type: 'organization' as const }),
};

/** Chooses an actor: its kind, then which one. */
export function ActorField({ label = 'Actor', value, error, isDisabled = false, onChange }: Props) {
  const [name = ''] = useActorNames([value]);
  const { kind, id } = value;
  return (
    <Group gap="sm" align="flex-start" className={classes['actor']}>
      <Select
        label={label}
        w={150}
        allowDeselect={false}
        disabled={isDisabled}
        error={kind === 'ALL_TENANTS' ? error : undefined}
        data={kindOptions}
        value={kind}
        onChange={(next) => onChange({ kind: next ?? kind, id: null })}
      />
      {kind !== 'ALL_TENANTS' && (
        <div className={classes['grow']}>
          <Picker
            key={kind}
            label={KIND_NAMES[kind]}
            isDisabled={isDisabled}
            error={error}
            isRequired
            value={id === null ? null : { id, name }}
            onChange={(choice) => onChange({ kind, id: choice?.id ?? null })}
            source={sources[kind]}
          />
        </div>
      )}
    </Group>
  );
}
