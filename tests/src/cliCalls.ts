import { runCommand } from '@gatehouse/cli';
import type { OperationId } from '@gatehouse/client';
import { inputOf } from './clientCalls.js';
import type { RouteRequest } from './statusCases/statusCase.js';

/** The result of a command. */
export interface CommandResult {
  exitCode: number;
  output: string;
  errors: string;
}

export interface CommandSettings {
  /** The content of the standard input. */
  input?: string;
  isErrorWatched?: boolean;
  environment?: Partial<Parameters<typeof runCommand>[2]>;
}

/** Runs a command of the command line in this process. */
export async function runCli(
  words: string[],
  { input = '', isErrorWatched = false, environment = {} }: CommandSettings = {},
): Promise<CommandResult> {
  const said = { output: '', errors: '' };
  const terminal = {
    write: async (text: string) => void (said.output += text),
    writeError: (text: string) => void (said.errors += text),
    isErrorWatched,
    isInteractive: false,
    ask: async () => '',
    askSecret: async () => '',
    readInput: async () => input,
  };
  const nothing = {
    configFolder: '/nonexistent',
    url: undefined,
    token: undefined,
    projectId: undefined,
    projectSecret: undefined,
    orgUserId: undefined,
    endUserId: undefined,
    profile: undefined,
  };
  return { exitCode: await runCommand(words, terminal, { ...nothing, ...environment }), ...said };
}

/** A command with what it reads from the standard input. */
interface CommandLine {
  words: string[];
  input?: string;
}
type Fields = Record<string, unknown>;
type ToCommand = (fields: Fields) => CommandLine | null;

/** As an argument of a command; the reader rejects a value that is not text. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Options for fields that are text, number or true; null when there is a field that no option is for. */
function optionsOf(fields: Fields, names: Readonly<Record<string, string>>): string[] | null {
  const options = Object.entries(fields).map(([field, value]) => {
    const name = names[field];
    if (name === undefined || typeof value === 'object') return null;
    return value === true ? [`--${name}`] : [`--${name}=${textOf(value)}`];
  });
  return options.every((option) => option !== null) ? options.flat() : null;
}

/** A command whose positional is `id` and whose options are the other fields. */
function command(words: string[], names: Readonly<Record<string, string>> = {}): ToCommand {
  return ({ id, ...fields }) => {
    const options = optionsOf(fields, names);
    return options && { words: [...words, ...(id === undefined ? [] : [textOf(id)]), ...options] };
  };
}

/** The same with a template on the standard input. */
function withTemplate(toCommand: ToCommand): ToCommand {
  return ({ template, ...fields }) => {
    const made = toCommand(fields);
    if (made === null || template === undefined) return made;
    return { words: [...made.words, '--template=-'], input: JSON.stringify(template) };
  };
}

const TARGETS: Readonly<Record<string, string>> = {
  specific_org_user: 'org-user',
  specific_tenant_user: 'tenant-user',
  all_tenant_users: 'tenant',
  group: 'group',
  all_org_users: 'all-org-users',
  org_users_only: 'org-users-only',
  all_tenants_only: 'all-tenants-only',
};

function sharing(words: string[]): ToCommand {
  return ({ id, shares }) => {
    const entries = Array.isArray(shares) ? (shares as Fields[]) : [];
    const [first, ...others] = entries;
    if (!first || others.length > 0) return null;
    const { scope, role, expiresAt, ...targets } = first;
    const ids = Object.values(targets);
    const name = TARGETS[textOf(scope)];
    if (name === undefined || ids.length > 1) return null;
    const target = ids.length === 0 ? `--${name}` : `--${name}=${textOf(ids[0])}`;
    const isGrant = words[0] === 'share';
    return {
      words: [
        ...words,
        textOf(id),
        target,
        ...(isGrant && role !== undefined ? [`--role=${textOf(role)}`] : []),
        ...(isGrant && expiresAt !== undefined ? [`--expires=${textOf(expiresAt)}`] : []),
      ],
    };
  };
}

const FIELDS = { title: 'title', description: 'description', commitMessage: 'message' };
const AUDIT_FIELDS = {
  type: 'type',
  actorId: 'actor',
  resourceType: 'resource-type',
  resourceId: 'resource',
  requestId: 'request',
  outcome: 'outcome',
  from: 'from',
  to: 'to',
};

/** The command for an operation. */
const COMMANDS: Partial<Record<OperationId, ToCommand>> = {
  listDashboards: command(['dashboards', 'list'], {
    search: 'search',
    tag: 'tag',
    tenantId: 'tenant',
    createdBy: 'created-by',
    sort: 'sort',
    order: 'order',
  }),
  getDashboard: command(['dashboards', 'get']),
  createDashboard: withTemplate(command(['dashboards', 'create'], FIELDS)),
  updateDashboard: withTemplate(command(['dashboards', 'update'], FIELDS)),
  duplicateDashboard: command(['dashboards', 'duplicate'], FIELDS),
  deleteDashboard: command(['dashboards', 'delete', '--yes']),
  listDashboardShares: command(['dashboards', 'shares']),
  listDashboardViewers: command(['dashboards', 'viewers']),
  shareDashboard: sharing(['share']),
  shareVisual: sharing(['share', '--visual']),
  revokeDashboardShares: sharing(['unshare']),
  revokeVisualShares: sharing(['unshare', '--visual']),
  explainDashboardAccess: command(['explain'], { userId: 'user', at: 'at' }),
  explainVisualAccess: command(['explain', '--visual'], { userId: 'user', at: 'at' }),
  validateDashboard: withTemplate(({ dashboardId, ...fields }) =>
    command(['validate'])({ id: dashboardId, ...fields }),
  ),
  validateAllDashboards: command(['validate', '--all']),
  analyzeMigration: command(['migrate'], { targetProjectId: 'to' }),
  listAuditEvents: command(['audit', 'list'], AUDIT_FIELDS),
  exportAuditEvents: command(['audit', 'export'], AUDIT_FIELDS),
};

/** Whether there is a command for an operation. */
export function hasCommand(operationId: string): boolean {
  return Object.hasOwn(COMMANDS, operationId);
}

/** The command that sends a request; null if no command can express all of it. */
export function commandOf(operationId: string, request: RouteRequest): CommandLine | null {
  const toCommand = Object.entries(COMMANDS).find(([name]) => name === operationId)?.[1];
  return toCommand?.(inputOf(request)) ?? null;
}
