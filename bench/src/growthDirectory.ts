import { groupTerms, tenantTerms, userTerms } from '@gatehouse/directory/terms';
import type { Db, Document } from 'mongodb';

/** A list of the directory, with its filters and orders. */
interface DirectoryList {
  list: string;
  path: string;
  filters: Record<string, string>;
  orders: readonly string[];
  /** Whether a tenant user may read it. */
  isForTenants: boolean;
}

/** How many records have a rare property, whatever their number; and one of how many has a common one. */
export const RARE = 5;
export const COMMON = 5;
/** There are so many tenant users for each group, tenant and org user. */
const USERS_EACH = 10;
const BATCH = 2000;
const NAMES = ['olivia', 'liam', 'amelia', 'noah', 'sophia', 'mateo', 'lucas', 'mia', 'ezra', 'luna'];

const BY_TENANT = { 'tenantId, rare': 'tenantId=rare', 'tenantId, common': 'tenantId=acme' };
const BY_ACTIVITY = { 'active, rare': 'active=false', 'active, common': 'active=true' };
const ORDERS = ['name', 'created', 'members'].flatMap((sort) =>
  ['asc', 'desc'].map((order) => `sort=${sort}&order=${order}`),
);

export const DIRECTORY_LISTS: readonly DirectoryList[] = [
  {
    list: 'tenant users',
    path: '/tenant-users',
    filters: { none: '', ...BY_ACTIVITY, ...BY_TENANT },
    orders: [''],
    isForTenants: true,
  },
  {
    list: 'unified users',
    path: '/unified-users',
    filters: { none: '', 'type, common': 'type=tenant', ...BY_TENANT },
    orders: [''],
    isForTenants: true,
  },
  {
    list: 'org users',
    path: '/org-users',
    filters: { none: '', ...BY_ACTIVITY },
    orders: [''],
    isForTenants: false,
  },
  {
    list: 'groups',
    path: '/groups',
    filters: { none: '', 'type, common': 'type=TENANT_GROUP', ...BY_TENANT },
    orders: ORDERS,
    isForTenants: true,
  },
  { list: 'tenants', path: '/tenants', filters: { none: '' }, orders: [''], isForTenants: false },
];

/** A record with a rare, a common or another name, of a rare, a common or another tenant. */
function namedAs(kind: string, index: number, count: number) {
  const isRare = index % Math.floor(count / RARE) === 11;
  const isCommon = index % COMMON === 1;
  const word = isRare ? 'unheard' : isCommon ? 'fifthly' : 'monthly';
  const mixed = (index * 48_271) % 2_147_483_647;
  const name = `${NAMES[mixed % NAMES.length] ?? ''} ${word} ${index}`;
  const at = new Date(Date.UTC(2026, 0, 1) + mixed);
  const record = { _id: `${kind}:bench${index}`, id: `${kind}_bench${index}`, name, nameFolded: name };
  return {
    isRare,
    tenantId: isRare ? 'rare' : isCommon ? 'acme' : 'other',
    record: { ...record, version: 1, revision: 1, createdAt: at, updatedAt: at, outbox: [] },
  };
}

type Named = ReturnType<typeof namedAs>;

function userOf(organizationId: string, { record, isRare }: Named) {
  const email = `${record.name.replaceAll(' ', '.')}@bench.example`;
  const user = {
    ...record,
    idFolded: record.id.toLowerCase(),
    organizationId,
    email,
    emailFolded: email,
    searchTexts: [record.name, email],
    role: 'VIEWER',
    department: '',
    isActive: !isRare,
  };
  return { ...user, terms: userTerms(user) };
}

async function insertAll(
  database: Db,
  collection: string,
  { count, make }: { count: number; make: (index: number) => Document },
): Promise<void> {
  for (let start = 0; start < count; start += BATCH) {
    const size = Math.min(BATCH, count - start);
    const documents = Array.from({ length: size }, (_, offset) => make(start + offset));
    await database.collection(collection).insertMany(documents, { ordered: false });
  }
}

/** Inserts tenant users, and a tenth as many org users, groups and tenants. The tenant `acme` exists. */
export async function seedDirectory(database: Db, organizationId: string, users: number): Promise<void> {
  const acme = await database.collection<{ _id: string }>('tenants').findOne({ organizationId, id: 'acme' });
  const keyOf = (tenantId: string) => (tenantId === 'acme' && acme !== null ? acme._id : `t:${tenantId}`);
  const others = Math.floor(users / USERS_EACH);
  await insertAll(database, 'tenantUsers', {
    count: users,
    make(index) {
      const named = namedAs('u', index, users);
      const { tenantId } = named;
      return { ...userOf(organizationId, named), tenantId, tenantKey: keyOf(tenantId) };
    },
  });
  await insertAll(database, 'orgUsers', {
    count: others,
    make: (index) => userOf(organizationId, namedAs('ou', index, others)),
  });
  await insertAll(database, 'groups', {
    count: others,
    make(index) {
      const { record, tenantId } = namedAs('grp', index, others);
      const tenant = { type: 'TENANT_GROUP' as const, tenantId, tenantKey: keyOf(tenantId) };
      const { id: _, ...named } = { ...record, organizationId, ...tenant };
      const members = { memberCount: index % 50, members: [], description: '', createdBy: null };
      return { ...named, ...members, terms: groupTerms(named) };
    },
  });
  await insertAll(database, 'tenants', {
    count: others,
    make(index) {
      const { record } = namedAs('t', index, others);
      const tenant = { ...record, idFolded: record.id.toLowerCase(), organizationId, defaultOwner: null };
      return { ...tenant, terms: tenantTerms(tenant) };
    },
  });
}
