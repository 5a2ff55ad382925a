import type { LintWarning } from '@gatehouse/contract';
import { ActionIcon, Group, Input, List, Menu, Stack, Switch, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import { CodeEditor } from '../../../components/CodeEditor.js';
import { Icon } from '../../../components/Icon.js';
import { expressionNames, type KnownTable, type Rule, type RuleFaults } from '../../../logic/policyRules.js';
import classes from '../policies.module.css';
import { MatcherField } from './MatcherField.js';
import { RuleValues } from './RuleValues.js';

interface Props {
  rule: Rule;
  index: number;
  count: number;
  tables: readonly KnownTable[];
  warnings: { expression: readonly LintWarning[]; others: readonly LintWarning[] };
  faults: RuleFaults;
  isDisabled: boolean;
  onChange(rule: Rule): void;
  onMove(by: 1 | -1): void;
  onRemove(): void;
  onDuplicate(): void;
}

/** One rule: which tables it matches, and the condition of their rows. */
export function RuleCard(props: Props) {
  const { rule, index, tables, warnings, faults, isDisabled, onChange } = props;
  const { matcher } = rule;
  const names = useMemo(() => expressionNames(tables, matcher), [tables, matcher]);
  const findings = useMemo(
    () => warnings.expression.map(({ message }) => ({ message })),
    // The list is created for each drawing.
    [JSON.stringify(warnings.expression)],
  );
  const label = `Rule ${index + 1}`;
  return (
    <div className={classes['card']} role="group" aria-label={label} data-off={!rule.enabled || undefined}>
      <Stack gap="sm">
        <Group wrap="nowrap" align="flex-end" gap="sm">
          <TextInput
            className={classes['name']}
            label="Name of the rule"
            maxLength={200}
            placeholder={label}
            disabled={isDisabled}
            value={rule.name ?? ''}
            onChange={({ currentTarget: { value } }) => onChange(withName(rule, value))}
          />
          <Switch
            label="Enabled"
            mb={8}
            disabled={isDisabled}
            checked={rule.enabled}
            onChange={(event) => onChange({ ...rule, enabled: event.currentTarget.checked })}
          />
          {!isDisabled && <RuleMenu {...props} />}
        </Group>
        <MatcherField
          matcher={matcher}
          tables={tables}
          error={faults.matcher}
          isDisabled={isDisabled}
          onChange={(next) => onChange({ ...rule, matcher: next })}
        />
        <Input.Wrapper
          label="Condition"
          labelElement="div"
          description="SQL, with values as {{ name }}, such as {{ actor.tenantId }}"
          error={faults.expression}
        >
          <div className={classes['editor']}>
            <CodeEditor
              label={`Condition of rule ${index + 1}`}
              language="sql"
              minHeight="3rem"
              maxHeight="16rem"
              value={rule.expression}
              isReadOnly={isDisabled}
              schema={names}
              findings={findings}
              onChange={(expression) => onChange({ ...rule, expression })}
            />
          </div>
        </Input.Wrapper>
        <Findings warnings={[...warnings.expression, ...warnings.others]} />
        <RuleValues rule={rule} faults={faults.values} isDisabled={isDisabled} onChange={onChange} />
        {faults.others !== undefined && <Input.Error>{faults.others}</Input.Error>}
      </Stack>
    </div>
  );
}

function withName({ name: _former, ...rule }: Rule, name: string): Rule {
  return name === '' ? rule : { ...rule, name };
}

function Findings({ warnings }: { warnings: readonly LintWarning[] }) {
  if (warnings.length === 0) return null;
  return (
    <List size="sm" icon={<Icon name="warning" />} spacing={2}>
      {warnings.map(({ code, path, message }) => (
        <List.Item key={`${code} ${path} ${message}`}>{message}</List.Item>
      ))}
    </List>
  );
}

function RuleMenu({ index, count, onMove, onRemove, onDuplicate }: Props) {
  return (
    <Menu width={160}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={`Actions on rule ${index + 1}`}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item disabled={index === 0} leftSection={<Icon name="up" />} onClick={() => onMove(-1)}>
          Move up
        </Menu.Item>
        <Menu.Item
          disabled={index === count - 1}
          leftSection={<Icon name="down" />}
          onClick={() => onMove(1)}
        >
          Move down
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="copy" />} onClick={onDuplicate}>
          Duplicate
        </Menu.Item>
        <Menu.Item color="red" leftSection={<Icon name="trash" />} onClick={onRemove}>
          Remove
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
