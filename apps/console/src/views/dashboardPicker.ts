import type { DashboardSummary } from '@gatehouse/contract';
import { element, labelled, onSubmit, option } from '../dom.js';
import type { ViewContext } from '../view.js';

const SHOWN_MAX = 100;

interface Found {
  dashboards: DashboardSummary[];
  nextCursor: string | null;
}

/** A search among the dashboards that the caller may see, and a list of the first hundred matches. */
export async function showDashboardPicker(
  place: HTMLElement,
  { api, route, announce, run }: ViewContext,
  { first, onPick }: { first: string; onPick: (id: string) => void },
): Promise<void> {
  const select = element('select');
  const search = element('input', { type: 'search', autocomplete: 'off' });
  const searching = element(
    'form',
    { class: 'row', role: 'search' },
    labelled('Search dashboards', search),
    element('button', {}, 'Search'),
  );
  // Navigating on every change of the selection would be unusable from the keyboard.
  const picking = element(
    'form',
    { class: 'row' },
    labelled('Dashboard', select),
    element('button', {}, 'Show'),
  );
  place.append(element('div', { class: 'row' }, searching, picking));

  const load = async (): Promise<void> => {
    const text = search.value.trim();
    const query = new URLSearchParams({
      limit: String(SHOWN_MAX),
      sort: 'title',
      ...(text && { search: text }),
    });
    const { dashboards, nextCursor } = await api.get<Found>(`/api/management/v1/dashboards?${query}`);
    const options = dashboards.map(({ id, title }) => option(id, title, route.id ?? ''));
    const isListed = dashboards.some(({ id }) => id === route.id);
    const current = route.id !== null && !isListed ? [option(route.id, route.id, route.id)] : [];
    select.replaceChildren(option('', first), ...current, ...options);
    if (text !== '')
      announce(`${dashboards.length}${nextCursor === null ? '' : ' or more'} dashboards found`);
  };
  onSubmit(searching, () => run(load));
  onSubmit(picking, () => onPick(select.value));
  await load();
}
