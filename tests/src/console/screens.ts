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
];
