import type { AccessLevel, UserRole } from '@gatehouse/contract';
import { Badge } from '@mantine/core';

const LEVEL_COLORS: Readonly<Record<AccessLevel, string>> = {
  VIEWER: 'gray',
  EDITOR: 'blue',
  CONTRIBUTOR: 'teal',
  OWNER: 'indigo',
};
/** The names of the access levels. */
export const LEVEL_NAMES: Readonly<Record<AccessLevel, string>> = {
  VIEWER: 'Viewer',
  EDITOR: 'Editor',
  CONTRIBUTOR: 'Contributor',
  OWNER: 'Owner',
};
const ROLE_COLORS: Readonly<Record<UserRole, string>> = {
  VIEWER: 'gray',
  POWER_USER: 'blue',
  AUTHOR: 'teal',
  ADMIN: 'indigo',
};
const ROLE_NAMES: Readonly<Record<UserRole, string>> = {
  VIEWER: 'Viewer',
  POWER_USER: 'Power user',
  AUTHOR: 'Author',
  ADMIN: 'Admin',
};

/** An access level on a dashboard or visual. */
export function LevelBadge({ level }: { level: AccessLevel | null }) {
  if (level === null) return <Badge color="gray">No access</Badge>;
  return <Badge color={LEVEL_COLORS[level]}>{LEVEL_NAMES[level]}</Badge>;
}

/** The role of a user, which is the ceiling of every grant. */
export function RoleBadge({ role }: { role: UserRole }) {
  return <Badge color={ROLE_COLORS[role]}>{ROLE_NAMES[role]}</Badge>;
}
