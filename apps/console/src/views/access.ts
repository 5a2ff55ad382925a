import type { AccessExplanation, DashboardSummary, Viewer } from '@gatehouse/contract';
import { button, element, table } from '../dom.js';
import { describeOutcome, describePath, toAccessPaths } from '../logic/accessPaths.js';
import { formatRoute } from '../logic/route.js';
import type { View, ViewContext } from '../view.js';
import { drawAccess } from './accessDrawing.js';
import { showDashboardPicker } from './dashboardPicker.js';

const PAGE = 100;
const path = (id: string): string => `/api/management/v1/dashboards/${encodeURIComponent(id)}`;

/** The users who can see a dashboard, and the paths of their access. */
export const accessView: View = {
  name: 'access',
  title: 'Who can see a dashboard',
  about: 'All users who have access to a dashboard, and for one user every path that gives it.',
  show: async (place, context) => {
    const { route, api, run } = context;
    await showDashboardPicker(place, context, {
      first: 'Choose a dashboard',
      onPick: (id) => (location.hash = formatRoute('access', id === '' ? null : id)),
    });
    if (route.id === null) return;
    const { dashboard } = await api.get<{ dashboard: DashboardSummary }>(path(route.id));
    const explanation = element('section', { class: 'card', 'aria-label': 'Why' });
    const viewers = element('section', { 'aria-label': 'Viewers' });
    place.append(element('h2', {}, dashboard.title), element('div', { class: 'wide' }, viewers, explanation));
    const user = route.params.get('user');
    if (user !== null) run(() => showExplanation(explanation, context, { dashboard, user }));
    else explanation.append(element('p', {}, 'Choose a person to see why.'));
    await showViewers(viewers, context, dashboard);
  },
};

async function showViewers(
  place: HTMLElement,
  { api, announce, run }: ViewContext,
  { id }: DashboardSummary,
): Promise<void> {
  const all: Viewer[] = [];
  const loadPage = async (cursor: string | null): Promise<void> => {
    const query = new URLSearchParams({ limit: String(PAGE), ...(cursor !== null && { cursor }) });
    const page = await api.get<{ viewers: Viewer[]; nextCursor: string | null }>(
      `${path(id)}/viewers?${query}`,
    );
    all.push(...page.viewers);
    const rows = all.map((viewer) => [
      element('a', { href: formatRoute('access', id, { user: viewer.id }) }, viewer.name || viewer.id),
      viewer.type === 'tenant' ? 'tenant user' : 'org user',
      element('span', { class: 'level', 'data-level': viewer.accessLevel }, viewer.accessLevel),
      viewer.path,
    ]);
    const { nextCursor } = page;
    place.replaceChildren(table('People with access', ['Person', 'Kind', 'Level', 'By way of'], rows));
    if (nextCursor !== null) place.append(button('Show more', () => run(() => loadPage(nextCursor))));
    announce(`${all.length}${nextCursor === null ? '' : ' or more'} people have access`);
  };
  await loadPage(null);
}

async function showExplanation(
  place: HTMLElement,
  { api }: ViewContext,
  { dashboard, user }: { dashboard: DashboardSummary; user: string },
): Promise<void> {
  const [{ access }, people] = await Promise.all([
    api.get<{ access: AccessExplanation }>(`${path(dashboard.id)}/access?userId=${encodeURIComponent(user)}`),
    readPeople(api),
  ]);
  const name = people.find(({ id }) => id === user)?.name ?? user;
  const groups = await readGroupNames(access, api);
  const paths = toAccessPaths(access, { user: name, dashboard: dashboard.title, groups });
  place.replaceChildren(
    element('h3', {}, `Why ${name}`),
    element('p', { class: 'outcome' }, describeOutcome(paths)),
    drawAccess(paths),
    element('h4', {}, 'The same in words'),
    element(
      'ol',
      { class: 'paths' },
      ...paths.paths.map((one) => element('li', {}, describePath(paths, one))),
    ),
  );
}

/**
 * The first users of the organization; empty if the caller may not list them, and then ids are shown instead
 * of names.
 */
async function readPeople(api: ViewContext['api']): Promise<{ id: string; name: string }[]> {
  const read = api.get<{ users: { id: string; name: string }[] }>(
    '/api/management/v1/unified-users?limit=500',
  );
  return read.then(
    ({ users }) => users,
    () => [],
  );
}

/** The names of the groups in the explanation, as far as the caller may read them. */
async function readGroupNames(
  { grants }: AccessExplanation,
  api: ViewContext['api'],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(grants.flatMap(({ groupId }) => groupId ?? []))];
  const names = ids.map(async (id) => {
    const read = api.get<{ group: { name: string } }>(`/api/management/v1/groups/${encodeURIComponent(id)}`);
    return read.then(
      ({ group }) => [id, group.name] as const,
      () => [id, id] as const,
    );
  });
  return new Map(await Promise.all(names));
}
