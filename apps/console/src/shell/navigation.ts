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

/** The sidebar. Only what the user's role may read is shown. */
export const navigation: readonly NavigationGroup[] = [
  {
    title: 'Content',
    items: [
      { title: 'Home', to: '/', icon: 'home', role: 'VIEWER', words: 'start attention activity' },
      { title: 'Dashboards', to: '/dashboards', icon: 'dashboard', role: 'VIEWER' },
    ],
  },
  {
    title: 'Operations',
    items: [
      {
        title: 'Access',
        to: '/access',
        icon: 'access',
        role: 'VIEWER',
        words: 'explore permissions explain who',
      },
      {
        title: 'Validation',
        to: '/validation',
        icon: 'check',
        role: 'VIEWER',
        words: 'issues repair broken',
      },
      { title: 'Migrations', to: '/migrations', icon: 'migration', role: 'AUTHOR', words: 'promote copy' },
      { title: 'Audit log', to: '/audit', icon: 'audit', role: 'ADMIN', words: 'history events verify' },
      { title: 'Webhooks', to: '/webhooks', icon: 'webhook', role: 'ADMIN', words: 'deliveries events' },
    ],
  },
];
