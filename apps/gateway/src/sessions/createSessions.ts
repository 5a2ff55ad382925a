import type { Config, Logger, ServiceClients } from '@gatehouse/service';
import { createRateLimit, type RateLimit } from '../limits.js';
import type { Forwarder } from '../runRoute.js';
import { OidcProvider } from '../oidc/provider.js';
import { readOidcSettings } from '../oidc/settings.js';
import { Cookies } from './cookies.js';
import { CredentialsReader } from './credentials.js';
import { SessionOperations } from './operations.js';
import { ProviderSignIn } from './providerSignIn.js';
import type { SessionOperation } from './runOperation.js';
import { SessionTokens } from './sessionTokens.js';

/** The failures of responses of a provider in the audit log. */
const REPORTS_A_MINUTE = 100;

export interface SessionsOptions {
  config: Config;
  directory: ServiceClients['directory'];
  forwarder: Forwarder;
  addressLimit: RateLimit | null;
  log: Logger;
}

/** Creates the operations of the console's session, and the reader of the credentials of requests. */
export function createSessions({ config, directory, forwarder, addressLimit, log }: SessionsOptions): {
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
  const settings = readOidcSettings(config);
  const providerSignIn =
    settings &&
    new ProviderSignIn({
      sessions,
      origin,
      cookies,
      settings,
      signInLimit,
      forgetPrincipals,
      log,
      provider: new OidcProvider(settings),
      reportLimit: createRateLimit('reports', REPORTS_A_MINUTE),
    });
  const operations = new SessionOperations({
    sessions,
    origin,
    cookies,
    publicUrl,
    signInLimit,
    addressLimit,
    providerSignIn,
    forgetPrincipals,
  });
  return {
    credentials: new CredentialsReader({ cookies, tokens, publicUrl }),
    operations: operations.list(),
  };
}
