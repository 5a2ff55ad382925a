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

const LIST = { scope: 'organization', sort: 'createdAt', order: 'asc', limit: 500 } as const;

const OPERATIONS = {
  visual: {
    list: (client: Client) => readAll(client, 'listVisuals', LIST),
    seen: (client: Client) => readAll(client, 'listVisuals', { limit: 500 }),
    get: async (client: Client, id: string): Promise<Visual & Partial<Dashboard>> =>
      (await client.getVisual({ id })).visual,
    shares: (client: Client, id: string) => readPages((place) => client.listVisualShares({ id, ...place })),
  },
  dashboard: {
    list: (client: Client) => readAll(client, 'listDashboards', LIST),
    seen: (client: Client) => readAll(client, 'listDashboards', { limit: 500 }),
    get: async (client: Client, id: string): Promise<Dashboard & Partial<Visual>> =>
      (await client.getDashboard({ id })).dashboard,
    shares: (client: Client, id: string) =>
      readPages((place) => client.listDashboardShares({ id, ...place })),
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

function shareOf(known: Collection, { scope, role, target, expiresAt }: ShareListEntry): ShareFields | null {
  const expiry = expiresAt === null ? {} : { expiresAt };
  if (target === null) return { scope, role, ...expiry };
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

interface Place {
  kind: ResourceKind;
  summary: Summary;
  reader: Reader | undefined;
}

async function readResource(session: Session, known: Collection, place: Place): Promise<Found> {
  const { kind, summary, reader } = place;
  const client = reader === undefined ? session.client : session.as(reader);
  const operations = OPERATIONS[kind];
  const [record, pages] = await Promise.all([
    operations.get(client, summary.id),
    operations.shares(client, summary.id),
  ]);
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
      shares: sharesOf(known, pages),
      // Ids become markers when all records have their keys.
      [KINDS[kind].contents[0] ?? '']: (kind === 'dashboard' ? record.template : record.frameObject) ?? null,
    },
  };
}

const isGone = (error: unknown) => error instanceof GatehouseError && error.status === 404;

/** As whom each resource is read: its owner, the caller, or another user who sees it. */
async function findPlaces(
  session: Session,
  known: Collection,
  { kind, summaries }: { kind: ResourceKind; summaries: readonly Summary[] },
): Promise<Place[]> {
  let others: Map<string, Reader> | null = null;
  const places: Place[] = [];
  for (const summary of summaries) {
    const { id, ownerId, accessLevel } = summary;
    let reader = session.canActAsOthers && ownerId !== session.callerId ? readerOf(known, ownerId) : null;
    if (reader === null && accessLevel === null && session.canActAsOthers) {
      others ??= await findOtherReaders(session, known, kind);
      reader = others.get(id) ?? null;
    }
    if (reader !== null || accessLevel !== null) places.push({ kind, summary, reader: reader ?? undefined });
  }
  return places;
}

/** A tenant user does not see the shares with org users and with all tenants. */
function warnOfUnseenShares(known: Collection, places: readonly Place[]): void {
  for (const { kind, summary, reader } of places) {
    const isOfOrganization = known.ofKind('orgUser').some(({ id }) => id === summary.ownerId);
    if (!isOfOrganization || reader === undefined || !('endUserId' in reader)) continue;
    const name = `${nameOf({ kind, key: summary.title })} (${summary.id})`;
    known.warnings.push(
      `${name} is read without its shares with org users and with all tenants: ` +
        'its owner is deactivated, and no other org user may read it',
    );
  }
}

async function readKind(session: Session, known: Collection, kind: ResourceKind): Promise<void> {
  const summaries = await OPERATIONS[kind].list(session.client);
  const places = await findPlaces(session, known, { kind, summaries });
  const found = await mapConcurrently(places, async (place) =>
    readResource(session, known, place).catch((error: unknown) => {
      // Deleted since the list.
      if (isGone(error)) return null;
      throw error;
    }),
  );
  warnOfUnseenShares(known, places);
  const hidden = summaries.filter(({ id }) => !places.some(({ summary }) => summary.id === id));
  for (const { id, title } of hidden)
    known.warnings.push(`${nameOf({ kind, key: title })} (${id}) is left out: no active user may read it`);
  known.add(kind, [
    ...found.filter((record) => record !== null),
    ...hidden.map(({ id, version, createdAt, title }) => {
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
