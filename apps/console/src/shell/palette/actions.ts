import type { UserRole } from '@gatehouse/contract';

/** What can be started from anywhere; each is an address. */
export const actions: readonly { title: string; to: string; role: UserRole; words?: string }[] = [
  { title: 'Create a dashboard', to: '/dashboards/new', role: 'POWER_USER', words: 'new add' },
  { title: 'Create a visual', to: '/visuals/new', role: 'POWER_USER', words: 'new add' },
  { title: 'Add an organization user', to: '/people/new/organization', role: 'ADMIN', words: 'new create' },
  { title: 'Add a tenant user', to: '/people/new/tenant', role: 'ADMIN', words: 'new create' },
  { title: 'Create a group', to: '/groups/new', role: 'AUTHOR', words: 'new add' },
  { title: 'Create a tenant', to: '/tenants/new', role: 'ADMIN', words: 'new add customer' },
  { title: 'Create a project', to: '/projects/new', role: 'ADMIN', words: 'new add' },
  { title: 'Create a connection', to: '/connections/new', role: 'ADMIN', words: 'new add database' },
  { title: 'Create a semantic domain', to: '/domains/new', role: 'ADMIN', words: 'new add' },
  { title: 'Create a data model', to: '/datamodels/new', role: 'AUTHOR', words: 'new add' },
  { title: 'Create an assistant profile', to: '/assistants/new', role: 'AUTHOR', words: 'new add' },
  { title: 'Validate all dashboards', to: '/validation', role: 'VIEWER', words: 'check issues' },
  { title: 'Create a policy definition', to: '/policies/definitions/new', role: 'ADMIN', words: 'new add' },
  { title: 'Assign a policy', to: '/policies/assignments/new', role: 'ADMIN', words: 'new add assignment' },
  { title: 'Preview a statement', to: '/policies/workbench', role: 'ADMIN', words: 'policy sql workbench' },
  { title: 'Explore access', to: '/access', role: 'VIEWER', words: 'who permissions explain' },
  {
    title: 'Issue a token or a sign-in link',
    to: '/tokens',
    role: 'ADMIN',
    words: 'invite access api user revoke',
  },
  { title: 'Create a webhook', to: '/webhooks/new', role: 'ADMIN', words: 'new add' },
  { title: 'Migrate a dashboard', to: '/migrations/new', role: 'AUTHOR', words: 'new promote copy project' },
];
