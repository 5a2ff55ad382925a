import type { AssignmentScope } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { type ActorClient, type ActorName, getActorKey } from './findActors.js';

/** The query fields that select by actor. */
export interface ActorQuery {
  scopeType?: AssignmentScope | undefined;
  orgUserId?: string | undefined;
  tenantId?: string | undefined;
  tenantUserId?: string | undefined;
}

/** Which assignments an actor query selects, as they are stored. */
export interface ActorFilter {
  scopeType?: AssignmentScope;
  actorKey?: string;
}

function nameIn({ orgUserId, tenantId, tenantUserId }: ActorQuery): ActorName | null {
  if (orgUserId !== undefined) return { kind: 'ORG_USER', id: orgUserId };
  if (tenantUserId !== undefined) return { kind: 'TENANT_USER', id: tenantUserId };
  return tenantId === undefined ? null : { kind: 'TENANT', id: tenantId };
}

/**
 * The assignments that a query selects; undefined for all.
 * @throws INVALID_REQUEST if there is no such actor
 */
export async function getActorFilter(
  deps: { actors: ActorClient },
  query: ActorQuery,
  context: CallContext,
): Promise<ActorFilter | undefined> {
  const { scopeType } = query;
  const name = nameIn(query);
  if (name === null) return scopeType && { scopeType };
  const actorKey = await getActorKey(deps, { name, path: '' }, context);
  return { actorKey, ...(scopeType && { scopeType }) };
}
