import type { UserRole } from '@gatehouse/contract';

/** What can be started from anywhere; each is an address. */
export const actions: readonly { title: string; to: string; role: UserRole; words?: string }[] = [
  { title: 'Create a dashboard', to: '/dashboards/new', role: 'POWER_USER', words: 'new add' },
  { title: 'Create a policy definition', to: '/policies/definitions/new', role: 'ADMIN', words: 'new add' },
  { title: 'Assign a policy', to: '/policies/assignments/new', role: 'ADMIN', words: 'new add assignment' },
  { title: 'Preview a statement', to: '/policies/workbench', role: 'ADMIN', words: 'policy sql workbench' },
];
