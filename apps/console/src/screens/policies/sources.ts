import type { AssignmentItem, DefinitionItem, ListedAssignment, PolicyTest } from '@gatehouse/contract';
import type { Choice } from '../../components/Picker.js';
import { byCursor } from '../../data/listSources.js';
import type { ListSource } from '../../data/useList.js';
import { versioned, type RecordSource } from '../../data/useRecord.js';
import type { UrlState } from '../../data/urlState.js';
import type { ActorKind } from './actors.js';

const PART = 200;
/** The API has no search of definitions, so a search reads large parts and compares the names here. */
const SEARCHED_PART = 1000;

function partOf(next: unknown, limit = PART) {
  return { limit, ...(typeof next === 'string' ? { cursor: next } : {}) };
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
  const text = search.toLowerCase();
  return {
    key: ['definitions', 'list', projectId, connection, kind, text],
    load: async (api, next, signal) => {
      const part = partOf(next, text === '' ? PART : SEARCHED_PART);
      const { definition: _definition, ...filters } = state;
      const page = await api.listPolicyDefinitions({ projectId, ...filtersOf(filters), ...part }, { signal });
      const found = page.data.filter((item) => item.definition.name.toLowerCase().includes(text));
      return byCursor<DefinitionItem>(found, page.nextCursor);
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
