import type { Connection } from '@gatehouse/contract';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { Icon } from '../../components/Icon.js';
import { INVALID_VALUE } from '../../components/fields.js';
import { JsonField } from '../../components/JsonField.js';
import { notifyDone, notifyError } from '../../components/notify.js';
import { UnsavedGuard } from '../../components/UnsavedGuard.js';
import { useApi, type Api } from '../../data/api.js';
import { useUrlState } from '../../data/urlState.js';
import { useCache } from '../../data/useRecord.js';
import { isSame } from '../../logic/formChanges.js';
import { LastReading, ReadingProgress } from './Reading.js';

type Catalog = NonNullable<Parameters<Api['introspectConnection']>[0]['catalog']>;

/** The value of `dialog` in the address while the catalog is read or edited. */
const CATALOG = 'catalog';

/** Reads the catalog from the database; that of a static connection is edited. */
export function Introspection({ connection }: { connection: Connection }) {
  const [{ dialog }, setState] = useUrlState();
  const isStatic = connection.type === 'static';
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name={isStatic ? 'edit' : 'refresh'} />}
        onClick={() => setState({ dialog: CATALOG }, true)}
      >
        {isStatic ? 'Edit the catalog' : 'Read the catalog'}
      </Button>
      {dialog === CATALOG && (
        <Dialog connection={connection} onClose={() => setState({ dialog: undefined })} />
      )}
    </>
  );
}

function Dialog({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const api = useApi();
  const cache = useCache();
  const { id, type } = connection;
  const [former] = useState<unknown>(connection.catalog);
  const [catalog, setCatalog] = useState(former);
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isStatic = type === 'static';
  const isChanged = useMemo(() => !isSame(catalog, former), [catalog, former]);
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => void (isShown.current = false);
  }, []);
  const run = async () => {
    const input = isStatic ? { id, catalog: catalog as Catalog } : { id };
    const { changes } = await api.introspectConnection(input);
    await cache.outdate('connections');
    notifyDone(
      changes.length === 0 ? 'The catalog is unchanged' : `${changes.length} changes of the catalog`,
    );
    if (isShown.current) onClose();
  };
  const start = () => {
    setRunning(true);
    setError(null);
    run().catch((failure: unknown) => {
      if (!isShown.current) return notifyError(failure, 'The catalog was not read');
      setRunning(false);
      setError(failure);
    });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={isStatic ? 'Edit the catalog' : 'Read the catalog'}
      size={isStatic ? 'xl' : 'md'}
    >
      <UnsavedGuard isDirty={isChanged && !isRunning} openedBy="dialog" />
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
        {!isStatic && <LastReading connection={connection} />}
        {isRunning && <ReadingProgress formerMs={connection.catalogReadDurationMs} />}
        {error !== null && <ErrorNotice error={error} title="The catalog was not read" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button onClick={start} loading={isRunning} disabled={catalog === INVALID_VALUE}>
            {isStatic ? 'Save the catalog' : 'Read it now'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
