import type { Page } from '@gatehouse/testing';
import { heading } from './pages.js';
import { HOSTILE_TITLE, type ConsoleWorld } from './world.js';

/** A screen of the console, opened by its address. */
export interface ConsoleScreen {
  name: string;
  path(world: ConsoleWorld): string;
  /** Resolves when there is most to see. */
  ready(page: Page, world: ConsoleWorld): Promise<void>;
}

/** Every screen of the console. Each is checked in every appearance. */
export const consoleScreens: readonly ConsoleScreen[] = [
  {
    name: 'dashboards',
    path: () => '/dashboards',
    ready: async (page) => {
      await heading(page, 'Dashboards');
      await page.getByRole('link', { name: HOSTILE_TITLE }).waitFor();
    },
  },
  {
    name: 'new dashboard',
    path: () => '/dashboards/new',
    ready: (page) => page.getByRole('textbox', { name: 'Template' }).waitFor(),
  },
  {
    name: 'dashboard',
    path: ({ dashboardId }) => `/dashboards/${dashboardId}`,
    ready: (page) => page.getByLabel('Description').waitFor(),
  },
  {
    name: 'template of a dashboard',
    path: ({ dashboardId }) => `/dashboards/${dashboardId}?tab=template`,
    ready: (page) => page.getByRole('textbox', { name: 'Template' }).waitFor(),
  },
  {
    name: 'home',
    path: () => '/',
    ready: async (page) => {
      await heading(page, 'Home');
      await page.getByRole('link', { name: HOSTILE_TITLE }).first().waitFor();
    },
  },
  {
    name: 'validation',
    path: () => '/validation',
    ready: (page) => heading(page, 'Validation'),
  },
  {
    name: 'validation of one dashboard',
    path: ({ dashboardId }) => `/validation/${dashboardId}`,
    ready: (page) => page.getByRole('list', { name: 'Issues' }).waitFor(),
  },
  {
    name: 'access of a person',
    path: ({ cappedUserId }) => `/access?person=${cappedUserId}&view=list`,
    ready: (page) => page.getByRole('button', { name: HOSTILE_TITLE }).waitFor(),
  },
  {
    name: 'drawing of access',
    path: ({ dashboardId }) => `/access?resource=${dashboardId}&view=graph`,
    ready: (page) => page.getByRole('figure').getByText(HOSTILE_TITLE).waitFor(),
  },
  {
    name: 'access explained',
    path: ({ cappedUserId, dashboardId }) => `/access?person=${cappedUserId}&resource=${dashboardId}`,
    ready: (page) => page.getByText('Decides').waitFor(),
  },
  {
    name: 'audit log',
    path: () => '/audit',
    ready: (page) => page.getByRole('table', { name: 'Entries of the audit log' }).waitFor(),
  },
  {
    name: 'activity',
    path: () => '/audit?tab=activity&form=table',
    ready: (page) => page.getByRole('table', { name: 'Activity' }).waitFor(),
  },
  {
    name: 'webhooks',
    path: () => '/webhooks',
    ready: async (page) => {
      await heading(page, 'Webhooks');
      await page.getByText(/ found$/).waitFor();
    },
  },
  {
    name: 'new webhook',
    path: () => '/webhooks/new',
    ready: (page) => page.getByLabel('URL').waitFor(),
  },
  {
    name: 'migrations',
    path: () => '/migrations',
    ready: (page) => page.getByRole('heading', { name: 'No migrations yet' }).waitFor(),
  },
  {
    name: 'new migration',
    path: ({ dashboardId, target }) => `/migrations/new?dashboard=${dashboardId}&target=${target.projectId}`,
    ready: (page) => page.getByRole('button', { name: 'Show the plan' }).waitFor(),
  },
];
