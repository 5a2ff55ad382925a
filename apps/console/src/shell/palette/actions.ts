import type { UserRole } from '@gatehouse/contract';

/** What can be started from anywhere; each is an address. */
export const actions: readonly { title: string; to: string; role: UserRole; words?: string }[] = [
  { title: 'Create a dashboard', to: '/dashboards/new', role: 'POWER_USER', words: 'new add' },
  { title: 'Validate all dashboards', to: '/validation', role: 'VIEWER', words: 'check issues' },
  { title: 'Explore access', to: '/access', role: 'VIEWER', words: 'who permissions explain' },
  { title: 'Create a webhook', to: '/webhooks/new', role: 'ADMIN', words: 'new add' },
  { title: 'Migrate a dashboard', to: '/migrations/new', role: 'AUTHOR', words: 'new promote copy project' },
];
