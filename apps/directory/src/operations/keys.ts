import { newKey, type Operation } from '@gatehouse/service';

/** A new key of a person: the `sub` of its tokens, and what shares and ownership name. Never given twice. */
export function newUserKey(operation?: Operation): string {
  return `u:${newKey(operation, 'user')}`;
}

/** A new key of a tenant. */
export function newTenantKey(operation?: Operation): string {
  return `t:${newKey(operation, 'tenant')}`;
}

/** The key of a group. Its id is made here and never given twice, so the key follows from it. */
export function groupKeyOf(groupId: string): string {
  return `g:${groupId}`;
}
