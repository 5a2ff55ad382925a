import { AppError, type JsonObject } from '@gatehouse/contract';
import { newId, type CallContext } from '@gatehouse/service';
import { findLevels, requireLevel } from './accessLevels.js';
import { requireCreator, requirePerson, type Person } from './asker.js';
import { findConveyedLinks } from './linkVisuals.js';
import { ownershipOf } from './ownership.js';
import { lifecycleEvent, originOfCall } from './resourceEvents.js';
import type { ResourceKind } from './resourceKind.js';

/** What a new resource is given by its maker. */
export interface ResourceInput {
  title: string;
  description?: string | undefined;
  isPrivate?: boolean | undefined;
  isDataApp?: boolean | undefined;
  tags?: string[] | undefined;
  body?: JsonObject | null | undefined;
  /** Of the secret that the maker is shown, where there is one. */
  secretHash?: string | undefined;
}

async function insertResource<Full>(
  kind: ResourceKind<unknown, Full>,
  person: Person,
  { input, context }: { input: ResourceInput; context: CallContext },
): Promise<Full> {
  const { projectId, organizationId, now } = person;
  const body = input.body ?? null;
  const linkedVisualIds = await findConveyedLinks(kind, person, { body, kept: [] });
  const resource = {
    _id: newId(kind.type, context.operation),
    organizationId,
    projectId,
    title: input.title,
    description: input.description ?? '',
    isPrivate: input.isPrivate ?? true,
    ...(kind.type === 'dashboard' ? { isDataApp: input.isDataApp ?? false } : {}),
    tags: input.tags ?? [],
    ...ownershipOf(person.principal),
    createdBy: person.principal.userId,
    createdAt: now,
    updatedAt: now,
    version: 1,
    shares: [],
    ...(linkedVisualIds === undefined ? {} : { linkedVisualIds }),
    body: body === null ? null : JSON.stringify(body),
  };
  const events = [lifecycleEvent(kind, 'created', { resource, origin: originOfCall(context) })];
  const secret = input.secretHash === undefined ? {} : { secretHash: input.secretHash };
  const header = await kind.store.insertResource(projectId, { ...resource, ...secret }, { events });
  kind.headers.keep(header);
  const made = { body: resource.body, ...header };
  const [level = null] = await findLevels(kind, person, [made]);
  return kind.toRecord(made, level);
}

/** Creates a resource that the caller owns. Throws FORBIDDEN when the caller's role does not allow it. */
export async function createResource<Full>(
  kind: ResourceKind<unknown, Full>,
  input: ResourceInput,
  context: CallContext,
): Promise<Full> {
  const person = requirePerson(context);
  requireCreator(person);
  return insertResource(kind, person, { input, context });
}

const TITLE_MAX = 200;
const COPY_SUFFIX = ' (Copy)';

/** The title of a copy, cut to fit, between characters. */
function titleOfCopy(title: string): string {
  const room = TITLE_MAX - COPY_SUFFIX.length;
  if (title.length <= room) return title + COPY_SUFFIX;
  return title.slice(0, room).replace(/[\uD800-\uDBFF]$/, '') + COPY_SUFFIX;
}

/**
 * Copies a resource that the caller may view: the copy is the caller's, private and shared with nobody. Throws NOT_FOUND,
 * and FORBIDDEN when the caller's role does not allow to create.
 */
export async function duplicateResource<Full>(
  kind: ResourceKind<unknown, Full>,
  input: { id: string; title?: string | undefined; secretHash?: string | undefined },
  context: CallContext,
): Promise<Full> {
  const person = requirePerson(context);
  const original = await kind.store.findSeen(person.projectId, input.id, person.subjects);
  if (original === null) throw new AppError('NOT_FOUND');
  await requireLevel(kind, person, { resource: original, wanted: 'VIEWER' });
  requireCreator(person);
  const { description, tags, isDataApp, body } = original;
  const copy: ResourceInput = {
    title: input.title ?? titleOfCopy(original.title),
    description,
    tags,
    isDataApp,
    body: body ? (JSON.parse(body) as JsonObject) : null,
    secretHash: input.secretHash,
  };
  return insertResource(kind, person, { input: copy, context });
}
