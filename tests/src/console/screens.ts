import type { Page } from '@gatehouse/testing';
import { heading } from './pages.js';
import { HOSTILE_TITLE } from './hostileRecords.js';
import type { ConsoleWorld } from './world.js';

/** A screen of the console, opened by its address. */
export interface ConsoleScreen {
  name: string;
  path(world: ConsoleWorld): string;
  /** The status of a failed request that the browser reports. */
  status?: string;
  /** Resolves when there is most to see. */
  ready(page: Page, world: ConsoleWorld): Promise<void>;
}

const screen = (
  name: string,
  path: string | ((world: ConsoleWorld) => string),
  ready: ConsoleScreen['ready'],
): ConsoleScreen => ({ name, path: typeof path === 'string' ? () => path : path, ready });

const shows = (text: string) => async (page: Page) => page.getByText(text).first().waitFor();
const hasLink = (name: string) => async (page: Page) => page.getByRole('link', { name }).first().waitFor();
const hasField = (name: string) => async (page: Page) =>
  page.getByRole('textbox', { name, exact: true }).waitFor();

/** Every screen of the console. Each is checked in every appearance. */
export const consoleScreens: readonly ConsoleScreen[] = [
  screen('dashboards', '/dashboards', hasLink(HOSTILE_TITLE)),
  screen('new dashboard', '/dashboards/new', hasField('Template')),
  screen('dashboard', ({ dashboardId }) => `/dashboards/${dashboardId}`, hasField('Description')),
  screen('template', ({ dashboardId }) => `/dashboards/${dashboardId}?tab=template`, hasField('Template')),
  screen('sharing', ({ dashboardId }) => `/dashboards/${dashboardId}?tab=sharing`, shows('Revenue team')),
  screen('versions', ({ dashboardId }) => `/dashboards/${dashboardId}?tab=versions`, shows('No versions')),
  screen('visuals', '/visuals', hasLink(HOSTILE_TITLE)),
  screen('visual', ({ visualId }) => `/visuals/${visualId}`, hasField('Description')),
  screen('users', '/people', hasLink(HOSTILE_TITLE)),
  screen('user', ({ userId }) => `/people/tenant/${userId}`, hasField('Department')),
  screen('permissions', ({ userId }) => `/people/tenant/${userId}?tab=permissions`, shows('Manage policies')),
  screen('new user', '/people/new/tenant', hasField('Tenant')),
  screen('groups', '/groups', hasLink(HOSTILE_TITLE)),
  screen('members', ({ groupId }) => `/groups/${groupId}`, hasLink(HOSTILE_TITLE)),
  screen('shared with a group', ({ groupId }) => `/groups/${groupId}?tab=shared`, hasLink(HOSTILE_TITLE)),
  screen('settings of a group', ({ groupId }) => `/groups/${groupId}?tab=settings`, hasField('Description')),
  screen('new group', '/groups/new', hasField('Name')),
  screen('tenants', '/tenants', hasLink(HOSTILE_TITLE)),
  screen('tenant', ({ tenantId }) => `/tenants/${tenantId}`, hasField('Default owner')),
  screen('connections', '/connections', shows('static · postgres')),
  screen('catalog', ({ connectionId }) => `/connections/${connectionId}`, shows('orders')),
  screen(
    'catalog changes',
    ({ connectionId }) => `/connections/${connectionId}?tab=changes`,
    shows('Table added'),
  ),
  screen('connection', ({ connectionId }) => `/connections/${connectionId}?tab=settings`, hasField('Name')),
  screen('new connection', '/connections/new', hasField('Host')),
  screen('domains', '/domains', hasLink(HOSTILE_TITLE)),
  screen('domain', ({ domainId }) => `/domains/${domainId}`, hasField('Label')),
  screen('template of a domain', ({ domainId }) => `/domains/${domainId}?tab=template`, hasField('Template')),
  screen('new domain', '/domains/new', hasField('Label')),
  screen('data models', '/datamodels', hasLink(HOSTILE_TITLE)),
  screen('data model', ({ datamodelId }) => `/datamodels/${datamodelId}`, hasField('Connection')),
  screen('new data model', '/datamodels/new', hasField('Connection')),
  screen('assistant profiles', '/assistants', hasLink(HOSTILE_TITLE)),
  screen('assistant profile', ({ assistantId }) => `/assistants/${assistantId}`, hasField('Instructions')),
  screen('version control', '/version-control', hasField('Branch')),
  screen('projects', '/projects', hasLink('Staging')),
  screen('project', ({ target }) => `/projects/${target.projectId}`, hasField('Name')),
  screen('sessions', '/sessions', shows('This browser')),
  screen('tokens', ({ userId }) => `/tokens?person=${userId}&kind=tenant`, hasField('User')),
  screen('revocation of a token', '/tokens?tab=revoke', async (page) =>
    page.getByLabel('Access token').waitFor(),
  ),
  {
    name: 'missing dashboard',
    path: () => '/dashboards/d_missing',
    status: '404',
    ready: async (page) => {
      await heading(page, 'This dashboard cannot be opened');
      await page.getByText('NOT_FOUND').waitFor();
    },
  },
  screen(
    'uses of a connection',
    ({ connectionId }) => `/connections/${connectionId}?tab=uses`,
    hasLink('Own rows'),
  ),
  screen('policies', '/policies/definitions', hasLink('Own rows')),
  screen(
    'new policy',
    ({ connectionId }) => `/policies/definitions/new?connection=${connectionId}`,
    async (page) => page.getByRole('combobox', { name: 'Schema of the tables', exact: true }).waitFor(),
  ),
  screen(
    'policy',
    ({ definitionId }) => `/policies/definitions/${definitionId}`,
    hasField('Condition of rule 2'),
  ),
  screen(
    'policy tests',
    ({ definitionId }) => `/policies/definitions/${definitionId}?tab=tests`,
    shows('Run the tests'),
  ),
  screen('policy assignments', '/policies/assignments?kind=TENANT', hasLink('Own rows')),
  screen(
    'new policy assignment',
    ({ definitionId }) => `/policies/assignments/new?definition=${definitionId}`,
    hasField('tenant'),
  ),
  screen(
    'policy assignment',
    ({ assignmentId }) => `/policies/assignments/${assignmentId}`,
    hasField('tenant'),
  ),
  screen(
    'policy workbench',
    ({ connectionId, definitionId }) =>
      `/policies/workbench?connection=${connectionId}&definition=${definitionId}&actor=TENANT:harbor-foods`,
    async (page) => {
      await hasField('Condition of rule 2')(page);
      await page.getByRole('gridcell', { name: /orders/ }).waitFor();
    },
  ),
  screen('unknown address', '/nowhere', (page) => heading(page, 'Page not found')),
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
    name: 'validated organization',
    path: () => '/validation',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Validate all dashboards' }).click();
      await page.getByRole('button', { name: 'Validate again' }).waitFor();
    },
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
    ready: (page) => page.getByRole('figure').getByText(HOSTILE_TITLE).first().waitFor(),
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
