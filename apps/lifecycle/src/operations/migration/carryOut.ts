import { AppError } from '@gatehouse/contract';
import { toAppError } from '@gatehouse/service';
import type { MigrationDocument, MigrationWrite, StoredStep } from '../../store/migrations.js';
import type { Migrations } from './migrations.js';
import { completedEvent, undoneEvent } from './records.js';
import { carryOutStep, undoStep } from './steps.js';

/** What is said when another process has taken a migration over: it will end it. */
function takenOver(): AppError {
  const message = 'The migration is carried on by another process';
  return new AppError('UNAVAILABLE', { message, retryAfterSeconds: 1 });
}

async function writeHeld(
  { store }: Migrations,
  document: MigrationDocument,
  write: MigrationWrite,
): Promise<MigrationDocument> {
  const set = { ...write.set, updatedAt: new Date() };
  const written = await store.write(document, { ...write, set });
  if (written === null) throw takenOver();
  return written;
}

/** An error that may pass: the migration waits and is carried on. Any other says that the step can never be done. */
function mayPass(error: unknown): boolean {
  return toAppError(error).code === 'UNAVAILABLE';
}

async function recordStep(
  migrations: Migrations,
  document: MigrationDocument,
  { index, change }: { index: number; change: Partial<StoredStep> },
): Promise<void> {
  const step = document.steps[index];
  if (step === undefined) throw new RangeError('There is no such step');
  await migrations.afterStep(`${change.state} ${step.name}`);
  if (!(await migrations.store.writeStep(document, index, { step: change }))) throw takenOver();
  Object.assign(step, change);
  await migrations.afterStep(`recorded ${change.state} ${step.name}`);
}

/** Carries out what is left of the steps. The records of steps may be lost: what is done twice does nothing more. */
async function carryOutSteps(
  migrations: Migrations,
  document: MigrationDocument,
): Promise<MigrationDocument> {
  let current = document;
  for (const [index, step] of document.steps.entries()) {
    if (step.state === 'done') continue;
    const { version, versionControl } = await carryOutStep(migrations, current, step);
    if (versionControl !== undefined)
      current = await writeHeld(migrations, current, { set: { versionControl } });
    const change = { state: 'done' as const, ...(version !== undefined && { version }) };
    await recordStep(migrations, current, { index, change });
  }
  return current;
}

async function complete(migrations: Migrations, document: MigrationDocument): Promise<MigrationDocument> {
  const completed = await writeHeld(migrations, document, {
    set: { status: 'completed', endedAt: new Date() },
    unset: ['locks', 'lease'],
    events: [completedEvent(document)],
  });
  await migrations.afterStep('completed');
  return completed;
}

/** What a failed migration cannot be undone because of: its dashboard, which was changed, needs the rest. */
function isKept(document: MigrationDocument): boolean {
  return document.steps.some(
    ({ targetId, state }) => targetId === document.targetDashboardId && state === 'kept',
  );
}

async function undoSteps(migrations: Migrations, document: MigrationDocument): Promise<void> {
  for (const [index, step] of [...document.steps.entries()].toReversed()) {
    if (step.targetId === null || step.state === 'undone' || step.state === 'kept') continue;
    const outcome = isKept(document) ? 'used' : await undoStep(migrations, document, step);
    await recordStep(migrations, document, {
      index,
      change: { state: outcome === 'undone' ? 'undone' : 'kept' },
    });
  }
}

/** Undoes every step, the last one first, and ends the migration by that. */
async function undo(migrations: Migrations, document: MigrationDocument): Promise<MigrationDocument> {
  await undoSteps(migrations, document);
  const undone = await writeHeld(migrations, document, {
    set: { status: document.reason === null ? 'rolled_back' : 'failed', endedAt: new Date() },
    unset: ['locks', 'lease'],
    events: [undoneEvent(document)],
  });
  await migrations.afterStep('undone');
  return undone;
}

async function fail(
  migrations: Migrations,
  document: MigrationDocument,
  error: AppError,
): Promise<MigrationDocument> {
  const { code, message } = error;
  const failing = await writeHeld(migrations, document, {
    set: { status: 'rolling_back', reason: { code, message } },
  });
  await migrations.afterStep('failed');
  return undo(migrations, failing);
}

/** Before anything else is done by whoever carries a migration on: is the plan still good? */
function toBeVerified(document: MigrationDocument): MigrationDocument {
  if (document.steps.every(({ state }) => state === 'done')) return document;
  const steps = document.steps.map((step) =>
    step.action === 'verify' ? { ...step, state: 'pending' as const } : step,
  );
  return { ...document, steps };
}

async function carryOn(migrations: Migrations, document: MigrationDocument): Promise<MigrationDocument> {
  if (document.status === 'rolling_back') return undo(migrations, document);
  const running = await writeHeld(migrations, document, { set: { status: 'running' } });
  await migrations.afterStep('running');
  try {
    return await complete(migrations, await carryOutSteps(migrations, toBeVerified(running)));
  } catch (error) {
    if (mayPass(error)) throw error;
    return fail(migrations, running, toAppError(error));
  }
}

/** Lengthens a lease for as long as a migration is worked on. */
function keepLease({ store, leaseMs, log }: Migrations, { _id, lease }: MigrationDocument): () => void {
  const renew = async () => {
    const until = new Date(Date.now() + leaseMs);
    await store.renewLease(_id, { key: lease?.key ?? '', until });
  };
  const timer = setInterval(() => {
    renew().catch((err: unknown) => log.warn({ err, migration: _id }, 'a lease was not renewed'));
  }, leaseMs / 3);
  return () => clearInterval(timer);
}

/**
 * Carries a migration whose lease is held to its end: completed, or failed and undone, or rolled back. Rejects with UNAVAILABLE
 * when that is not possible now; it is tried again then by whoever finds it first.
 */
export async function carryToEnd(
  migrations: Migrations,
  document: MigrationDocument,
): Promise<MigrationDocument> {
  const stopKeeping = keepLease(migrations, document);
  try {
    return await carryOn(migrations, document);
  } catch (cause) {
    migrations.log.warn(
      { err: cause, migration: document._id },
      'a migration is interrupted; it is carried on',
    );
    const lease = { key: document.lease?.key ?? '', until: new Date() };
    await migrations.store.renewLease(document._id, lease).catch(() => {});
    throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause });
  } finally {
    stopKeeping();
  }
}
