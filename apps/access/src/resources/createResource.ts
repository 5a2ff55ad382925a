import { AppError, type JsonObject, type SemanticDomainAccess } from '@gatehouse/contract';
import { duplicateKeysOf, type CallContext } from '@gatehouse/service';
import { requireLevel, requireUser } from '../decisions/authorizeCaller.js';
import { lifecycleEvent } from './events.js';
import type { ResourceHeader, ResourceKind } from './kind.js';
import type { NewResource } from './store/writes.js';
import type { Creator } from './writer.js';

/** The fields of a new resource. */
export interface ResourceInput {
  title: string;
  description?: string | undefined;
  isPrivate?: boolean | undefined;
  isDataApp?: boolean | undefined;
  tags?: string[] | undefined;
  body?: JsonObject | null | undefined;
  /** The hash of the secret that the response contains, if there is one. */
  secretHash?: string | undefined;
}

/** What limits the tokens of a secret, because it limits the token that gets the secret. */
export function secretLimitsOf({
  semanticDomainAccess: access,
}: {
  semanticDomainAccess?: SemanticDomainAccess | undefined;
}): Pick<ResourceHeader, 'secretDomainAccess'> {
  return { secretDomainAccess: access === undefined || access.mode === 'all' ? null : access };
}

async function newResourceOf(
  kind: ResourceKind,
  creator: Creator,
  input: ResourceInput,
): Promise<NewResource & { projectId: string }> {
  const { organizationId, projectId, owner, migrationId, now } = creator;
  const { body = null, secretHash } = input;
  const linkedVisualIds = await creator.findLinks(kind, { body, kept: [], isSame: false });
  const limits = secretLimitsOf(creator);
  return {
    _id: creator.newId(kind.type),
    organizationId,
    projectId,
    title: input.title,
    description: input.description ?? '',
    isPrivate: input.isPrivate ?? true,
    ...(kind.type === 'dashboard' ? { isDataApp: input.isDataApp ?? false } : {}),
    tags: input.tags ?? [],
    ...owner,
    createdBy: owner.ownerId,
    createdAt: now,
    updatedAt: now,
    version: 1,
    shares: [],
    ...(linkedVisualIds === undefined ? {} : { linkedVisualIds }),
    ...(migrationId === undefined ? {} : { copiedBy: migrationId }),
    body: body === null ? null : JSON.stringify(body),
    ...(secretHash === undefined ? {} : { secretHash, secretTenantKey: owner.ownerTenantKey, ...limits }),
  };
}

/**
 * Creates a resource that the creator owns, or returns the one that an earlier run of the operation created.
 * Throws QUOTA_EXCEEDED, and CONFLICT if a migration has undone the resource.
 */
export async function createResource(
  kind: ResourceKind,
  creator: Creator,
  input: ResourceInput,
): Promise<ResourceHeader> {
  const resource = await newResourceOf(kind, creator, input);
  const { body, secretHash: _hash, ...stated } = resource;
  const events = [lifecycleEvent(kind, 'created', { resource: stated, origin: creator.origin })];
  const insert = kind.store.insertResource(creator.projectId, resource, { events });
  const header = await insert.catch((cause: unknown) => {
    throw duplicateKeysOf(cause) === null ? cause : idTaken(cause);
  });
  if (header.copiedBy !== creator.migrationId) throw idTaken();
  return { body, ...header };
}

/** The error of an operation that was repeated, and whose resource the caller cannot have any more. */
export function idTaken(cause?: unknown): AppError {
  return new AppError('CONFLICT', { message: 'The resource was undone, or its id is taken', cause });
}

const TITLE_MAX = 200;
const COPY_SUFFIX = ' (Copy)';

/** Returns the title of a copy, truncated between characters to fit. */
function titleOfCopy(title: string): string {
  const room = TITLE_MAX - COPY_SUFFIX.length;
  if (title.length <= room) return title + COPY_SUFFIX;
  return title.slice(0, room).replace(/[\uD800-\uDBFF]$/, '') + COPY_SUFFIX;
}

/**
 * Returns the fields of a copy of a resource that the caller may view. The copy is private and has no shares.
 * Throws NOT_FOUND.
 */
export async function readOriginal(
  kind: ResourceKind,
  { id, title }: { id: string; title?: string | undefined },
  context: CallContext,
): Promise<ResourceInput> {
  const requester = requireUser(context);
  const original = await kind.store.findSeenWithBody(requester.projectId, id, requester.subjects);
  if (original === null) throw new AppError('NOT_FOUND');
  await requireLevel(kind, requester, { resource: original, wanted: 'VIEWER' });
  const { description, tags, isDataApp, body } = original;
  const copied = { description, tags, isDataApp, body: body ? (JSON.parse(body) as JsonObject) : null };
  return { title: title ?? titleOfCopy(original.title), ...copied };
}
