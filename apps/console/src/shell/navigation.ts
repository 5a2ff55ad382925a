import type { UserRole } from '@gatehouse/contract';
import type { IconName } from '../components/Icon.js';

/** A page in the sidebar. */
export interface NavigationItem {
  title: string;
  to: string;
  icon: IconName;
  /** The lowest role that may use it. */
  role: UserRole;
  /** Other words that find it in the command palette. */
  words?: string;
}

export interface NavigationGroup {
  title: string;
  items: readonly NavigationItem[];
}

/**
 * The addresses that a person may type for a page in place of its own: its title, and the last part of its
 * address.
 */
export function otherAddresses({ title, to }: NavigationItem): string[] {
  const byTitle = `/${title.toLowerCase().replaceAll(' ', '-')}`;
  const byLastPart = to.slice(to.lastIndexOf('/'));
  return [...new Set([byTitle, byLastPart])].filter((path) => path !== to);
}

/** The sidebar. Only what the user's role may read is shown. */
export const navigation: readonly NavigationGroup[] = [
  {
    title: 'Content',
    items: [
      { title: 'Home', to: '/', icon: 'home', role: 'VIEWER', words: 'start attention activity' },
      { title: 'Dashboards', to: '/dashboards', icon: 'dashboard', role: 'VIEWER' },
      { title: 'Visuals', to: '/visuals', icon: 'visual', role: 'VIEWER' },
    ],
  },
  {
    title: 'People',
    items: [
      { title: 'Users', to: '/people', icon: 'user', role: 'VIEWER', words: 'people persons' },
      { title: 'Groups', to: '/groups', icon: 'users', role: 'VIEWER' },
      { title: 'Tenants', to: '/tenants', icon: 'tenant', role: 'VIEWER', words: 'customers' },
    ],
  },
  {
    title: 'Security',
    items: [
      {
        title: 'Access',
        to: '/access',
        icon: 'access',
        role: 'VIEWER',
        words: 'explore permissions explain who',
      },
      {
        title: 'Policies',
        to: '/policies/definitions',
        icon: 'policy',
        role: 'ADMIN',
        words: 'definitions row level',
      },
      { title: 'Assignments', to: '/policies/assignments', icon: 'key', role: 'ADMIN', words: 'policy' },
      {
        title: 'Workbench',
        to: '/policies/workbench',
        icon: 'edit',
        role: 'ADMIN',
        words: 'policy preview sql lint coverage',
      },
    ],
  },
  {
    title: 'Data',
    items: [
      {
        title: 'Connections',
        to: '/connections',
        icon: 'connection',
        role: 'AUTHOR',
        words: 'databases catalogs',
      },
      { title: 'Semantic domains', to: '/domains', icon: 'domain', role: 'VIEWER' },
      { title: 'Data models', to: '/datamodels', icon: 'model', role: 'AUTHOR' },
      { title: 'Assistants', to: '/assistants', icon: 'assistant', role: 'AUTHOR', words: 'profiles' },
    ],
  },
  {
    title: 'Operations',
    items: [
      {
        title: 'Validation',
        to: '/validation',
        icon: 'check',
        role: 'VIEWER',
        words: 'issues repair broken',
      },
      { title: 'Migrations', to: '/migrations', icon: 'migration', role: 'AUTHOR', words: 'promote copy' },
    ],
  },
  {
    title: 'Organization',
    items: [
      { title: 'Projects', to: '/projects', icon: 'project', role: 'ADMIN', words: 'secrets' },
      {
        title: 'Version control',
        to: '/version-control',
        icon: 'history',
        role: 'ADMIN',
        words: 'git commits',
      },
      {
        title: 'Tokens',
        to: '/tokens',
        icon: 'key',
        role: 'ADMIN',
        words: 'api access issue revoke sign-in link invite',
      },
      { title: 'Sessions', to: '/sessions', icon: 'session', role: 'VIEWER', words: 'sign out browsers' },
      { title: 'Audit log', to: '/audit', icon: 'audit', role: 'ADMIN', words: 'history events verify' },
      { title: 'Webhooks', to: '/webhooks', icon: 'webhook', role: 'ADMIN', words: 'deliveries events' },
    ],
  },
];
