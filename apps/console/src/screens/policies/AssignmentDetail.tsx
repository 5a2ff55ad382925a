import type { AssignmentItem } from '@gatehouse/contract';
import { Badge, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { EditRecord } from '../../components/EditRecord.js';
import { IdCopy } from '../../components/IdCopy.js';
import { NameLink } from '../../components/NameLink.js';
import { Facts, Page } from '../../components/Page.js';
import { PersonName } from '../../components/PersonName.js';
import { RecordMenu } from '../../components/RecordMenu.js';
import { RecordScreen } from '../../components/RecordScreen.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import type { Api } from '../../data/api.js';
import { useParam } from '../../data/useParam.js';
import { versioned, type Versioned } from '../../data/useRecord.js';
import { useSession } from '../../session/SessionContext.js';
import { KIND_NAMES, writeActor } from './actors.js';
import { actorFields, actorName, assignedTo, assignmentInput, assignmentValues } from './assignmentFields.js';
import { assignmentOf } from './sources.js';

async function save(
  api: Api,
  input: { projectId: string; assignmentId: string } & Record<string, unknown>,
  ifMatch: string | undefined,
): Promise<Versioned<AssignmentItem>> {
  return versioned(
    await api.withResponse.updatePolicyAssignment(input, ifMatch === undefined ? {} : { ifMatch }),
    ({ data: { warnings: _warnings, ...item } }): AssignmentItem => item,
  );
}

/** An assignment of a definition to an actor. */
export function AssignmentDetail() {
  const id = useParam('id');
  const { project } = useSession();
  return (
    <RecordScreen
      source={assignmentOf(project.id, id)}
      noun="assignment"
      parent={{ title: 'Policy assignments', to: '/policies/assignments' }}
      titleOf={(item) => `${item.definition.name} for ${actorName(item)}`}
      badges={({ assignment }) => <Badge color="gray">{KIND_NAMES[assignment.scopeType]}</Badge>}
      actions={(item) => (
        <>
          <Button
            component={Link}
            to="/policies/workbench"
            search={
              {
                connection: item.definition.connectionId,
                definition: item.definition.id,
                actor: writeActor(assignedTo(item)),
              } as never
            }
            variant="default"
          >
            Workbench
          </Button>
          <RecordMenu
            noun="assignment"
            name="the assignment"
            recordKey={['assignments', id]}
            listPath="/policies/assignments"
            remove={(api) => api.deletePolicyAssignment({ projectId: project.id, assignmentId: id })}
            consequence="The definition restricts this actor no longer."
          />
        </>
      )}
      tabs={(current) => [
        { id: 'settings', title: 'Settings', content: () => <Settings current={current} /> },
      ]}
    />
  );
}

function Settings({ current }: { current: Versioned<AssignmentItem> }) {
  const { project } = useSession();
  const { assignment, definition, connection } = current.record;
  const { id, createdBy, updatedAt, version } = assignment;
  const aside = (
    <Facts
      facts={[
        [
          'Definition',
          <NameLink key="definition" to={`/policies/definitions/${definition.id}`} name={definition.name} />,
        ],
        ['Connection', connection?.name ?? 'deleted'],
        ['Created by', createdBy === null ? '–' : <PersonName key="by" id={createdBy} />],
        ['Updated', <RelativeTime key="updated" at={updatedAt} />],
        ['Version', String(version)],
        ['Id', <IdCopy key="id" value={id} />],
      ]}
    />
  );
  return (
    <Page aside={aside}>
      <EditRecord
        key={id}
        source={assignmentOf(project.id, id)}
        current={current}
        fields={actorFields}
        toValues={assignmentValues}
        save={(api, changes, etag) =>
          save(api, { projectId: project.id, assignmentId: id, ...assignmentInput(changes) }, etag)
        }
        outdates={['assignments', 'definitions']}
      />
    </Page>
  );
}
