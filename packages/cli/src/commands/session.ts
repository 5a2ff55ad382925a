import { createClient } from '@gatehouse/client';
import type { Arguments, Command, Context } from '../command.js';
import { actingUser, DEFAULT_URL, readAddress } from '../account.js';
import { usageError } from '../failures.js';
import { chooseProfile, deleteProfile, setCurrentProfile, storeProfile, type Profile } from '../profiles.js';
import { FROM, readStartFile } from '../startFile.js';

async function findSecret({ environment, terminal }: Context): Promise<string> {
  if (environment.projectSecret !== undefined) return environment.projectSecret;
  const answer = terminal.isInteractive
    ? await terminal.askSecret("The project's secret: ")
    : await terminal.readInput();
  const secret = answer.trim();
  if (secret === '')
    throw usageError('No secret came: give it on the standard input or in GATEHOUSE_PROJECT_SECRET');
  return secret;
}

/** The credentials to sign in with: from the arguments, then the file, then the environment. */
async function readLogin(given: Arguments, context: Context): Promise<Profile> {
  const { environment } = context;
  const file = await readStartFile(given.text('from'), context);
  const projectId = given.text('project') ?? file.projectId ?? environment.projectId;
  if (projectId === undefined) throw usageError('--project or --from is required');
  const users = [
    [given.text('org-user'), given.text('end-user')],
    [file.orgUserId, undefined],
    [environment.orgUserId, environment.endUserId],
  ];
  const [orgUserId, endUserId] = users.find((pair) => pair.some((id) => id !== undefined)) ?? [];
  return {
    baseUrl: readAddress(given.text('url') ?? file.url ?? environment.url ?? DEFAULT_URL, 'The address'),
    projectId,
    projectSecret: file.projectSecret ?? (await findSecret(context)),
    ...actingUser(orgUserId, endUserId),
  };
}

/** Whether a secret that is sent to this address can be read on the way. */
function isOpenToOthers(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

const login: Command = {
  name: 'login',
  summary: 'Sign in, and keep the credentials in a file that only you can read',
  options: {
    url: { value: 'address', summary: `the address of Gatehouse; by default ${DEFAULT_URL}` },
    project: { value: 'id', summary: 'the project' },
    'org-user': { value: 'id', summary: 'act as this org user' },
    'end-user': { value: 'id', summary: 'act as this tenant user' },
    from: FROM,
  },
  notes: [
    "The project's secret comes from a prompt, the standard input, or GATEHOUSE_PROJECT_SECRET. It is never an",
    'argument, because other users of the machine see those. Without a user you act as the project itself.\n',
  ].join('\n'),
  async run(given, context) {
    const { environment } = context;
    const { name } = await chooseProfile(environment, context.profile);
    const { baseUrl, ...credentials } = await readLogin(given, context);
    if (isOpenToOthers(baseUrl))
      context.terminal.writeError('gatehouse: warning: over http the secret can be read on its way\n');
    // Credentials that are rejected are not stored.
    await createClient({ baseUrl }).issueToken({ ...credentials, tokenExpiry: 60 });
    const file = await storeProfile(environment, name, { baseUrl, ...credentials });
    await setCurrentProfile(environment, name);
    return {
      json: { profile: name, baseUrl, projectId: credentials.projectId, file },
      text: `Signed in. Kept in ${file}.\nThe current profile is ${name}: ${baseUrl}.\n`,
    };
  },
};

const logout: Command = {
  name: 'logout',
  summary: 'Delete the credentials of the current profile',
  async run(_given, { environment, profile }) {
    const { name } = await chooseProfile(environment, profile);
    const wasSignedIn = await deleteProfile(environment, name);
    return {
      json: { profile: name, wasSignedIn },
      text: wasSignedIn
        ? `Signed out. Profile ${name} is deleted.\n`
        : `Profile ${name} was not signed in.\n`,
    };
  },
};

export const sessionCommands: readonly Command[] = [login, logout];
