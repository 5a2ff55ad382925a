import type { GroupMember } from '@gatehouse/contract';
import type { Directory } from '../directory.js';
import type { Membership } from '../store/documents.js';
import { findPeopleByKey } from './people.js';

/** Memberships as records, with names and e-mails as they are now. Someone who was deleted a moment ago has only an id. */
export async function presentMembers(
  directory: Directory,
  organizationId: string,
  members: readonly Membership[],
): Promise<GroupMember[]> {
  const keys = [...new Set(members.map((member) => member.userKey))];
  const people = await findPeopleByKey(directory, organizationId, keys);
  return members.map(({ id, userId, userKey, userType, addedAt, addedBy }) => {
    const { name = userId, email = '' } = people.get(userKey) ?? {};
    return { id, userId, userType, name, email, addedAt: addedAt.toISOString(), addedBy };
  });
}
