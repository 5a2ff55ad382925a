import { AccessLevel, type RevokeEntry, type ShareRecord } from '@gatehouse/contract';
import type { Arguments, Command, OptionSpec } from '../command.js';
import { usageError } from '../failures.js';
import { formatTable } from '../layout.js';
import { isValidateOnly, validateOnlyOf, validateOnlyOption, validOutcome } from '../validateOnly.js';

const namesOf = (given: Arguments) => (given.flag('visual') ? 'visual' : 'dashboard');
const RESOURCE = [{ name: 'dashboard', names: namesOf }];

/** The targets of a share, as options: each becomes an entry. */
const TARGET_OPTIONS = {
  'org-user': { value: 'id', names: 'orgUser', summary: 'one org user', isMultiple: true },
  'tenant-user': { value: 'id', names: 'tenantUser', summary: 'one tenant user', isMultiple: true },
  tenant: { value: 'id', names: 'tenant', summary: 'all users of a tenant', isMultiple: true },
  group: { value: 'id', names: 'group', summary: 'a group', isMultiple: true },
  'all-org-users': { summary: 'all org users' },
  'org-users-only': { summary: 'org users, and no tenants' },
  'all-tenants-only': { summary: 'all tenants, and no org users' },
  visual: { summary: 'the argument is a visual' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

type Target = Pick<RevokeEntry, 'scope' | 'orgUserId' | 'tenantUserId' | 'tenantId' | 'groupId'>;

function targetsOf(given: Arguments): [Target, ...Target[]] {
  const [first, ...others]: Target[] = [
    ...given.texts('org-user').map((orgUserId): Target => ({ scope: 'specific_org_user', orgUserId })),
    ...given
      .texts('tenant-user')
      .map((tenantUserId): Target => ({ scope: 'specific_tenant_user', tenantUserId })),
    ...given.texts('tenant').map((tenantId): Target => ({ scope: 'all_tenant_users', tenantId })),
    ...given.texts('group').map((groupId): Target => ({ scope: 'group', groupId })),
    ...(given.flag('all-org-users') ? [{ scope: 'all_org_users' } satisfies Target] : []),
    ...(given.flag('org-users-only') ? [{ scope: 'org_users_only' } satisfies Target] : []),
    ...(given.flag('all-tenants-only') ? [{ scope: 'all_tenants_only' } satisfies Target] : []),
  ];
  if (!first) throw usageError('A target is missing: add at least one of the options that name one');
  return [first, ...others];
}

function formatShares(shares: readonly ShareRecord[], whenEmpty: string): string {
  const rows = shares.map((share) => [
    share.id,
    share.scope,
    share.orgUserId ?? share.tenantUserId ?? share.tenantId ?? share.groupId,
    share.role,
    share.expiresAt,
  ]);
  return formatTable(['SHARE', 'SCOPE', 'TARGET', 'ROLE', 'EXPIRES'], rows, whenEmpty);
}

const share: Command = {
  name: 'share',
  summary: 'Share a dashboard or a visual: with all targets, or with none',
  positionals: RESOURCE,
  options: {
    role: {
      value: 'role',
      summary: 'what they may do with it',
      choices: AccessLevel.options,
      isRequired: true,
    },
    ...TARGET_OPTIONS,
    expires: { value: 'time', summary: 'until then, as 2030-01-31T12:00:00Z' },
    ...validateOnlyOption('shareDashboard', 'shareVisual'),
  },
  async run(given, context) {
    const role = AccessLevel.parse(given.text('role'));
    const expiresAt = given.text('expires');
    const shares = targetsOf(given).map((target) => ({
      ...target,
      role,
      ...(expiresAt !== undefined && { expiresAt }),
    }));
    const client = await context.client();
    const input = { id: given.required('dashboard'), shares, ...validateOnlyOf(given) };
    const answer = given.flag('visual')
      ? await client.shareVisual(input)
      : await client.shareDashboard(input);
    if (isValidateOnly(given)) return validOutcome(answer);
    return { json: answer, text: formatShares(answer.shares, 'Nothing was shared.') };
  },
};

const unshare: Command = {
  name: 'unshare',
  summary: 'Revoke shares; those that do not exist are ignored',
  positionals: RESOURCE,
  options: { ...TARGET_OPTIONS, ...validateOnlyOption('revokeDashboardShares', 'revokeVisualShares') },
  async run(given, context) {
    const shares = targetsOf(given);
    const client = await context.client();
    const input = { id: given.required('dashboard'), shares, ...validateOnlyOf(given) };
    const answer = given.flag('visual')
      ? await client.revokeVisualShares(input)
      : await client.revokeDashboardShares(input);
    if (isValidateOnly(given)) return validOutcome(answer);
    return { json: answer, text: formatShares(answer.removed, 'There was no such share.') };
  },
};

export const shareCommands: readonly Command[] = [share, unshare];
