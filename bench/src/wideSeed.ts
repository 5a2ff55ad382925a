import { createHash } from 'node:crypto';
import { PACKED_MAX } from '@gatehouse/access/packedShares';
import { termFieldsOf } from '@gatehouse/access/lists';
import type { Collection, Db, Document } from 'mongodb';
import { caller, issueToken, type Call } from './seed.js';
import type { Credentials } from './servers.js';

type Stored = Document & { _id: string };
type Named = Record<string, { id: string }>;

/** The sizes of the wide subjects. */
export interface WideSizes {
  groupsOfUser: number;
  membersOfGroup: number;
  sharesOfDashboard: number;
  usersOfTenant: number;
  usersOfOrganization: number;
}

/** The ids of a filled installation. */
export interface Wide {
  adminToken: string;
  /** The user in many groups, a member of the large group, and a user of the large tenant. */
  tokens: { grouped: string; crowd: string; tenant: string; shared: string };
  /** The ids of these users. */
  users: { grouped: string; crowd: string; tenant: string; shared: string };
  /** A group of the user in many groups, and the large group. */
  groups: { own: string; crowd: string };
  tenantId: string;
  /** Many ordinary dashboards. */
  dashboards: string[];
  /** Dashboards with very many shares. */
  wideDashboards: string[];
  /** Users that a wide dashboard is shared with, and users that none is. */
  sharedIds: string[];
  freshIds: string[];
}

const API = '/api/management/v1';
const BATCH = 5000;
const DASHBOARDS = 5000;
const WIDE_DASHBOARDS = 20;
const TENANTS = 10;
/** The members in the document of a very large group, and in each part of the others. */
const DOCUMENT_MEMBERS = 10_000;
const PART_MEMBERS = 250;

async function insertAll(
  collection: Collection<Stored>,
  count: number,
  make: (index: number) => Stored,
): Promise<void> {
  for (let start = 0; start < count; start += BATCH) {
    const size = Math.min(BATCH, count - start);
    const batch = Array.from({ length: size }, (_, offset) => make(start + offset));
    await collection.insertMany(batch, { ordered: false, writeConcern: { w: 1, journal: false } });
  }
}

/** Waits until a record that the program wrote has no unpublished events, and returns it. */
async function readPattern(database: Db, name: string, filter: Document): Promise<Stored> {
  for (;;) {
    const found = await database.collection<Stored>(name).findOne(filter);
    if (found !== null && (found['outbox'] as unknown[]).length === 0) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const userId = (index: number) => `wide${String(index).padStart(8, '0')}`;
/** As random as the keys that the program makes: it counts users by ranges of them. */
function userKey(index: number): string {
  return `u:${createHash('sha256').update(String(index)).digest().subarray(0, 12).toString('base64url')}`;
}

/** Copies a tenant user: the first part of the users is in the large tenant, the others in nine more. */
async function insertUsers(
  call: Call,
  database: Db,
  sizes: WideSizes,
): Promise<{ id: string; key: string }[]> {
  const tenants: { id: string; key: string }[] = [];
  for (let index = 0; index < TENANTS; index += 1) {
    const id = `tenant${index}`;
    await call('POST', `${API}/tenants`, { id, name: `Tenant ${index}` });
    tenants.push({ id, key: (await readPattern(database, 'tenants', { id }))._id });
  }
  await call('POST', `${API}/tenant-users`, { id: 'pattern', tenantId: 'tenant0', email: 'p@wide.example' });
  const pattern = await readPattern(database, 'tenantUsers', { id: 'pattern' });
  await insertAll(database.collection('tenantUsers'), sizes.usersOfOrganization, (index) => {
    const id = userId(index);
    const tenant = tenants[index < sizes.usersOfTenant ? 0 : 1 + (index % (TENANTS - 1))];
    const name = `User ${id}`;
    const email = `${id}@wide.example`;
    return {
      ...pattern,
      _id: userKey(index),
      id,
      idFolded: id,
      name,
      nameFolded: name.toLowerCase(),
      email,
      emailFolded: email,
      searchTexts: [name.toLowerCase(), email],
      tenantId: tenant?.id,
      tenantKey: tenant?.key,
    };
  });
  return tenants;
}

/** Copies a group: very many with one user, and one with very many users. */
async function insertGroups(call: Call, database: Db, sizes: WideSizes): Promise<Wide['groups']> {
  const created = (await call('POST', `${API}/groups`, {
    name: 'Own',
    type: 'ORG_GROUP',
  })) as unknown as Named;
  const own = created['group']?.id ?? '';
  await call('POST', `${API}/groups/${own}/members`, { userIds: [userId(0)] });
  const pattern = await readPattern(database, 'groups', { _id: own });
  const [member] = pattern['members'] as Document[];
  await insertAll(database.collection('groups'), sizes.groupsOfUser - 1, (index) => {
    const name = `Group ${index}`;
    const members = [{ ...member, id: `gm_wide${index}` }];
    return { ...pattern, _id: `grp_wide${index}`, name, nameFolded: name.toLowerCase(), members };
  });
  const crowd = 'grp_crowd';
  const members = Array.from({ length: sizes.membersOfGroup }, (_, index) => {
    // Not the users that a wide dashboard is shared with.
    const at = firstOfCrowd(sizes) + index;
    const id = `gm_crowd${String(at).padStart(8, '0')}`;
    return { ...member, id, userId: userId(at), userKey: userKey(at) };
  });
  const older = members.splice(0, members.length - Math.min(members.length, DOCUMENT_MEMBERS));
  const parts = Array.from({ length: Math.ceil(older.length / PART_MEMBERS) }, (_, index) => {
    const some = older.slice(index * PART_MEMBERS, (index + 1) * PART_MEMBERS);
    return { _id: `part${index}`, organizationId: pattern['organizationId'], groupId: crowd, members: some };
  });
  const { addedAt: last } = member ?? {};
  const listed = parts.map((part) => ({ id: part._id, count: part.members.length, last }));
  const names = { name: 'Crowd', nameFolded: 'crowd' };
  const memberCount = sizes.membersOfGroup;
  await insertAll(database.collection('groups'), 1, () => {
    return { ...pattern, _id: crowd, ...names, members, parts: listed, memberCount };
  });
  await insertAll(database.collection('groupMemberParts'), parts.length, (index) => parts[index] as Stored);
  return { own, crowd };
}

/** Users from this one on are in the large group. */
const firstOfCrowd = ({ sharesOfDashboard }: WideSizes) => sharesOfDashboard + 10;

const SUBJECTS_OF_DASHBOARDS = ['own', 'crowd', 'tenant', 'everyone'] as const;

interface DashboardPattern {
  dashboard: Stored;
  share: Document;
  /** The readers that the dashboard has because of its owner. */
  owners: string[];
}

/** Creates a dashboard with one share, removes it, and returns it as it was stored. */
async function takeDashboard(call: Call, database: Db): Promise<DashboardPattern> {
  const created = (await call('POST', `${API}/dashboards`, { title: 'Pattern' })) as unknown as Named;
  const _id = created['dashboard']?.id ?? '';
  const shares = [{ scope: 'specific_tenant_user', role: 'VIEWER', tenantUserId: userId(1) }];
  await call('POST', `${API}/dashboards/${_id}/share`, { shares });
  const dashboard = await readPattern(database, 'dashboards', { _id });
  await database.collection<Stored>('dashboards').deleteOne({ _id });
  const [share = {}] = dashboard['shares'] as Document[];
  const owners = (dashboard['readers'] as string[]).filter((reader) => reader !== share['subject']);
  return { dashboard, share, owners };
}

/** A copy of the dashboard with other shares. */
function copyDashboard({ dashboard, owners }: DashboardPattern, index: number, shares: Document[]): Stored {
  const title = `Dashboard ${index}`;
  const at = new Date(Date.UTC(2026, 0, 1) + index * 1000);
  const readers = [...owners, ...shares.map(({ subject }) => String(subject))];
  const lines = shares.map(({ subject, scope, role, id }) => [subject, scope, role, '-', id].join(' '));
  const { packedShares: _, ...rest } = dashboard;
  // Very many shares are stored as a former release did. The next change moves them to parts.
  const packed = shares.length > PACKED_MAX ? {} : { packedShares: lines.join('\n') };
  const texts = { title, titleFolded: title.toLowerCase(), searchText: `${title.toLowerCase()}\0` };
  const copy = { ...rest, ...texts, createdAt: at, updatedAt: at, shares, readers, ...packed };
  return { ...copy, ...termFieldsOf(copy as unknown as Parameters<typeof termFieldsOf>[0]) };
}

/** The targets of the shares of ordinary dashboards. */
function targetsOf(groups: Wide['groups'], tenantKey: string): Document[] {
  const toGroup = (id: string) => ({ scope: 'group', subject: `g:${id}`, targetId: id, tenantKey: null });
  const targets = {
    own: toGroup(groups.own),
    crowd: toGroup(groups.crowd),
    tenant: { scope: 'all_tenant_users', subject: tenantKey, targetId: 'tenant0', tenantKey },
    everyone: {
      scope: 'all_tenants_only',
      subject: 'audience:all_tenants_only',
      targetId: null,
      tenantKey: null,
    },
  };
  return SUBJECTS_OF_DASHBOARDS.map((kind) => targets[kind]);
}

/** Copies a dashboard: ordinary ones with one share each, and wide ones. */
async function insertDashboards(
  call: Call,
  database: Db,
  { sizes, groups, tenantKey }: { sizes: WideSizes; groups: Wide['groups']; tenantKey: string },
): Promise<Pick<Wide, 'dashboards' | 'wideDashboards'>> {
  const pattern = await takeDashboard(call, database);
  const targets = targetsOf(groups, tenantKey);
  const dashboards = Array.from(
    { length: DASHBOARDS },
    (_, index) => `d_wide${String(index).padStart(6, '0')}`,
  );
  await insertAll(database.collection('dashboards'), DASHBOARDS, (index) => {
    const share = { ...pattern.share, id: `sh_wide${index}`, ...targets[index % targets.length] };
    return { ...copyDashboard(pattern, index, [share]), _id: dashboards[index] ?? '' };
  });
  const wideDashboards = Array.from({ length: WIDE_DASHBOARDS }, (_, index) => `d_shares${index}`);
  for (const [index, _id] of wideDashboards.entries()) {
    const shares = Array.from({ length: sizes.sharesOfDashboard }, (_, at) => {
      return {
        ...pattern.share,
        id: `sh_${index}_${at}`,
        subject: userKey(at + 1),
        targetId: userId(at + 1),
      };
    });
    await insertAll(database.collection('dashboards'), 1, () => {
      return { ...copyDashboard(pattern, DASHBOARDS + index, shares), _id };
    });
    const changed = [{ scope: 'specific_tenant_user', role: 'EDITOR', tenantUserId: userId(1) }];
    await call('POST', `${API}/dashboards/${_id}/share`, { shares: changed });
  }
  return { dashboards, wideDashboards };
}

/** Fills a fresh installation with wide subjects. */
export async function seedWide(
  credentials: Credentials,
  databaseOf: (service: string) => Db,
  sizes: WideSizes,
): Promise<Wide> {
  const adminToken = await issueToken(credentials, { orgUserId: credentials.adminOrgUserId });
  const call = caller(credentials.baseUrl, adminToken);
  const [tenant] = await insertUsers(call, databaseOf('directory'), sizes);
  const groups = await insertGroups(call, databaseOf('directory'), sizes);
  const ids = await insertDashboards(call, databaseOf('access'), {
    sizes,
    groups,
    tenantKey: tenant?.key ?? '',
  });
  const users = {
    grouped: userId(0),
    shared: userId(1),
    crowd: userId(firstOfCrowd(sizes)),
    tenant: userId(sizes.usersOfTenant - 1),
  };
  const tokenOf = (endUserId: string) => issueToken(credentials, { endUserId });
  return {
    adminToken,
    users,
    tokens: {
      grouped: await tokenOf(users.grouped),
      shared: await tokenOf(users.shared),
      crowd: await tokenOf(users.crowd),
      tenant: await tokenOf(users.tenant),
    },
    groups,
    tenantId: tenant?.id ?? '',
    ...ids,
    sharedIds: Array.from({ length: sizes.sharesOfDashboard }, (_, at) => userId(at + 1)),
    freshIds: Array.from({ length: 5000 }, (_, at) =>
      userId(firstOfCrowd(sizes) + sizes.membersOfGroup + at),
    ),
  };
}
