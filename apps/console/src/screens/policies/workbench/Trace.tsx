import type { Preview, TraceEntry } from '@gatehouse/contract';
import { Accordion, Badge, Button, Table } from '@mantine/core';
import { useState } from 'react';
import classes from './workbench.module.css';

const FIRST = 100;
/** The subjects whose name is the id of an assignment; people know its definition. */
const OF_ASSIGNMENT: Partial<Record<TraceEntry['subject'], string>> = {
  assignment: 'assignment',
  cls: 'database by',
  sls: 'schemas by',
};
const COLORS: Partial<Record<TraceEntry['outcome'], string>> = {
  applies: 'green',
  wins: 'green',
  filled: 'green',
  governed: 'blue',
  merged: 'blue',
  conflict: 'red',
  missing: 'red',
};

/** The steps of the resolution, in a panel that opens. */
export function Trace({ preview }: { preview: Preview }) {
  const [isWhole, setWhole] = useState(false);
  const { trace, assignments } = preview;
  const names = new Map(assignments.map(({ id, definitionName }) => [id, definitionName]));
  const describe = ({ subject, name, assignmentId }: TraceEntry) => {
    const label = OF_ASSIGNMENT[subject];
    if (label === undefined) return `${subject} ${name}`;
    return `${label} ${names.get(assignmentId ?? name) ?? name}`;
  };
  const shown = isWhole ? trace : trace.slice(0, FIRST);
  return (
    <Accordion variant="contained">
      <Accordion.Item value="trace">
        <Accordion.Control>Trace of the resolution, {trace.length} steps</Accordion.Control>
        <Accordion.Panel>
          <div className={classes['scroll']} tabIndex={0} role="region" aria-label="Steps">
            <Table aria-label="Steps of the resolution">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Step</Table.Th>
                  <Table.Th>Subject</Table.Th>
                  <Table.Th>Outcome</Table.Th>
                  <Table.Th>Reason</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {shown.map((entry, index) => (
                  <Table.Tr key={`${index} ${entry.subject} ${entry.name}`}>
                    <Table.Td>{index + 1}</Table.Td>
                    <Table.Th scope="row">{describe(entry)}</Table.Th>
                    <Table.Td>
                      <Badge color={COLORS[entry.outcome] ?? 'gray'} miw="max-content">
                        {entry.outcome}
                      </Badge>
                    </Table.Td>
                    <Table.Td>{entry.why}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
          {shown.length < trace.length && (
            <Button variant="default" size="compact-sm" onClick={() => setWhole(true)}>
              Show all {trace.length} steps
            </Button>
          )}
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
