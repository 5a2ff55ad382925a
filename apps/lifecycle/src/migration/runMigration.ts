import { AppError, type CloudEvent, type EventData } from '@gatehouse/contract';
import { createEvent, toAppError, type EventOrigin } from '@gatehouse/service';
import type { MigrationDependencies } from './dependencies.js';
import { runStep, undoStep } from './runStep.js';
import type { MigrationDocument, StoredStep } from './documents.js';
import type { MigrationWrite } from './store.js';

/** The data that all events of a migration share. */
type EventState = EventData<'management.migration.started.v1'>;

function eventStateOf(document: MigrationDocument): EventState {
  const { _id: id, sourceProjectId, sourceDashboardId } = document;
  const { targetProjectId, targetDashboardId, isReplacing } = document;
  return { id, sourceProjectId, sourceDashboardId, targetProjectId, targetDashboardId, isReplacing };
}

/** The actor of the events is the person who requested the migration, whichever process completes it. */
function eventOriginOf(document: MigrationDocument): EventOrigin {
  const { organizationId, sourceProjectId: projectId, actor, undoActor } = document;
  const { userId: actorId, tokenId, requestId } = undoActor ?? actor;
  const caused = { actorId, actorKind: 'orgUser' as const, tokenId, requestId };
  return { service: 'lifecycle', organizationId, projectId, ...caused, now: new Date() };
}

export function startedEvent(document: MigrationDocument): CloudEvent {
  const event = { origin: eventOriginOf(document), data: eventStateOf(document) };
  return createEvent('management.migration.started.v1', document._id, event);
}

function completedEvent(document: MigrationDocument): CloudEvent {
  const { domains, datamodels, visuals } = document.created;
  const copies = [...domains, ...datamodels, ...visuals].map(({ newId }) => newId);
  const createdIds = document.isReplacing ? copies : [...copies, document.targetDashboardId];
  const event = { origin: eventOriginOf(document), data: { ...eventStateOf(document), createdIds } };
  return createEvent('management.migration.completed.v1', document._id, event);
}

/** The event of an undone migration: `failed` with the reason, or `rolled_back` on request. */
function undoneEvent(document: MigrationDocument): CloudEvent {
  const origin = eventOriginOf(document);
  const data = eventStateOf(document);
  const { _id: id, reason } = document;
  if (reason === null) return createEvent('management.migration.rolled_back.v1', id, { origin, data });
  const failed = { ...data, reason: reason.message };
  return createEvent('management.migration.failed.v1', id, { origin, data: failed });
}

/**
 * Writes as the holder of the lease. Throws WriteConflict when the lease is lost: another process took the
 * migration over and will complete it.
 */
function writeAsHolder(
  { store }: MigrationDependencies,
  document: MigrationDocument,
  write: MigrationWrite,
): Promise<MigrationDocument> {
  return store.write(document, { ...write, set: { ...write.set, updatedAt: new Date() } });
}

/** A transient error interrupts the migration, which is resumed later. Any other error fails it. */
function isTransient(error: unknown): boolean {
  return toAppError(error).code === 'UNAVAILABLE';
}

async function recordStep(
  deps: MigrationDependencies,
  document: MigrationDocument,
  { index, change }: { index: number; change: Partial<StoredStep> },
): Promise<void> {
  const step = document.steps[index];
  if (step === undefined) throw new RangeError('There is no such step');
  await deps.afterStep(`${change.state} ${step.name}`);
  await deps.store.writeStep(document, index, change);
  Object.assign(step, change);
  await deps.afterStep(`recorded ${change.state} ${step.name}`);
}

/** Runs the steps that are not done. The record of a step may be lost, because every step is idempotent. */
async function runSteps(
  deps: MigrationDependencies,
  document: MigrationDocument,
): Promise<MigrationDocument> {
  let current = document;
  for (const [index, step] of document.steps.entries()) {
    if (step.state === 'done') continue;
    const { version, versionControl } = await runStep(deps, current, step);
    if (versionControl !== undefined)
      current = await writeAsHolder(deps, current, { set: { versionControl } });
    const change = { state: 'done' as const, ...(version !== undefined && { version }) };
    await recordStep(deps, current, { index, change });
  }
  return current;
}

async function complete(
  deps: MigrationDependencies,
  document: MigrationDocument,
): Promise<MigrationDocument> {
  const completed = await writeAsHolder(deps, document, {
    set: { status: 'completed', endedAt: new Date() },
    unset: ['locks', 'lease'],
    events: [completedEvent(document)],
  });
  await deps.afterStep('completed');
  return completed;
}

/** Whether the target dashboard stays, because it was edited. Then everything that it refers to stays too. */
function isDashboardKept({ steps, targetDashboardId }: MigrationDocument): boolean {
  return steps.some(({ targetId, state }) => targetId === targetDashboardId && state === 'kept');
}

async function undoSteps(deps: MigrationDependencies, document: MigrationDocument): Promise<void> {
  for (const [index, step] of [...document.steps.entries()].toReversed()) {
    if (step.targetId === null || step.state === 'undone' || step.state === 'kept') continue;
    const outcome = isDashboardKept(document) ? 'used' : await undoStep(deps, document, step);
    const state = outcome === 'undone' ? 'undone' : 'kept';
    await recordStep(deps, document, { index, change: { state } });
  }
}

/** Ends a rollback that has undone nothing, because the dashboard was changed meanwhile. */
async function keepCompleted(deps: MigrationDependencies, document: MigrationDocument) {
  const steps = document.steps.map((step) =>
    step.state === 'kept' ? { ...step, state: 'done' as const } : step,
  );
  return writeAsHolder(deps, document, {
    set: { status: 'completed', steps, endedAt: new Date() },
    unset: ['locks', 'lease'],
  });
}

/**
 * Undoes every step, the last one first, and ends the migration. A requested rollback that has to keep the
 * dashboard undoes nothing.
 */
async function undo(deps: MigrationDependencies, document: MigrationDocument): Promise<MigrationDocument> {
  await undoSteps(deps, document);
  if (document.reason === null && isDashboardKept(document)) return keepCompleted(deps, document);
  const undone = await writeAsHolder(deps, document, {
    set: { status: document.reason === null ? 'rolled_back' : 'failed', endedAt: new Date() },
    unset: ['locks', 'lease'],
    events: [undoneEvent(document)],
  });
  await deps.afterStep('undone');
  return undone;
}

async function fail(
  deps: MigrationDependencies,
  document: MigrationDocument,
  { code, message }: AppError,
): Promise<MigrationDocument> {
  const failing = await writeAsHolder(deps, document, {
    set: { status: 'rolling_back', reason: { code, message } },
  });
  await deps.afterStep('failed');
  return undo(deps, failing);
}

/** An interrupted migration verifies its plan again before it writes anything. */
function withVerificationPending(document: MigrationDocument): MigrationDocument {
  if (document.steps.every(({ state }) => state === 'done')) return document;
  const steps = document.steps.map((step) =>
    step.action === 'verify' ? { ...step, state: 'pending' as const } : step,
  );
  return { ...document, steps };
}

/** A process that died is replaced sooner. */
const RESUMED_MAX_MS = 600_000;

/** Whether the caller, whose rights were checked when the migration began, may have lost them since. */
function isOutdated({ steps, createdAt }: MigrationDocument): boolean {
  return Date.now() - createdAt.getTime() > RESUMED_MAX_MS && steps.some(({ state }) => state !== 'done');
}

async function resume(deps: MigrationDependencies, document: MigrationDocument): Promise<MigrationDocument> {
  if (document.status === 'rolling_back') return undo(deps, document);
  if (isOutdated(document)) {
    const message = 'The migration was interrupted for more than ten minutes';
    return fail(deps, document, new AppError('CONFLICT', { message }));
  }
  const running = await writeAsHolder(deps, document, { set: { status: 'running' } });
  await deps.afterStep('running');
  try {
    return await complete(deps, await runSteps(deps, withVerificationPending(running)));
  } catch (error) {
    if (isTransient(error)) throw error;
    return fail(deps, running, toAppError(error));
  }
}

/** Renews the lease until the returned function is called. */
function keepLease({ store, leaseMs, log }: MigrationDependencies, document: MigrationDocument) {
  const renew = () => store.renewLease(document, new Date(Date.now() + leaseMs));
  const timer = setInterval(() => {
    renew().catch((err: unknown) => log.warn({ err, migration: document._id }, 'a lease was not renewed'));
  }, leaseMs / 3);
  return () => clearInterval(timer);
}

/**
 * Runs a migration whose lease this process holds until it is completed, failed or rolled back. Throws
 * UNAVAILABLE when that is not possible now. The lease then expires at once, and a sweep resumes the
 * migration.
 */
export async function runMigration(
  deps: MigrationDependencies,
  document: MigrationDocument,
): Promise<MigrationDocument> {
  const stopRenewing = keepLease(deps, document);
  try {
    return await resume(deps, document);
  } catch (cause) {
    deps.log.warn({ err: cause, migration: document._id }, 'a migration is interrupted; it is carried on');
    await deps.store.renewLease(document, new Date()).catch(() => {});
    throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause });
  } finally {
    stopRenewing();
  }
}
