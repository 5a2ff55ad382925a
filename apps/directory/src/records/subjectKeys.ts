import { newKey, type Operation } from '@gatehouse/service';

/**
 * A new user key: the `sub` of the user's tokens, and the key that shares and ownership store. It is never
 * reused. It does not derive from the operation: one that is repeated after the deletion of what it created
 * would give the new user the tokens and the resources of the deleted one.
 */
export function newUserKey(): string {
  return `u:${newKey()}`;
}

/** A new tenant key. It is never reused, like that of a user. */
export function newTenantKey(): string {
  return `t:${newKey()}`;
}

/** What identifies the operation that creates a person or a tenant, if it may be repeated. */
export function creationOf(operation: Operation | undefined): { creation?: string } {
  return operation === undefined ? {} : { creation: newKey(operation, 'creation') };
}

/** The key of a group. Group ids are generated and never reused, so the key derives from the id. */
export function groupKeyOf(groupId: string): string {
  return `g:${groupId}`;
}
