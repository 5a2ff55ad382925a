import { Autocomplete } from '@mantine/core';
import type { ValueType } from '../../../logic/placeholderValues.js';
import { faultsOfRows, newRow, renamed, type ValueRow } from '../../../logic/valueRows.js';
import classes from '../policies.module.css';
import { Rows } from './Rows.js';
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
    <Rows
      noun="value"
      rows={rows}
      isDisabled={isDisabled}
      align="inputs"
      create={() => newRow(suggestions)}
      onChange={onChange}
    >
      {(row, index, set) => (
        <>
          <Autocomplete
            className={classes['grow']}
            label="Name"
            error={faults[index]?.name}
            inputWrapperOrder={INPUT_LAST}
            maxLength={NAME_MAX}
            disabled={isDisabled}
            data={[...suggestions]}
            value={row.name}
            onChange={(name) => set(renamed(row, name))}
          />
          <div className={classes['value']}>
            <ValueField
              label="Value"
              placeholder={{ name: row.name, isList: false, hasDefault: false }}
              {...(types && { types })}
              typed={row.typed}
              fault={faults[index]?.value ?? faultOf?.(row.name)}
              isDisabled={isDisabled}
              onChange={(typed) => set({ ...row, typed })}
            />
          </div>
        </>
      )}
    </Rows>
  );
}
