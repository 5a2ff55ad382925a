import type { PolicyDefinition } from '@gatehouse/contract';
import { Collapse, Fieldset, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { placeholdersOf } from '../../../logic/placeholderValues.js';
import type { ValueRow } from '../../../logic/valueRows.js';
import { ValueRows } from '../values/ValueRows.js';

interface Props {
  rows: readonly ValueRow[];
  /** The definitions of the connection, whose placeholders are suggested. */
  definitions: readonly PolicyDefinition[];
  onChange(rows: ValueRow[]): void;
}

/** The values that a request brings with a statement, as a query service sends them. */
export function RequestValues({ rows, definitions, onChange }: Props) {
  const [isOpen, setOpen] = useState(false);
  const given = new Set(rows.map(({ name }) => name));
  const names = new Set(definitions.flatMap((each) => placeholdersOf(each).map(({ name }) => name)));
  return (
    <div>
      <Switch
        label={`Values that the request brings${rows.length > 0 ? ` (${rows.length})` : ''}`}
        checked={isOpen}
        onChange={(event) => setOpen(event.currentTarget.checked)}
      />
      <Collapse expanded={isOpen}>
        {isOpen && (
          <Fieldset mt="sm" legend="Values that the request brings">
            <Text size="xs" c="dimmed" mb="sm">
              A query service can send values with a statement. They replace those of the assignment and of
              the definition. Here they count for the preview only, and are not saved.
            </Text>
            <ValueRows
              rows={rows}
              suggestions={[...names].filter((name) => !given.has(name))}
              isDisabled={false}
              onChange={onChange}
            />
          </Fieldset>
        )}
      </Collapse>
    </div>
  );
}
