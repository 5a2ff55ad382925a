import { AppError, invalidField, type InputOf, type OutputOf, type Services } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { needsTypes, selectTypes } from '../logic/entriesTypes.js';
import type { EntryFilter, TimePosition } from '../store/entries.js';
import type { LogStores } from '../store/entriesStores.js';
import { decodeExportCursor, decodeListCursor, encodeCursor } from './auditEventsCursor.js';

type Procedures = Services['audit']['procedures']['events'];
type ListInput = InputOf<Procedures['list']>;
type ExportInput = InputOf<Procedures['export']>;
type FilterInput = Omit<ExportInput, 'cursor'>;

/** A page of an export looks at so many entries at most, so that it ends in time however few meet the filter. */
const EXPORT_WINDOW = 5000;
const EXPORT_PAGE = 500;

/** The organization whose log the caller may read. Throws FORBIDDEN unless it is an ADMIN with a project token. */
function requireAdmin({ principal }: CallContext): string {
  if (principal.kind === 'orgUser' && principal.tokenType === 'project' && principal.role === 'ADMIN')
    return principal.organizationId;
  throw new AppError('FORBIDDEN', { message: 'This needs the ADMIN role and a project token' });
}

/** The filter as the store takes it; null when no entry can meet it. */
async function filterOf(
  { entries }: LogStores,
  organizationId: string,
  input: FilterInput,
): Promise<EntryFilter | null> {
  const { projectId, actorId, resourceId, requestId, tokenId } = input;
  const from = input.from === undefined ? undefined : new Date(input.from);
  const to = input.to === undefined ? undefined : new Date(input.to);
  if (from && to && from >= to) throw invalidField('to', 'must be later than from');
  const filter = { projectId, actorId, resourceId, requestId, tokenId, from, to };
  if (!needsTypes(input)) return filter;
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
  const nextCursor = hasMore && last ? encodeCursor([Date.parse(last.time), last.sequence]) : null;
  return { auditEvents: entries, nextCursor };
}

type ExportStart = Omit<OutputOf<Procedures['export']>, 'auditEvents' | 'nextCursor'> & { upTo: number };

/** What all pages of an export say, as it is when the first is asked for. */
async function beginExport(
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

/** The page after `after`: it may be empty although there are more, where few of many entries meet the filter. */
export async function exportAuditEvents(
  stores: LogStores,
  input: ExportInput,
  context: CallContext,
): Promise<OutputOf<Procedures['export']>> {
  const organizationId = requireAdmin(context);
  const { cursor, ...asked } = input;
  const filter = await filterOf(stores, organizationId, asked);
  const isWhole = Object.values(asked).every((value) => value === undefined);
  const { after, upTo, ...said } =
    cursor === undefined
      ? { after: 0, ...(await beginExport(stores, organizationId, { filter, isWhole })) }
      : { ...decodeExportCursor(cursor), organizationId, isWhole };
  if (filter === null) return { ...said, auditEvents: [], nextCursor: null };
  const windowEnd = Math.min(after + EXPORT_WINDOW, upTo);
  const page = { after, upTo: windowEnd, limit: EXPORT_PAGE };
  const { entries, hasMore } = await stores.entries.listInOrder(organizationId, filter, page);
  const reached = hasMore ? (entries.at(-1)?.sequence ?? windowEnd) : windowEnd;
  const nextCursor = reached < upTo ? encodeCursor([reached, upTo, said.total, said.head]) : null;
  return { ...said, auditEvents: entries, nextCursor };
}
