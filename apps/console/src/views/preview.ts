import type { AssignmentScope, Connection, PolicyActor, Preview } from '@gatehouse/contract';
import { element, labelled, onSubmit, option } from '../dom.js';
import { formatRoute } from '../logic/route.js';
import type { View, ViewContext } from '../view.js';
import { showPreview } from './previewResult.js';

const ACTOR_KINDS: readonly { kind: AssignmentScope; label: string }[] = [
  { kind: 'TENANT', label: 'A tenant' },
  { kind: 'TENANT_USER', label: 'A tenant user' },
  { kind: 'ORG_USER', label: 'An org user' },
  { kind: 'ALL_TENANTS', label: 'All tenants' },
];
const ACTORS_MAX = 500;

/** The effect of an actor's policies on a statement. Nothing is saved or run. */
export const previewView: View = {
  name: 'preview',
  title: 'Policy preview',
  about:
    'A statement before and after the security policies of an actor, with the reasons. ' +
    'Nothing is saved, and no query is run.',
  show: async (place, context) => {
    const { api, claims, route, announce, run } = context;
    const { connections } = await api.get<{ connections: Connection[] }>('/api/v1/connections');
    const connection = element(
      'select',
      {},
      ...connections.map(({ id, name, dialect }) =>
        option(id, `${name} (${dialect})`, route.id ?? undefined),
      ),
    );
    const actor = createActorControl(context);
    const sql = element('textarea', { rows: 5, spellcheck: 'false', required: true });
    const form = element(
      'form',
      { class: 'card' },
      element('div', { class: 'row' }, labelled('Connection', connection), ...actor.controls),
      labelled('Statement', sql),
      element('button', { class: 'main', disabled: connections.length === 0 }, 'Preview'),
    );
    const result = element('section', { 'aria-label': 'Result' });
    place.append(form, result);
    if (connections.length === 0)
      result.append(element('p', {}, 'The project has no connection to preview.'));

    onSubmit(form, () =>
      run(async () => {
        announce('Requesting the preview');
        const path = `/api/management/v1/projects/${encodeURIComponent(claims.projectId)}/unified-security/preview`;
        const body = { connectionId: connection.value, actor: actor.read(), sql: sql.value };
        const { data } = await api.post<{ data: Preview }>(path, body);
        // The statement is not in the address, because it may contain confidential values.
        history.replaceState(null, '', formatRoute('preview', connection.value, actor.params()));
        showPreview(result, data, sql.value);
        announce(`The statement is ${data.compiled.status}`);
      }),
    );
    await actor.load();
  },
};

interface ActorControl {
  controls: HTMLElement[];
  read(): PolicyActor;
  params(): Record<string, string>;
  load(): Promise<void>;
}

function createActorControl({ api, route, run }: ViewContext): ActorControl {
  const kind = element(
    'select',
    {},
    ...ACTOR_KINDS.map(({ kind: value, label }) =>
      option(value, label, route.params.get('kind') ?? 'TENANT'),
    ),
  );
  const who = element('select');
  const load = async (): Promise<void> => {
    const named = await readActors(api, kind.value);
    who.replaceChildren(
      ...named.map(({ id, name }) => option(id, name, route.params.get('who') ?? undefined)),
    );
    who.disabled = kind.value === 'ALL_TENANTS';
  };
  kind.addEventListener('change', () => run(load));
  return {
    controls: [labelled('For', kind), labelled('Who', who)],
    read: () => toActor(kind.value, who.value),
    params: () => ({ kind: kind.value, who: who.value }),
    load,
  };
}

async function readActors(api: ViewContext['api'], kind: string): Promise<{ id: string; name: string }[]> {
  if (kind === 'ALL_TENANTS') return [];
  if (kind === 'TENANT') {
    const { tenants } = await api.get<{ tenants: { id: string; name: string }[] }>(
      `/api/management/v1/tenants?limit=${ACTORS_MAX}`,
    );
    return tenants;
  }
  const type = kind === 'ORG_USER' ? 'organization' : 'tenant';
  const { users } = await api.get<{ users: { id: string; name: string; email: string }[] }>(
    `/api/management/v1/unified-users?type=${type}&limit=${ACTORS_MAX}`,
  );
  return users.map(({ id, name, email }) => ({ id, name: `${name} (${email || id})` }));
}

function toActor(kind: string, id: string): PolicyActor {
  if (kind === 'TENANT') return { kind, tenantId: id };
  if (kind === 'TENANT_USER') return { kind, tenantUserId: id };
  if (kind === 'ORG_USER') return { kind, orgUserId: id };
  return { kind: 'ALL_TENANTS' };
}
