import {
  Button,
  Code,
  Group,
  Modal,
  ScrollArea,
  Skeleton,
  Stack,
  Table,
  Text,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/ErrorNotice.js';
import { notifyDone } from '../../../components/notify.js';
import { ShowMore } from '../../../components/ShowMore.js';
import { useApi } from '../../../data/api.js';
import { useCache } from '../../../data/useRecord.js';
import { shorten } from '../../../logic/shorten.js';
import type { Resource } from '../kind.js';

interface Props {
  record: Resource;
  sha: string;
  onClose(): void;
}

/** A version beside the dashboard as it is now, and its restoration. */
export function VersionDialog({ record, sha, onClose }: Props) {
  const api = useApi();
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
              <Restore id={id} sha={sha} onDone={onClose} />
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

function Restore({ id, sha, onDone }: { id: string; sha: string; onDone: () => void }) {
  const api = useApi();
  const cache = useCache();
  const [message, setMessage] = useState('');
  const [state, setState] = useState<{ isRunning: boolean; error: unknown }>({
    isRunning: false,
    error: null,
  });
  const restore = async () => {
    await api.restoreDashboardVersion({ id, sha, ...(message === '' ? {} : { commitMessage: message }) });
    await cache.outdate('dashboards', 'versions');
    notifyDone('The version was restored');
    onDone();
  };
  const run = () => {
    setState({ isRunning: true, error: null });
    restore().catch((error: unknown) => setState({ isRunning: false, error }));
  };
  return (
    <Stack gap="xs">
      <TextInput
        label="Commit message"
        description="Of the commit that the restoration makes."
        maxLength={5000}
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
      />
      {state.error !== null && <ErrorNotice error={state.error} title="It was not restored" />}
      <Group justify="flex-end">
        <Button onClick={run} loading={state.isRunning}>
          Restore this version
        </Button>
      </Group>
    </Stack>
  );
}
