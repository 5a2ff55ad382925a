import { newKey, type Operation } from '@gatehouse/service';

/**
 * A new user key: the `sub` of the user's tokens, and the key that shares and ownership store. It is never
 * reused.
 */
export function newUserKey(operation?: Operation): string {
  return `u:${newKey(operation, 'user')}`;
}

/** A new tenant key. It is never reused. */
export function newTenantKey(operation?: Operation): string {
  return `t:${newKey(operation, 'tenant')}`;
}

/** The key of a group. Group ids are generated and never reused, so the key derives from the id. */
export function groupKeyOf(groupId: string): string {
  return `g:${groupId}`;
}
