import { createClient } from '@gatehouse/client';
import type { Arguments, Command, Context } from '../command.js';
import {
  actingUser,
  DEFAULT_URL,
  forgetAccount,
  storeAccount,
  type ProjectCredentials,
} from '../credentials.js';
import { usageError } from '../failures.js';
import { readObject } from '../files.js';
import { formatFields } from '../layout.js';
import { subjectOf } from '../project.js';

/** The fields of the file of a first start, as far as it contains them. */
async function readStartFile(given: Arguments, context: Context) {
  const file = given.text('from');
  const fields = file === undefined ? {} : await readObject(file, context);
  const read = (name: string) => (typeof fields[name] === 'string' ? fields[name] : undefined);
  return {
    url: read('baseUrl'),
    projectId: read('projectId'),
    projectSecret: read('projectSecret'),
    orgUserId: read('adminOrgUserId'),
  };
}

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
async function readLogin(
  given: Arguments,
  context: Context,
): Promise<ProjectCredentials & { baseUrl: string }> {
  const { environment } = context;
  const file = await readStartFile(given, context);
  const projectId = given.text('project') ?? file.projectId ?? environment.projectId;
  if (projectId === undefined) throw usageError('--project or --from is required');
  const users = [
    [given.text('org-user'), given.text('end-user')],
    [file.orgUserId, undefined],
    [environment.orgUserId, environment.endUserId],
  ];
  const [orgUserId, endUserId] = users.find((pair) => pair.some((id) => id !== undefined)) ?? [];
  return {
    baseUrl: given.text('url') ?? file.url ?? environment.url ?? DEFAULT_URL,
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

function checkUrl(url: string): void {
  try {
    createClient({ baseUrl: url });
  } catch {
    throw usageError(`${url} is no address as https://gatehouse.example.com`);
  }
}

const login: Command = {
  name: 'login',
  summary: 'Sign in, and keep the credentials in a file that only you can read',
  options: {
    url: { value: 'address', summary: `where Gatehouse is; ${DEFAULT_URL} unless given` },
    project: { value: 'id', summary: 'the project' },
    'org-user': { value: 'id', summary: 'act as this org user' },
    'end-user': { value: 'id', summary: 'act as this tenant user' },
    from: { value: 'file', summary: 'take all of it from the credentials.json that the first start wrote' },
  },
  notes: [
    "The project's secret comes from a prompt, the standard input, or GATEHOUSE_PROJECT_SECRET. It is never an",
    'argument, because other users of the machine see those. Without a user you act as the project itself.\n',
  ].join('\n'),
  async run(given, context) {
    const { baseUrl, ...credentials } = await readLogin(given, context);
    checkUrl(baseUrl);
    if (isOpenToOthers(baseUrl))
      context.terminal.writeError('gatehouse: warning: over http the secret can be read on its way\n');
    // Credentials that are rejected are not stored.
    await createClient({ baseUrl }).issueToken({ ...credentials, tokenExpiry: 60 });
    const file = await storeAccount(context.environment, { baseUrl, ...credentials });
    return {
      json: { baseUrl, projectId: credentials.projectId, file },
      text: `Signed in. Kept in ${file}.\n`,
    };
  },
};

const logout: Command = {
  name: 'logout',
  summary: 'Forget the credentials that a login kept',
  async run(_given, { environment }) {
    const wasSignedIn = await forgetAccount(environment);
    return { json: { wasSignedIn }, text: wasSignedIn ? 'Signed out.\n' : 'You were not signed in.\n' };
  },
};

const whoami: Command = {
  name: 'whoami',
  summary: 'Show where you are signed in, as which user, and what that permits',
  async run(_given, context) {
    const account = await context.account();
    const client = await context.client();
    const { projectId, userId } = subjectOf(account);
    const { baseUrl } = account;
    // A project itself has no user to read, but a list shows that its secret is valid.
    if (userId === null) {
      await client.listUnifiedUsers({ limit: 1 });
      return {
        json: { baseUrl, projectId, user: null },
        text: formatFields({ address: baseUrl, project: projectId, user: 'none: the project itself' }),
      };
    }
    const user = await client.getUserContext({ id: userId });
    const permitted = Object.entries(user.permissions).flatMap(([name, isPermitted]) =>
      isPermitted ? name : [],
    );
    const text = formatFields({
      address: baseUrl,
      project: projectId,
      user: user.userId,
      kind: user.type,
      role: user.role,
      permissions: permitted.join(', '),
    });
    return { json: { baseUrl, projectId, user }, text };
  },
};

export const sessionCommands: readonly Command[] = [login, logout, whoami];
