import type { ValidationIssue, ValidationResult } from '@gatehouse/contract';
import { button, element } from '../dom.js';
import { groupIssues } from '../logic/issueGroups.js';
import { formatRoute } from '../logic/route.js';
import type { View, ViewContext } from '../view.js';
import { showDashboardPicker } from './dashboardPicker.js';

/** Dashboards that are shown at first; a button shows more. */
const PAGE = 50;

type Item = ValidationResult | { dashboardId: string; error: string };
type Line =
  | { type: 'result'; result: Item }
  | { type: 'progress'; done: number; total: number }
  | { type: 'summary'; totalDashboards: number; validDashboards: number; invalidDashboards: number };

/** The errors that a changed schema causes in one dashboard, or in all of them. */
export const validationView: View = {
  name: 'validation',
  title: 'Validation',
  about: 'What is wrong in dashboards, against the schemas of their databases as they were last read.',
  show: async (place, context) => {
    const { route, run } = context;
    await showDashboardPicker(place, context, {
      first: 'All dashboards',
      onPick: (id) => (location.hash = formatRoute('validation', id === '' ? null : id)),
    });
    const report = element('section', { 'aria-label': 'Report' });
    if (route.id !== null) {
      const { id } = route;
      place.append(report);
      run(() => validateOne(report, id, context));
      return;
    }
    const progress = element('progress', {
      'aria-label': 'Dashboards validated',
      value: 0,
      max: 1,
      hidden: true,
    });
    const start = button('Validate all dashboards', () => run(() => validateAll(report, progress, context)));
    start.className = 'main';
    place.append(element('div', { class: 'row' }, start, progress), report);
  },
};

async function validateOne(place: HTMLElement, id: string, { api, announce }: ViewContext): Promise<void> {
  announce('Validating');
  const result = await api.post<ValidationResult>('/api/v1/dashboard/validate', { dashboardId: id });
  place.replaceChildren(describeItem(result, true));
  announce(result.isValid ? 'The dashboard is valid' : `${countOf(result.issues)} found`);
}

async function validateAll(
  place: HTMLElement,
  progress: HTMLProgressElement,
  { api, announce }: ViewContext,
): Promise<void> {
  const items: Item[] = [];
  let isWhole = false;
  place.replaceChildren();
  progress.hidden = false;
  announce('Validating all dashboards');
  for await (const any of api.postForLines('/api/v1/dashboard/validate-all', {})) {
    const line = any as Line;
    if (line.type === 'result') items.push(line.result);
    if (line.type === 'progress') {
      [progress.value, progress.max] = [line.done, Math.max(line.total, 1)];
      announce(`${line.done} of ${line.total} dashboards validated`);
    }
    if (line.type === 'summary') {
      isWhole = true;
      announce(
        `${line.totalDashboards} dashboards: ${line.validDashboards} valid, ${line.invalidDashboards} invalid`,
      );
    }
  }
  if (!isWhole) throw new Error('The report ended before it was whole. Try again.');
  progress.hidden = true;
  showItems(
    place,
    items.toSorted((one, other) => countIssues(other) - countIssues(one)),
  );
}

function countIssues(item: Item): number {
  return 'error' in item ? Infinity : item.issues.length;
}

function countOf(issues: readonly ValidationIssue[]): string {
  return issues.length === 1 ? '1 issue' : `${issues.length} issues`;
}

/** Shows a page of the results, the worst first, and a button for the next one. */
function showItems(place: HTMLElement, items: readonly Item[]): void {
  place.append(...items.slice(0, PAGE).map((item) => describeItem(item, false)));
  const rest = items.slice(PAGE);
  if (rest.length === 0) return;
  const more = button(`Show more of the other ${rest.length}`, () => {
    more.remove();
    showItems(place, rest);
  });
  place.append(more);
}

function describeItem(item: Item, isOpen: boolean): HTMLElement {
  if ('error' in item) {
    return element('p', { class: 'card' }, element('strong', {}, item.dashboardId), ` ${item.error}`);
  }
  const { dashboardId, dashboardTitle, isValid, issues, summary } = item;
  const status = element(
    'span',
    { class: 'level', 'data-status': isValid ? 'valid' : 'invalid' },
    isValid ? 'valid' : 'invalid',
  );
  const counts = `${summary.validFields} of ${summary.totalFields} fields and ${summary.validCards} of ${summary.totalCards} cards are valid`;
  const details = element(
    'details',
    { class: 'card', open: isOpen },
    element(
      'summary',
      {},
      element('strong', {}, dashboardTitle ?? dashboardId ?? ''),
      ' ',
      status,
      ` ${countOf(issues)}`,
    ),
    element('p', {}, counts),
  );
  // Most reports are never opened, so their issues are rendered on opening.
  const draw = (): void => details.append(...groupIssues(issues).map(describeGroup));
  if (isOpen) draw();
  else details.addEventListener('toggle', draw, { once: true });
  return details;
}

function describeGroup({ code, severity, issues }: ReturnType<typeof groupIssues>[number]): HTMLElement {
  return element(
    'section',
    { 'aria-label': code },
    element('h2', {}, `${code} (${severity}, ${issues.length})`),
    element('ul', { class: 'issues' }, ...issues.map(describeIssue)),
  );
}

function describeIssue({
  path,
  message,
  suggestions = [],
  availableColumns = [],
}: ValidationIssue): HTMLElement {
  return element(
    'li',
    {},
    element('span', {}, message),
    element('code', {}, path === '' ? 'the whole template' : path),
    suggestions.length === 0 ? null : element('span', {}, `Did you mean ${suggestions.join(', ')}?`),
    availableColumns.length === 0 ? null : element('span', {}, `Columns: ${availableColumns.join(', ')}`),
  );
}
