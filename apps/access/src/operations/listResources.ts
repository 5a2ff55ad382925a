import type { AccessLevel, ResourceListQuery } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { positionOf, type Position } from '../store/listPosition.js';
import type { SeenResource } from '../store/resourceDocument.js';
import type { Page, Selection } from '../store/resourceLists.js';
import { findLevels } from './accessLevels.js';
import { requireAdmin, requirePerson, type Person } from './asker.js';
import { decodeCursor, encodeCursor, invalidCursor } from './pageCursor.js';
import type { ResourceKind } from './resourceKind.js';

/** One page of a list. */
export interface ResourcePage<Summary> {
  items: Summary[];
  nextCursor: string | null;
  total?: number;
}

interface SeenItem {
  resource: SeenResource;
  level: AccessLevel | null;
}

/** A list as it is walked through: what it is about, for whom, and whether it shows what the person has no access to. */
interface Walk {
  person: Person;
  selection: Selection;
  showsAll: boolean;
}

/** The most resources that one read brings into memory. */
const READ_MAX = 1000;

type Order = Pick<Page, 'sort' | 'order'>;

function orderOf({ sort, order }: ResourceListQuery): Order {
  return { sort, order: order ?? (sort === 'title' ? 'asc' : 'desc') };
}

function writePosition({ sort, order }: Order, { value, id }: Position): string {
  return encodeCursor([sort, order, value instanceof Date ? value.getTime() : value, id]);
}

function readValue(sort: Order['sort'], value: unknown): Position['value'] | null {
  if (sort === 'title') return typeof value === 'string' ? value : null;
  const time = new Date(Number.isInteger(value) ? Number(value) : NaN);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** Throws INVALID_REQUEST for a cursor that is none, or one of a list with another order. */
function readPosition(list: Order, cursor: string): Position {
  const [sort, order, rawValue, id] = decodeCursor(cursor);
  const value = readValue(list.sort, rawValue);
  if (sort !== list.sort || order !== list.order || value === null || typeof id !== 'string')
    throw invalidCursor();
  return { value, id };
}

async function selectionOf(kind: ResourceKind, person: Person, query: ResourceListQuery): Promise<Selection> {
  const { search, isPrivate, createdBy, tag, tenantId, scope } = query;
  const fields = { search, isPrivate, createdBy, tag, tenantId };
  if (scope === 'organization') return { readers: null, alsoIds: [], ...fields };
  const { projectId, subjects } = person;
  const alsoIds = kind.type === 'visual' ? await kind.links.findLinkedIds(projectId, subjects) : [];
  return { readers: subjects, alsoIds, ...fields };
}

/** At least the first `wanted` items from a position on. Goes on reading while what is found turns out to be hidden. */
async function collectItems(
  kind: ResourceKind,
  walk: Walk,
  from: Order & { after: Position | null; wanted: number },
) {
  const { person, selection, showsAll } = walk;
  const { sort, order, wanted } = from;
  const limit = Math.min(wanted, READ_MAX);
  const items: SeenItem[] = [];
  let { after } = from;
  for (;;) {
    const page = { sort, order, after, limit, subjects: person.subjects };
    const { resources, end } = await kind.store.findPage(person.projectId, selection, page);
    const levels = await findLevels(kind, person, resources);
    resources.forEach((resource, index) => {
      const level = levels[index] ?? null;
      if (level !== null || showsAll) items.push({ resource, level });
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
 * How many resources the list has in all pages. What the indexes say is exact unless a share has expired and waits for
 * the sweep: then each one is decided.
 */
async function countItems(kind: ResourceKind, walk: Walk): Promise<number> {
  const { person, selection, showsAll } = walk;
  const { projectId, now } = person;
  const isUnswept = !showsAll && (await hasUnsweptShares(kind, projectId, now));
  if (!isUnswept) return kind.store.countSelected(projectId, selection);
  const everything = { sort: 'updatedAt', order: 'desc', after: null, wanted: Infinity } as const;
  return (await collectItems(kind, walk, everything)).length;
}

/**
 * Lists the resources that the caller may see, or, for an ADMIN who asks for it, all of the project. Throws FORBIDDEN for
 * those without a role, and INVALID_REQUEST for a cursor that is none of this list.
 */
export async function listResources<Summary>(
  kind: ResourceKind<Summary>,
  query: ResourceListQuery,
  context: CallContext,
): Promise<ResourcePage<Summary>> {
  const person = requirePerson(context);
  const showsAll = query.scope === 'organization';
  if (showsAll) requireAdmin(person);
  const order = orderOf(query);
  const after = query.cursor === undefined ? null : readPosition(order, query.cursor);
  const walk = { person, selection: await selectionOf(kind, person, query), showsAll };
  // One more than asked for tells whether there is another page.
  const items = await collectItems(kind, walk, { ...order, after, wanted: query.limit + 1 });
  const shown = items.slice(0, query.limit);
  const last = items.length > shown.length ? shown.at(-1) : undefined;
  return {
    items: shown.map(({ resource, level }) => kind.toSummary(resource, level)),
    nextCursor: last === undefined ? null : writePosition(order, positionOf(last.resource, order.sort)),
    ...(query.includeTotal ? { total: await countItems(kind, walk) } : {}),
  };
}
