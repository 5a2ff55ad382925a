import { AppError, type InputOf, type JsonObject, type Services } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import {
  findLevel,
  findLevels,
  isAdmin,
  requireUser,
  type UserRequester,
} from '../decisions/authorizeCaller.js';
import type { ResourceKind } from './kind.js';
import type { StoredContent } from './store/contents.js';

type Contents = Services['access']['procedures']['contents'];
type ContentQuery = InputOf<Contents['dashboards']>;

export interface Content {
  id: string;
  title: string;
  tenantId: string | null;
  body: JsonObject | null;
  /** False for a resource that an ADMIN may list but not read. */
  isReadable: boolean;
}

export interface ContentPage {
  contents: Content[];
  nextAfterId: string | null;
  total?: number;
}

/** A page is one message between services and is parsed as a whole. */
const PAGE = { count: 100, bytes: 4 * 1024 * 1024 };

function contentOf({ _id, title, tenantId, body }: StoredContent, isReadable: boolean): Content {
  const parsed = body === null ? null : (JSON.parse(body) as JsonObject);
  return { id: _id, title, tenantId, body: parsed, isReadable };
}

/** Throws FORBIDDEN for a dashboard token: only project tokens read contents. */
function requireProjectToken({ principal }: CallContext): void {
  const { tokenType, dashboardId, kind } = principal;
  if (tokenType !== 'project' || dashboardId !== undefined || kind === 'anonymous')
    throw new AppError('FORBIDDEN');
}

/**
 * Returns all contents for the service identity and an ADMIN, and otherwise those that the reader may read.
 */
async function visibleContents(
  kind: ResourceKind,
  found: StoredContent[],
  requester: UserRequester | null,
): Promise<Content[]> {
  if (requester === null) return found.map((content) => contentOf(content, true));
  const ids = found.map(({ _id }) => _id);
  const seen = await kind.store.findManySeen(requester.projectId, ids, requester.subjects);
  const levels = await findLevels(kind, requester, seen);
  const readable = new Set(seen.filter((_, n) => (levels[n] ?? null) !== null).map(({ _id }) => _id));
  const known = isAdmin(requester) ? found : found.filter(({ _id }) => readable.has(_id));
  return known.map((content) => contentOf(content, readable.has(content._id)));
}

/**
 * Reads one resource. Its body and the facts of its access are from one moment, and concurrent reads of a
 * project share a query.
 */
async function readOne(
  kind: ResourceKind,
  { projectId, id }: { projectId: string; id: string },
  requester: UserRequester | null,
): Promise<ContentPage> {
  const resource = await kind.store.findSeenWithBody(projectId, id, requester?.subjects ?? []);
  if (resource === null) return { contents: [], nextAfterId: null, total: 0 };
  const isReadable = requester === null || (await findLevel(kind, requester, resource)) !== null;
  const isKnown = isReadable || isAdmin(requester);
  const contents = isKnown ? [contentOf({ ...resource, body: resource.body ?? null }, isReadable)] : [];
  return { contents, nextAfterId: null, total: contents.length };
}

/** Returns the only id of a query that has no other condition; null if it has others. */
function onlyIdOf({ ids = [], ownerType, tenantId, afterId }: ContentQuery): string | null {
  const [id = null, second] = ids;
  const isOnly = [second, ownerType, tenantId, afterId].every((each) => each === undefined);
  return isOnly ? id : null;
}

/** Returns the user whose access limits the contents; null for the service identity. */
function findReader(context: CallContext): UserRequester | null {
  return context.principal.kind === 'service' ? null : requireUser(context);
}

/**
 * Reads one page of the bodies of the caller's project, dashboards or visuals, in the order of their ids.
 * Throws FORBIDDEN for a dashboard token.
 */
export async function readContents(
  kind: ResourceKind,
  query: ContentQuery,
  context: CallContext,
): Promise<ContentPage> {
  requireProjectToken(context);
  const { projectId } = context.principal;
  const { ids, ownerType, tenantId, afterId } = query;
  const requester = findReader(context);
  const id = onlyIdOf(query);
  if (id !== null) return readOne(kind, { projectId, id }, requester);
  // The readers of a visual exclude users who see it through a dashboard, so access to each visual is decided
  // below.
  const isUnlimited = requester === null || isAdmin(requester) || kind.type === 'visual';
  const readers = isUnlimited ? null : requester.subjects;
  const selection = { ids, ownerType, tenantId, readers };
  const { found, isCut } = await kind.store.findContents(projectId, selection, {
    ...PAGE,
    afterId: afterId ?? '',
  });
  const countAll = () => (isCut ? kind.store.countContents(projectId, selection) : found.length);
  return {
    contents: await visibleContents(kind, found, requester),
    nextAfterId: isCut ? (found.at(-1)?._id ?? null) : null,
    ...(afterId === undefined && { total: await countAll() }),
  };
}
