import { newKey } from '@gatehouse/service';

/** A new key of a person: the `sub` of its tokens, and what shares and ownership name. Never given twice. */
export function newUserKey(): string {
  return `u:${newKey()}`;
}

/** A new key of a tenant. */
export function newTenantKey(): string {
  return `t:${newKey()}`;
}

/** The key of a group. Its id is made here and never given twice, so the key follows from it. */
export function groupKeyOf(groupId: string): string {
  return `g:${groupId}`;
}
