import type { MigrationAnalysis } from '@gatehouse/contract';
import { Group, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { COPY, UNLINK, type MappedKind } from '../../logic/migrationChoices.js';

/** The value of the control for an id that is not among the candidates. */
const OTHER = ' other';

interface Props {
  kind: MappedKind;
  noun: string;
  record: MigrationAnalysis['domains'][number];
  value: string;
  onChange(value: string): void;
}

/** What a record of the source becomes in the target project. */
export function MappingField({ kind, noun, record, value, onChange }: Props) {
  const { candidates, name, sourceId } = record;
  const isListed =
    value === '' || value === COPY || value === UNLINK || candidates.some(({ id }) => id === value);
  const [isOther, setOther] = useState(!isListed);
  const label = `${noun} ${name ?? sourceId}`;
  const choose = (next: string | null) => {
    setOther(next === OTHER);
    onChange(next === null || next === OTHER ? '' : next);
  };
  return (
    <Group align="flex-end" gap="xs" grow>
      <Select
        label={label}
        placeholder="Choose"
        data={[
          ...candidates.map((candidate) => ({
            value: candidate.id,
            label: `${candidate.name} (${candidate.reason === 'sameName' ? 'same name' : 'same dialect'})`,
          })),
          ...(kind === 'connections' ? [] : [{ value: COPY, label: 'Copy it' }]),
          ...(kind === 'visuals' ? [{ value: UNLINK, label: 'Leave it out' }] : []),
          { value: OTHER, label: 'Another id …' },
        ]}
        value={isOther ? OTHER : value === '' ? null : value}
        onChange={choose}
      />
      {isOther && (
        <TextInput
          label={`Id of the ${noun.toLowerCase()} in the target`}
          value={value}
          maxLength={200}
          onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
        />
      )}
    </Group>
  );
}
