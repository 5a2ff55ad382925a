import type { UserRole } from '@gatehouse/contract';

/** What can be started from anywhere; each is an address. */
export const actions: readonly { title: string; to: string; role: UserRole; words?: string }[] = [
  { title: 'Create a dashboard', to: '/dashboards/new', role: 'POWER_USER', words: 'new add' },
];
