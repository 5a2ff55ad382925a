import type { Group } from '@gatehouse/contract';
import type { Session } from './session.js';
import type { Collection, Found } from './collection.js';
import { readAll } from '../../readAll.js';
import { mapConcurrently } from './lists.js';

const LIMIT = { limit: 1000 };
const GROUP_LIMIT = { limit: 100 };

async function readGroup({ client }: Session, known: Collection, group: Group): Promise<Found> {
  const { id, version, createdAt, name, type, tenantId, description, memberCount } = group;
  const members = memberCount === 0 ? [] : await readAll(client, 'listGroupMembers', { id, ...GROUP_LIMIT });
  const keys = members.flatMap(({ userId }) => known.keyOf('person', userId) ?? []);
  const tenant = known.keyOf('tenant', tenantId);
  return {
    id,
    version,
    createdAt,
    fields: {
      name,
      type,
      ...(tenant !== undefined && { tenant }),
      description,
      members: keys.toSorted(),
    },
  };
}

/** Reads tenants, people and groups. */
export async function readDirectory(session: Session, known: Collection): Promise<void> {
  const { client } = session;
  const [tenants, orgUsers, tenantUsers, groups] = await Promise.all([
    readAll(client, 'listTenants', LIMIT),
    readAll(client, 'listOrgUsers', LIMIT),
    readAll(client, 'listTenantUsers', LIMIT),
    readAll(client, 'listGroups', GROUP_LIMIT),
  ]);
  known.add(
    'tenant',
    tenants.map(({ id, version, createdAt, name }) => {
      return { id, version, createdAt, fields: { id, name, defaultOwner: null } };
    }),
  );
  known.add(
    'orgUser',
    orgUsers.map(({ id, version, createdAt, email, name, role, department, isActive }) => {
      return { id, version, createdAt, fields: { email, name, role, department, isActive } };
    }),
  );
  known.add(
    'tenantUser',
    tenantUsers.map(({ id, version, createdAt, tenantId, email, name, role, department, isActive }) => {
      const tenant = known.keyOf('tenant', tenantId) ?? tenantId;
      return { id, version, createdAt, fields: { id, tenant, email, name, role, department, isActive } };
    }),
  );
  // An owner is a user of the tenant, so that it has a key only now.
  for (const { id, defaultOwnerId } of tenants) {
    const record = known.ofKind('tenant').find((tenant) => tenant.id === id);
    const defaultOwner = known.keyOf('tenantUser', defaultOwnerId) ?? null;
    if (record) record.fields = { ...record.fields, defaultOwner };
  }
  known.add('group', await mapConcurrently(groups, async (group) => readGroup(session, known, group)));
}
