import type { LintWarning, RlsConfig } from '@gatehouse/contract';
import { Button, Input, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../../../components/Icon.js';
import { randomKey } from '../../../data/randomKey.js';
import { otherFaults } from '../../../logic/configForm.js';
import type { FieldFault } from '../../../logic/formChanges.js';
import { faultsOfRule, moved, warningsOfRule, type Rule } from '../../../logic/policyRules.js';
import { RuleCard } from './RuleCard.js';
import { useCatalog } from './useCatalog.js';

interface Props {
  /** Completes tables and columns; null for no completion. */
  connectionId: string | null;
  value: RlsConfig | null;
  error: string | undefined;
  isDisabled: boolean;
  /** The field errors of the last attempt to save. */
  faults?: readonly FieldFault[] | undefined;
  warnings?: readonly LintWarning[];
  onChange(value: RlsConfig | null): void;
}

const NO_FAULTS: readonly FieldFault[] = [];
const NEW: Rule = {
  matcher: { type: 'ALL_TABLES_WITH_COLUMN', column: '' },
  expression: '',
  enabled: true,
};

/** Edits the rules of a definition. No rule is no restriction of rows, which is null. */
export function RulesField(props: Props) {
  const { connectionId, value, error, isDisabled, faults = NO_FAULTS, warnings = [], onChange } = props;
  const tables = useCatalog(connectionId);
  const rules = value?.rules ?? [];
  const [saved, setKeys] = useState(() => rules.map(randomKey));
  // Another version of the definition has other rules.
  const keys = saved.length === rules.length ? saved : rules.map(randomKey);
  if (keys !== saved) setKeys(keys);
  // The response counts the rules as they were sent; they may have been moved since.
  const [sent, setSent] = useState({ faults, keys });
  if (sent.faults !== faults) setSent({ faults, keys });
  const faultsOf = (key: string | undefined) => faultsOfRule(faults, sent.keys.indexOf(key ?? ''));
  const isShownInRule = faults.some(({ field }) => field.startsWith('rlsConfig.rules['));
  const shownError = isShownInRule ? otherFaults(faults, 'rlsConfig', ['rlsConfig.rules']) : error;
  const set = (next: readonly Rule[], nextKeys: string[]) => {
    setKeys(nextKeys);
    onChange(next.length === 0 ? null : { rules: [...next] });
  };
  const change = (index: number, rule: Rule) => set(rules.with(index, rule), keys);
  const move = (index: number, by: 1 | -1) => set(moved(rules, index, by), moved(keys, index, by));
  const remove = (index: number) => set(rules.toSpliced(index, 1), keys.toSpliced(index, 1));
  const duplicate = (index: number, rule: Rule) => {
    const copy = rule.name === undefined ? rule : { ...rule, name: `${rule.name} copy`.slice(0, 200) };
    set(rules.toSpliced(index + 1, 0, copy), keys.toSpliced(index + 1, 0, randomKey()));
  };
  return (
    <Input.Wrapper label="Row rules" labelElement="div" error={shownError}>
      <Text size="xs" c="dimmed" mb="xs">
        Each rule is a condition that the rows of the tables it matches must meet.
      </Text>
      <Stack gap="sm" mb={4}>
        {rules.map((rule, index) => (
          <RuleCard
            key={keys[index]}
            rule={rule}
            index={index}
            count={rules.length}
            tables={tables}
            warnings={warningsOfRule(warnings, index)}
            faults={faultsOf(keys[index])}
            isDisabled={isDisabled}
            onChange={(next) => change(index, next)}
            onMove={(by) => move(index, by)}
            onRemove={() => remove(index)}
            onDuplicate={() => duplicate(index, rule)}
          />
        ))}
        {!isDisabled && (
          <Button
            variant="default"
            leftSection={<Icon name="plus" />}
            onClick={() => set([...rules, NEW], [...keys, randomKey()])}
          >
            Add a rule
          </Button>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
