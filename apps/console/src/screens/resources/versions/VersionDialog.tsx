import { Code, Modal, ScrollArea, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorNotice } from '../../../components/ErrorNotice.js';
import { ShowMore } from '../../../components/ShowMore.js';
import { useApi } from '../../../data/api.js';
import type { Versioned } from '../../../data/useRecord.js';
import { shorten } from '../../../logic/shorten.js';
import type { Resource } from '../kind.js';
import { Restore } from './Restore.js';

interface Props {
  current: Versioned<Resource>;
  sha: string;
  onClose(): void;
}

/** A version beside the dashboard as it is now, and its restoration. */
export function VersionDialog({ current, sha, onClose }: Props) {
  const api = useApi();
  const { record } = current;
  const { id } = record;
  const { data, error } = useQuery({
    queryKey: ['versions', id, sha, record.version],
    queryFn: async ({ signal }) => {
      const [{ version }, { patch }] = await Promise.all([
        api.getDashboardVersion({ id, sha }, { signal }),
        api.diffDashboardVersions({ id, sha }, { signal }),
      ]);
      return { version, patch };
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={data === undefined ? 'Version' : shorten(data.version.message)}
      size="xl"
    >
      <Stack>
        {error !== null && <ErrorNotice error={error} title="The version could not be read" />}
        {error === null && data === undefined && <Skeleton height={120} />}
        {data !== undefined && (
          <>
            <Text size="sm" c="dimmed">
              {data.patch.length === 0
                ? 'The dashboard is the same now.'
                : `${data.patch.length} differences lead from this version to the dashboard as it is now.`}
            </Text>
            {data.patch.length > 0 && <Differences patch={data.patch} />}
            {record.permissions.canEdit && data.patch.length > 0 && (
              <Restore current={current} version={data.version} onDone={onClose} />
            )}
          </>
        )}
      </Stack>
    </Modal>
  );
}

const STEP = 200;
const VALUE_MAX = 300;

function Differences({ patch }: { patch: readonly { op: string; path: string; value?: unknown }[] }) {
  return (
    <ScrollArea.Autosize
      mah={360}
      viewportProps={{ tabIndex: 0, 'aria-label': 'Differences', role: 'region' }}
    >
      <ShowMore items={patch} step={STEP}>
        {(part) => (
          <Table aria-label="Differences">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Change</Table.Th>
                <Table.Th>Place</Table.Th>
                <Table.Th>Value now</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {part.map(({ op, path, value }) => (
                <Table.Tr key={`${op} ${path}`}>
                  <Table.Td>{op}</Table.Td>
                  <Table.Td>
                    <Code>{path}</Code>
                  </Table.Td>
                  <Table.Td>
                    <Code>{value === undefined ? '–' : JSON.stringify(value).slice(0, VALUE_MAX)}</Code>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </ShowMore>
    </ScrollArea.Autosize>
  );
}
