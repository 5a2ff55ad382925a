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
    items: [{ title: 'Dashboards', to: '/dashboards', icon: 'dashboard', role: 'VIEWER' }],
  },
  {
    title: 'Security',
    items: [
      { title: 'Policies', to: '/policies', icon: 'policy', role: 'ADMIN', words: 'definitions row level' },
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
];
