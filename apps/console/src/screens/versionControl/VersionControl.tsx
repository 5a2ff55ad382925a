import { GatehouseError } from '@gatehouse/client';
import type { VersionControl as Settings } from '@gatehouse/contract';
import { Alert, Box, Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDelete } from '../../components/ConfirmDelete.js';
import { EditRecord } from '../../components/EditRecord.js';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import type { Field, FormValues } from '../../components/fields.js';
import { notifyDone } from '../../components/notify.js';
import { Facts, Page } from '../../components/Page.js';
import { PageHeader } from '../../components/PageHeader.js';
import { RecordForm } from '../../components/RecordForm.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { useApi, type Api } from '../../data/api.js';
import { useCache, useRecord, versioned, type RecordSource, type Versioned } from '../../data/useRecord.js';
import { Opening } from '../../shell/Opening.js';

const source: RecordSource<Settings> = {
  key: ['versionControl', 'settings'],
  load: async (api, signal) =>
    versioned(
      await api.withResponse.getVersionControl({}, { signal }),
      ({ versionControl }) => versionControl,
    ),
};

const fields: readonly Field[] = [
  {
    name: 'commitOnSave',
    label: 'Commits',
    kind: 'select',
    options: [
      { value: 'off', label: 'Never commit a saved dashboard' },
      { value: 'optional', label: 'Commit a save that has a commit message' },
      { value: 'required', label: 'Require a commit message for every save' },
    ],
  },
  { name: 'branch', label: 'Branch', kind: 'text', maxLength: 100 },
  {
    name: 'url',
    label: 'Remote',
    description: 'The https address of a repository to which each commit is pushed. Empty for none.',
    kind: 'text',
    maxLength: 2000,
  },
  { name: 'username', label: 'User name', kind: 'text', maxLength: 200, isShown: ({ url }) => url !== '' },
  {
    name: 'token',
    label: 'Token',
    description: 'Stored encrypted and never shown. An empty one keeps the stored token.',
    kind: 'password',
    isShown: ({ url }) => url !== '',
  },
  {
    name: 'webUrl',
    label: 'Address of a commit',
    description: '{sha} stands for the commit. Well-known hosts need none.',
    kind: 'text',
    maxLength: 2000,
    isShown: ({ url }) => url !== '',
  },
];

const NEW: FormValues = {
  commitOnSave: 'optional',
  branch: 'main',
  url: '',
  username: '',
  token: '',
  webUrl: '',
};

function toValues({ commitOnSave, branch, remote }: Settings): FormValues {
  return {
    commitOnSave,
    branch,
    url: remote?.url ?? '',
    username: remote?.username ?? '',
    token: '',
    webUrl: remote?.webUrl ?? '',
  };
}

type Input = Parameters<Api['putVersionControl']>[0];

async function put(api: Api, values: FormValues, etag: string | undefined): Promise<Versioned<Settings>> {
  const { commitOnSave, branch, url, username, token, webUrl } = values;
  const remote =
    url === ''
      ? null
      : { url, username: username || null, webUrl: webUrl || null, ...(token === '' ? {} : { token }) };
  const answer = await api.withResponse.putVersionControl({ commitOnSave, branch, remote } as Input, {
    ifMatch: etag,
  });
  return versioned(answer, ({ versionControl }) => versionControl);
}

/** How the dashboards of the project are committed to a git repository. */
export function VersionControl() {
  const { data, error, refetch } = useRecord(source);
  const isMissing = error instanceof GatehouseError && error.status === 404;
  if (data !== undefined && !isMissing) return <Configured current={data} />;
  if (isMissing) return <Missing />;
  if (error === null) return <Opening />;
  return (
    <>
      <PageHeader title="Version control" />
      <Box p="lg">
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      </Box>
    </>
  );
}

function Missing() {
  const api = useApi();
  const cache = useCache();
  const submit = async (values: FormValues) => {
    cache.put(source.key, await put(api, values, undefined));
    notifyDone('Version control is set up');
    await cache.outdate('versionControl');
  };
  return (
    <>
      <PageHeader
        title="Version control"
        detail="Keep each version of the project's dashboards in a git repository, and restore any of them."
      />
      <Page>
        <RecordForm
          fields={fields}
          saved={NEW}
          isNew
          submitLabel="Set up version control"
          onSubmit={submit}
        />
      </Page>
    </>
  );
}

function Configured({ current }: { current: Versioned<Settings> }) {
  const api = useApi();
  const cache = useCache();
  const [isOpen, setOpen] = useState(false);
  const { record } = current;
  const end = async () => {
    await api.deleteVersionControl({});
    // Read again: the 404 is what the screen shows the form for.
    await cache.outdate('versionControl', 'versions');
  };
  return (
    <>
      <PageHeader
        title="Version control"
        actions={
          <Button variant="default" color="red" onClick={() => setOpen(true)}>
            End version control
          </Button>
        }
      />
      <Page aside={<PushFacts record={record} />}>
        <EditRecord
          source={source}
          current={current}
          fields={fields}
          toValues={toValues}
          save={(write, changes, etag) => put(write, { ...toValues(record), ...changes }, etag)}
          outdates={['versionControl']}
        />
      </Page>
      <ConfirmDelete
        name="version control"
        verb="End"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={end}
      >
        The history stays, and is available again once version control is set up again.
      </ConfirmDelete>
    </>
  );
}

function PushFacts({ record: { lastPush, updatedAt } }: { record: Settings }) {
  return (
    <>
      {lastPush?.status === 'failed' && (
        <Alert color="red" title="The last push failed" mb="md">
          {lastPush.reason}
        </Alert>
      )}
      <Facts
        facts={[
          ['Last push', lastPush === null ? 'None yet' : <RelativeTime key="push" at={lastPush.at} />],
          ['Updated', <RelativeTime key="updated" at={updatedAt} />],
        ]}
      />
    </>
  );
}
