import type {
  AssignmentItem,
  DefinitionItem,
  EventData,
  PolicyAssignment,
  PolicyConnection,
  PolicyDefinition,
  PolicyTest,
  SampleData,
  TestExpectation,
} from '@gatehouse/contract';
import type {
  AssignmentDocument,
  DefinitionDocument,
  RecordDocument,
  TestDocument,
} from '../store/documents.js';
import type { KnownActor, KnownActors } from './actorBook.js';
import { shownConfigs, shownParams } from './sealing.js';

/** Stored documents as the records and event data that leave the service: field by field, so that nothing slips out. */

function versionedOf({ version, createdAt, updatedAt }: RecordDocument) {
  return { version, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

export function toDefinition(document: DefinitionDocument): PolicyDefinition {
  const { _id: id, projectId, connectionId, name, configs, createdBy } = document;
  return { id, projectId, connectionId, name, ...shownConfigs(configs), createdBy, ...versionedOf(document) };
}

export function toDefinitionItem(
  document: DefinitionDocument,
  connection: PolicyConnection | undefined,
  assignmentCount: number,
): DefinitionItem {
  return { definition: toDefinition(document), connection: connection ?? null, assignmentCount };
}

/** The field of an assignment that names its actor, and null in the others. */
export function actorFieldsOf({ scopeType, actorId }: Pick<AssignmentDocument, 'scopeType' | 'actorId'>) {
  return {
    orgUserId: scopeType === 'ORG_USER' ? actorId : null,
    tenantId: scopeType === 'TENANT' ? actorId : null,
    tenantUserId: scopeType === 'TENANT_USER' ? actorId : null,
  };
}

function toAssignment(document: AssignmentDocument): PolicyAssignment {
  const { _id: id, projectId, definitionId, scopeType, params, createdBy } = document;
  const actor = actorFieldsOf(document);
  return {
    id,
    projectId,
    definitionId,
    scopeType,
    ...actor,
    params: shownParams(params),
    createdBy,
    ...versionedOf(document),
  };
}

/** What an assignment is shown with. */
export interface AssignmentSurroundings {
  definition: PolicyDefinition;
  connection: PolicyConnection | undefined;
  actors: KnownActors;
}

const toPerson = ({ id, name, email }: KnownActor) => ({ id, name, email: email ?? '' });

/** An actor that is gone, or whose id was given again to another, is shown as null. */
export function toAssignmentItem(
  document: AssignmentDocument,
  { definition, connection, actors }: AssignmentSurroundings,
): AssignmentItem {
  const { scopeType, actorId, actorKey } = document;
  const found = actors.find({ kind: scopeType, id: actorId });
  const actor = found?.key === actorKey ? found : undefined;
  return {
    assignment: toAssignment(document),
    definition,
    connection: connection ?? null,
    orgUser: actor && scopeType === 'ORG_USER' ? toPerson(actor) : null,
    tenant: actor && scopeType === 'TENANT' ? { id: actor.id, name: actor.name } : null,
    tenantUser: actor && scopeType === 'TENANT_USER' ? toPerson(actor) : null,
  };
}

export function toTest(document: TestDocument): PolicyTest {
  const { _id: id, definitionId, name, actor, sql, runtimeParams, sampleData, expectation } = document;
  return {
    id,
    definitionId,
    name,
    actor,
    sql,
    runtimeParams: shownParams(runtimeParams),
    sampleData: sampleData === null ? null : (JSON.parse(sampleData) as SampleData),
    expect: JSON.parse(expectation) as TestExpectation,
    ...versionedOf(document),
  };
}

export function definitionState({
  _id: id,
  name,
  projectId,
  connectionId,
}: Pick<
  DefinitionDocument,
  '_id' | 'name' | 'projectId' | 'connectionId'
>): EventData<'management.policy_definition.created.v1'> {
  return { id, name, projectId, connectionId };
}

export function assignmentState({
  _id: id,
  projectId,
  definitionId,
  scopeType,
  actorId,
  actorKey,
}: Pick<
  AssignmentDocument,
  '_id' | 'projectId' | 'definitionId' | 'scopeType' | 'actorId' | 'actorKey'
>): EventData<'management.policy_assignment.created.v1'> {
  return { id, projectId, definitionId, scopeType, actorId, actorKey: actorId === null ? null : actorKey };
}

export function testState({
  _id: id,
  name,
  projectId,
  definitionId,
}: Pick<
  TestDocument,
  '_id' | 'name' | 'projectId' | 'definitionId'
>): EventData<'management.policy_test.created.v1'> {
  return { id, name, projectId, definitionId };
}
