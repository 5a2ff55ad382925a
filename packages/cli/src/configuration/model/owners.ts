import type { KindName } from './kinds.js';
import type { Fields } from './records.js';

/** The role in which a user may create and change what it owns. */
const CREATOR_ROLE = { orgUser: 'AUTHOR', tenantUser: 'POWER_USER' } as const;
const ROLE_ORDER = ['VIEWER', 'POWER_USER', 'AUTHOR', 'ADMIN'];

export type PersonKind = keyof typeof CREATOR_ROLE;

export function isPerson(kind: KindName): kind is PersonKind {
  return kind in CREATOR_ROLE;
}

/** The place of a role among all, from the lowest. */
export function rankOf(role: unknown): number {
  return ROLE_ORDER.indexOf(String(role));
}

/** Whether a user may create and change what it owns. */
export function mayCreate(kind: KindName, { role, isActive }: Fields): boolean {
  return isActive === true && isPerson(kind) && rankOf(role) >= rankOf(CREATOR_ROLE[kind]);
}

/** The role and the activity with which a user may create, from those that it has. */
export function raise(kind: PersonKind, { role }: Fields): Fields {
  return { role: mayCreate(kind, { role, isActive: true }) ? role : CREATOR_ROLE[kind], isActive: true };
}
