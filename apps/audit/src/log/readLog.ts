import {
  AppError,
  AuditHead,
  invalidField,
  seesEveryDomain,
  type InputOf,
  type OutputOf,
  type Services,
} from '@gatehouse/contract';
import { CursorTime, decodeCursor, encodeCursor, type CallContext } from '@gatehouse/service';
import { z } from 'zod';
import { hasTypeFilter, selectTypes } from './logic/typeFilter.js';
import type { EntryFilter, TimePosition } from './store/entries.js';
import type { LogStores } from './store/openStores.js';

type Procedures = Services['audit']['procedures']['events'];
type ListInput = InputOf<Procedures['list']>;
type ExportInput = InputOf<Procedures['export']>;
type FilterInput = Omit<ExportInput, 'cursor'>;

/** The most entries that a page of an export scans, so that it ends in time when few match the filter. */
const EXPORT_WINDOW = 5000;
const EXPORT_PAGE = 500;

const Count = z.number().int().nonnegative();
const ListEnd = z.tuple([z.literal('log'), CursorTime, Count]);
const ExportEnd = z.tuple([Count, Count, Count, AuditHead.nullable()]);

/** The last entry of the previous page of a list. Throws INVALID_REQUEST for an invalid cursor. */
function decodeListCursor(cursor: string): TimePosition {
  const [, time, sequence] = decodeCursor(cursor, ListEnd);
  return { time, sequence };
}

/**
 * The progress of an export, and the fields that its first page fixed. Throws INVALID_REQUEST for an invalid
 * cursor.
 */
function decodeExportCursor(cursor: string) {
  const [after, upTo, total, head] = decodeCursor(cursor, ExportEnd);
  return { after, upTo, total, head };
}

/**
 * The organization whose log the caller may read. Throws FORBIDDEN unless the caller is an ADMIN with a
 * project token that hides no semantic domain: entries name every domain.
 */
function requireAdmin({ principal }: CallContext): string {
  if (principal.kind !== 'orgUser' || principal.tokenType !== 'project' || principal.role !== 'ADMIN')
    throw new AppError('FORBIDDEN', { message: 'This needs the ADMIN role and a project token' });
  if (!seesEveryDomain(principal))
    throw new AppError('FORBIDDEN', { message: 'This needs a token without limits on semantic domains' });
  return principal.organizationId;
}

/** The filter for the store; null when no entry can match. */
async function filterOf(
  { entries }: LogStores,
  organizationId: string,
  input: FilterInput,
): Promise<EntryFilter | null> {
  const { projectId, actorId, resourceId, requestId, tokenId } = input;
  const from = input.from === undefined ? undefined : new Date(input.from);
  const to = input.to === undefined ? undefined : new Date(input.to);
  if (from && to && from >= to) throw invalidField('to', 'must be later than from', 'range');
  const filter = { projectId, actorId, resourceId, requestId, tokenId, from, to };
  if (!hasTypeFilter(input)) return filter;
  const known = await entries.listTypes(organizationId);
  const types = selectTypes(known, input);
  if (types.length === 0) return null;
  return types.length === known.length ? filter : { ...filter, types };
}

export async function listAuditEvents(
  stores: LogStores,
  input: ListInput,
  context: CallContext,
): Promise<OutputOf<Procedures['list']>> {
  const organizationId = requireAdmin(context);
  const { order, limit, cursor } = input;
  const position: TimePosition | undefined = cursor === undefined ? undefined : decodeListCursor(cursor);
  const filter = await filterOf(stores, organizationId, input);
  if (filter === null) return { auditEvents: [], nextCursor: null };
  const { entries, hasMore } = await stores.entries.list(organizationId, filter, { order, limit, position });
  const last = entries.at(-1);
  const nextCursor = hasMore && last ? encodeCursor(['log', Date.parse(last.time), last.sequence]) : null;
  return { auditEvents: entries, nextCursor };
}

type ExportStart = Omit<OutputOf<Procedures['export']>, 'auditEvents' | 'nextCursor'> & { upTo: number };

/** The fields that are equal on all pages of an export, as of its first page. */
async function startExport(
  stores: LogStores,
  organizationId: string,
  input: { filter: EntryFilter | null; isWhole: boolean },
): Promise<ExportStart> {
  const head = await stores.heads.find(organizationId);
  const tip = await stores.entries.findTip(organizationId);
  const upTo = Math.max(head?.sequence ?? 0, tip?.sequence ?? 0);
  const total = input.filter === null ? 0 : await stores.entries.count(organizationId, input.filter, upTo);
  return { organizationId, isWhole: input.isWhole, head, total, upTo };
}

/** The page after `after`. It may be empty although more pages follow, when few entries match the filter. */
export async function exportAuditEvents(
  stores: LogStores,
  input: ExportInput,
  context: CallContext,
): Promise<OutputOf<Procedures['export']>> {
  const organizationId = requireAdmin(context);
  const { cursor, ...filterInput } = input;
  const filter = await filterOf(stores, organizationId, filterInput);
  const isWhole = Object.values(filterInput).every((value) => value === undefined);
  const { after, upTo, ...fixed } =
    cursor === undefined
      ? { after: 0, ...(await startExport(stores, organizationId, { filter, isWhole })) }
      : { ...decodeExportCursor(cursor), organizationId, isWhole };
  if (filter === null) return { ...fixed, auditEvents: [], nextCursor: null };
  const windowEnd = Math.min(after + EXPORT_WINDOW, upTo);
  const page = { after, upTo: windowEnd, limit: EXPORT_PAGE };
  const { entries, hasMore } = await stores.entries.listInOrder(organizationId, filter, page);
  const reached = hasMore ? (entries.at(-1)?.sequence ?? windowEnd) : windowEnd;
  const nextCursor = reached < upTo ? encodeCursor([reached, upTo, fixed.total, fixed.head]) : null;
  return { ...fixed, auditEvents: entries, nextCursor };
}
