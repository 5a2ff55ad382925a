import type { DashboardSummary, ShareList } from '@gatehouse/contract';
import type { Arguments, Command } from '../command.js';
import { usageError } from '../failures.js';
import { formatFields, formatTable, type Cell } from '../layout.js';
import { takeItems } from '../takeItems.js';

const DASHBOARD = [{ name: 'dashboard', names: 'dashboard' }] as const;
const DEFAULT_LIMIT = 100;
const SORTS = ['updatedAt', 'createdAt', 'title'] as const;
const ORDERS = ['asc', 'desc'] as const;

/** The chosen value, which the table of options has checked. */
function choice<T extends string>(given: Arguments, option: string, choices: readonly T[]): T | undefined {
  return choices.find((known) => known === given.text(option));
}

function privacyOf(given: Arguments): boolean | undefined {
  if (given.flag('private') && given.flag('public'))
    throw usageError('--private and --public exclude each other');
  return given.flag('private') ? true : given.flag('public') ? false : undefined;
}

function selectionOf(given: Arguments) {
  return {
    search: given.text('search'),
    tag: given.text('tag'),
    tenantId: given.text('tenant'),
    createdBy: given.text('created-by'),
    isPrivate: privacyOf(given),
    sort: choice(given, 'sort', SORTS),
    order: choice(given, 'order', ORDERS),
    ...(given.flag('organization') && { scope: 'organization' as const }),
  };
}

const rowOf = ({ id, title, accessLevel, isPrivate, ownerId, updatedAt }: DashboardSummary): Cell[] => [
  id,
  title,
  accessLevel,
  isPrivate ? 'private' : 'public',
  ownerId,
  updatedAt,
];

const list: Command = {
  name: 'dashboards list',
  summary: 'List the dashboards that you may see',
  options: {
    search: { value: 'text', summary: 'with this text in title or description' },
    tag: { value: 'tag', summary: 'with this tag' },
    tenant: { value: 'id', names: 'tenant', summary: 'of this tenant' },
    'created-by': { value: 'id', names: 'person', summary: 'created by this user' },
    private: { summary: 'private ones only' },
    public: { summary: 'public ones only' },
    organization: { summary: 'all of the project, with or without access to them (ADMIN only)' },
    sort: { value: 'field', summary: 'in the order of this field', choices: SORTS },
    order: { value: 'order', summary: 'up or down', choices: ORDERS },
    limit: { value: 'number', summary: `how many at most; by default ${DEFAULT_LIMIT}` },
  },
  async run(given, context) {
    const client = await context.client();
    const most = given.count('limit') ?? DEFAULT_LIMIT;
    const { items, isWhole } = await takeItems(client.items.listDashboards(selectionOf(given)), most);
    if (!isWhole) context.terminal.writeError(`gatehouse: only the first ${most} are shown; see --limit\n`);
    const headings = ['ID', 'TITLE', 'ACCESS', 'SEEN BY', 'OWNER', 'UPDATED'];
    return { json: { dashboards: items, isWhole }, text: formatTable(headings, items.map(rowOf)) };
  },
};

const get: Command = {
  name: 'dashboards get',
  summary: 'Show a dashboard; with --json its template too',
  positionals: DASHBOARD,
  async run(given, context) {
    const client = await context.client();
    const { data, etag } = await client.withResponse.getDashboard({ id: given.required('dashboard') });
    const { dashboard } = data;
    const { permissions } = dashboard;
    const text = formatFields({
      id: dashboard.id,
      title: dashboard.title,
      description: dashboard.description,
      project: dashboard.projectId,
      tenant: dashboard.tenantId,
      'seen by': dashboard.isPrivate ? 'private' : 'public',
      tags: dashboard.tags.join(', '),
      owner: dashboard.ownerId,
      access: dashboard.accessLevel,
      'can edit': permissions.canEdit,
      'can share': permissions.canShare,
      'can delete': permissions.canDelete,
      version: dashboard.version,
      'entity tag': etag,
      created: dashboard.createdAt,
      updated: dashboard.updatedAt,
    });
    return { json: { dashboard, etag }, text };
  },
};

function sharesOf(shares: ShareList): Cell[][] {
  const { owner, nextCursor: _nextCursor, ...lists } = shares;
  const rows = Object.values(lists)
    .flat()
    .map(({ id, scope, role, target, expiresAt }) => [id, scope, target?.id, target?.name, role, expiresAt]);
  return owner ? [['-', 'owner', owner.id, owner.name, 'OWNER', null], ...rows] : rows;
}

const shares: Command = {
  name: 'dashboards shares',
  summary: 'List with whom a dashboard is shared',
  positionals: DASHBOARD,
  options: { organization: { summary: 'with or without access to the dashboard (ADMIN only)' } },
  async run(given, context) {
    const client = await context.client();
    const scope = given.flag('organization') ? { scope: 'organization' as const } : {};
    const answer = await client.listDashboardShares({ id: given.required('dashboard'), ...scope });
    const headings = ['SHARE', 'SCOPE', 'TARGET', 'NAME', 'ROLE', 'EXPIRES'];
    return { json: answer, text: formatTable(headings, sharesOf(answer)) };
  },
};

const viewers: Command = {
  name: 'dashboards viewers',
  summary: 'List who has access to a dashboard, and through what',
  positionals: DASHBOARD,
  async run(given, context) {
    const client = await context.client();
    const { items } = await takeItems(client.items.listDashboardViewers({ id: given.required('dashboard') }));
    const rows = items.map(({ id, name, email, accessLevel, path }) => [id, name, email, accessLevel, path]);
    return {
      json: { viewers: items },
      text: formatTable(['USER', 'NAME', 'E-MAIL', 'ACCESS', 'BY'], rows),
    };
  },
};

export const dashboardCommands: readonly Command[] = [list, get, shares, viewers];
