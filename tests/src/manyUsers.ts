import type { AccessLevel, ShareList } from '@gatehouse/contract';
import { newKey } from '@gatehouse/service';
import type { TestMongo } from '@gatehouse/testing';
import { succeeded, type Api, type Session } from './api.js';
import { createResource, pathOf, shareResource, type Kind } from './resourceKinds.js';
import { mapSideBySide } from './sideBySide.js';

const SHARES_AT_ONCE = 500;

/** Creates tenant users, and returns their ids. */
export async function createTenantUsers(api: Api, tenantId: string, count: number): Promise<string[]> {
  const users = Array.from({ length: count });
  return mapSideBySide(users, async () => (await api.createTenantUser(tenantId)).id);
}

/** Creates copies of a tenant user as it is stored: to create thousands over REST would take minutes. */
export async function copyTenantUser(
  { databases }: TestMongo,
  patternId: string,
  ids: readonly string[],
): Promise<void> {
  const users = databases.of('directory').collection<{ _id: string; id: string }>('tenantUsers');
  const pattern = await users.findOne({ id: patternId });
  const copies = ids.map((id) => {
    const email = `${id}@members.example`;
    const names = { name: id, nameFolded: id, email, emailFolded: email, searchTexts: [id, email] };
    return { ...pattern, _id: `u:${newKey()}`, id, idFolded: id, ...names, outbox: [] };
  });
  await users.insertMany(copies);
}

/** The target of a share with a tenant user. */
export const targetOf = (tenantUserId: string) => ({ scope: 'specific_tenant_user', tenantUserId });

/** Creates a resource that is shared with tenant users. */
export async function createShared(
  kind: Kind,
  owner: Session,
  userIds: readonly string[],
): Promise<{ id: string }> {
  const { id } = await createResource(kind, owner);
  for (let start = 0; start < userIds.length; start += SHARES_AT_ONCE) {
    const some = userIds.slice(start, start + SHARES_AT_ONCE);
    const shares = some.map((userId) => ({ ...targetOf(userId), role: 'VIEWER' }));
    await shareResource(kind, id, { by: owner, shares });
  }
  return { id };
}

/** Returns the role of each tenant user who has a share of a resource, by the id of the user. */
export async function readSharedWith(
  session: Session,
  kind: Kind,
  id: string,
): Promise<Map<string, AccessLevel>> {
  const roles = new Map<string, AccessLevel>();
  let cursor: string | undefined = '';
  while (cursor !== undefined) {
    const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const list: ShareList = succeeded(
      await session.get<ShareList>(pathOf(kind, id, `/shares?limit=500${from}`)),
    );
    for (const { target, role } of list.specificTenantUsers) if (target !== null) roles.set(target.id, role);
    cursor = list.nextCursor;
  }
  return roles;
}
