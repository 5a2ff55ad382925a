import type { MigrationAnalysis, MigrationPreview, MigrationResult } from '@gatehouse/contract';
import { button, element, labelled, onSubmit, option, table } from '../dom.js';
import {
  COPY,
  MAPPED,
  suggestedValue,
  toMigrationRequest,
  UNLINK,
  type Choice,
  type MappedKind,
} from '../logic/migrationChoices.js';
import { formatRoute } from '../logic/route.js';
import type { View, ViewContext } from '../view.js';
import { showDashboardPicker } from './dashboardPicker.js';
import { confirmMigration } from './migrationConfirmation.js';

const path = (id: string): string => `/api/management/v1/dashboards/${encodeURIComponent(id)}/migrate`;

/** The migration of a dashboard to another project: what it needs there, and the planned steps. */
export const migrationView: View = {
  name: 'migration',
  title: 'Migration plan',
  about: 'What copying a dashboard into another project would do. Nothing is done until you confirm it.',
  show: async (place, context) => {
    const { route, api, claims } = context;
    await showDashboardPicker(place, context, {
      first: 'Choose a dashboard',
      onPick: (id) => (location.hash = formatRoute('migration', id === '' ? null : id)),
    });
    if (route.id === null) return;
    const { id } = route;
    const { projects } = await api.get<{ projects: { id: string; name: string }[] }>(
      '/api/management/v1/projects',
    );
    const targetId = route.params.get('target') ?? '';
    const target = element(
      'select',
      {},
      option('', 'Choose a project'),
      ...projects
        .filter((project) => project.id !== claims.projectId)
        .map((project) => option(project.id, project.name, targetId)),
    );
    const choosing = element(
      'form',
      { class: 'row' },
      labelled('Into the project', target),
      element('button', {}, 'Analyse'),
    );
    onSubmit(choosing, () => {
      location.hash = formatRoute('migration', id, { target: target.value });
    });
    place.append(choosing);
    if (targetId === '') return;
    const query = new URLSearchParams({ targetProjectId: targetId });
    showMappings(place, await api.get<MigrationAnalysis>(`${path(id)}/analysis?${query}`), context);
  },
};

function showMappings(place: HTMLElement, analysis: MigrationAnalysis, context: ViewContext): void {
  const controls = MAPPED.flatMap(({ kind }) =>
    analysis[kind].map((record) => createControl(analysis, kind, record.sourceId)),
  );
  const form = element(
    'form',
    { class: 'card' },
    element('h2', {}, `${analysis.dashboard.title} into ${analysis.targetProject.name}`),
    controls.length === 0 ? element('p', {}, 'The dashboard refers to nothing that needs a mapping.') : null,
    ...controls.map(({ field }) => field),
    problemList(analysis),
    element('button', { class: 'main' }, 'Show the plan'),
  );
  const result = element('section', { 'aria-label': 'Plan' });
  place.append(form, result);
  // A plan is valid for the choices that it was made with.
  form.addEventListener('change', () => result.replaceChildren());
  onSubmit(form, () => {
    const choices = controls.map(({ read }) => read());
    const request = toMigrationRequest(analysis.targetProject.id, choices);
    context.run(() => makePlan(result, { analysis, request }, context));
  });
}

interface Planned {
  analysis: MigrationAnalysis;
  request: ReturnType<typeof toMigrationRequest>;
}

async function makePlan(place: HTMLElement, planned: Planned, context: ViewContext): Promise<void> {
  const { api, announce, run } = context;
  const { analysis, request } = planned;
  announce('Making the plan');
  place.replaceChildren();
  const url = path(analysis.dashboard.id);
  const preview = await api.post<MigrationPreview>(url, { ...request, dryRun: true });
  // The same key for each attempt at this plan, so that a retry after a lost response makes no second copy.
  const headers = { 'idempotency-key': randomKey() };
  const carryOut = async (): Promise<void> => {
    announce('Migrating');
    showDone(place, await api.post<MigrationResult>(url, request, headers));
    announce('The migration is completed');
  };
  const start = button('Carry out …', () => confirmMigration(analysis, () => run(carryOut)));
  place.append(...describePlan(preview), start);
  announce(`The plan has ${preview.plan.steps.length} steps. Nothing was written.`);
}

function describePlan({ plan }: MigrationPreview): HTMLElement[] {
  const rows = plan.steps.map(({ action, title, sourceId }, index) => [
    `${index + 1}. ${action}`,
    title ?? '',
    sourceId ?? '',
  ]);
  const reused = plan.reused.map(({ noun, sourceId, targetId }) => `${noun} ${sourceId} becomes ${targetId}`);
  const dropped = plan.dropped.map(({ noun, sourceId }) => `${noun} ${sourceId} is left out`);
  const references = [...reused, ...dropped].map((text) => element('li', {}, text));
  return [
    element('h2', {}, 'Plan'),
    element('p', {}, 'A dry run: nothing was written.'),
    table('Steps', ['Step', 'Makes', 'From'], rows),
    ...(references.length === 0 ? [] : [element('ul', {}, ...references)]),
  ];
}

interface Control {
  field: HTMLElement;
  read(): Choice;
}

function createControl(analysis: MigrationAnalysis, kind: MappedKind, sourceId: string): Control {
  const noun = MAPPED.find((mapped) => mapped.kind === kind)?.noun ?? '';
  const { name = null, candidates = [] } =
    analysis[kind].find((record) => record.sourceId === sourceId) ?? {};
  const suggested = suggestedValue(analysis, kind, sourceId);
  const isCandidate = candidates.some(({ id }) => id === suggested);
  const isOther = suggested !== '' && suggested !== COPY && suggested !== UNLINK && !isCandidate;
  const select = element(
    'select',
    {},
    option('', 'Choose', suggested),
    ...candidates.map(({ id, name: label }) => option(id, `${label} (${id})`, suggested)),
    isOther ? option(suggested, suggested, suggested) : null,
    kind === 'connections' ? null : option(COPY, 'Copy it', suggested),
    kind === 'visuals' ? option(UNLINK, 'Leave it out', suggested) : null,
  );
  return {
    field: labelled(`${noun} ${name ?? sourceId}`, select),
    read: () => ({ kind, sourceId, value: select.value }),
  };
}

function problemList({ problems }: MigrationAnalysis): HTMLElement | null {
  if (problems.length === 0) return null;
  const lines = problems.map(({ field, message }) =>
    element('li', {}, element('code', {}, field), ` ${message}`),
  );
  return element('div', {}, element('h3', {}, 'Before it can be done'), element('ul', {}, ...lines));
}

function showDone(place: HTMLElement, { dashboard, migrationId, versionControl }: MigrationResult): void {
  const { id, title, secret, projectId } = dashboard;
  place.replaceChildren(
    element('h2', {}, 'Done'),
    element(
      'p',
      {},
      `${title} is ${id} in ${projectId}. The migration is ${migrationId}; its commit: ${versionControl.status}.`,
    ),
    secret === null
      ? ''
      : element('p', {}, 'The secret of the new dashboard, shown this once: ', element('code', {}, secret)),
  );
}

/** Not `crypto.randomUUID`, which is not available over plain HTTP from another machine. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), String).join('-');
}
