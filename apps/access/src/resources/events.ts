import type { CloudEvent, EventData } from '@gatehouse/contract';
import { createEvent, type EventOrigin } from '@gatehouse/service';
import type { ResourceHeader, ResourceKind } from './kind.js';

type StatedResource = Omit<ResourceHeader, 'revision' | 'shares'>;

function stateOf(resource: StatedResource): EventData<'management.dashboard.created.v1'> {
  const { _id: id, projectId, title, tenantId, isPrivate, linkedVisualIds } = resource;
  const { ownerId, ownerType, ownerKey, ownerTenantKey } = resource;
  const owner = { ownerId, ownerType, ownerKey, ownerTenantKey };
  const state = { id, projectId, title, ...owner, tenantId, isPrivate };
  return linkedVisualIds === undefined ? state : { ...state, linkedVisualIds: [...linkedVisualIds] };
}

/** Creates the event of a resource that was created or deleted. */
export function lifecycleEvent(
  { type }: ResourceKind,
  verb: 'created' | 'deleted',
  { resource, origin }: { resource: StatedResource; origin: EventOrigin },
): CloudEvent {
  return createEvent(`management.${type}.${verb}.v1`, resource._id, { origin, data: stateOf(resource) });
}

/** Creates the event of changed fields. `resource` is the state after the change. */
export function updatedEvent(
  { type }: ResourceKind,
  changes: EventData<'management.dashboard.updated.v1'>['changes'],
  { resource, origin }: { resource: StatedResource; origin: EventOrigin },
): CloudEvent {
  const data = { ...stateOf(resource), changes };
  return createEvent(`management.${type}.updated.v1`, resource._id, { origin, data });
}

/** Creates the event of a new owner. `resource` is the state after the change. */
export function takenOverEvent(
  { type }: ResourceKind,
  formerOwnerId: string,
  { resource, origin }: { resource: StatedResource; origin: EventOrigin },
): CloudEvent {
  const data = { ...stateOf(resource), formerOwnerId };
  return createEvent(`management.${type}.taken_over.v1`, resource._id, { origin, data });
}
