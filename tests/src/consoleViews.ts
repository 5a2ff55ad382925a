import type { Page } from '@gatehouse/testing';
import { visit, waitForStatus } from './consolePage.js';
import type { ConsoleWorld } from './consoleWorld.js';

/** A statement on the table that the policy of the world governs. */
export const SQL = "SELECT o.id FROM orders o WHERE o.amount > '5'";

/** Each view, opened by its address and brought to where there is most to see. */
export const consoleViews: { name: string; open: (page: Page, world: ConsoleWorld) => Promise<void> }[] = [
  {
    name: 'access',
    open: async (page, world) => {
      await visit(page, `#/access/${world.dashboardId}?user=${world.cappedUserId}`);
      await page.getByRole('heading', { name: 'Why Hugo Brandt' }).waitFor();
      await waitForStatus(page, /people have access/);
    },
  },
  {
    name: 'matrix',
    open: async (page) => {
      await visit(page, '#/matrix');
      await waitForStatus(page, /(\d+) of \1 dashboards read/);
    },
  },
  {
    name: 'preview',
    open: async (page, world) => {
      await visit(page, `#/preview/${world.connectionId}?kind=TENANT&who=harbor-foods`);
      await page.getByLabel('Statement').fill(SQL);
      await page.getByRole('option', { name: 'Harbor Foods' }).waitFor({ state: 'attached' });
      await page.getByRole('button', { name: 'Preview' }).click();
      await waitForStatus(page, /The statement is compiled/);
    },
  },
  {
    name: 'validation',
    open: async (page, world) => {
      await visit(page, `#/validation/${world.dashboardId}`);
      await waitForStatus(page, /issues found/);
    },
  },
  {
    name: 'validation-all',
    open: async (page) => {
      await visit(page, '#/validation');
      await page.getByRole('button', { name: 'Validate all dashboards' }).click();
      await waitForStatus(page, /dashboards: \d+ valid/);
    },
  },
  {
    name: 'migration',
    open: async (page, world) => {
      await visit(page, `#/migration/${world.dashboardId}?target=${world.target.projectId}`);
      await page.getByRole('button', { name: 'Show the plan' }).click();
      await waitForStatus(page, /Nothing was written/);
    },
  },
];
