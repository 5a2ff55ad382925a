import type { DashboardContent } from '@gatehouse/contract';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ConflictDialog } from '../../../components/ConflictDialog.js';
import { compareVersions, isConflict } from '../../../components/conflicts.js';
import { ErrorNotice } from '../../../components/ErrorNotice.js';
import type { FormValues } from '../../../components/fields.js';
import { notifyDone } from '../../../components/notify.js';
import { UnsavedGuard } from '../../../components/UnsavedGuard.js';
import { useApi } from '../../../data/api.js';
import { useCache, type Versioned } from '../../../data/useRecord.js';
import { contentFields, contentValues, describingFields, describingValues } from '../fields.js';
import { dashboards, type Resource } from '../kind.js';

interface Props {
  /** The dashboard as it was when it was compared with the version. */
  current: Versioned<Resource>;
  version: { sha: string; content: DashboardContent };
  onDone(): void;
}

interface State {
  isRunning: boolean;
  error: unknown;
  /** The dashboard as another person saved it in the meantime. */
  latest: Versioned<Resource> | null;
}

const IDLE: State = { isRunning: false, error: null, latest: null };
const FIELDS = [...describingFields(dashboards), ...contentFields(dashboards)];

/** Restores a version, unless another person saved the dashboard meanwhile: then both are shown. */
export function Restore({ current, version, onDone }: Props) {
  const api = useApi();
  const cache = useCache();
  const [message, setMessage] = useState('');
  const [state, setState] = useState(IDLE);
  const source = dashboards.record(current.record.id);
  const restore = async ({ record: { id }, etag }: Versioned<Resource>) => {
    const input = { id, sha: version.sha, ...(message === '' ? {} : { commitMessage: message }) };
    await api.restoreDashboardVersion(input, etag === null ? {} : { ifMatch: etag });
    await cache.outdate('dashboards', 'versions');
    notifyDone('The version was restored');
    onDone();
  };
  const run = async (read: Versioned<Resource>) => {
    setState({ ...IDLE, isRunning: true });
    try {
      await restore(read);
    } catch (error) {
      const latest = isConflict(error) ? await source.load(api, new AbortController().signal) : null;
      setState({ isRunning: false, error, latest });
    }
  };
  const start = (read: Versioned<Resource>) =>
    void run(read).catch((error: unknown) => setState({ ...IDLE, error }));
  const takeTheirs = (latest: Versioned<Resource>) => {
    setState(IDLE);
    cache.put(source.key, latest);
  };
  const { latest } = state;
  return (
    <Stack gap="xs">
      <UnsavedGuard isDirty={message !== '' && !state.isRunning} openedBy="version" />
      <TextInput
        label="Commit message"
        description="Of the commit that the restoration makes."
        maxLength={5000}
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
      />
      {state.error !== null && <ErrorNotice error={state.error} title="It was not restored" />}
      <Group justify="flex-end">
        <Button onClick={() => start(current)} loading={state.isRunning}>
          Restore this version
        </Button>
      </Group>
      <ConflictDialog
        fields={latest && differencesOf(version.content, latest.record)}
        onClose={() => setState({ ...state, latest: null })}
        onTakeTheirs={() => latest && takeTheirs(latest)}
        onKeepMine={() => latest && start(latest)}
      />
    </Stack>
  );
}

function differencesOf(content: DashboardContent, latest: Resource) {
  const restored: FormValues = { ...content };
  return compareVersions(
    FIELDS.filter(({ name }) => name in restored),
    restored,
    { ...describingValues(latest), ...contentValues(latest) },
  );
}
