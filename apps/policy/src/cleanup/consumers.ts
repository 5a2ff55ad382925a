import { EVENT_CATALOGUE, type CloudEvent, type ConsumedEvent } from '@gatehouse/contract';
import { defineConsumer, type EventOrigin } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import {
  removeActorAssignments,
  removeConnectionPolicies,
  removeDefinitionDependents,
  type OriginOf,
} from './removeDependents.js';

type Cleanup = (deps: Pick<Dependencies, 'stores'>, event: CloudEvent, originOf: OriginOf) => Promise<void>;

type Consumed = ConsumedEvent<'policy-tidy'>;
type ActorDeleted = Extract<Consumed, `management.${'tenant_user' | 'org_user' | 'tenant'}.deleted.v1`>;

const cleanUpActor =
  (type: ActorDeleted): Cleanup =>
  (deps, { organizationid: organizationId, data }, originOf) => {
    const { key: actorKey } = EVENT_CATALOGUE[type].parse(data);
    return removeActorAssignments(deps, { organizationId, actorKey }, originOf);
  };

/** The cleanup of each consumed event. */
const CLEANUPS: Record<Consumed, Cleanup> = {
  'management.tenant_user.deleted.v1': cleanUpActor('management.tenant_user.deleted.v1'),
  'management.org_user.deleted.v1': cleanUpActor('management.org_user.deleted.v1'),
  'management.tenant.deleted.v1': cleanUpActor('management.tenant.deleted.v1'),
  'management.connection.deleted.v1': (deps, { data }, originOf) => {
    const { id: connectionId, projectId } = EVENT_CATALOGUE['management.connection.deleted.v1'].parse(data);
    return removeConnectionPolicies(deps, { projectId, connectionId }, originOf);
  },
  'management.policy_definition.deleted.v1': (deps, { data }, originOf) => {
    const { id: definitionId, projectId } =
      EVENT_CATALOGUE['management.policy_definition.deleted.v1'].parse(data);
    return removeDefinitionDependents(deps, { projectId, definitionId }, originOf);
  },
};

/** The origin of events caused by another event, in the project of the record that they describe. */
function causedBy(event: CloudEvent, projectId: string, now: Date): EventOrigin {
  const { organizationid: organizationId, requestid: requestId } = event;
  return { service: 'policy', organizationId, projectId, requestId, now };
}

/**
 * Cleans up after deleted people, tenants, connections and definitions. Access does not depend on it: records
 * that are left over grant nothing. Redelivery is safe, because records that are already gone are skipped.
 */
export function createTidyConsumer(deps: Pick<Dependencies, 'stores'>) {
  const cleanups: Partial<Record<string, Cleanup>> = CLEANUPS;
  return defineConsumer('policy-tidy', async (event) => {
    const now = new Date();
    await cleanups[event.type]?.(deps, event, (projectId) => causedBy(event, projectId, now));
  });
}
