import { ActionIcon, Autocomplete, Button, Group, Stack } from '@mantine/core';
import { Icon } from '../../../components/Icon.js';
import type { ValueType } from '../../../logic/placeholderValues.js';
import { faultsOfRows, newRow, renamed, type ValueRow } from '../../../logic/valueRows.js';
import classes from '../policies.module.css';
import { INPUT_LAST, ValueField } from './ValueField.js';

interface Props {
  rows: readonly ValueRow[];
  /** The placeholders that have no value yet. */
  suggestions: readonly string[];
  types?: readonly ValueType[];
  /** The error of a response about the value of a name. */
  faultOf?(name: string): string | undefined;
  isDisabled: boolean;
  onChange(rows: ValueRow[]): void;
}

const NAME_MAX = 200;

/** Names and their values, one in each row. */
export function ValueRows({ rows, suggestions, types, faultOf, isDisabled, onChange }: Props) {
  const faults = faultsOfRows(rows);
  return (
    <Stack gap="sm">
      {rows.map((row, index) => (
        <Group
          key={`row ${index}`}
          role="group"
          aria-label={`Value ${index + 1}`}
          gap="sm"
          align="flex-end"
          className={classes['row']}
        >
          <Autocomplete
            className={classes['grow']}
            label="Name"
            error={faults[index]?.name}
            inputWrapperOrder={INPUT_LAST}
            maxLength={NAME_MAX}
            disabled={isDisabled}
            data={[...suggestions]}
            value={row.name}
            onChange={(name) => onChange(rows.with(index, renamed(row, name)))}
          />
          <div className={classes['value']}>
            <ValueField
              label="Value"
              placeholder={{ name: row.name, isList: false, hasDefault: false }}
              {...(types && { types })}
              typed={row.typed}
              fault={faults[index]?.value ?? faultOf?.(row.name)}
              isDisabled={isDisabled}
              onChange={(typed) => onChange(rows.with(index, { ...row, typed }))}
            />
          </div>
          {!isDisabled && (
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={`Remove value ${index + 1}`}
              onClick={() => onChange(rows.toSpliced(index, 1))}
            >
              <Icon name="trash" />
            </ActionIcon>
          )}
        </Group>
      ))}
      {!isDisabled && (
        <Button
          variant="default"
          w="fit-content"
          leftSection={<Icon name="plus" />}
          onClick={() => onChange([...rows, newRow(suggestions)])}
        >
          Add a value
        </Button>
      )}
    </Stack>
  );
}
