import {
  AppError,
  type CopyActor,
  type InputOf,
  type JsonObject,
  type OutputOf,
  type ResourceState,
  type Services,
} from '@gatehouse/contract';
import { duplicateKeysOf, untilWritten, type CallContext, type EventOrigin } from '@gatehouse/service';
import type { Place } from '../store/copies.js';
import type { ResourceChange, ResourceHeader } from '../store/resourceDocument.js';
import { lifecycleEvent, SERVICE, updatedEvent } from './resourceEvents.js';
import type { ResourceKind, ResourceKinds } from './resourceKind.js';

type Copies = Services['access']['procedures']['copies'];
type Input<V extends keyof Copies> = InputOf<Copies[V]>;
type Answer<V extends keyof Copies> = Promise<OutputOf<Copies[V]>>;

/** Where and for whom something is written. */
type Writing = Place & { id: string; migrationId: string; actor: CopyActor };

const FIRST_VERSION = 1;

/** What a migration writes is the person's who asked for it. */
function originOf({ organizationId, projectId, actor }: Writing, now: Date): EventOrigin {
  const { userId: actorId, tokenId, requestId } = actor;
  const made = { service: SERVICE, organizationId, projectId, now };
  return { ...made, requestId, actorId, actorKind: 'orgUser', tokenId };
}

const textOf = (body: JsonObject | null) => (body === null ? null : JSON.stringify(body));
const linksOf = (ids: readonly string[] | null) => (ids === null || ids.length === 0 ? undefined : ids);

interface CopyContent {
  title: string;
  description: string;
  tags: string[];
  body: JsonObject | null;
  linkedVisualIds?: readonly string[] | undefined;
  secretHash?: string;
}

async function insertCopy(
  kind: ResourceKind,
  writing: Writing,
  { content, now }: { content: CopyContent; now: Date },
): Promise<{ version: number }> {
  const { organizationId, projectId, id, migrationId, actor } = writing;
  const { body, linkedVisualIds, ...fields } = content;
  const resource = {
    _id: id,
    organizationId,
    projectId,
    ...fields,
    isPrivate: true,
    ...(kind.type === 'dashboard' ? { isDataApp: false } : {}),
    ownerId: actor.userId,
    ownerKey: actor.userKey,
    ownerType: 'organization' as const,
    ownerTenantKey: null,
    tenantId: null,
    createdBy: actor.userId,
    createdAt: now,
    updatedAt: now,
    version: FIRST_VERSION,
    shares: [],
    ...(linkedVisualIds === undefined ? {} : { linkedVisualIds }),
    copiedBy: migrationId,
    body: textOf(body),
  };
  const events = [lifecycleEvent(kind, 'created', { resource, origin: originOf(writing, now) })];
  const made = await kind.store.insertResource(projectId, resource, { events }).catch((cause: unknown) => {
    if (duplicateKeysOf(cause) === null) throw cause;
    throw new AppError('CONFLICT', { message: 'The copy was undone, or its id is taken', cause });
  });
  if (made.copiedBy !== migrationId) throw new AppError('CONFLICT', { message: 'The id is taken' });
  return { version: FIRST_VERSION };
}

export function createVisualCopy(
  { visuals }: ResourceKinds,
  { title, description, tags, frameObject: body, ...writing }: Input<'createVisual'>,
  { now }: CallContext,
): Answer<'createVisual'> {
  return insertCopy(visuals, writing, { content: { title, description, tags, body }, now });
}

export function createDashboardCopy(
  { dashboards }: ResourceKinds,
  input: Input<'createDashboard'>,
  { now }: CallContext,
): Answer<'createDashboard'> {
  const { title, description, tags, template, linkedVisualIds, secretHash, ...writing } = input;
  const content = { title, description, tags, body: template, secretHash };
  const links = linksOf(linkedVisualIds);
  return insertCopy(dashboards, writing, { content: { ...content, linkedVisualIds: links }, now });
}

type Contents = Pick<Input<'replaceDashboard'>, 'title' | 'description' | 'template' | 'linkedVisualIds'>;

/** What differs of a dashboard that was read with its body. */
function changeTo(header: ResourceHeader, wanted: Contents): ResourceChange {
  const { title, description } = wanted;
  const body = textOf(wanted.template);
  const linkedVisualIds = linksOf(wanted.linkedVisualIds);
  const isSameLinks = (header.linkedVisualIds ?? []).join() === (linkedVisualIds ?? []).join();
  return {
    ...(title !== header.title && { title }),
    ...(description !== header.description && { description }),
    ...(body !== header.body && { body }),
    ...(!isSameLinks && { linkedVisualIds }),
  };
}

/** Writes a change of a dashboard's content as its next version; null when it has changed since. */
async function writeContent(
  kind: ResourceKinds['dashboards'],
  writing: Writing,
  { header, change, now }: { header: ResourceHeader; change: ResourceChange; now: Date },
): Promise<ResourceHeader | null> {
  const { title, description } = { ...header, ...change };
  const changes = {
    ...('title' in change && { title: { from: header.title, to: title } }),
    ...('description' in change && { description: { from: header.description, to: description } }),
    // A template may be a mebibyte: it is only named.
    ...('body' in change && { template: { from: null, to: null } }),
  };
  const whole = { ...change, version: header.version + 1, updatedAt: now };
  const origin = originOf(writing, now);
  const events = [updatedEvent(kind, changes, { resource: { ...header, ...whole }, origin })];
  const written = await kind.store.changeResource(writing.projectId, header, { change: whole, events });
  kind.headers.forget(writing.id);
  return written;
}

async function findWhole(
  { store }: ResourceKinds['dashboards'],
  { organizationId, projectId, id }: Writing,
): Promise<ResourceHeader> {
  const header = await store.getHeaderWithBody(projectId, id);
  if (header.organizationId !== organizationId) throw new AppError('NOT_FOUND');
  return header;
}

const isReplacedBy = ({ replacedBy }: ResourceHeader, migrationId: string) =>
  replacedBy?.migrationId === migrationId;

export async function replaceDashboardContent(
  { dashboards }: ResourceKinds,
  { expectedVersion, title, description, template, linkedVisualIds, ...writing }: Input<'replaceDashboard'>,
  { now }: CallContext,
): Answer<'replaceDashboard'> {
  const { migrationId } = writing;
  return untilWritten(async () => {
    const header = await findWhole(dashboards, writing);
    const { replacedBy } = header;
    if (replacedBy?.migrationId === migrationId && !replacedBy.isRestored)
      return { version: replacedBy.version, isChanged: true };
    if (isReplacedBy(header, migrationId) || header.version !== expectedVersion)
      throw new AppError('CONFLICT', { message: 'The dashboard to replace has changed meanwhile' });
    const change = changeTo(header, { title, description, template, linkedVisualIds });
    if (Object.keys(change).length === 0) return { version: header.version, isChanged: false };
    const version = header.version + 1;
    const marked = { ...change, replacedBy: { migrationId, version, isRestored: false } };
    const written = await writeContent(dashboards, writing, { header, change: marked, now });
    return written && { version, isChanged: true };
  });
}

export async function restoreDashboardContent(
  { dashboards }: ResourceKinds,
  { title, description, template, linkedVisualIds, ...writing }: Input<'restoreDashboard'>,
  { now }: CallContext,
): Answer<'restoreDashboard'> {
  const { migrationId, projectId, id } = writing;
  return untilWritten(async () => {
    const header = await findWhole(dashboards, writing);
    const { replacedBy } = header;
    const isOwn = isReplacedBy(header, migrationId);
    if (isOwn && replacedBy?.isRestored) return { outcome: 'undone' as const };
    if (isOwn && replacedBy?.version !== header.version) return { outcome: 'changed' as const };
    const change = isOwn ? changeTo(header, { title, description, template, linkedVisualIds }) : {};
    const version = isOwn ? header.version + 1 : header.version;
    const marked = { ...change, replacedBy: { migrationId, version, isRestored: true } };
    // One that it never replaced only has to know that it will not be.
    const written = isOwn
      ? await writeContent(dashboards, writing, { header, change: marked, now })
      : await dashboards.store.changeResource(projectId, header, { change: marked, events: [] });
    dashboards.headers.forget(id);
    return written && { outcome: 'undone' as const };
  });
}

/** Deletes what a migration made, unless somebody has touched it or a dashboard links it. */
export async function removeCopy(
  { dashboards, visuals }: ResourceKinds,
  { type, ...writing }: Input<'remove'>,
  { now }: CallContext,
): Answer<'remove'> {
  const kind: ResourceKind = type === 'dashboard' ? dashboards : visuals;
  const { projectId, id } = writing;
  const { copies } = kind.store;
  return untilWritten(async () => {
    const [header] = await copies.findHeaders(writing, [id]);
    if (header === undefined) {
      const isOver = (await copies.markUndone(id, now)) || (await copies.isGone(projectId, id));
      return isOver ? { outcome: 'undone' as const } : null;
    }
    if (type === 'visual' && (await kind.links.countLinking(projectId, id)) > 0)
      return { outcome: 'used' as const };
    const events = [lifecycleEvent(kind, 'deleted', { resource: header, origin: originOf(writing, now) })];
    const isDeleted = await copies.deleteCopy(writing, writing, { events, now });
    kind.headers.forget(id);
    return { outcome: isDeleted ? ('undone' as const) : ('changed' as const) };
  });
}

function stateOf({ _id: id, title, version, revision, copiedBy, replacedBy }: ResourceHeader): ResourceState {
  return { id, title, version, revision, copiedBy: copiedBy ?? null, replacedBy: replacedBy ?? null };
}

export async function readCopyStates(
  { dashboards, visuals }: ResourceKinds,
  { dashboardIds, visualIds, ...place }: Input<'states'>,
): Answer<'states'> {
  const [foundDashboards, foundVisuals] = await Promise.all([
    dashboards.store.copies.findHeaders(place, dashboardIds),
    visuals.store.copies.findHeaders(place, visualIds),
  ]);
  return { dashboards: foundDashboards.map(stateOf), visuals: foundVisuals.map(stateOf) };
}

/** Longer than any call of a migration may be under way. */
const MARKS_KEPT_MS = 86_400_000;

/** Forgets which copies were undone long ago. */
export async function sweepCopyMarks({ dashboards, visuals }: ResourceKinds, now: Date): Promise<void> {
  const before = new Date(now.getTime() - MARKS_KEPT_MS);
  await dashboards.store.copies.deleteMarks(before);
  await visuals.store.copies.deleteMarks(before);
}
