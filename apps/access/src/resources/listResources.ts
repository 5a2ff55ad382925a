import { type AccessLevel, type ResourceListQuery } from '@gatehouse/contract';
import {
  decodeCursor,
  encodeCursor,
  invalidCursor,
  type CallContext,
  type Position,
} from '@gatehouse/service';
import { z } from 'zod';
import { findLevels, requireAdmin, requireUser, type UserRequester } from '../decisions/authorizeCaller.js';
import type { ResourceKind, SeenResource } from './kind.js';
import type { Page, Selection } from './store/lists.js';

/** One page of a list. */
export interface ResourcePage<Summary> {
  items: Summary[];
  nextCursor: string | null;
  total?: number;
  /** True if there are more than `total`. */
  totalIsLowerBound?: boolean;
}

interface SeenItem {
  resource: SeenResource;
  level: AccessLevel | null;
  /** Where the list found it. */
  position: Position | undefined;
}

/** The list that is read: its requester and selection, and whether it includes resources without access. */
interface ListScope {
  requester: UserRequester;
  selection: Selection;
  showsAll: boolean;
}

/** The number up to which a total is exact. */
const TOTAL_MAX = 10_000;

/** The largest number of resources that one read loads into memory. */
const READ_MAX = 1000;

const PageEnd = z.tuple([z.string(), z.string(), z.string(), z.union([z.string(), z.number()]), z.string()]);

/** The order of a list, and the kind of its resources. */
type Order = Pick<Page, 'sort' | 'order'> & Pick<ResourceKind, 'type'>;

function orderOf({ type }: ResourceKind, { sort, order }: ResourceListQuery): Order {
  return { type, sort, order: order ?? (sort === 'title' ? 'asc' : 'desc') };
}

function writePosition({ type, sort, order }: Order, { value, id }: Position): string {
  return encodeCursor([type, sort, order, value instanceof Date ? value.getTime() : value, id]);
}

function readValue(sort: Order['sort'], value: unknown): Position['value'] | null {
  if (sort === 'title') return typeof value === 'string' ? value : null;
  const time = new Date(Number.isInteger(value) ? Number(value) : NaN);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** Throws INVALID_REQUEST for an invalid cursor and for a cursor of a list with another order. */
function readPosition(list: Order, cursor: string): Position {
  const [type, sort, order, rawValue, id] = decodeCursor(cursor, PageEnd);
  const value = readValue(list.sort, rawValue);
  const isOfList = type === list.type && sort === list.sort && order === list.order;
  if (!isOfList || value === null) throw invalidCursor();
  return { value, id };
}

async function selectionOf(
  kind: ResourceKind,
  requester: UserRequester,
  query: ResourceListQuery,
): Promise<Selection> {
  const { search, isPrivate, createdBy, tag, tenantId, scope } = query;
  const fields = { search, isPrivate, createdBy, tag, tenantId };
  if (scope === 'organization') return { readers: null, alsoIds: [], ...fields };
  const { projectId, subjects } = requester;
  const alsoIds = kind.type === 'visual' ? await kind.links.findLinkedIds(projectId, subjects) : [];
  return { readers: subjects, alsoIds, ...fields };
}

/**
 * Returns at least the first `wanted` items after a position. Reads on while the found resources are hidden.
 */
async function collectItems(
  kind: ResourceKind,
  scope: ListScope,
  from: Pick<Page, 'sort' | 'order'> & { after: Position | null; wanted: number },
) {
  const { requester, selection, showsAll } = scope;
  const { sort, order, wanted } = from;
  const limit = Math.min(wanted, READ_MAX);
  const items: SeenItem[] = [];
  let { after } = from;
  for (;;) {
    const page = { sort, order, after, limit, subjects: requester.subjects };
    const { resources, positions, end } = await kind.store.findPage(requester.projectId, selection, page);
    const levels = await findLevels(kind, requester, resources);
    resources.forEach((resource, index) => {
      const level = levels[index] ?? null;
      const position = positions.get(resource._id);
      if (level !== null || showsAll) items.push({ resource, level, position });
    });
    if (items.length >= wanted || end === null) return items;
    after = end;
  }
}

async function hasUnsweptShares(
  { type, store, links }: ResourceKind,
  projectId: string,
  now: Date,
): Promise<boolean> {
  if (await store.hasExpired(projectId, now)) return true;
  return type === 'visual' && links.hasExpired(projectId, now);
}

/**
 * Counts the resources on all pages of the list, to one beyond `TOTAL_MAX`. The count of the indexes is exact
 * unless an expired share waits for the sweep. In that case each resource is decided.
 */
async function countItems(kind: ResourceKind, scope: ListScope): Promise<number> {
  const wanted = TOTAL_MAX + 1;
  const { requester, selection, showsAll } = scope;
  const { projectId, now } = requester;
  const isUnswept = !showsAll && (await hasUnsweptShares(kind, projectId, now));
  if (!isUnswept) return kind.store.countSelected(projectId, selection, wanted);
  const everything = { sort: 'updatedAt', order: 'desc', after: null, wanted } as const;
  return Math.min(wanted, (await collectItems(kind, scope, everything)).length);
}

/** The total of a list, exact up to `TOTAL_MAX`. */
async function readTotal(kind: ResourceKind, scope: ListScope) {
  const total = await countItems(kind, scope);
  return total > TOTAL_MAX ? { total: TOTAL_MAX, totalIsLowerBound: true } : { total };
}

/**
 * Lists the resources that the caller may see or, for an ADMIN on request, all resources of the project.
 * Throws FORBIDDEN for a caller without a role, and INVALID_REQUEST for a cursor of another list.
 */
export async function listResources<Summary>(
  kind: ResourceKind<Summary>,
  query: ResourceListQuery,
  context: CallContext,
): Promise<ResourcePage<Summary>> {
  const requester = requireUser(context);
  const showsAll = query.scope === 'organization';
  if (showsAll) requireAdmin(requester);
  const order = orderOf(kind, query);
  const after = query.cursor === undefined ? null : readPosition(order, query.cursor);
  const scope = { requester, selection: await selectionOf(kind, requester, query), showsAll };
  // One item more than requested: it exists only if there is another page.
  const items = await collectItems(kind, scope, { ...order, after, wanted: query.limit + 1 });
  const shown = items.slice(0, query.limit);
  const end = items.length > shown.length ? shown.at(-1)?.position : undefined;
  return {
    items: shown.map(({ resource, level }) => kind.toSummary(resource, level)),
    nextCursor: end === undefined ? null : writePosition(order, end),
    ...(query.includeTotal ? await readTotal(kind, scope) : {}),
  };
}
