import type { CloudEvent, EventData } from '@gatehouse/contract';
import { createEvent, originOf, type CallContext, type EventOrigin } from '@gatehouse/service';
import type { Share } from '../logic/shares.js';
import type { ResourceHeader } from '../store/resourceDocument.js';
import type { ResourceKind } from './resourceKind.js';

export const SERVICE = 'access';

/** The origin of the events of a call to this service. */
export function originOfCall(context: CallContext): EventOrigin {
  return originOf(SERVICE, context);
}

type StatedResource = Omit<ResourceHeader, 'revision' | 'shares'>;

function stateOf(resource: StatedResource): EventData<'management.dashboard.created.v1'> {
  const { _id: id, projectId, title, tenantId, isPrivate, linkedVisualIds } = resource;
  const { ownerId, ownerType, ownerKey, ownerTenantKey } = resource;
  const owner = { ownerId, ownerType, ownerKey, ownerTenantKey };
  const state = { id, projectId, title, ...owner, tenantId, isPrivate };
  return linkedVisualIds === undefined ? state : { ...state, linkedVisualIds: [...linkedVisualIds] };
}

/** Tells of a resource that was made or deleted. */
export function lifecycleEvent(
  { type }: ResourceKind,
  verb: 'created' | 'deleted',
  { resource, origin }: { resource: StatedResource; origin: EventOrigin },
): CloudEvent {
  return createEvent(`management.${type}.${verb}.v1`, resource._id, { origin, data: stateOf(resource) });
}

/** Tells of changed fields. `resource` is as it is after the change. */
export function updatedEvent(
  { type }: ResourceKind,
  changes: EventData<'management.dashboard.updated.v1'>['changes'],
  { resource, origin }: { resource: StatedResource; origin: EventOrigin },
): CloudEvent {
  const data = { ...stateOf(resource), changes };
  return createEvent(`management.${type}.updated.v1`, resource._id, { origin, data });
}

/** Tells of a new owner. `resource` is as it is after the change. */
export function takenOverEvent(
  { type }: ResourceKind,
  formerOwnerId: string,
  { resource, origin }: { resource: StatedResource; origin: EventOrigin },
): CloudEvent {
  const data = { ...stateOf(resource), formerOwnerId };
  return createEvent(`management.${type}.taken_over.v1`, resource._id, { origin, data });
}

/** Tells of shares that came, went or changed, all of one resource. */
export function sharesEvent(
  { type }: ResourceKind,
  verb: 'granted' | 'revoked' | 'expired',
  { resourceId, shares, origin }: { resourceId: string; shares: readonly Share[]; origin: EventOrigin },
): CloudEvent {
  const states = shares.map(({ id, scope, role, targetId, subject, expiresAt }) => ({
    id,
    scope,
    role,
    targetId,
    subject,
    expiresAt: expiresAt?.toISOString() ?? null,
  }));
  const data = { resourceId, shares: states };
  return createEvent(`management.${type}_share.${verb}.v1`, resourceId, { origin, data });
}
