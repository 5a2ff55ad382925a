import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  label: string;
  headers: readonly string[];
  /** The first cell of each row is its header. */
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
}

/** A table of a few rows that are all there. */
export function SmallTable({ label, headers, rows }: Props) {
  return (
    <Table.ScrollContainer minWidth={320}>
      <Table aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {headers.map((header) => (
              <Table.Th key={header}>{header}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, cells: [first, ...others] }) => (
            <Table.Tr key={key}>
              <Table.Th scope="row" fw={400}>
                {first}
              </Table.Th>
              {others.map((cell, index) => (
                // Cells have no name but their header.
                <Table.Td key={headers[index + 1]}>{cell}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
