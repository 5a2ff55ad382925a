import type { Connection } from '@gatehouse/contract';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { Icon } from '../../components/Icon.js';
import { INVALID_JSON, JsonField } from '../../components/JsonField.js';
import { notifyDone } from '../../components/notify.js';
import { useApi, type Api } from '../../data/api.js';
import { useCache } from '../../data/useRecord.js';

type Catalog = NonNullable<Parameters<Api['introspectConnection']>[0]['catalog']>;

/** Reads the catalog from the database; that of a static connection is edited. */
export function Introspection({ connection }: { connection: Connection }) {
  const [isOpen, setOpen] = useState(false);
  const isStatic = connection.type === 'static';
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name={isStatic ? 'edit' : 'refresh'} />}
        onClick={() => setOpen(true)}
      >
        {isStatic ? 'Edit the catalog' : 'Read the catalog'}
      </Button>
      {isOpen && <Dialog connection={connection} onClose={() => setOpen(false)} />}
    </>
  );
}

function Dialog({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const api = useApi();
  const cache = useCache();
  const { id, type } = connection;
  const [catalog, setCatalog] = useState<unknown>(connection.catalog);
  const [running, setRunning] = useState<AbortController | null>(null);
  const [error, setError] = useState<unknown>(null);
  const isStatic = type === 'static';
  const run = async (signal: AbortSignal) => {
    const input = isStatic ? { id, catalog: catalog as Catalog } : { id };
    const { changes } = await api.introspectConnection(input, { signal });
    await cache.outdate('connections');
    notifyDone(
      changes.length === 0 ? 'The catalog is unchanged' : `${changes.length} changes of the catalog`,
    );
    onClose();
  };
  const start = () => {
    const controller = new AbortController();
    setRunning(controller);
    setError(null);
    run(controller.signal)
      .catch((failure: unknown) => {
        if (!controller.signal.aborted) setError(failure);
      })
      .finally(() => setRunning(null));
  };
  const close = () => {
    running?.abort();
    onClose();
  };
  return (
    <Modal
      opened
      onClose={close}
      title={isStatic ? 'Edit the catalog' : 'Read the catalog'}
      size={isStatic ? 'xl' : 'md'}
    >
      <Stack>
        {isStatic ? (
          <JsonField
            label="Catalog"
            description="The schemas with their tables and columns."
            value={catalog}
            error={undefined}
            isDisabled={false}
            onChange={setCatalog}
          />
        ) : (
          <Text size="sm">
            Gatehouse connects to the database and reads its schemas, tables and columns. It reads no rows.
          </Text>
        )}
        {running && <Elapsed />}
        {error !== null && <ErrorNotice error={error} title="The catalog was not read" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button onClick={start} loading={running !== null} disabled={catalog === INVALID_JSON}>
            {isStatic ? 'Save the catalog' : 'Read it now'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

const SECOND_MS = 1000;

/** How long it has taken so far: a large database takes minutes. */
function Elapsed() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((former) => former + 1), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <Text size="sm" role="status">
      Reading for {seconds} s. Closing this dialog cancels it.
    </Text>
  );
}
