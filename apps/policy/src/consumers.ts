import { EVENT_CATALOGUE, type CloudEvent } from '@gatehouse/contract';
import type { DurableConsumer } from '@gatehouse/service';
import { forgetActor, forgetConnection, forgetDefinition, type OriginOf } from './operations/departures.js';
import { followUpOrigin } from './operations/origins.js';
import type { Policy } from './policy.js';

type FollowUp = (policy: Pick<Policy, 'stores'>, event: CloudEvent, originOf: OriginOf) => Promise<void>;

const ACTOR_DELETED = [
  'management.tenant_user.deleted.v1',
  'management.org_user.deleted.v1',
  'management.tenant.deleted.v1',
] as const;

const forgetActorOf =
  (type: (typeof ACTOR_DELETED)[number]): FollowUp =>
  (policy, { organizationid: organizationId, data }, originOf) => {
    const { key: actorKey } = EVENT_CATALOGUE[type].parse(data);
    return forgetActor(policy, { organizationId, actorKey }, originOf);
  };

/** The events after which there is something to tidy up. */
const FOLLOW_UPS: Record<string, FollowUp> = {
  ...Object.fromEntries(ACTOR_DELETED.map((type) => [type, forgetActorOf(type)])),
  'management.connection.deleted.v1': (policy, { data }, originOf) => {
    const { id: connectionId, projectId } = EVENT_CATALOGUE['management.connection.deleted.v1'].parse(data);
    return forgetConnection(policy, { projectId, connectionId }, originOf);
  },
  'management.policy_definition.deleted.v1': (policy, { data }, originOf) => {
    const { id: definitionId, projectId } =
      EVENT_CATALOGUE['management.policy_definition.deleted.v1'].parse(data);
    return forgetDefinition(policy, { projectId, definitionId }, originOf);
  },
};

/**
 * Tidies up after deleted people, tenants, connections and definitions. Nothing waits for it: what is left over grants
 * nothing. What is gone already is left alone, so an event may come twice.
 */
export function createTidyConsumer(policy: Pick<Policy, 'stores'>): DurableConsumer {
  return {
    name: 'policy-tidy',
    types: Object.keys(FOLLOW_UPS),
    async handle(event) {
      const now = new Date();
      await FOLLOW_UPS[event.type]?.(policy, event, (projectId) => followUpOrigin(event, projectId, now));
    },
  };
}
