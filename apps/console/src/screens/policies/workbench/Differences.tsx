import type { PreviewDiff } from '@gatehouse/contract';
import { Badge, Table, Text, Title } from '@mantine/core';
import policyClasses from '../policies.module.css';
import classes from './workbench.module.css';

const CHANGES = {
  added: { color: 'green', text: 'Added' },
  removed: { color: 'red', text: 'Removed' },
  changed: { color: 'blue', text: 'Changed' },
} as const;

/** What the draft changes for the actor: the condition of each table. */
export function Differences({ diff }: { diff: PreviewDiff | null }) {
  return (
    <section aria-label="Difference" className={classes['part']}>
      <Title order={2} size="h5" mb="xs">
        What the draft changes for this actor
      </Title>
      {diff === null && <Text size="sm">The rules are the stored ones.</Text>}
      {diff?.isSame && <Text size="sm">The draft changes nothing for this actor and this statement.</Text>}
      {diff !== null && diff.tables.length > 0 && (
        <div className={classes['scroll']} tabIndex={0} role="region" aria-label="Changed conditions">
          <Table aria-label="Changed conditions">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Table</Table.Th>
                <Table.Th>Change</Table.Th>
                <Table.Th>Stored</Table.Th>
                <Table.Th>Draft</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {diff.tables.map(({ table, schema, change, before, after }, index) => (
                <Table.Tr key={`${index} ${schema} ${table}`}>
                  <Table.Th scope="row">{schema === null ? table : `${schema}.${table}`}</Table.Th>
                  <Table.Td>
                    <Badge color={CHANGES[change].color}>{CHANGES[change].text}</Badge>
                  </Table.Td>
                  <Condition text={before} />
                  <Condition text={after} />
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {diff !== null && !diff.sql.isSame && diff.sql.before !== null && (
        <>
          <Text size="sm" mt="sm" mb={4}>
            Restricted by the stored policies:
          </Text>
          <pre className={policyClasses['sql']} tabIndex={0} aria-label="SQL by the stored policies">
            {diff.before.compiled.inlineSql ?? diff.sql.before}
          </pre>
        </>
      )}
    </section>
  );
}

function Condition({ text }: { text: string | null }) {
  return <Table.Td className={classes['condition']}>{text ?? 'none'}</Table.Td>;
}
