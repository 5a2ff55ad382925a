import type { AssignmentItem, DefinitionItem, ListedAssignment, PolicyTest } from '@gatehouse/contract';
import type { Choice } from '../../components/Picker.js';
import { byCursor } from '../../data/listSources.js';
import type { ListSource } from '../../data/useList.js';
import { versioned, type RecordSource } from '../../data/useRecord.js';
import type { UrlState } from '../../data/urlState.js';
import type { ActorKind } from './actors.js';

const PART = 100;

function partOf(next: unknown) {
  return { limit: PART, ...(typeof next === 'string' ? { cursor: next } : {}) };
}

function filtersOf({ connection, kind, definition }: UrlState) {
  return {
    ...(connection ? { connectionId: connection } : {}),
    ...(kind ? { scopeType: kind as ActorKind } : {}),
    ...(definition ? { definitionId: definition } : {}),
  };
}

/** The definitions that match the filters in the address. */
export function definitionList(projectId: string, state: UrlState): ListSource<DefinitionItem> {
  const { search = '', connection, kind } = state;
  return {
    key: ['definitions', 'list', projectId, connection, kind, search],
    load: async (api, next, signal) => {
      const { definition: _definition, ...filters } = state;
      const wanted = { ...filtersOf(filters), ...(search === '' ? {} : { search }), ...partOf(next) };
      const page = await api.listPolicyDefinitions({ projectId, ...wanted }, { signal });
      return byCursor<DefinitionItem>(page.data, page.nextCursor);
    },
  };
}

/** The definitions that a picker offers. */
export function definitionChoices(projectId: string, connection: string | undefined) {
  return (search: string): ListSource<Choice> => ({
    key: ['definitions', 'choices', projectId, connection, search],
    load: async (api, next, signal) => {
      const source = definitionList(projectId, { search, ...(connection ? { connection } : {}) });
      const part = await source.load(api, next, signal);
      const choices = part.items.map((item) => ({
        id: item.definition.id,
        name: item.definition.name,
        detail: item.connection?.name,
      }));
      return { items: choices, next: part.next };
    },
  });
}

/** A definition with its connection. */
export function definitionOf(projectId: string, definitionId: string): RecordSource<DefinitionItem> {
  return {
    key: ['definitions', definitionId],
    load: async (api, signal) =>
      versioned(
        await api.withResponse.getPolicyDefinition({ projectId, definitionId }, { signal }),
        ({ data }): DefinitionItem => data,
      ),
  };
}

/** The assignments that match the filters in the address. */
export function assignmentList(projectId: string, state: UrlState): ListSource<ListedAssignment> {
  const { connection, kind, definition } = state;
  return {
    key: ['assignments', 'list', projectId, connection, kind, definition],
    load: async (api, next, signal) => {
      const page = await api.listPolicyAssignments(
        { projectId, ...filtersOf(state), ...partOf(next) },
        { signal },
      );
      return byCursor<ListedAssignment>(page.data, page.nextCursor);
    },
  };
}

/** An assignment with its definition and its actor. */
export function assignmentOf(projectId: string, assignmentId: string): RecordSource<AssignmentItem> {
  return {
    key: ['assignments', assignmentId],
    load: async (api, signal) =>
      versioned(
        await api.withResponse.getPolicyAssignment({ projectId, assignmentId }, { signal }),
        ({ data }): AssignmentItem => data,
      ),
  };
}

/** The tests of a definition. */
export function testList(projectId: string, definitionId: string): ListSource<PolicyTest> {
  return {
    key: ['policyTests', projectId, definitionId],
    load: async (api, next, signal) => {
      const page = await api.listPolicyTests({ projectId, definitionId, ...partOf(next) }, { signal });
      return byCursor<PolicyTest>(page.data, page.nextCursor);
    },
  };
}

/** A test of a definition. */
export function testOf(place: { projectId: string; definitionId: string }, testId: string) {
  const source: RecordSource<PolicyTest> = {
    // Not the name of the lists: a deleted test is not read again with them.
    key: ['policyTest', testId],
    load: async (api, signal) =>
      versioned(
        await api.withResponse.getPolicyTest({ ...place, testId }, { signal }),
        ({ data }): PolicyTest => data.test,
      ),
  };
  return source;
}
