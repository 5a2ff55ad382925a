import type { AccessLevel, DashboardSummary, UnifiedUser, Viewer } from '@gatehouse/contract';
import type { Api } from '../api.js';
import { element, scrolling } from '../dom.js';
import { formatRoute } from '../logic/route.js';
import type { View, ViewContext } from '../view.js';
import { navigateGrid } from './gridNavigation.js';

/** Size of a page of the matrix. It is small, so that the page neither freezes nor requests everything. */
const PEOPLE_MAX = 100;
const DASHBOARDS_MAX = 50;
const VIEWERS_MAX = 500;
/** Concurrent requests: enough to be quick, few enough to leave capacity for other clients. */
const PARALLEL = 6;
/** From these levels on, a caller may list who has access. */
const MAY_ASK: readonly (AccessLevel | null)[] = ['CONTRIBUTOR', 'OWNER'];

interface Page {
  people: UnifiedUser[];
  total: number;
  dashboards: DashboardSummary[];
  nextCursor: string | null;
}

/** Users by dashboards, with the level of each. */
export const matrixView: View = {
  name: 'matrix',
  title: 'Permission matrix',
  about:
    'Users by dashboards. Arrow keys move, Enter shows the explanation. ' +
    'The column of a dashboard whose access you may not list has a note.',
  show: async (place, context) => {
    const { route, announce } = context;
    const first = Math.max(0, Number.parseInt(route.params.get('people') ?? '0', 10) || 0);
    announce('Reading people and dashboards');
    const page = await readPage(context, first);
    const cells = new Map<string, HTMLElement[]>();
    const grid = drawGrid(page, cells);
    place.append(
      drawPaging(page, first, route.params.get('after') ?? ''),
      scrolling('Permission matrix', grid),
    );
    navigateGrid(grid);
    await fillColumns(page, cells, context);
  },
};

async function readPage({ api, route }: ViewContext, first: number): Promise<Page> {
  const after = route.params.get('after');
  const query = new URLSearchParams({
    limit: String(DASHBOARDS_MAX),
    sort: 'title',
    ...(after && { cursor: after }),
  });
  const [{ users, total }, { dashboards, nextCursor }] = await Promise.all([
    api.get<{ users: UnifiedUser[]; total: number }>(
      `/api/management/v1/unified-users?limit=${PEOPLE_MAX}&offset=${first}`,
    ),
    api.get<{ dashboards: DashboardSummary[]; nextCursor: string | null }>(
      `/api/management/v1/dashboards?${query}`,
    ),
  ]);
  return { people: users, total, dashboards, nextCursor };
}

function drawPaging({ people, total, nextCursor }: Page, first: number, after: string): HTMLElement {
  const link = (label: string, params: Record<string, string>): HTMLElement =>
    element('a', { href: formatRoute('matrix', null, params) }, label);
  const peopleAt = (offset: number): string => (offset > 0 ? String(offset) : '');
  const last = first + people.length;
  return element(
    'p',
    { class: 'paging' },
    `People ${people.length === 0 ? 0 : first + 1} to ${last} of ${total}`,
    first > 0 ? link('Previous people', { people: peopleAt(first - PEOPLE_MAX), after }) : null,
    last < total ? link('Next people', { people: peopleAt(last), after }) : null,
    after === '' ? null : link('First dashboards', { people: peopleAt(first) }),
    nextCursor === null ? null : link('Next dashboards', { people: peopleAt(first), after: nextCursor }),
  );
}

/** Writes the cells of each dashboard into `cells`, in the order of the users. */
function drawGrid({ people, dashboards }: Page, cells: Map<string, HTMLElement[]>): HTMLTableElement {
  const column = ({ id, title }: DashboardSummary): HTMLElement =>
    element(
      'th',
      { scope: 'col', role: 'columnheader', title },
      element('a', { href: formatRoute('access', id), tabindex: -1 }, title),
    );
  const row = (person: UnifiedUser): HTMLElement =>
    element(
      'tr',
      { role: 'row' },
      element('th', { scope: 'row', role: 'rowheader' }, person.name || person.id),
      ...dashboards.map(({ id }) => {
        const cell = element('td', {
          role: 'gridcell',
          tabindex: -1,
          'data-href': formatRoute('access', id, { user: person.id }),
        });
        cells.set(id, [...(cells.get(id) ?? []), cell]);
        return cell;
      }),
    );
  const corner = element('th', { scope: 'col', role: 'columnheader' }, 'Person');
  return element(
    'table',
    { role: 'grid', class: 'matrix', 'aria-label': 'Permission matrix', 'aria-readonly': 'true' },
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, corner, ...dashboards.map(column))),
    element('tbody', { role: 'rowgroup' }, ...people.map(row)),
  );
}

async function fillColumns(
  { people, dashboards }: Page,
  cells: ReadonlyMap<string, readonly HTMLElement[]>,
  { api, announce, claims }: ViewContext,
): Promise<void> {
  const waiting = [...dashboards];
  let done = 0;
  const work = async (): Promise<void> => {
    for (let dashboard = waiting.shift(); dashboard !== undefined; dashboard = waiting.shift()) {
      const known = await readLevels(api, dashboard);
      const column = cells.get(dashboard.id) ?? [];
      const { accessLevel } = dashboard;
      people.forEach((person, index) => {
        const isCaller = person.id === (claims.orgUserId ?? claims.tenantUserId);
        const level = known === null ? isCaller && accessLevel : (known.get(keyOf(person)) ?? 'none');
        fillCell(column[index], level || 'not known');
      });
      done += 1;
      announce(`${done} of ${dashboards.length} dashboards read`);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

function fillCell(cell: HTMLElement | undefined, level: string): void {
  if (cell === undefined) return;
  cell.textContent = level;
  cell.dataset['level'] = level;
}

/**
 * Users of tenants may have chosen ids, so an id alone does not distinguish an org user from a tenant user.
 */
function keyOf({ type, id }: Pick<UnifiedUser, 'type' | 'id'>): string {
  return `${type} ${id}`;
}

/** The level of each user who has access to a dashboard; null if the caller may not list them. */
async function readLevels(
  api: Api,
  { id, accessLevel }: DashboardSummary,
): Promise<ReadonlyMap<string, AccessLevel> | null> {
  if (!MAY_ASK.includes(accessLevel)) return null;
  const levels = new Map<string, AccessLevel>();
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: String(VIEWERS_MAX), ...(cursor !== null && { cursor }) });
    const path = `/api/management/v1/dashboards/${encodeURIComponent(id)}/viewers?${query}`;
    const page: { viewers: Viewer[]; nextCursor: string | null } = await api.get(path);
    for (const viewer of page.viewers) levels.set(keyOf(viewer), viewer.accessLevel);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return levels;
}
