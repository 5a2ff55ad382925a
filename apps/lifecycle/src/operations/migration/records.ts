import type { CloudEvent, EventData, Migration } from '@gatehouse/contract';
import { createEvent, type EventOrigin } from '@gatehouse/service';
import type { MigrationDocument } from '../../store/migrations.js';

/** A migration as it is answered: field by field, so that nothing slips out. */
export function toMigration(document: MigrationDocument): Migration {
  return {
    id: document._id,
    status: document.status,
    sourceProjectId: document.sourceProjectId,
    sourceDashboardId: document.sourceDashboardId,
    targetProjectId: document.targetProjectId,
    targetDashboardId: document.targetDashboardId,
    isReplacing: document.isReplacing,
    planHash: document.planHash,
    steps: document.steps.map(({ name, action, sourceId, targetId, title, state }) => {
      return { name, action, sourceId, targetId, title, state };
    }),
    createdResources: document.created,
    versionControl: document.versionControl,
    reason: document.reason?.message ?? null,
    createdBy: document.actor.userId,
    createdAt: document.createdAt.toISOString(),
    updatedAt: document.updatedAt.toISOString(),
    endedAt: document.endedAt?.toISOString() ?? null,
  };
}

type StateOf = EventData<'management.migration.started.v1'>;

function stateOf(document: MigrationDocument): StateOf {
  const {
    _id: id,
    sourceProjectId,
    sourceDashboardId,
    targetProjectId,
    targetDashboardId,
    isReplacing,
  } = document;
  return { id, sourceProjectId, sourceDashboardId, targetProjectId, targetDashboardId, isReplacing };
}

/** The person who asked for it makes the events, whoever carries it to its end. */
function originOf({
  organizationId,
  sourceProjectId: projectId,
  actor,
  undoActor,
}: MigrationDocument): EventOrigin {
  const { userId: actorId, tokenId, requestId } = undoActor ?? actor;
  const caused = { actorId, actorKind: 'orgUser' as const, tokenId, requestId };
  return { service: 'lifecycle', organizationId, projectId, ...caused, now: new Date() };
}

export function startedEvent(document: MigrationDocument): CloudEvent {
  const event = { origin: originOf(document), data: stateOf(document) };
  return createEvent('management.migration.started.v1', document._id, event);
}

export function completedEvent(document: MigrationDocument): CloudEvent {
  const { domains, datamodels, visuals } = document.created;
  const copies = [...domains, ...datamodels, ...visuals].map(({ newId }) => newId);
  const createdIds = document.isReplacing ? copies : [...copies, document.targetDashboardId];
  const data = { ...stateOf(document), createdIds };
  return createEvent('management.migration.completed.v1', document._id, { origin: originOf(document), data });
}

/** Tells that a migration was undone: because it failed, or because somebody asked for it. */
export function undoneEvent(document: MigrationDocument): CloudEvent {
  const origin = originOf(document);
  const data = stateOf(document);
  const { _id: id, reason } = document;
  if (reason === null) return createEvent('management.migration.rolled_back.v1', id, { origin, data });
  const failed = { ...data, reason: reason.message };
  return createEvent('management.migration.failed.v1', id, { origin, data: failed });
}
