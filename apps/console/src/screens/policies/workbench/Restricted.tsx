import type { Compiled, CompiledCondition, Preview } from '@gatehouse/contract';
import { Badge, Code, Group, List, Loader, Stack, Text, Title } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { EmptyState } from '../../../components/EmptyState.js';
import { markConditions } from '../../../logic/sqlMarks.js';
import policyClasses from '../policies.module.css';
import { Reach } from './Reach.js';
import classes from './workbench.module.css';

const STATUS: Readonly<Record<Compiled['status'], { color: string; text: string }>> = {
  not_requested: { color: 'gray', text: 'No statement' },
  compiled: { color: 'green', text: 'Compiled' },
  conditions_only: { color: 'gray', text: 'Conditions only' },
  denied: { color: 'red', text: 'Denied' },
  invalid_sql: { color: 'yellow', text: 'Invalid SQL' },
};

interface Props {
  /** Null until there is one. */
  preview: Preview | null;
  isDraft: boolean;
  isPending: boolean;
  /** What chooses an actor, while none is chosen. */
  suggestion: ReactNode;
}

/** The statement as the policies of the actor restrict it, with the injected conditions marked. */
export function Restricted({ preview, isDraft, isPending, suggestion }: Props) {
  return (
    <section aria-label="Restricted statement" aria-busy={isPending} className={classes['part']}>
      <Group gap="sm" mb="xs">
        <Title order={2} size="h5">
          {isDraft ? 'Restricted with the draft' : 'Restricted'}
        </Title>
        {preview !== null && (
          <Badge color={STATUS[preview.compiled.status].color}>{STATUS[preview.compiled.status].text}</Badge>
        )}
        {isPending && <Loader role="status" size="xs" aria-label="Updating" />}
      </Group>
      {preview === null ? (
        <EmptyState icon="policy" title="No preview yet" action={suggestion}>
          Choose a tenant or a user, and write a statement. What the actor may read of it appears here while
          you type.
        </EmptyState>
      ) : (
        <>
          <Result compiled={preview.compiled} />
          <Reach sls={preview.sls} cls={preview.cls} />
        </>
      )}
    </section>
  );
}

function Result({ compiled }: { compiled: Compiled }) {
  const { inlineSql, conditions, reasons } = compiled;
  const parts = useMemo(
    () => (inlineSql === null ? [] : markConditions(inlineSql, conditions)),
    [inlineSql, conditions],
  );
  const found = new Set(parts.map(({ condition }) => condition));
  const isIncomplete = inlineSql !== null && conditions.some((_condition, index) => !found.has(index));
  return (
    <Stack gap="sm">
      {inlineSql !== null && (
        <pre className={policyClasses['sql']} tabIndex={0} aria-label="Restricted SQL">
          {parts.map(({ text, condition }, index) =>
            condition === null ? (
              text
            ) : (
              <mark
                key={`${index} ${text}`}
                className={classes['mark']}
                title={conditions[condition]?.rules.join(', ')}
              >
                {text}
                <sup>{condition + 1}</sup>
              </mark>
            ),
          )}
        </pre>
      )}
      {reasons.length > 0 && (
        <List size="sm" spacing={4}>
          {reasons.map(({ code, message, rule }) => (
            <List.Item key={`${code} ${message}`}>
              {message} <Code>{code}</Code>
              {rule && <Text span size="sm">{` in the rule “${rule}”`}</Text>}
            </List.Item>
          ))}
        </List>
      )}
      {conditions.length > 0 && <Conditions conditions={conditions} />}
      {isIncomplete && (
        <Text size="sm" c="dimmed">
          A condition without a mark is in the statement as well, but its position was not found.
        </Text>
      )}
      {inlineSql !== null && conditions.length === 0 && (
        <Text size="sm">No rule restricts the tables of this statement.</Text>
      )}
    </Stack>
  );
}

function Conditions({ conditions }: { conditions: readonly CompiledCondition[] }) {
  return (
    <List type="ordered" size="sm" spacing={4} aria-label="Injected conditions">
      {conditions.map(({ table, alias, expression, rules }, index) => (
        <List.Item key={`${index} ${table}`}>
          <b>{alias === null || alias === table ? table : `${table} (${alias})`}</b>:{' '}
          <Code>{expression}</Code> by {rules.map((rule) => `“${rule}”`).join(', ')}
        </List.Item>
      ))}
    </List>
  );
}
