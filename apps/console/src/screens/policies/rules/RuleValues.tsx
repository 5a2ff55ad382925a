import { Collapse, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { INVALID_VALUE, type ControlProps } from '../../../components/fields.js';
import type { Rule } from '../../../logic/policyRules.js';
import { missingNames, readRows, writeRows, type ValueRow } from '../../../logic/valueRows.js';
import { FormOrJson } from '../values/FormOrJson.js';
import { useTyped } from '../values/useTyped.js';
import { ValueRows } from '../values/ValueRows.js';

const NO_FAULTS: Readonly<Record<string, string>> = {};

interface Props {
  rule: Rule;
  /** The field errors by the names of the values. */
  faults: Readonly<Record<string, string>> | undefined;
  isDisabled: boolean;
  onChange(rule: Rule): void;
}

/** The values of a rule itself. */
export function RuleValues({ rule, faults = NO_FAULTS, isDisabled, onChange }: Props) {
  const count = Object.keys(rule.params ?? {}).length;
  const [isOpen, setOpen] = useState(count > 0);
  const errors = Object.entries(faults).map(([name, message]) => `${name} ${message}`);
  const change = (value: unknown) => {
    const { params: _former, ...rest } = rule;
    onChange(value === null ? rest : { ...rest, params: value as NonNullable<Rule['params']> });
  };
  return (
    <div>
      <Switch
        label={<Text size="sm">Values of its own{count > 0 ? ` (${count})` : ''}</Text>}
        checked={isOpen}
        onChange={(event) => setOpen(event.currentTarget.checked)}
      />
      <Collapse expanded={isOpen}>
        {isOpen && (
          <Rows
            label="Values"
            description="What stands for each {{ name }}, unless an assignment or a request states it."
            value={rule.params ?? null}
            error={errors.length === 0 ? undefined : errors.join('; ')}
            isDisabled={isDisabled}
            onChange={change}
            expression={rule.expression}
            faultOf={(name) => faults[name]}
          />
        )}
      </Collapse>
    </div>
  );
}

interface RowsProps extends ControlProps {
  expression: string;
  faultOf(name: string): string | undefined;
}

function Rows({ expression, faultOf, ...control }: RowsProps) {
  const { typed, set } = useTyped(control, {
    read: readRows,
    write: (rows: readonly ValueRow[]) => {
      const params = writeRows(rows);
      return params === undefined ? INVALID_VALUE : params;
    },
  });
  return (
    <FormOrJson
      control={control}
      isFit={typed !== null}
      description="The values by the names of their placeholders. Secret values are ***."
      toForm="Use a row for each value"
      toJson="Write the values as JSON"
    >
      <Text size="xs" c="dimmed" mt="xs">
        {control.description}
      </Text>
      <ValueRows
        rows={typed ?? []}
        suggestions={missingNames([expression], typed ?? [])}
        faultOf={faultOf}
        isDisabled={control.isDisabled}
        onChange={set}
      />
    </FormOrJson>
  );
}
