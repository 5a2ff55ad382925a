import type { Migration } from '@gatehouse/contract';
import { Alert, Anchor, Badge, Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDelete } from '../../components/ConfirmDelete.js';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { Icon } from '../../components/Icon.js';
import { IdCopy } from '../../components/IdCopy.js';
import { notifyDone } from '../../components/notify.js';
import { Facts, Page } from '../../components/Page.js';
import { PageHeader } from '../../components/PageHeader.js';
import { PersonName } from '../../components/PersonName.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { SmallTable } from '../../components/SmallTable.js';
import { useApi } from '../../data/api.js';
import { useParam } from '../../data/useParam.js';
import { useCache } from '../../data/useRecord.js';
import { useSession } from '../../session/SessionContext.js';
import { Opening } from '../../shell/Opening.js';
import { ProjectName } from './ProjectName.js';
import { ACTION_TEXTS, isUnderWay, STATE_TEXTS, STATUS_TEXTS, titleOf } from './texts.js';

const path = [{ title: 'Migrations', to: '/migrations' }];
const REFRESH_MS = 1500;

/** A migration: its steps, what it created, and its rollback. */
export function MigrationDetail() {
  const id = useParam('id');
  const api = useApi();
  const { project } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ['records', project.id, 'migrations', id],
    queryFn: async ({ signal }) => (await api.getMigration({ id }, { signal })).migration,
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? REFRESH_MS : false),
  });
  if (error !== null && data === undefined)
    return (
      <>
        <PageHeader title="This migration cannot be opened" path={path} />
        <Page>
          <ErrorNotice error={error} title="It could not be read" onRetry={() => void refetch()} />
        </Page>
      </>
    );
  if (data === undefined) return <Opening />;
  const { text, color } = STATUS_TEXTS[data.status];
  return (
    <>
      <PageHeader
        title={titleOf(data)}
        path={path}
        badges={<Badge color={color}>{text}</Badge>}
        actions={data.status === 'completed' && <Rollback migration={data} />}
      />
      <Page aside={<MigrationFacts migration={data} />}>
        <Stack>
          {data.reason !== null && (
            <Alert color={data.status === 'failed' ? 'red' : 'yellow'} title="Reason">
              {data.reason}
            </Alert>
          )}
          <Steps migration={data} />
        </Stack>
      </Page>
    </>
  );
}

function MigrationFacts({ migration }: { migration: Migration }) {
  const { endedAt, versionControl } = migration;
  return (
    <Facts
      facts={[
        ['From', <ProjectName key="from" id={migration.sourceProjectId} />],
        ['Into', <ProjectName key="into" id={migration.targetProjectId} />],
        [
          'Source dashboard',
          <DashboardLink key="source" id={migration.sourceDashboardId} project={migration.sourceProjectId} />,
        ],
        [
          'Target dashboard',
          migration.status === 'completed' ? (
            <DashboardLink
              key="target"
              id={migration.targetDashboardId}
              project={migration.targetProjectId}
            />
          ) : (
            <IdCopy key="target" value={migration.targetDashboardId} />
          ),
        ],
        ['Kind', migration.isReplacing ? 'Replaces a dashboard' : 'Creates a dashboard'],
        ['Person', <PersonName key="person" id={migration.createdBy} />],
        ['Started', <RelativeTime key="started" at={migration.createdAt} />],
        ['Ended', endedAt === null ? 'Not yet' : <RelativeTime key="ended" at={endedAt} />],
        ['Commit', versionControl === null ? 'None' : versionControl.status.replaceAll('_', ' ')],
        ['Id', <IdCopy key="id" value={migration.id} />],
      ]}
    />
  );
}

/** A link to a dashboard of another project, which becomes the current one. */
function DashboardLink({ id, project }: { id: string; project: string }) {
  return (
    <>
      <Anchor component={Link} to={`/dashboards/${id}`} search={{ project } as never} size="sm">
        Open it
      </Anchor>{' '}
      <IdCopy value={id} isButtonOnly />
    </>
  );
}

function Steps({ migration: { steps } }: { migration: Migration }) {
  return (
    <SmallTable
      label="Steps"
      headers={['Step', 'Name', 'State']}
      rows={steps.map(({ name, action, title, targetId, state }) => ({
        key: name,
        cells: [
          ACTION_TEXTS[action],
          <span key="title">
            <span dir="auto">{title ?? ''}</span>{' '}
            {targetId !== null && <IdCopy value={targetId} isButtonOnly />}
          </span>,
          STATE_TEXTS[state],
        ],
      }))}
    />
  );
}

function Rollback({ migration }: { migration: Migration }) {
  const api = useApi();
  const cache = useCache();
  const [isOpen, setOpen] = useState(false);
  const rollBack = async () => {
    await api.rollBackMigration({ id: migration.id });
    await cache.outdate('migrations', 'dashboards', 'visuals');
    notifyDone('The migration was rolled back');
  };
  return (
    <>
      <Button variant="default" leftSection={<Icon name="history" />} onClick={() => setOpen(true)}>
        Roll back …
      </Button>
      <ConfirmDelete
        name={titleOf(migration)}
        verb="Roll back"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={rollBack}
      >
        {migration.isReplacing
          ? 'The replaced dashboard gets its former content back. '
          : 'The dashboard that the migration created is deleted. '}
        Records that it copied are deleted, unless they were changed or used since.
      </ConfirmDelete>
    </>
  );
}
