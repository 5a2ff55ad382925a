import { createClient, type Client } from '@gatehouse/client';
import type { Account } from '../../credentials.js';
import { EXIT_CODES } from '../../exitCodes.js';
import { CommandError } from '../../failures.js';
import { subjectOf } from '../../project.js';
import type { Reader } from '../model/records.js';

/** The project that is read or changed, as its ADMIN and, for what only they may do, as other users. */
export interface Session {
  projectId: string;
  /** The ADMIN who calls. */
  callerId: string;
  client: Client;
  /**
   * A client that acts as another user. Without a project secret there is none.
   *
   * @throws CommandError if the account is an access token
   */
  as(reader: Reader): Client;
  /** Whether `as` works. */
  canActAsOthers: boolean;
}

/** Opens a session for an account, which must belong to a user. */
export function openSession(account: Account): Session {
  const { baseUrl, access } = account;
  const { projectId, userId } = subjectOf(account);
  if (userId === null)
    throw new CommandError(EXIT_CODES.notAllowed, 'The account must be an ADMIN: sign in with --org-user');
  const clients = new Map<string, Client>();
  const create = (reader: Reader): Client => {
    if ('accessToken' in access)
      throw new CommandError(
        EXIT_CODES.notAllowed,
        'The project secret is required to act as the owner of a dashboard: sign in with it',
      );
    const { projectSecret } = access;
    return createClient({ baseUrl, credentials: { projectId, projectSecret, ...reader } });
  };
  return {
    projectId,
    callerId: userId,
    client:
      'accessToken' in access
        ? createClient({ baseUrl, accessToken: access.accessToken })
        : createClient({ baseUrl, credentials: access }),
    canActAsOthers: !('accessToken' in access),
    as(reader) {
      const key = JSON.stringify(reader);
      const client = clients.get(key) ?? create(reader);
      clients.set(key, client);
      return client;
    },
  };
}
