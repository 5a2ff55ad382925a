import type { Command } from '../command.js';
import type { Account, Source } from '../credentials.js';
import { formatFields, formatTable } from '../layout.js';
import { subjectOf } from '../project.js';

/** What each setting comes from: the option, the variable or the profile. */
function describeSources({ access, profile, sources }: Account) {
  const describe = (source: Source, variable: string) =>
    ({
      environment: `environment: ${variable}`,
      profile: `profile ${profile?.name}`,
      default: 'default',
      none: '-',
    })[source];
  const chosenBy = {
    flag: 'flag: --profile',
    environment: 'environment: GATEHOUSE_PROFILE',
    current: 'current profile',
  };
  const isToken = 'accessToken' in access;
  const user = isToken || access.endUserId === undefined ? 'GATEHOUSE_ORG_USER_ID' : 'GATEHOUSE_END_USER_ID';
  return {
    profile: chosenBy[profile?.source ?? 'current'],
    baseUrl: describe(sources.baseUrl, 'GATEHOUSE_URL'),
    projectId: describe(sources.credentials, isToken ? 'GATEHOUSE_TOKEN' : 'GATEHOUSE_PROJECT_ID'),
    credentials: describe(sources.credentials, isToken ? 'GATEHOUSE_TOKEN' : 'GATEHOUSE_PROJECT_SECRET'),
    user: describe(sources.user, isToken ? 'GATEHOUSE_TOKEN' : user),
  };
}

/** The settings of this command with their sources; never a secret. */
function settingsOf(account: Account) {
  const { projectId, userId } = subjectOf(account);
  const from = describeSources(account);
  const { profile, baseUrl, access } = account;
  return [
    ...(profile ? [{ setting: 'profile', value: profile.name, source: from.profile }] : []),
    { setting: 'address', value: baseUrl, source: from.baseUrl },
    { setting: 'project', value: projectId, source: from.projectId },
    {
      setting: 'credentials',
      value: 'accessToken' in access ? 'access token' : 'project secret',
      source: from.credentials,
    },
    { setting: 'user', value: userId ?? 'none: the project itself', source: from.user },
  ];
}

/** Shows the account, and the source of each setting. */
export const whoamiCommand: Command = {
  name: 'whoami',
  summary: 'Show where you are signed in, as which user, and what each setting comes from',
  async run(_given, context) {
    const account = await context.account();
    const client = await context.client();
    const { projectId, userId } = subjectOf(account);
    const { baseUrl } = account;
    const settings = settingsOf(account);
    const table = formatTable(
      ['SETTING', 'VALUE', 'SOURCE'],
      settings.map(({ setting, value, source }) => [setting, value, source]),
    );
    // A project itself has no user to read, but a list shows that its secret is valid.
    if (userId === null) {
      await client.listUnifiedUsers({ limit: 1 });
      return { json: { baseUrl, projectId, user: null, settings }, text: table };
    }
    const user = await client.getUserContext({ id: userId });
    const permitted = Object.entries(user.permissions).flatMap(([name, isPermitted]) =>
      isPermitted ? name : [],
    );
    const rights = formatFields({ kind: user.type, role: user.role, permissions: permitted.join(', ') });
    return { json: { baseUrl, projectId, user, settings }, text: `${table}\n${rights}` };
  },
};
