import { Badge } from '@mantine/core';
import { LevelBadge } from '../../components/badges.js';
import { EditRecord } from '../../components/EditRecord.js';
import { RecordSettings } from '../../components/RecordSettings.js';
import { Page } from '../../components/Page.js';
import { PersonName } from '../../components/PersonName.js';
import { RecordScreen } from '../../components/RecordScreen.js';
import type { Tab } from '../../components/TabBar.js';
import { useParam } from '../../data/useParam.js';
import type { Versioned } from '../../data/useRecord.js';
import { contentFields, contentValues, describingFields, describingValues } from './fields.js';
import type { Kind, Resource } from './kind.js';
import { ResourceActions } from './ResourceActions.js';
import { Sharing } from './sharing/Sharing.js';
import { Versions } from './versions/Versions.js';

interface Props {
  kind: Kind;
  current: Versioned<Resource>;
}

/** A dashboard or a visual. */
export function ResourceDetail({ kind }: { kind: Kind }) {
  const id = useParam('id');
  return (
    <RecordScreen
      source={kind.record(id)}
      noun={kind.noun}
      parent={{ title: kind.plural, to: kind.path }}
      titleOf={({ title }) => title}
      badges={({ accessLevel, isPrivate }) => (
        <>
          <LevelBadge level={accessLevel} />
          {isPrivate && <Badge color="gray">Private</Badge>}
        </>
      )}
      actions={(record) => <ResourceActions kind={kind} record={record} />}
      tabs={(current) => tabsOf({ kind, current })}
    />
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
    {
      id: 'sharing',
      title: 'Sharing',
      content: () => <Sharing key="sharing" kind={kind} record={props.current.record} />,
    },
    ...(kind.kind === 'dashboard' && props.current.record.permissions.canEdit
      ? [
          {
            id: 'versions',
            title: 'Versions',
            content: () => <Versions key="versions" current={props.current} />,
          },
        ]
      : []),
  ];
}

function Overview({ kind, current }: Props) {
  const { record } = current;
  return (
    <RecordSettings
      facts={[
        ['Owner', <PersonName key="owner" id={record.ownerId} />],
        ['Version', String(record.version)],
      ]}
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
