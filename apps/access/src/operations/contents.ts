import { AppError, type InputOf, type JsonObject, type Services } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { StoredContent } from '../store/resourceContents.js';
import { findLevels } from './accessLevels.js';
import { requirePerson, type Person } from './asker.js';
import type { ResourceKind } from './resourceKind.js';

type Contents = Services['access']['procedures']['contents'];
type ContentQuery = InputOf<Contents['dashboards']>;

export interface Content {
  id: string;
  title: string;
  tenantId: string | null;
  body: JsonObject | null;
}

export interface ContentPage {
  contents: Content[];
  nextAfterId: string | null;
  total?: number;
}

interface LimitedReader {
  person: Person;
  tenantKey: string;
}

/** A page is one message between services, and is parsed at once. */
const PAGE = { count: 100, bytes: 4 * 1024 * 1024 };

function contentOf({ _id, title, tenantId, body }: StoredContent): Content {
  return { id: _id, title, tenantId, body: body === null ? null : (JSON.parse(body) as JsonObject) };
}

/** Dashboard tokens validate nothing. */
function requireProjectToken({ principal }: CallContext): void {
  const { tokenType, dashboardId, kind } = principal;
  if (tokenType !== 'project' || dashboardId !== undefined || kind === 'anonymous')
    throw new AppError('FORBIDDEN');
}

/** Leaves out what is of another tenant, one of the same id before it included, and not, or no longer, shared with the person. */
async function leaveOutHidden(
  kind: ResourceKind,
  found: StoredContent[],
  { person, tenantKey }: LimitedReader,
): Promise<StoredContent[]> {
  const isOwn = ({ ownerTenantKey }: StoredContent) => ownerTenantKey === tenantKey;
  const foreignIds = found.filter((content) => !isOwn(content)).map(({ _id }) => _id);
  const foreign = await kind.store.findManySeen(person.projectId, foreignIds, person.subjects);
  const levels = await findLevels(kind, person, foreign);
  const visible = new Set(
    foreign.filter((_, index) => (levels[index] ?? null) !== null).map(({ _id }) => _id),
  );
  return found.filter((content) => isOwn(content) || visible.has(content._id));
}

/** The tenant user who asks; null for everybody else. */
function findLimited(context: CallContext): LimitedReader | null {
  const { principal } = context;
  if (principal.kind !== 'tenantUser') return null;
  return { person: requirePerson(context), tenantKey: principal.tenantKey };
}

/**
 * One page of what the dashboards or visuals of the caller's project hold, in the order of their ids. Throws FORBIDDEN for
 * a dashboard token.
 */
export async function readContents(
  kind: ResourceKind,
  query: ContentQuery,
  context: CallContext,
): Promise<ContentPage> {
  requireProjectToken(context);
  const { projectId } = context.principal;
  const { ids, ownerType, tenantId, afterId } = query;
  const limited = findLimited(context);
  // A visual may be seen by way of a dashboard, which its readers do not tell: what is named is judged one by one.
  const reach =
    limited === null || ids !== undefined
      ? null
      : { tenantKey: limited.tenantKey, subjects: limited.person.subjects };
  const selection = { ids, ownerType, tenantId, reach };
  const { found, isCut } = await kind.store.findContents(projectId, selection, {
    ...PAGE,
    afterId: afterId ?? '',
  });
  const contents = limited === null ? found : await leaveOutHidden(kind, found, limited);
  const countAll = () => (isCut ? kind.store.countContents(projectId, selection) : found.length);
  return {
    contents: contents.map(contentOf),
    nextAfterId: isCut ? (found.at(-1)?._id ?? null) : null,
    ...(afterId === undefined && { total: await countAll() }),
  };
}
