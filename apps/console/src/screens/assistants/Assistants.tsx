import type { AssistantProfile } from '@gatehouse/contract';
import type { Column } from '../../components/columns.js';
import { RecordSettings } from '../../components/RecordSettings.js';
import type { Field, FormValues } from '../../components/fields.js';
import { ListScreen } from '../../components/ListScreen.js';
import { NameLink } from '../../components/NameLink.js';
import { NewRecord } from '../../components/NewRecord.js';
import { RecordMenu } from '../../components/RecordMenu.js';
import { RecordScreen } from '../../components/RecordScreen.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { byCursor } from '../../data/listSources.js';
import { useParam } from '../../data/useParam.js';
import type { ListSource } from '../../data/useList.js';
import { versioned, type RecordSource, type Versioned } from '../../data/useRecord.js';

const PART = 100;
const PARENT = { title: 'Assistant profiles', to: '/assistants' };

const fields: readonly Field[] = [
  { name: 'name', label: 'Name', kind: 'text', isRequired: true, maxLength: 200 },
  { name: 'description', label: 'Description', kind: 'textarea', maxLength: 5000 },
  {
    name: 'instructions',
    label: 'Instructions',
    description: 'What an assistant reads before it answers questions about the data of a dashboard.',
    kind: 'textarea',
    maxLength: 20_000,
  },
];

const profiles: ListSource<AssistantProfile> = {
  key: ['assistants', 'list'],
  load: async (api, cursor, signal) => {
    const input = { limit: PART, cursor };
    const page = await api.listAssistantProfiles(input, { signal });
    return byCursor(page.assistantProfiles, page.nextCursor);
  },
};

function profileOf(id: string): RecordSource<AssistantProfile> {
  return {
    key: ['assistants', id],
    load: async (api, signal) =>
      versioned(
        await api.withResponse.getAssistantProfile({ id }, { signal }),
        ({ assistantProfile }) => assistantProfile,
      ),
  };
}

const columns: readonly Column<AssistantProfile>[] = [
  {
    id: 'name',
    header: 'Name',
    text: ({ name }) => name,
    render: ({ id, name }) => <NameLink to={`/assistants/${id}`} name={name} />,
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

/** The assistant profiles of the project. */
export function AssistantList() {
  return (
    <ListScreen
      title="Assistant profiles"
      noun={['assistant profile', 'assistant profiles']}
      icon="assistant"
      source={profiles}
      columns={columns}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      createPath="/assistants/new"
      removal={{
        remove: (api, { id }) => api.deleteAssistantProfile({ id }),
        outdates: ['assistants'],
        consequence: 'Dashboards that refer to them become invalid.',
      }}
      hint="A profile holds the instructions of an assistant that answers questions about dashboards."
    />
  );
}

/** The form of a new assistant profile. */
export function NewAssistant() {
  return (
    <NewRecord
      noun="assistant profile"
      parent={PARENT}
      fields={fields}
      initial={{ name: '', description: '', instructions: '' }}
      create={async (api, values) =>
        (await api.createAssistantProfile(values as { name: string })).assistantProfile
      }
      outdates={['assistants']}
    />
  );
}

/** An assistant profile. */
export function AssistantDetail() {
  const id = useParam('id');
  return (
    <RecordScreen
      source={profileOf(id)}
      noun="assistant profile"
      parent={PARENT}
      titleOf={({ name }) => name}
      actions={({ name }) => (
        <RecordMenu
          noun="assistant profile"
          name={name}
          recordKey={['assistants', id]}
          listPath="/assistants"
          remove={(api) => api.deleteAssistantProfile({ id })}
          consequence="Dashboards that refer to it become invalid."
        />
      )}
      tabs={(current) => [
        { id: 'settings', title: 'Settings', content: () => <Settings current={current} /> },
      ]}
    />
  );
}

function toValues({ name, description, instructions }: AssistantProfile): FormValues {
  return { name, description, instructions };
}

function Settings({ current }: { current: Versioned<AssistantProfile> }) {
  const { record } = current;
  return (
    <RecordSettings
      source={profileOf(record.id)}
      current={current}
      fields={fields}
      toValues={toValues}
      save={async (api, changes, ifMatch) =>
        versioned(
          await api.withResponse.updateAssistantProfile({ id: record.id, ...changes }, { ifMatch }),
          ({ assistantProfile }) => assistantProfile,
        )
      }
      outdates={['assistants']}
    />
  );
}
