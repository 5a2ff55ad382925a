import type { DefinitionItem } from '@gatehouse/contract';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { EditRecord } from '../../components/EditRecord.js';
import { IdCopy } from '../../components/IdCopy.js';
import { Facts, Page } from '../../components/Page.js';
import { PersonName } from '../../components/PersonName.js';
import { RecordMenu } from '../../components/RecordMenu.js';
import { RecordScreen } from '../../components/RecordScreen.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import type { Api } from '../../data/api.js';
import { useParam } from '../../data/useParam.js';
import { versioned, type Versioned } from '../../data/useRecord.js';
import { useSession } from '../../session/SessionContext.js';
import { Assignments } from './AssignmentList.js';
import { TestList } from './cases/TestList.js';
import { DATABASE, definitionValues, NAME, rulesField, RUN_TESTS, schemaField } from './definitionFields.js';
import { definitionOf } from './sources.js';
import { Warnings } from './Warnings.js';

/** Saves the changes of a definition. */
export async function saveDefinition(
  api: Api,
  input: { projectId: string; definitionId: string; changes: Record<string, unknown> },
  ifMatch: string | undefined,
): Promise<Versioned<DefinitionItem>> {
  const { projectId, definitionId, changes } = input;
  return versioned(
    await api.withResponse.updatePolicyDefinition(
      { projectId, definitionId, ...changes },
      ifMatch === undefined ? {} : { ifMatch },
    ),
    ({ data: { definition, connection, assignmentCount } }): DefinitionItem => ({
      definition,
      connection,
      assignmentCount,
    }),
  );
}

/** A policy definition: its rules, whom it is assigned to, and its tests. */
export function DefinitionDetail() {
  const id = useParam('id');
  const { project } = useSession();
  return (
    <RecordScreen
      source={definitionOf(project.id, id)}
      noun="policy definition"
      parent={{ title: 'Policies', to: '/policies/definitions' }}
      titleOf={({ definition }) => definition.name}
      actions={({ definition }) => (
        <>
          <Button
            component={Link}
            to="/policies/workbench"
            search={{ connection: definition.connectionId, definition: id } as never}
            variant="default"
          >
            Workbench
          </Button>
          <RecordMenu
            noun="policy definition"
            name={definition.name}
            recordKey={['definitions', id]}
            listPath="/policies/definitions"
            remove={(api) => api.deletePolicyDefinition({ projectId: project.id, definitionId: id })}
            consequence="It is deleted only if it is assigned to no actor. Its tests are deleted as well."
          />
        </>
      )}
      tabs={(current) => [
        { id: 'rules', title: 'Rules', content: () => <Rules current={current} /> },
        {
          id: 'assignments',
          title: 'Assignments',
          content: () => <Assignments definition={current.record.definition} />,
        },
        { id: 'tests', title: 'Tests', content: () => <TestList item={current.record} /> },
      ]}
    />
  );
}

function Rules({ current }: { current: Versioned<DefinitionItem> }) {
  const { project } = useSession();
  const { definition, connection } = current.record;
  const { id, createdBy, updatedAt, version, connectionId } = definition;
  const aside = (
    <Facts
      facts={[
        [
          'Connection',
          <span key="connection" dir="auto">
            {connection?.name ?? 'deleted'} <IdCopy value={connectionId} isButtonOnly />
          </span>,
        ],
        ['Created by', createdBy === null ? '–' : <PersonName key="by" id={createdBy} />],
        ['Updated', <RelativeTime key="updated" at={updatedAt} />],
        ['Version', String(version)],
        ['Id', <IdCopy key="id" value={id} />],
      ]}
    />
  );
  return (
    <Page aside={aside}>
      <Warnings definitionId={id} version={version} />
      <EditRecord
        key={id}
        source={definitionOf(project.id, id)}
        current={current}
        fields={[NAME, rulesField(connectionId), schemaField(connectionId), DATABASE, RUN_TESTS]}
        toValues={definitionValues}
        save={(api, changes, etag) =>
          saveDefinition(api, { projectId: project.id, definitionId: id, changes }, etag)
        }
        outdates={['definitions', 'assignments']}
      />
    </Page>
  );
}
