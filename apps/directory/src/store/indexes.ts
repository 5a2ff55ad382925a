import { OUTBOX_INDEX } from '@gatehouse/service';
import type { Db, IndexDescription } from 'mongodb';

/** Holds for live records alone, so that a name or an id is free again once its record is deleted. */
function unique(name: string, key: Record<string, 1>, live: Record<string, unknown>): IndexDescription {
  return { name, key, unique: true, partialFilterExpression: live };
}

const byName: IndexDescription = { name: 'byName', key: { organizationId: 1, nameFolded: 1, _id: 1 } };
const hasName = { name: { $exists: true } };
const hasId = { id: { $exists: true } };
const hasEmail = { emailFolded: { $exists: true } };

const INDEXES: Record<string, IndexDescription[]> = {
  organizations: [OUTBOX_INDEX],
  projects: [OUTBOX_INDEX, byName, unique('name', { organizationId: 1, name: 1 }, hasName)],
  tenants: [
    OUTBOX_INDEX,
    byName,
    unique('name', { organizationId: 1, name: 1 }, hasName),
    unique('id', { organizationId: 1, id: 1 }, hasId),
  ],
  orgUsers: [
    OUTBOX_INDEX,
    byName,
    unique('id', { organizationId: 1, id: 1 }, hasId),
    unique('email', { organizationId: 1, emailFolded: 1 }, hasEmail),
  ],
  tenantUsers: [
    OUTBOX_INDEX,
    byName,
    { name: 'byTenantAndName', key: { organizationId: 1, tenantKey: 1, nameFolded: 1, _id: 1 } },
    { name: 'byTenantIdAndName', key: { organizationId: 1, tenantId: 1, nameFolded: 1, _id: 1 } },
    { name: 'byTenantAndId', key: { organizationId: 1, tenantKey: 1, id: 1 } },
    unique('id', { organizationId: 1, id: 1 }, hasId),
    unique('email', { organizationId: 1, tenantKey: 1, emailFolded: 1 }, hasEmail),
  ],
  groups: [
    OUTBOX_INDEX,
    byName,
    { name: 'byCreation', key: { organizationId: 1, createdAt: 1, _id: 1 } },
    { name: 'byMemberCount', key: { organizationId: 1, memberCount: 1, _id: 1 } },
    { name: 'byMember', key: { organizationId: 1, 'members.userKey': 1, _id: 1 } },
    unique('name', { organizationId: 1, tenantKey: 1, name: 1 }, hasName),
  ],
  revocations: [OUTBOX_INDEX, { name: 'ended', key: { expiresAt: 1 } }],
  signingKeys: [OUTBOX_INDEX, unique('active', { isActive: 1 }, { isActive: true })],
  idempotency: [{ name: 'expired', key: { expiresAt: 1 } }],
};

/** The collections whose documents carry events. */
export const OUTBOXES = Object.keys(INDEXES).filter((name) => INDEXES[name]?.includes(OUTBOX_INDEX));

/** Makes every index that is missing. */
export async function createIndexes(database: Db): Promise<void> {
  const collections = Object.entries(INDEXES);
  await Promise.all(collections.map(([name, indexes]) => database.collection(name).createIndexes(indexes)));
}
