import type { PolicyTestOutcome } from '@gatehouse/contract';
import { Badge, List, Modal, Stack, Table, Text } from '@mantine/core';
import { textOf } from '../../../logic/formChanges.js';
import classes from '../policies.module.css';

/** Whether a test passed. */
export function OutcomeBadge({ outcome }: { outcome: PolicyTestOutcome }) {
  return <Badge color={outcome.passed ? 'green' : 'red'}>{outcome.passed ? 'Passed' : 'Failed'}</Badge>;
}

interface Props {
  /** Null closes the dialog. */
  outcome: PolicyTestOutcome | null;
  onClose(): void;
}

/** How a test ended: the differences, the restricted statement and its rows. */
export function OutcomeDialog({ outcome, onClose }: Props) {
  return (
    <Modal opened={outcome !== null} onClose={onClose} title={outcome?.name ?? ''} size="xl" centered>
      {outcome !== null && (
        <Stack>
          <div>
            <OutcomeBadge outcome={outcome} />
          </div>
          {outcome.failures.length > 0 && (
            <List size="sm">
              {outcome.failures.map((failure) => (
                <List.Item key={failure}>{failure}</List.Item>
              ))}
            </List>
          )}
          {outcome.isCut && <Text size="sm">The results of this run were too large to be returned.</Text>}
          {outcome.compiled !== null && (
            <pre className={classes['sql']} tabIndex={0}>
              {outcome.compiled.inlineSql ??
                outcome.compiled.reasons.map(({ code, message }) => `${code}: ${message}`).join('\n')}
            </pre>
          )}
          {outcome.rows !== null && <Rows rows={outcome.rows} />}
        </Stack>
      )}
    </Modal>
  );
}

function Rows({ rows }: { rows: readonly Record<string, unknown>[] }) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (rows.length === 0) return <Text size="sm">It returned no rows.</Text>;
  return (
    <div className={classes['rows']} tabIndex={0} role="region" aria-label="Rows">
      <Table aria-label="Returned rows">
        <Table.Thead>
          <Table.Tr>
            {names.map((name) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            <Table.Tr key={`${index} ${JSON.stringify(row)}`}>
              {names.map((name) => (
                <Table.Td key={name}>{textOf(row[name])}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
