import type { Project } from '@gatehouse/contract';
import { Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Column } from '../../components/columns.js';
import { ConfirmDelete } from '../../components/ConfirmDelete.js';
import { RecordSettings } from '../../components/RecordSettings.js';
import type { Field, FormValues } from '../../components/fields.js';
import { Icon } from '../../components/Icon.js';
import { IdCopy } from '../../components/IdCopy.js';
import { ListScreen } from '../../components/ListScreen.js';
import { NameLink } from '../../components/NameLink.js';
import { NewRecord } from '../../components/NewRecord.js';
import { RecordMenu } from '../../components/RecordMenu.js';
import { RecordScreen } from '../../components/RecordScreen.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { SecretDialog } from '../../components/SecretDialog.js';
import { useApi } from '../../data/api.js';
import { byCursor } from '../../data/listSources.js';
import { useParam } from '../../data/useParam.js';
import type { ListSource } from '../../data/useList.js';
import { useCache, versioned, type RecordSource, type Versioned } from '../../data/useRecord.js';

const PART = 100;
const PARENT = { title: 'Projects', to: '/projects' };
const NAME: Field = { name: 'name', label: 'Name', kind: 'text', isRequired: true, maxLength: 200 };

const projects: ListSource<Project> = {
  key: ['projects', 'list'],
  load: async (api, cursor, signal) => {
    const input = { limit: PART, cursor };
    const page = await api.listProjects(input, { signal });
    return byCursor(page.projects, page.nextCursor);
  },
};

function projectOf(id: string): RecordSource<Project> {
  return {
    key: ['projects', id],
    load: async (api, signal) =>
      versioned(await api.withResponse.getProject({ id }, { signal }), ({ project }) => project),
  };
}

const columns: readonly Column<Project>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(0, 2fr)',
    text: ({ name }) => name,
    render: ({ id, name }) => <NameLink to={`/projects/${id}`} name={name} />,
  },
  { id: 'id', header: 'Id', isWide: true, width: '14rem', render: ({ id }) => <IdCopy value={id} /> },
  {
    id: 'created',
    header: 'Created',
    width: '8.5rem',
    text: ({ createdAt }) => createdAt,
    render: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
];

/** The projects of the organization. */
export function ProjectList() {
  return (
    <ListScreen
      title="Projects"
      noun={['project', 'projects']}
      icon="project"
      source={projects}
      columns={columns}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      createPath="/projects/new"
      hint="A project has its own dashboards, connections and policies, such as one for each environment."
    />
  );
}

/** The form of a new project. */
export function NewProject() {
  return (
    <NewRecord
      noun="project"
      parent={PARENT}
      fields={[NAME]}
      initial={{ name: '' }}
      create={async (api, values) => (await api.createProject(values as { name: string })).project}
      outdates={['projects', 'session']}
    />
  );
}

/** A project. */
export function ProjectDetail() {
  const id = useParam('id');
  const [isRotating, setRotating] = useState(false);
  return (
    <>
      <RecordScreen
        source={projectOf(id)}
        noun="project"
        parent={PARENT}
        titleOf={({ name }) => name}
        actions={({ name }) => (
          <RecordMenu
            noun="project"
            name={name}
            recordKey={['projects', id]}
            listPath="/projects"
            consequence=""
          >
            <Menu.Item leftSection={<Icon name="refresh" />} onClick={() => setRotating(true)}>
              Rotate the secret
            </Menu.Item>
            <Menu.Item
              component={Link}
              to="/tokens"
              search={{ project: id } as never}
              leftSection={<Icon name="key" />}
            >
              Issue a token
            </Menu.Item>
          </RecordMenu>
        )}
        tabs={(current) => [
          { id: 'settings', title: 'Settings', content: () => <Settings current={current} /> },
        ]}
      />
      <Rotation id={id} isOpen={isRotating} onClose={() => setRotating(false)} />
    </>
  );
}

function Rotation({ id, isOpen, onClose }: { id: string; isOpen: boolean; onClose: () => void }) {
  const api = useApi();
  const cache = useCache();
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = async () => {
    const { project } = await api.rotateProjectSecret({ id });
    setSecret(project.secret);
    await cache.outdate('projects');
  };
  return (
    <>
      <ConfirmDelete name="the secret" verb="Rotate" isOpen={isOpen} onClose={onClose} onConfirm={rotate}>
        Programs that use the current secret cannot obtain tokens any more.
      </ConfirmDelete>
      <SecretDialog secret={secret} noun="project" onClose={() => setSecret(null)} />
    </>
  );
}

function toValues({ name }: Project): FormValues {
  return { name };
}

function Settings({ current }: { current: Versioned<Project> }) {
  const { record } = current;
  return (
    <RecordSettings
      source={projectOf(record.id)}
      current={current}
      fields={[NAME]}
      toValues={toValues}
      save={async (api, changes, ifMatch) =>
        versioned(
          await api.withResponse.updateProject({ id: record.id, name: String(changes['name']) }, { ifMatch }),
          ({ project }) => project,
        )
      }
      outdates={['projects', 'session']}
    />
  );
}
