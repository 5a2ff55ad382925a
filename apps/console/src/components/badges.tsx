import type { AccessLevel, UserRole } from '@gatehouse/contract';
import { Badge } from '@mantine/core';
import { LEVEL_NAMES, ROLE_NAMES } from '../logic/shares.js';

const LEVEL_COLORS: Readonly<Record<AccessLevel, string>> = {
  VIEWER: 'gray',
  EDITOR: 'blue',
  CONTRIBUTOR: 'teal',
  OWNER: 'indigo',
};
const ROLE_COLORS: Readonly<Record<UserRole, string>> = {
  VIEWER: 'gray',
  POWER_USER: 'blue',
  AUTHOR: 'teal',
  ADMIN: 'indigo',
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
