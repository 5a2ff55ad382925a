import { createClient } from '@gatehouse/client';
import { readAddress } from '../account.js';
import type { Command, Context } from '../command.js';
import type { ProjectCredentials } from '../credentials.js';
import { usageError } from '../failures.js';
import { FROM, readStartFile } from '../startFile.js';

/** The seconds for which the console stays signed in: a working day. */
const SESSION_SECONDS = 28_800;

type Signer = ProjectCredentials & { baseUrl: string };

/** The first ADMIN, by the file of a first start. */
async function readSigner(file: string, context: Context): Promise<Signer> {
  if (context.profile !== undefined) throw usageError('--from and --profile exclude each other');
  const { url, projectId, projectSecret, orgUserId } = await readStartFile(file, context);
  if (url === undefined || projectId === undefined || projectSecret === undefined || orgUserId === undefined)
    throw usageError(`${file} must be the credentials.json that the first start wrote`);
  return { baseUrl: readAddress(url, 'baseUrl'), projectId, projectSecret, orgUserId };
}

/** The user of the account. */
async function findSigner(context: Context): Promise<Signer> {
  const { access, baseUrl } = await context.account();
  if ('accessToken' in access)
    throw usageError('console needs the secret of the project: sign in, or set GATEHOUSE_PROJECT_SECRET');
  return { baseUrl, ...access };
}

/** Makes a link that signs the user in to the console once. */
export const consoleCommand: Command = {
  name: 'console',
  summary: 'Print a link that signs you in to the console, once and within ten minutes',
  options: {
    from: { ...FROM, summary: 'sign in its first ADMIN, by the credentials.json of the first start' },
  },
  async run(given, context) {
    const file = given.text('from');
    const { baseUrl, ...access } = await (file === undefined
      ? findSigner(context)
      : readSigner(file, context));
    const { signInCode, expiresAt } = await createClient({ baseUrl }).createSignInCode({
      ...access,
      tokenExpiry: SESSION_SECONDS,
    });
    // The project of the login: the session reaches all of the organization.
    const page = `${baseUrl.replace(/\/$/, '')}/console?project=${encodeURIComponent(access.projectId)}`;
    const link = `${page}#sign-in=${signInCode}`;
    return { json: { link, expiresAt }, text: `${link}\n` };
  },
};
