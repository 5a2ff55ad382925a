import { ASSIGNMENT_ACTOR_FIELD, type AssignmentScope, type PolicyActor } from '@gatehouse/contract';
import type { KindName } from '../model/kinds.js';
import { naturalKey } from '../model/keys.js';
import { mapSecrets, referenceFor } from '../model/secrets.js';
import type { Fields } from '../model/records.js';
import type { Collection, Found } from './collection.js';
import { readAll } from '../../readAll.js';
import { mapConcurrently } from './lists.js';
import type { Session } from './session.js';

interface ActorIds {
  orgUserId?: string | null | undefined;
  tenantId?: string | null | undefined;
  tenantUserId?: string | null | undefined;
}

/** An actor by its key. */
function actorOf(known: Collection, kind: AssignmentScope, ids: ActorIds): Fields {
  const field = ASSIGNMENT_ACTOR_FIELD[kind];
  if (field === null) return { kind };
  const target = field.replace(/Id$/, '') as 'orgUser' | 'tenant' | 'tenantUser';
  const id = ids[field] ?? '';
  return { kind, [target]: known.keyOf(target, id) ?? id };
}

/** The fields with a variable in place of each secret. */
function referSecrets(kind: KindName, fields: Fields): Fields {
  const key = naturalKey(kind, fields);
  return mapSecrets(kind, fields, (_value, place) =>
    referenceFor(key, (place.at(-1) ?? '').replace(/@secret$/, '')),
  );
}

type Read = Omit<Found, 'fields'>;

const found = (kind: KindName, { id, version, createdAt }: Read, fields: Fields): Found => ({
  id,
  version,
  createdAt,
  fields: referSecrets(kind, fields),
});

/** Reads definitions, assignments and tests. */
export async function readPolicies(session: Session, known: Collection): Promise<void> {
  const { client, projectId } = session;
  const definitions = (await readAll(client, 'listPolicyDefinitions', { projectId })).map(
    ({ definition }) => definition,
  );
  known.add(
    'policyDefinition',
    definitions.map((definition) => {
      const { connectionId, name, clsConfig, slsConfig, rlsConfig } = definition;
      const connection = known.keyOf('connection', connectionId) ?? connectionId;
      return found('policyDefinition', definition, { connection, name, clsConfig, slsConfig, rlsConfig });
    }),
  );
  const assignments = (await readAll(client, 'listPolicyAssignments', { projectId })).map(
    ({ assignment }) => assignment,
  );
  known.add(
    'policyAssignment',
    assignments.map((assignment) => {
      const { definitionId, scopeType, params } = assignment;
      const definition = known.keyOf('policyDefinition', definitionId) ?? definitionId;
      const actor = actorOf(known, scopeType, assignment);
      return found('policyAssignment', assignment, { definition, actor, params });
    }),
  );
  const lists = await mapConcurrently(definitions, async ({ id: definitionId }) =>
    readAll(client, 'listPolicyTests', { projectId, definitionId }),
  );
  known.add(
    'policyTest',
    lists.flat().map((test) => {
      const { definitionId, name, actor, sql, runtimeParams, sampleData, expect } = test;
      const definition = known.keyOf('policyDefinition', definitionId) ?? definitionId;
      const named = actorOf(known, actor.kind, actor as PolicyActor & ActorIds);
      const fields = { definition, name, actor: named, sql, runtimeParams, sampleData, expect };
      return found('policyTest', test, fields);
    }),
  );
}
