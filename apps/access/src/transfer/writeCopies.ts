import {
  access,
  AppError,
  type CopyActor,
  type InputOf,
  type OutputOf,
  type Services,
  type UndoOutcome,
} from '@gatehouse/contract';
import {
  findAppError,
  retryOnConflict,
  WriteConflict,
  type CallContext,
  type EventOrigin,
} from '@gatehouse/service';
import { changeResource } from '../resources/changeResource.js';
import { createResource } from '../resources/createResource.js';
import { deleteResource } from '../resources/deleteResource.js';
import type { ResourceHeader, ResourceKind, ResourceKinds } from '../resources/kind.js';
import { updateResource } from '../resources/updateResource.js';
import type { Creator, Writer } from '../resources/writer.js';

type Copies = Services['access']['procedures']['copies'];
type Input<V extends keyof Copies> = InputOf<Copies[V]>;
type Output<V extends keyof Copies> = Promise<OutputOf<Copies[V]>>;

/** One write of a migration: its place, the record, and the user who started the migration. */
interface MigrationWrite {
  organizationId: string;
  projectId: string;
  id: string;
  migrationId: string;
  actor: CopyActor;
}

/** The revision of a copy that has not changed since its creation. */
const UNTOUCHED_REVISION = 1;

function originOf({ organizationId, projectId, actor }: MigrationWrite, now: Date): EventOrigin {
  const { userId: actorId, tokenId, requestId } = actor;
  const origin = { service: access.name, organizationId, projectId, now };
  return { ...origin, requestId, actorId, actorKind: 'orgUser', tokenId };
}

/** Returns the migration that last replaced the content, if it is the one that writes. */
function ownReplacement({ replacedBy }: ResourceHeader, { migrationId }: MigrationWrite) {
  return replacedBy?.migrationId === migrationId ? replacedBy : null;
}

/** Whether the migration has ended without replacing the content, and may no longer do so. */
function isAbandoned({ abandonedBy = [] }: ResourceHeader, { migrationId }: MigrationWrite): boolean {
  return abandonedBy.includes(migrationId);
}

/**
 * Returns the writer that creates a copy, with the links that the plan has determined, and undoes it. It
 * throws PRECONDITION_FAILED if the copy has changed since its creation.
 */
function createCopyWriter(
  write: MigrationWrite,
  now: Date,
  linkedVisualIds: readonly string[] | null,
): Creator {
  const { organizationId, projectId, id, migrationId, actor } = write;
  return {
    organizationId,
    projectId,
    needed: { subjects: [] },
    now,
    migrationId,
    origin: originOf(write, now),
    owner: {
      ownerId: actor.userId,
      ownerKey: actor.userKey,
      ownerType: 'organization',
      ownerTenantKey: null,
      tenantId: null,
    },
    semanticDomainAccess: actor.semanticDomainAccess,
    newId: () => id,
    async authorize(_kind, resource) {
      if (resource.organizationId !== organizationId) throw new AppError('NOT_FOUND');
    },
    // A copy is private.
    authorizeOpening: () => {},
    requireVersion({ copiedBy, revision }) {
      if (copiedBy !== migrationId || revision !== UNTOUCHED_REVISION)
        throw new AppError('PRECONDITION_FAILED');
    },
    isDone: () => false,
    marksOf: () => ({}),
    findLinks: async () => (linkedVisualIds?.length ? linkedVisualIds : undefined),
    findLinking: async () => [],
  };
}

/**
 * Returns the writer that replaces the content of a dashboard, once for each migration. It throws CONFLICT if
 * the dashboard does not have the version of the plan, or if the migration was undone.
 */
function createReplacingWriter(
  write: MigrationWrite,
  now: Date,
  { expectedVersion, linkedVisualIds }: { expectedVersion: number; linkedVisualIds: string[] | null },
): Writer {
  const { migrationId } = write;
  return {
    ...createCopyWriter(write, now, linkedVisualIds),
    isDone: (resource) => ownReplacement(resource, write)?.isRestored === false,
    requireVersion(resource) {
      const isOver = ownReplacement(resource, write) !== null || isAbandoned(resource, write);
      if (resource.version === expectedVersion && !isOver) return;
      throw new AppError('CONFLICT', { message: 'The dashboard to replace has changed meanwhile' });
    },
    marksOf({ version, revision, linkedVisualIds: former = [] }) {
      const isUnlinking = former.some((id) => !linkedVisualIds?.includes(id));
      const written = { migrationId, version: version + 1, isRestored: false };
      return { replacedBy: isUnlinking ? { ...written, revision: revision + 1 } : written };
    },
  };
}

/**
 * Returns the writer that restores the former content of a dashboard. It throws PRECONDITION_FAILED if the
 * dashboard has changed since the migration replaced it, or may have readers to whom it would show visuals
 * that they were not given.
 */
function createRestoringWriter(write: MigrationWrite, now: Date, linkedVisualIds: string[] | null): Writer {
  const { migrationId } = write;
  return {
    ...createCopyWriter(write, now, linkedVisualIds),
    isDone: (resource) =>
      ownReplacement(resource, write)?.isRestored === true || isAbandoned(resource, write),
    requireVersion(resource) {
      const { version, revision = resource.revision } = ownReplacement(resource, write) ?? {};
      if (version !== resource.version || revision !== resource.revision)
        throw new AppError('PRECONDITION_FAILED');
    },
    marksOf: ({ version }) => ({ replacedBy: { migrationId, version: version + 1, isRestored: true } }),
  };
}

/** Far more than the migrations that can end while a late call of one of them is in progress. */
const ABANDONED_MAX = 10;

/**
 * Returns the write by which a migration can no longer replace a dashboard; null if it has replaced it, or
 * can no longer do so. The mark of an earlier migration that has replaced it stays, for its rollback.
 */
function preventReplacement(resource: ResourceHeader, write: MigrationWrite) {
  if (ownReplacement(resource, write) !== null || isAbandoned(resource, write)) return null;
  const { abandonedBy = [], replacedBy, revision } = resource;
  const isSameAudience = replacedBy?.revision === revision;
  const change = {
    abandonedBy: [...abandonedBy, write.migrationId].slice(-ABANDONED_MAX),
    ...(isSameAudience && { replacedBy: { ...replacedBy, revision: revision + 1 } }),
  };
  return { change, events: [] };
}

/** Every copy is created in this version. */
const FIRST_VERSION = 1;

/** Creates the copy of a visual. Throws CONFLICT if the copy was undone or its id is taken. */
export async function createVisualCopy(
  { visuals }: ResourceKinds,
  { title, description, tags, frameObject: body, ...write }: Input<'createVisual'>,
  { now }: CallContext,
): Output<'createVisual'> {
  await createResource(visuals, createCopyWriter(write, now, null), { title, description, tags, body });
  return { version: FIRST_VERSION };
}

/** Throws CONFLICT if a visual of the plan was deleted: deletions count only the links of dashboards. */
async function requireLinked(
  { visuals }: ResourceKinds,
  write: MigrationWrite,
  linkedVisualIds: readonly string[] | null,
): Promise<void> {
  const ids = [...new Set(linkedVisualIds)];
  const found = await visuals.store.copies.findHeaders(write, ids, []);
  if (found.length === ids.length) return;
  throw new AppError('CONFLICT', { message: 'A visual that the dashboard links was deleted meanwhile' });
}

/**
 * Creates the copy of a dashboard. Throws CONFLICT if the copy was undone or its id is taken, or if a visual
 * that it links was deleted.
 */
export async function createDashboardCopy(
  kinds: ResourceKinds,
  input: Input<'createDashboard'>,
  { now }: CallContext,
): Output<'createDashboard'> {
  const { title, description, tags, template: body, linkedVisualIds, secretHash, ...write } = input;
  const fields = { title, description, tags, body, secretHash };
  await requireLinked(kinds, write, linkedVisualIds);
  await createResource(kinds.dashboards, createCopyWriter(write, now, linkedVisualIds), fields);
  return { version: FIRST_VERSION };
}

/**
 * Replaces the content of a dashboard, once for each migration. Throws NOT_FOUND, and CONFLICT if the version
 * is not the expected one, the migration was undone, or a visual that it links was deleted.
 */
export async function replaceDashboardContent(
  kinds: ResourceKinds,
  { expectedVersion, title, description, template, linkedVisualIds, ...write }: Input<'replaceDashboard'>,
  { now }: CallContext,
): Output<'replaceDashboard'> {
  const writer = createReplacingWriter(write, now, { expectedVersion, linkedVisualIds });
  const fields = { id: write.id, title, description, body: template };
  await requireLinked(kinds, write, linkedVisualIds);
  const { version, replacedBy } = await updateResource(kinds.dashboards, writer, fields);
  if (replacedBy?.migrationId !== write.migrationId) return { version, isChanged: false };
  return { version: replacedBy.version, isChanged: true };
}

/** Returns the outcome of an undo that failed because of the state of the record; null for other errors. */
function outcomeOf(error: unknown): UndoOutcome | null {
  const code = findAppError(error)?.code;
  if (code === 'PRECONDITION_FAILED') return 'changed';
  return code === 'CONFLICT' ? 'used' : null;
}

async function undo(write: () => Promise<unknown>): Promise<{ outcome: UndoOutcome }> {
  try {
    await write();
    return { outcome: 'undone' };
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome === null) throw error;
    return { outcome };
  }
}

/**
 * Restores the former content of a dashboard that the migration replaced. Returns `changed` if the dashboard
 * has changed since. A dashboard that was deleted has nothing to restore.
 */
export async function restoreDashboardContent(
  { dashboards }: ResourceKinds,
  { title, description, template, linkedVisualIds, writtenVersion, ...write }: Input<'restoreDashboard'>,
  { now }: CallContext,
): Output<'restoreDashboard'> {
  const { id } = write;
  const writer = createRestoringWriter(write, now, linkedVisualIds);
  // A dashboard that the migration has not replaced only needs the mark that prevents a later replacement.
  const prevent = () =>
    changeResource(dashboards, writer, {
      id,
      needed: writer.needed,
      async decide(current) {
        await writer.authorize(dashboards, current, 'EDITOR');
        const { version } = ownReplacement(current, write) ?? current;
        // Another migration has replaced the content since, and its mark is there in place of this one's.
        if (version !== (writtenVersion ?? version) && !writer.isDone(current))
          throw new AppError('PRECONDITION_FAILED');
        return preventReplacement(current, write);
      },
    });
  return undo(async () => {
    try {
      if (!writer.isDone(await prevent()))
        await updateResource(dashboards, writer, { id, title, description, body: template });
    } catch (error) {
      if (findAppError(error)?.code !== 'NOT_FOUND') throw error;
    }
  });
}

/** Deletes a copy of a migration, unless it was changed or a dashboard links it. */
export async function removeCopy(
  { dashboards, visuals }: ResourceKinds,
  { type, ...write }: Input<'remove'>,
  { now }: CallContext,
): Output<'remove'> {
  const kind: ResourceKind = type === 'dashboard' ? dashboards : visuals;
  const { projectId, id } = write;
  const writer = createCopyWriter(write, now, null);
  return retryOnConflict(() =>
    undo(async () => {
      try {
        await deleteResource(kind, writer, id);
      } catch (error) {
        if (findAppError(error)?.code !== 'NOT_FOUND') throw error;
        // It was never created, or is undone already. A late call must not create it.
        const { copies } = kind.store;
        const isOver =
          (await copies.marks.insert(projectId, id, now)) || (await copies.isGone(projectId, id));
        if (!isOver) throw new WriteConflict();
      }
    }),
  );
}
