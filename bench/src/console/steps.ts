import type { LargeOrganization } from '@gatehouse/testing';
import type { ObservedPage } from './observedPage.js';

/** The records that are opened. */
export interface MeasuredIds extends LargeOrganization {
  /** The owner of all dashboards. */
  ownerId: string;
  /** When all of it was there, as ISO 8601. */
  filledAt: string;
}

/** A screen by its address, and an element that its content has. */
interface MeasuredScreen {
  name: string;
  path: string;
  content: string;
}

const ROW = 'main [role=table]:not([aria-busy=true]) [data-index]';
const FORM = 'main form input, main form textarea';
const CELL = 'main [role=grid] [role=gridcell]';

/** Every screen of the console that an ADMIN opens. */
export function screensOf(ids: MeasuredIds): MeasuredScreen[] {
  const screens = [...contentScreens(ids), ...dataScreens(ids), ...operationScreens(ids)];
  return screens.map(([name, path, content]) => ({ name, path, content }));
}

type Row = [name: string, path: string, content: string];

function contentScreens({ dashboardId, groupId, tenantId, userId }: MeasuredIds): Row[] {
  return [
    ['home', '/', 'main section li'],
    ['dashboards', '/dashboards', ROW],
    ['new dashboard', '/dashboards/new', FORM],
    ['dashboard', `/dashboards/${dashboardId}`, FORM],
    ['sharing', `/dashboards/${dashboardId}?tab=sharing`, ROW],
    ['template', `/dashboards/${dashboardId}?tab=template`, FORM],
    ['visuals', '/visuals', ROW],
    ['users', '/people', ROW],
    ['user', `/people/tenant/${userId}`, FORM],
    ['permissions', `/people/tenant/${userId}?tab=permissions`, 'main [role=tabpanel] *'],
    ['new user', '/people/new/tenant', FORM],
    ['groups', '/groups', ROW],
    ['members', `/groups/${groupId}`, ROW],
    ['shared with a group', `/groups/${groupId}?tab=shared`, ROW],
    ['new group', '/groups/new', FORM],
    ['tenants', '/tenants', ROW],
    ['tenant', `/tenants/${tenantId}`, FORM],
  ];
}

function dataScreens({ connectionId, definitionId, tenantId }: MeasuredIds): Row[] {
  return [
    ['connections', '/connections', ROW],
    ['catalog', `/connections/${connectionId}`, ROW],
    ['settings of a connection', `/connections/${connectionId}?tab=settings`, FORM],
    ['uses of a connection', `/connections/${connectionId}?tab=uses`, ROW],
    ['new connection', '/connections/new', FORM],
    ['domains', '/domains', ROW],
    ['data models', '/datamodels', ROW],
    ['assistant profiles', '/assistants', ROW],
    ['policies', '/policies/definitions', ROW],
    ['policy', `/policies/definitions/${definitionId}`, FORM],
    ['new policy', `/policies/definitions/new?connection=${connectionId}`, FORM],
    ['assignments', '/policies/assignments', ROW],
    ['new assignment', `/policies/assignments/new?definition=${definitionId}`, FORM],
    ['workbench', `/policies/workbench?connection=${connectionId}&actor=TENANT:${tenantId}`, CELL],
  ];
}

function operationScreens({ dashboardId, userId, ownerId, filledAt }: MeasuredIds): Row[] {
  return [
    ['validation', '/validation', 'main button'],
    ['validation of one dashboard', `/validation/${dashboardId}`, 'main dl, main aside'],
    ['access of a person', `/access?person=${userId}&view=list`, ROW],
    ['what an owner can open', `/access?person=${ownerId}&view=list`, ROW],
    [
      'drawing of what an owner can open',
      `/access?person=${ownerId}&view=graph`,
      'main figure .react-flow__node',
    ],
    ['drawing of access', `/access?resource=${dashboardId}&view=graph`, 'main figure .react-flow__node'],
    ['what an owner could open', `/access?person=${ownerId}&view=list&at=${filledAt}`, ROW],
    [
      'drawing of what an owner could open',
      `/access?person=${ownerId}&view=graph&at=${filledAt}`,
      'main figure .react-flow__node',
    ],
    ['who could open', `/access?resource=${dashboardId}&view=list&at=${filledAt}`, ROW],
    ['access explained', `/access?person=${userId}&resource=${dashboardId}`, 'main ul li'],
    ['audit log', '/audit', ROW],
    ['activity', '/audit?tab=activity', 'main canvas, main [role=img]'],
    ['webhooks', '/webhooks', 'main h1'],
    ['new webhook', '/webhooks/new', FORM],
    ['migrations', '/migrations', 'main h1'],
    ['projects', '/projects', ROW],
    ['sessions', '/sessions', ROW],
    ['version control', '/version-control', 'main form, main button'],
  ];
}

/** What a user does on a screen. */
interface MeasuredStep {
  name: string;
  path: string;
  content: string;
  run(observed: ObservedPage): Promise<number | void>;
}

const SCROLLS = 40;
const scroll: MeasuredStep['run'] = async ({ page }) => {
  await page.hover('main [role=table]');
  for (let count = 0; count < SCROLLS; count += 1) {
    await page.mouse.wheel(0, 2000);
    await page.waitForTimeout(30);
  }
};
const typing =
  (selector: string, text: string, found: string): MeasuredStep['run'] =>
  async (observed) => {
    await observed.page.focus(selector);
    await observed.page.keyboard.type(text, { delay: 40 });
    await observed.waitFor(found);
  };
const SEARCH = 'main input[aria-label^="Search"]';
const OPTION = '[role=listbox] [role=option]';

/** What users do most often, where there are most records. */
export function stepsOf(ids: MeasuredIds): MeasuredStep[] {
  return [...listSteps(ids), ...choosingSteps, ...workSteps(ids)];
}

function listSteps({ dashboardId, groupId }: MeasuredIds): MeasuredStep[] {
  const scrolled: [name: string, path: string][] = [
    ['dashboards', '/dashboards'],
    ['users', '/people'],
    ['members', `/groups/${groupId}`],
    ['shares', `/dashboards/${dashboardId}?tab=sharing`],
    ['the audit log', '/audit'],
  ];
  return [
    {
      name: 'type into the search',
      path: '/dashboards',
      content: ROW,
      run: typing(SEARCH, 'dashboard 00012', ROW),
    },
    {
      name: 'select all loaded dashboards',
      path: '/dashboards',
      content: ROW,
      run: async (observed) => {
        await scroll(observed);
        await observed.page.click('input[aria-label="Select all loaded rows"]');
        await observed.waitFor('[data-selected]');
      },
    },
    ...scrolled.map(([what, path]) => ({
      name: `scroll through ${what}`,
      path,
      content: ROW,
      run: scroll,
    })),
  ];
}

const PERSON = 'main input[placeholder="Search by name"]';

const choosingSteps: readonly MeasuredStep[] = [
  {
    name: 'open a picker',
    path: '/access',
    content: PERSON,
    run: async (observed) => {
      await observed.page.click(PERSON);
      return observed.waitFor(OPTION);
    },
  },
  {
    name: 'type into a picker',
    path: '/access',
    content: PERSON,
    run: typing(PERSON, 'person 0012', OPTION),
  },
  {
    name: 'open the palette and type',
    path: '/dashboards',
    content: ROW,
    run: async (observed) => {
      await observed.page.keyboard.press('Control+K');
      await observed.waitFor('[role=combobox][aria-controls=commands]');
      await observed.page.keyboard.type('dashboard 0001', { delay: 40 });
      await observed.waitFor(OPTION);
      await observed.page.keyboard.press('Escape');
    },
  },
];

function workSteps({ connectionId, tenantId }: MeasuredIds): MeasuredStep[] {
  return [
    {
      name: 'type a statement',
      path: `/policies/workbench?connection=${connectionId}&actor=TENANT:${tenantId}`,
      content: CELL,
      run: async (observed) => {
        await observed.page.getByRole('textbox', { name: 'Statement', exact: true }).focus();
        await observed.page.keyboard.type('SELECT column_1 FROM table_2', { delay: 40 });
        await observed.waitFor('main mark');
      },
    },
    {
      name: 'validate all dashboards',
      path: '/validation',
      content: 'main button',
      run: async ({ page }) => {
        await page.click('main button');
        await page.getByRole('button', { name: 'Validate again' }).waitFor();
      },
    },
    {
      name: 'open a cause',
      path: '/validation',
      content: 'main details summary',
      run: async (observed) => {
        await observed.page.click('main details summary');
        return observed.waitFor('main details[open] li');
      },
    },
    {
      name: 'search the causes',
      path: '/validation',
      content: 'main details summary',
      run: typing(SEARCH, 'colum_8', 'main details summary'),
    },
  ];
}
