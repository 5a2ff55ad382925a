import type { Command } from '../command.js';
import { usageError } from '../failures.js';

/** The seconds for which the console stays signed in: a working day. */
const SESSION_SECONDS = 28_800;

/** Makes a link that signs the user in to the console once. */
export const consoleCommand: Command = {
  name: 'console',
  summary: 'Print a link that signs you in to the console, once and within ten minutes',
  async run(_given, context) {
    const { access, baseUrl } = await context.account();
    if ('accessToken' in access)
      throw usageError('console needs the secret of the project: sign in, or set GATEHOUSE_PROJECT_SECRET');
    const client = await context.client();
    const { signInCode, expiresAt } = await client.createSignInCode({
      ...access,
      tokenExpiry: SESSION_SECONDS,
    });
    const link = `${baseUrl.replace(/\/$/, '')}/console#sign-in=${signInCode}`;
    return { json: { link, expiresAt }, text: `${link}\n` };
  },
};
