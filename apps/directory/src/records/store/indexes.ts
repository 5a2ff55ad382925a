import { areDuplicateKeys, OUTBOX_INDEX, TERMS, type ShardKey } from '@gatehouse/service';
import type { AnyBulkWriteOperation, Collection, Db, IndexDescription } from 'mongodb';

/** A unique index over live records only: deleting a record frees its name and id. */
function unique(name: string, key: Record<string, 1>, live: Record<string, unknown>): IndexDescription {
  return { name, key, unique: true, partialFilterExpression: live };
}

const byName: IndexDescription = { name: 'byName', key: { organizationId: 1, nameFolded: 1, _id: 1 } };
const hasName = { name: { $exists: true } };
const hasId = { id: { $exists: true } };
const hasFoldedId = { idFolded: { $exists: true } };
/**
 * The ids of an organization differ in more than case, because a database may compare them without regard to
 * case.
 */
const foldedId = unique('idFolded', { organizationId: 1, idFolded: 1 }, hasFoldedId);
const hasEmail = { emailFolded: { $exists: true } };

/** Sessions that began at a provider. */
const atProvider = { partialFilterExpression: { 'provider.issuer': { $exists: true } } };

const INDEXES: Record<string, IndexDescription[]> = {
  organizations: [OUTBOX_INDEX],
  projects: [OUTBOX_INDEX, byName, unique('name', { organizationId: 1, name: 1 }, hasName)],
  tenants: [
    OUTBOX_INDEX,
    TERMS,
    byName,
    unique('name', { organizationId: 1, name: 1 }, hasName),
    unique('id', { organizationId: 1, id: 1 }, hasId),
    foldedId,
  ],
  orgUsers: [
    OUTBOX_INDEX,
    TERMS,
    byName,
    unique('id', { organizationId: 1, id: 1 }, hasId),
    foldedId,
    unique('email', { organizationId: 1, emailFolded: 1 }, hasEmail),
  ],
  tenantUsers: [
    OUTBOX_INDEX,
    TERMS,
    byName,
    { name: 'byTenantAndName', key: { organizationId: 1, tenantKey: 1, nameFolded: 1, _id: 1 } },
    { name: 'byTenantIdAndName', key: { organizationId: 1, tenantId: 1, nameFolded: 1, _id: 1 } },
    { name: 'byTenantAndId', key: { organizationId: 1, tenantKey: 1, id: 1 } },
    // With the name, which tombstones lack, so that a range of keys is counted without reading the users.
    { name: 'byKey', key: { organizationId: 1, _id: 1, nameFolded: 1 } },
    { name: 'byTenantIdAndKey', key: { organizationId: 1, tenantId: 1, _id: 1, nameFolded: 1 } },
    unique('id', { organizationId: 1, id: 1 }, hasId),
    foldedId,
    unique('email', { organizationId: 1, tenantKey: 1, emailFolded: 1 }, hasEmail),
  ],
  groups: [
    OUTBOX_INDEX,
    TERMS,
    byName,
    { name: 'byCreation', key: { organizationId: 1, createdAt: 1, _id: 1 } },
    { name: 'byMemberCount', key: { organizationId: 1, memberCount: 1, _id: 1 } },
    { name: 'byMember', key: { organizationId: 1, 'members.userKey': 1, _id: 1 } },
    unique('name', { organizationId: 1, tenantKey: 1, name: 1 }, hasName),
  ],
  groupMemberParts: [
    { name: 'byMember', key: { organizationId: 1, 'members.userKey': 1, groupId: 1, _id: 1 } },
    { name: 'byUserId', key: { organizationId: 1, 'members.userId': 1, groupId: 1 } },
    { name: 'byMembership', key: { organizationId: 1, 'members.id': 1, groupId: 1 } },
    { name: 'byGroup', key: { organizationId: 1, groupId: 1 } },
    { name: 'pending', key: { pendingAt: 1 }, sparse: true },
  ],
  revocations: [OUTBOX_INDEX, { name: 'ended', key: { expiresAt: 1 } }],
  signInCodes: [OUTBOX_INDEX, { name: 'ended', key: { expiresAt: 1 } }],
  sessions: [
    OUTBOX_INDEX,
    unique('id', { organizationId: 1, id: 1 }, hasId),
    { name: 'byUser', key: { organizationId: 1, userKey: 1, createdAt: 1 } },
    { name: 'byTenant', key: { organizationId: 1, tenantKey: 1, createdAt: 1 } },
    { name: 'byCreation', key: { organizationId: 1, createdAt: 1, _id: 1 } },
    { name: 'expired', key: { idleUntil: 1 } },
    { name: 'bySubject', key: { 'provider.issuer': 1, 'provider.subject': 1 }, ...atProvider },
    { name: 'byProviderSession', key: { 'provider.issuer': 1, 'provider.session': 1 }, ...atProvider },
  ],
  identities: [
    OUTBOX_INDEX,
    unique('userKey', { organizationId: 1, issuer: 1, userKey: 1 }, { userKey: { $exists: true } }),
  ],
  logoutTokens: [{ name: 'expired', key: { expiresAt: 1 } }],
  failedSignIns: [OUTBOX_INDEX],
  signingKeys: [OUTBOX_INDEX, unique('active', { isActive: 1 }, { isActive: true })],
  idempotency: [
    { name: 'expired', key: { expiresAt: 1 } },
    // `usage` is the name by which the usage is counted.
    {
      name: 'usage',
      key: { holder: 1, tenantId: 1, quotaBytes: 1 },
      partialFilterExpression: { holder: { $exists: true } },
    },
  ],
};

/** Unique indexes begin with the organization, so that one shard has all of its documents. */
const byOrganization: ShardKey = { organizationId: 1 };
const byOrganizationAndId: ShardKey = { organizationId: 1, _id: 1 };
const byId: ShardKey = { _id: 'hashed' };

export const SHARD_KEYS: Readonly<Record<string, ShardKey | null>> = {
  organizations: byId,
  // One document.
  bootstrap: null,
  projects: byOrganization,
  tenants: byOrganization,
  orgUsers: byOrganization,
  tenantUsers: byOrganization,
  // One document for each organization.
  tenantUserMarks: byId,
  groups: byOrganization,
  groupMemberParts: byOrganization,
  revocations: byOrganizationAndId,
  // A code is looked up before its organization is known.
  signInCodes: byId,
  sessions: byOrganization,
  identities: byOrganization,
  logoutTokens: byId,
  failedSignIns: byOrganizationAndId,
  // A few documents, of which exactly one is active.
  signingKeys: null,
  idempotency: byId,
};

/** The collections whose documents contain events. */
export const OUTBOXES = Object.keys(INDEXES).filter((name) => INDEXES[name]?.includes(OUTBOX_INDEX));

/** Creates every missing index, and folds the ids of records that predate the folded-id index. */
export async function createIndexes(database: Db): Promise<void> {
  const collections = Object.entries(INDEXES);
  await Promise.all(
    collections.map(async ([name, indexes]) => {
      const collection = database.collection(name);
      await collection.createIndexes(indexes);
      if (indexes.includes(foldedId)) await foldIds(collection);
    }),
  );
}

const FOLD_BATCH = 1000;

/**
 * Folds the ids of records that lack a folded id. When two ids differ only in case, one of them stays
 * unfolded: both records stay readable, and no third can be added.
 */
async function foldIds(collection: Collection): Promise<void> {
  const unfolded = collection.find(
    { id: { $exists: true }, idFolded: { $exists: false } },
    { projection: { id: 1, organizationId: 1 } },
  );
  let writes: AnyBulkWriteOperation[] = [];
  const write = async (): Promise<void> => {
    if (writes.length === 0) return;
    await collection.bulkWrite(writes, { ordered: false }).catch((error: unknown) => {
      if (!areDuplicateKeys(error)) throw error;
    });
    writes = [];
  };
  for await (const { _id, id, organizationId } of unfolded) {
    const update = { $set: { idFolded: String(id).toLowerCase() } };
    // The id in the filter skips a record that was deleted meanwhile: a tombstone has no id.
    const filter = { _id, id: id as unknown, organizationId: organizationId as unknown };
    writes.push({ updateOne: { filter, update } });
    if (writes.length === FOLD_BATCH) await write();
  }
  await write();
}
