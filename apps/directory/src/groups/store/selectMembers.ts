import { CursorTime, decodeCursor } from '@gatehouse/service';
import type { Document } from 'mongodb';
import { z } from 'zod';
import type { Membership } from '../../records/documents.js';

/** Selects memberships of a group. */
export type MemberSelector =
  | { userKeys: readonly string[] }
  | { userIds: readonly string[] }
  | { memberOrUserId: string };

/** The condition on `$$this` that selects members in the document of the group. */
export function memberCondition(selector: MemberSelector): Document {
  if ('userKeys' in selector) return { $in: ['$$this.userKey', selector.userKeys] };
  if ('userIds' in selector) return { $in: ['$$this.userId', selector.userIds] };
  const { memberOrUserId } = selector;
  return { $or: [{ $eq: ['$$this.id', memberOrUserId] }, { $eq: ['$$this.userId', memberOrUserId] }] };
}

/** Finds the parts whose members meet a condition, by the index with this name. */
export interface PartLookup {
  condition: Document;
  hint: 'byMember' | 'byUserId' | 'byMembership';
}

/** Finds the parts with some users. */
export const partsWithUsers = (userKeys: readonly string[]): PartLookup => ({
  condition: { 'members.userKey': { $in: userKeys } },
  hint: 'byMember',
});

const partsWithUserIds = (userIds: readonly string[]): PartLookup => ({
  condition: { 'members.userId': { $in: userIds } },
  hint: 'byUserId',
});

/** How the parts with selected members are found, and which of their members are selected. */
export function partSelection(selector: MemberSelector): {
  lookups: PartLookup[];
  isSelected: (member: Membership) => boolean;
} {
  if ('userKeys' in selector) {
    const keys = new Set(selector.userKeys);
    return { lookups: [partsWithUsers(selector.userKeys)], isSelected: ({ userKey }) => keys.has(userKey) };
  }
  if ('userIds' in selector) {
    const ids = new Set(selector.userIds);
    return { lookups: [partsWithUserIds(selector.userIds)], isSelected: ({ userId }) => ids.has(userId) };
  }
  const { memberOrUserId: named } = selector;
  return {
    lookups: [{ condition: { 'members.id': named }, hint: 'byMembership' }, partsWithUserIds([named])],
    isSelected: ({ id, userId }) => id === named || userId === named,
  };
}

/** A place among the members of a group. */
export type MemberPlace = Pick<Membership, 'addedAt' | 'id'>;

/** Reads a cursor. Throws INVALID_REQUEST, naming `cursor`, for one of another list. */
export function placeAt(groupId: string, cursor: string): MemberPlace {
  const parts = z.tuple([z.literal('members'), z.literal(groupId), CursorTime, z.string()]);
  const [, , addedAt, id] = decodeCursor(cursor, parts);
  return { addedAt, id };
}

/** Returns true if a member comes after a place. */
export const isBehind = ({ addedAt, id }: MemberPlace, after: MemberPlace): boolean =>
  addedAt.getTime() > after.addedAt.getTime() ||
  (addedAt.getTime() === after.addedAt.getTime() && id > after.id);

/** The members in the document of a group after a place. */
export function membersAfter({ addedAt, id }: MemberPlace): Document {
  const isLater = { $gt: ['$$this.addedAt', addedAt] };
  const isBeside = { $and: [{ $eq: ['$$this.addedAt', addedAt] }, { $gt: ['$$this.id', { $literal: id }] }] };
  return { $filter: { input: '$members', cond: { $or: [isLater, isBeside] } } };
}
