import { Badge, Box } from '@mantine/core';
import { LevelBadge } from '../../components/badges.js';
import { EditRecord } from '../../components/EditRecord.js';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { IdCopy } from '../../components/IdCopy.js';
import { Facts, Page } from '../../components/Page.js';
import { PageHeader } from '../../components/PageHeader.js';
import { PersonName } from '../../components/PersonName.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { TabBar, type Tab } from '../../components/TabBar.js';
import { useParam } from '../../data/useParam.js';
import { useRecord, type Versioned } from '../../data/useRecord.js';
import { Opening } from '../../shell/Opening.js';
import { contentFields, contentValues, describingFields, describingValues } from './fields.js';
import type { Kind, Resource } from './kind.js';
import { ResourceActions } from './ResourceActions.js';

interface Props {
  kind: Kind;
  current: Versioned<Resource>;
}

/** A dashboard or a visual. */
export function ResourceDetail({ kind }: { kind: Kind }) {
  const id = useParam('id');
  const { data, error, refetch } = useRecord(kind.record(id));
  const path = [{ title: kind.plural, to: kind.path }];
  if (error !== null && data === undefined)
    return (
      <>
        <PageHeader title={`This ${kind.noun} cannot be opened`} path={path} />
        <Box p="lg">
          <ErrorNotice error={error} title="It could not be read" onRetry={() => void refetch()} />
        </Box>
      </>
    );
  if (data === undefined) return <Opening />;
  const { record } = data;
  return (
    <>
      <PageHeader
        title={record.title}
        path={path}
        badges={
          <>
            <LevelBadge level={record.accessLevel} />
            {record.isPrivate && <Badge color="gray">Private</Badge>}
          </>
        }
        actions={<ResourceActions kind={kind} record={record} />}
      />
      <TabBar label={`Parts of the ${kind.noun}`} tabs={tabsOf({ kind, current: data })} />
    </>
  );
}

function tabsOf(props: Props): Tab[] {
  const { kind } = props;
  return [
    { id: 'overview', title: 'Overview', content: () => <Overview key="overview" {...props} /> },
    {
      id: kind.kind === 'dashboard' ? 'template' : 'frame',
      title: kind.kind === 'dashboard' ? 'Template' : 'Frame object',
      content: () => <Content key="content" {...props} />,
    },
  ];
}

function Overview({ kind, current }: Props) {
  const { record } = current;
  const aside = (
    <Facts
      facts={[
        ['Owner', <PersonName key="owner" id={record.ownerId} />],
        ['Created', <RelativeTime key="created" at={record.createdAt} />],
        ['Updated', <RelativeTime key="updated" at={record.updatedAt} />],
        ['Version', String(record.version)],
        ['Id', <IdCopy key="id" value={record.id} />],
      ]}
    />
  );
  return (
    <Page aside={aside}>
      <EditRecord
        key={record.id}
        source={kind.record(record.id)}
        current={current}
        fields={describingFields(kind)}
        toValues={describingValues}
        save={(api, changes, etag) =>
          kind.update(api, { id: record.id, ...withoutEmptyMessage(changes) }, etag)
        }
        outdates={[`${kind.noun}s`]}
        isReadOnly={!record.permissions.canEdit}
      />
    </Page>
  );
}

function Content({ kind, current }: Props) {
  const { record } = current;
  return (
    <Page>
      <EditRecord
        key={record.id}
        source={kind.record(record.id)}
        current={current}
        fields={contentFields(kind)}
        toValues={contentValues}
        save={(api, changes, etag) =>
          kind.update(api, { id: record.id, ...withoutEmptyMessage(changes) }, etag)
        }
        outdates={[`${kind.noun}s`]}
        isReadOnly={!record.permissions.canEdit}
      />
    </Page>
  );
}

function withoutEmptyMessage({ commitMessage, ...changes }: Record<string, unknown>) {
  return commitMessage === undefined || commitMessage === '' ? changes : { ...changes, commitMessage };
}
