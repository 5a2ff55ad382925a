import type { Config, ServiceClients } from '@gatehouse/service';
import { createRateLimit } from '../limits.js';
import type { Forwarder } from '../runRoute.js';
import { Cookies } from './cookies.js';
import { CredentialsReader } from './credentials.js';
import { SessionOperations, type SessionOperation } from './operations.js';
import { SessionTokens } from './sessionTokens.js';

export interface SessionsOptions {
  config: Config;
  directory: ServiceClients['directory'];
  forwarder: Forwarder;
}

/** Creates the operations of the console's session, and the reader of the credentials of requests. */
export function createSessions({ config, directory, forwarder }: SessionsOptions): {
  credentials: CredentialsReader;
  operations: SessionOperation[];
} {
  const { PUBLIC_URL: publicUrl } = config;
  const { sessions } = directory;
  const { forgetPrincipals } = forwarder;
  const origin = (requestId: string) => forwarder.ownOrigin(requestId);
  const cookies = new Cookies(publicUrl);
  const tokens = new SessionTokens(async (session, requestId) =>
    sessions.issueToken.mutate(session, { context: await origin(requestId) }),
  );
  const signInLimit = createRateLimit('sign-in', config.RATE_LIMIT_TOKEN);
  const operations = new SessionOperations({
    sessions,
    origin,
    cookies,
    publicUrl,
    signInLimit,
    forgetPrincipals,
  });
  return {
    credentials: new CredentialsReader({ cookies, tokens, publicUrl }),
    operations: operations.list(),
  };
}
