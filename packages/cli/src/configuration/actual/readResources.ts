import { GatehouseError, type Client } from '@gatehouse/client';
import type { Dashboard, ShareList, ShareListEntry, Visual } from '@gatehouse/contract';
import { KINDS } from '../model/kinds.js';
import { compare } from '../model/keys.js';
import { nameOf, shareKey, type Reader, type ShareFields } from '../model/records.js';
import type { Collection, Found } from './collection.js';
import { readAll } from '../../readAll.js';
import { mapConcurrently, readPages } from './lists.js';
import { withMarkers } from './readSemantics.js';
import type { Session } from './session.js';

type ResourceKind = 'visual' | 'dashboard';

/** Requests as an ADMIN, who needs no access to what is listed. */
const OF_ANY = { scope: 'organization' } as const;
const LIST = { ...OF_ANY, sort: 'createdAt', order: 'asc', limit: 500 } as const;

const OPERATIONS = {
  visual: {
    list: (client: Client) => readAll(client, 'listVisuals', LIST),
    seen: (client: Client) => readAll(client, 'listVisuals', { limit: 500 }),
    get: async (client: Client, id: string): Promise<Visual & Partial<Dashboard>> =>
      (await client.getVisual({ id })).visual,
    shares: (client: Client, id: string) =>
      readPages((place) => client.listVisualShares({ id, ...OF_ANY, ...place })),
  },
  dashboard: {
    list: (client: Client) => readAll(client, 'listDashboards', LIST),
    seen: (client: Client) => readAll(client, 'listDashboards', { limit: 500 }),
    get: async (client: Client, id: string): Promise<Dashboard & Partial<Visual>> =>
      (await client.getDashboard({ id })).dashboard,
    shares: (client: Client, id: string) =>
      readPages((place) => client.listDashboardShares({ id, ...OF_ANY, ...place })),
  },
};

type Summary = Awaited<ReturnType<(typeof OPERATIONS)['visual']['list']>>[number];

/** A user as `as` takes it; null for a user who is deactivated or unknown. */
function readerOf(known: Collection, id: string): Reader | null {
  for (const kind of ['orgUser', 'tenantUser'] as const) {
    const user = known.ofKind(kind).find((record) => record.id === id);
    if (user) return user.fields['isActive'] === true ? readerIn(kind, id) : null;
  }
  return null;
}

export function readerIn(kind: 'orgUser' | 'tenantUser', id: string): Reader {
  return kind === 'orgUser' ? { orgUserId: id } : { endUserId: id };
}

/** Any user who sees a resource whose owner is deactivated, by the id of the resource. */
async function findOtherReaders(session: Session, known: Collection, kind: ResourceKind) {
  const users = [...known.ofKind('orgUser'), ...known.ofKind('tenantUser')];
  const readers = new Map<string, Reader>();
  for (const { id } of users) {
    const reader = readerOf(known, id);
    const seen = reader === null ? [] : await OPERATIONS[kind].seen(session.as(reader));
    for (const resource of seen) if (reader && !readers.has(resource.id)) readers.set(resource.id, reader);
  }
  return readers;
}

/** Whether an owner or the target of a share is deleted: it has no name then. */
const isDeleted = ({ name }: { name: string }) => name === '';

function shareOf(known: Collection, { scope, role, target, expiresAt }: ShareListEntry): ShareFields | null {
  const expiry = expiresAt === null ? {} : { expiresAt };
  if (target === null) return { scope, role, ...expiry };
  // A new user or tenant may have the id of a deleted one, and does not inherit its shares.
  if (isDeleted(target)) return null;
  const field = { specific_tenant_user: 'tenantUser', all_tenant_users: 'tenant', group: 'group' }[
    scope as 'group'
  ] as 'tenantUser' | 'tenant' | 'group' | undefined;
  const name = field ?? 'orgUser';
  const key = known.keyOf(name, target.id);
  return key === undefined ? null : { scope, [name]: key, role, ...expiry };
}

function sharesOf(known: Collection, pages: readonly ShareList[]): ShareFields[] {
  const entries = pages.flatMap(({ owner: _owner, ...lists }) =>
    Object.values(lists).flatMap((list) => (Array.isArray(list) ? list : [])),
  );
  const now = Date.now();
  return entries
    .filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > now)
    .flatMap((entry) => shareOf(known, entry) ?? [])
    .toSorted((a, b) => compare(shareKey(a), shareKey(b)));
}

/** A resource as the ADMIN lists it. */
interface Listed {
  summary: Summary;
  shares: readonly ShareList[];
}

interface Place extends Listed {
  kind: ResourceKind;
  reader: Reader | undefined;
}

async function readResource(session: Session, known: Collection, place: Place): Promise<Found> {
  const { kind, summary, shares, reader } = place;
  const client = reader === undefined ? session.client : session.as(reader);
  const record = await OPERATIONS[kind].get(client, summary.id);
  const { id, version, createdAt, title, description, isPrivate, tags, ownerId } = record;
  return {
    id,
    version,
    createdAt,
    reader,
    isCallersOwn: summary.accessLevel !== null && summary.permissions.canDelete,
    fields: {
      title,
      description,
      isPrivate,
      tags,
      owner: known.keyOf('person', ownerId) ?? ownerId,
      ...(kind === 'dashboard' && { isDataApp: record.isDataApp ?? false }),
      shares: sharesOf(known, shares),
      // Ids become markers when all records have their keys.
      [KINDS[kind].contents[0] ?? '']: (kind === 'dashboard' ? record.template : record.frameObject) ?? null,
    },
  };
}

const isGone = (error: unknown) => error instanceof GatehouseError && error.status === 404;

/** Null for a record that was deleted since it was listed. */
async function ifPresent<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch((error: unknown) => {
    if (isGone(error)) return null;
    throw error;
  });
}

/** As whom each resource is read: its owner, the caller, or another user who sees it. */
async function findPlaces(
  session: Session,
  known: Collection,
  { kind, listed }: { kind: ResourceKind; listed: readonly Listed[] },
): Promise<Place[]> {
  let others: Map<string, Reader> | null = null;
  const places: Place[] = [];
  for (const { summary, shares } of listed) {
    const { id, ownerId, accessLevel } = summary;
    let reader = session.canActAsOthers && ownerId !== session.callerId ? readerOf(known, ownerId) : null;
    if (reader === null && accessLevel === null && session.canActAsOthers) {
      others ??= await findOtherReaders(session, known, kind);
      reader = others.get(id) ?? null;
    }
    if (reader !== null || accessLevel !== null)
      places.push({ kind, summary, shares, reader: reader ?? undefined });
  }
  return places;
}

/** Lists the resources of a kind, each with its shares. */
async function listResources({ client }: Session, kind: ResourceKind): Promise<Listed[]> {
  const summaries = await OPERATIONS[kind].list(client);
  const listed = await mapConcurrently(summaries, async (summary) => {
    const shares = await ifPresent(OPERATIONS[kind].shares(client, summary.id));
    return shares && { summary, shares };
  });
  return listed.filter((resource) => resource !== null);
}

const hasOwner = ({ shares: [page] }: Listed) => page?.owner != null && !isDeleted(page.owner);

async function readKind(session: Session, known: Collection, kind: ResourceKind): Promise<void> {
  const listed = await listResources(session, kind);
  const places = await findPlaces(session, known, { kind, listed: listed.filter(hasOwner) });
  const found = await mapConcurrently(places, async (place) =>
    ifPresent(readResource(session, known, place)),
  );
  const hidden = listed.filter(({ summary: { id } }) => !places.some(({ summary }) => summary.id === id));
  for (const resource of hidden) {
    const { id, title } = resource.summary;
    const reason = hasOwner(resource) ? 'no active user may read it' : 'its owner is deleted';
    known.warnings.push(`${nameOf({ kind, key: title })} (${id}) is left out: ${reason}`);
  }
  known.add(kind, [
    ...found.filter((record) => record !== null),
    ...hidden.map(({ summary: { id, version, createdAt, title } }) => {
      return { id, version, createdAt, fields: { title }, isHidden: true };
    }),
  ]);
}

/** Reads visuals and dashboards, each as a user who may read it. */
export async function readResources(session: Session, known: Collection): Promise<void> {
  await readKind(session, known, 'visual');
  await readKind(session, known, 'dashboard');
  for (const kind of ['visual', 'dashboard'] as const)
    for (const record of known.ofKind(kind)) {
      if (record.isHidden === true) continue;
      const [name = ''] = KINDS[kind].contents;
      record.fields = { ...record.fields, [name]: withMarkers(known, record.fields[name]) };
    }
}
