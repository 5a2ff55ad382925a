import { Skeleton } from '@mantine/core';
import type { ModelTemplate } from '@gatehouse/contract';
import type { Column } from '../../components/columns.js';
import { EditRecord } from '../../components/EditRecord.js';
import { RecordSettings } from '../../components/RecordSettings.js';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import type { Field, FormValues } from '../../components/fields.js';
import { ListScreen } from '../../components/ListScreen.js';
import { NameLink } from '../../components/NameLink.js';
import { NewRecord } from '../../components/NewRecord.js';
import { Page } from '../../components/Page.js';
import { RecordMenu } from '../../components/RecordMenu.js';
import { RecordScreen } from '../../components/RecordScreen.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { useParam } from '../../data/useParam.js';
import { useRecord, type Versioned } from '../../data/useRecord.js';
import { useHasRole } from '../../session/SessionContext.js';
import { datamodels, domains, type Model, type ModelKind } from './kind.js';

const nameOf = (record: Model) => ('label' in record ? record.label : record.name);

function columnsOf({ path }: ModelKind): readonly Column<Model>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      width: 'minmax(0, 1.6fr)',
      text: nameOf,
      render: (record) => <NameLink to={`${path}/${record.id}`} name={nameOf(record)} />,
    },
    {
      id: 'description',
      header: 'Description',
      width: 'minmax(0, 2fr)',
      isWide: true,
      text: ({ description }) => description,
      render: ({ description }) => <span dir="auto">{description}</span>,
    },
    {
      id: 'updated',
      header: 'Updated',
      width: '8.5rem',
      text: ({ updatedAt }) => updatedAt,
      render: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
    },
  ];
}

function ModelList({ kind }: { kind: ModelKind }) {
  const canManage = useHasRole(kind.role);
  return (
    <ListScreen
      title={kind.plural}
      noun={[kind.noun, kind.plural.toLowerCase()]}
      icon={kind.icon}
      source={kind.list}
      columns={columnsOf(kind)}
      idOf={({ id }) => id}
      nameOf={nameOf}
      createPath={canManage ? `${kind.path}/new` : null}
      removal={
        canManage
          ? {
              remove: (api, { id }) => kind.remove(api, id),
              outdates: [kind.key],
              consequence: 'Dashboards that refer to them become invalid.',
            }
          : null
      }
      hint={kind.hint}
    />
  );
}

function NewModel({ kind }: { kind: ModelKind }) {
  const initial =
    kind.key === 'domains'
      ? { name: '', label: '', description: '' }
      : { name: '', description: '', connection: null };
  return (
    <NewRecord
      noun={kind.noun}
      parent={{ title: kind.plural, to: kind.path }}
      fields={kind.fields}
      initial={initial}
      create={kind.create}
      outdates={[kind.key]}
    />
  );
}

function ModelDetail({ kind }: { kind: ModelKind }) {
  const id = useParam('id');
  const canManage = useHasRole(kind.role);
  return (
    <RecordScreen
      source={kind.record(id)}
      noun={kind.noun}
      parent={{ title: kind.plural, to: kind.path }}
      titleOf={nameOf}
      actions={(record) => (
        <RecordMenu
          noun={kind.noun}
          name={nameOf(record)}
          recordKey={[kind.key, id]}
          listPath={kind.path}
          remove={canManage ? (api) => kind.remove(api, id) : undefined}
          consequence="Dashboards that refer to it become invalid."
        />
      )}
      tabs={(current) => [
        {
          id: 'settings',
          title: 'Settings',
          content: () => <Settings kind={kind} current={current} isReadOnly={!canManage} />,
        },
        {
          id: 'template',
          title: 'Template',
          content: () => <Template kind={kind} id={id} isReadOnly={!canManage} />,
        },
      ]}
    />
  );
}

interface SettingsProps {
  kind: ModelKind;
  current: Versioned<Model>;
  isReadOnly: boolean;
}

function Settings({ kind, current, isReadOnly }: SettingsProps) {
  const { record } = current;
  return (
    <RecordSettings
      source={kind.record(record.id)}
      current={current}
      fields={kind.fields}
      toValues={kind.values}
      save={(api, changes, etag) => kind.update(api, { id: record.id, ...changes }, etag)}
      outdates={[kind.key]}
      isReadOnly={isReadOnly}
    />
  );
}

const TEMPLATE: Field = {
  name: 'template',
  label: 'Template',
  description: 'Datasets, relationships and calculated fields, as JSON.',
  kind: 'json',
};

const templateValues = (template: ModelTemplate): FormValues => ({ template });

function Template({ kind, id, isReadOnly }: { kind: ModelKind; id: string; isReadOnly: boolean }) {
  const source = kind.template(id);
  const { data, error } = useRecord(source);
  return (
    <Page>
      {error !== null && data === undefined && <ErrorNotice error={error} />}
      {error === null && data === undefined && <Skeleton height={240} />}
      {data !== undefined && (
        <EditRecord
          source={source}
          current={data}
          fields={[TEMPLATE]}
          toValues={templateValues}
          save={(api, { template }, etag) =>
            kind.putTemplate(api, { id, template: template as ModelTemplate }, etag)
          }
          outdates={[kind.key]}
          isReadOnly={isReadOnly}
        />
      )}
    </Page>
  );
}

export const DomainList = () => <ModelList kind={domains} />;
export const NewDomain = () => <NewModel kind={domains} />;
export const DomainDetail = () => <ModelDetail kind={domains} />;
export const DatamodelList = () => <ModelList kind={datamodels} />;
export const NewDatamodel = () => <NewModel kind={datamodels} />;
export const DatamodelDetail = () => <ModelDetail kind={datamodels} />;
