import type { Client } from '@gatehouse/client';
import { SHARE_TARGET_FIELD, type DashboardSummary, type GrantEntry } from '@gatehouse/contract';
import { LIST_LIMIT, type FindId } from './loadPeople.js';
import type { DemoDashboard, DemoProject, DemoResource, DemoShare, DemoVisual } from './shape.js';
import { toFrame, toTemplate, type SourceIds } from './template.js';

const DAY_MS = 86_400_000;

/** What the resources of a project depend on. */
export interface ProjectParts {
  admin: Client;
  ids: SourceIds;
  findId: FindId;
  /** A client with a token of the owner, the same for each of its resources. */
  signInOwner(ownerId: string): Promise<Client>;
  /** Whether the project keeps the versions of its dashboards. */
  hasVersions: boolean;
}

/** Creates the visuals and dashboards of a project that do not exist, each as its owner, and shares them. */
export async function loadResources(
  { visuals, dashboards }: DemoProject,
  parts: ProjectParts,
): Promise<void> {
  const visualIds = await loadVisuals(visuals, parts);
  const query = { scope: 'organization', limit: LIST_LIMIT } as const;
  const known = (await parts.admin.listDashboards(query)).dashboards;
  await Promise.all(dashboards.map((dashboard) => loadDashboard(dashboard, { visualIds, known }, parts)));
}

/** Returns the id of each visual by its title. */
async function loadVisuals(
  visuals: readonly DemoVisual[],
  parts: ProjectParts,
): Promise<Map<string, string>> {
  const { visuals: known } = await parts.admin.listVisuals({ scope: 'organization', limit: LIST_LIMIT });
  const loads = visuals.map(async (visual) => {
    const { title, owner, card } = visual;
    const ownerId = parts.findId(owner);
    const client = await parts.signInOwner(ownerId);
    const present = known.find((record) => record.title === title && record.ownerId === ownerId);
    const create = async () =>
      (await client.createVisual({ ...fieldsOf(visual), frameObject: toFrame(card, parts.ids) })).visual;
    const { id } = present ?? (await create());
    const shares = visual.shares.map((share) => toEntry(share, parts.findId));
    if (shares.length > 0) await client.shareVisual({ id, shares });
    return [title, id] as const;
  });
  return new Map(await Promise.all(loads));
}

interface Known {
  visualIds: ReadonlyMap<string, string>;
  known: readonly DashboardSummary[];
}

/** A state of a dashboard, with the message of the commit that makes it. */
interface State {
  description: string;
  template: ReturnType<typeof toTemplate>;
  message: string | undefined;
}

async function loadDashboard(
  dashboard: DemoDashboard,
  { visualIds, known }: Known,
  parts: ProjectParts,
): Promise<void> {
  const ownerId = parts.findId(dashboard.owner);
  const client = await parts.signInOwner(ownerId);
  const present = known.find((record) => record.title === dashboard.title && record.ownerId === ownerId);
  const states = statesOf(dashboard, visualIds, parts.ids);
  // The description shows how far an interrupted load has come.
  const reached = states.findIndex(({ description }) => description === present?.description);
  let id = present?.id;
  for (const { message, ...state } of states.slice(present === undefined ? 0 : reached + 1)) {
    const commit = parts.hasVersions && message !== undefined ? { commitMessage: message } : {};
    const fields = { ...fieldsOf(dashboard), ...state, ...commit };
    id = await (id === undefined ? createDashboard(client, fields) : updateDashboard(client, id, fields));
  }
  const shares = dashboard.shares.map((share) => toEntry(share, parts.findId));
  // Repeating a grant changes nothing but its expiry.
  if (id !== undefined && shares.length > 0) await client.shareDashboard({ id, shares });
}

function statesOf(
  { description, cards, visuals = [], history }: DemoDashboard,
  visualIds: ReadonlyMap<string, string>,
  ids: SourceIds,
): State[] {
  const linked = visuals.flatMap((title) => visualIds.get(title) ?? []);
  const drafts = (history?.drafts ?? []).map((draft) => ({
    description: draft.description,
    template: toTemplate(cards.slice(0, draft.cards), linked, ids),
    message: draft.message,
  }));
  return [...drafts, { description, template: toTemplate(cards, linked, ids), message: history?.message }];
}

type SavedFields = Parameters<Client['createDashboard']>[0];

async function createDashboard(client: Client, fields: SavedFields): Promise<string> {
  return (await client.createDashboard(fields)).dashboard.id;
}

async function updateDashboard(client: Client, id: string, fields: SavedFields): Promise<string> {
  const { title: _title, isPrivate: _isPrivate, tags: _tags, ...changes } = fields;
  return (await client.updateDashboard({ id, ...changes })).dashboard.id;
}

function fieldsOf({ title, description, isPrivate, tags }: DemoResource) {
  return { title, description, isPrivate, tags };
}

/** A share as a request has it, with its target under the name that the scope requires. */
function toEntry({ scope, role, to = '', expiresInDays }: DemoShare, findId: FindId): GrantEntry {
  const field = SHARE_TARGET_FIELD[scope];
  const target = field === null ? {} : { [field]: findId(to) };
  if (expiresInDays === undefined) return { scope, role, ...target };
  return { scope, role, ...target, expiresAt: new Date(Date.now() + expiresInDays * DAY_MS).toISOString() };
}
