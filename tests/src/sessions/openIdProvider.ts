import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';

/** A person at the provider. */
export interface Account {
  sub: string;
  [claim: string]: unknown;
}

/** The parts of an ID token, which a test may change before it is signed again. */
export interface TokenParts {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
}

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
const decode = (part = '') =>
  JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;

interface SigningKey {
  kid: string;
  privateKey: KeyObject;
}

function createKey(kid: string): SigningKey {
  return { kid, privateKey: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey };
}

const CLIENT = { client_id: 'gatehouse', client_secret: 'client-secret-of-the-tests-0123456789' };
export const OIDC_CLIENT = { OIDC_CLIENT_ID: CLIENT.client_id, OIDC_CLIENT_SECRET: CLIENT.client_secret };

function configurationOf(
  accounts: ReadonlyMap<string, Account>,
  key: SigningKey,
  publicUrl: string,
): Configuration {
  const jwk = { ...key.privateKey.export({ format: 'jwk' }), kid: key.kid, alg: 'RS256', use: 'sig' };
  return {
    jwks: { keys: [jwk] },
    clients: [
      {
        ...CLIENT,
        redirect_uris: [`${publicUrl}/console/session/callback`],
        post_logout_redirect_uris: [`${publicUrl}/console/`],
        backchannel_logout_uri: `${publicUrl}/console/session/back-channel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    claims: {
      openid: ['sub', 'sid'],
      email: ['email', 'email_verified'],
      profile: ['name'],
      roles: ['roles', 'groups', 'tenant', 'realm_access'],
    },
    scopes: ['openid', 'email', 'profile', 'roles'],
    conformIdTokenClaims: false,
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    pkce: { required: () => true },
    // Its own dispatcher rejects loopback addresses.
    fetch: (url, options) => {
      const { dispatcher: _dispatcher, ...others } = options as RequestInit & { dispatcher?: unknown };
      return fetch(url, others);
    },
    cookies: { keys: ['cookie-key-of-the-tests'] },
    ttl: { AccessToken: 60, IdToken: 60, Session: 600, Interaction: 600, Grant: 600 },
    findAccount(_context, id) {
      const account = accounts.get(id);
      return account && { accountId: id, claims: async () => account };
    },
  };
}

/** A real OpenID provider on a free loopback port, in which people sign in without a page. */
export class OpenIdProvider implements AsyncDisposable {
  readonly accounts = new Map<string, Account>();
  /** Who signs in next; null rejects the sign-in. */
  current: string | null = null;
  /** Changes the next ID tokens, which are then signed again with the provider's own key. */
  tamper: ((parts: TokenParts) => void) | null = null;
  /** Replaces the next ID tokens. */
  replaceToken: ((token: string) => string) | null = null;
  /** Handles a request in place of the provider; false if it does not. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | null = null;
  /** The paths that were requested. */
  readonly requests: string[] = [];
  #key = createKey('k1');
  readonly #publicUrl: string;
  #server: Server;
  #provider: Provider | null = null;

  private constructor(publicUrl: string) {
    this.#publicUrl = publicUrl;
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        response.statusCode = 500;
        response.end(String(error));
      });
    });
  }

  /** Starts a provider for a gateway at this address. */
  static async start(publicUrl: string): Promise<OpenIdProvider> {
    const provider = new OpenIdProvider(publicUrl);
    await once(provider.#server.listen(0, '127.0.0.1'), 'listening');
    provider.#create();
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #create(): void {
    this.#provider = new Provider(this.issuer, configurationOf(this.accounts, this.#key, this.#publicUrl));
  }

  /** Replaces the signing key, and forgets all sessions. */
  rotateKey(): void {
    this.#key = createKey(`k${Date.now()}`);
    this.#create();
  }

  /** Signs a token with the key of the provider. */
  signToken(claims: Record<string, unknown>, header: Record<string, unknown> = {}): string {
    const head = encode({ alg: 'RS256', typ: 'JWT', kid: this.#key.kid, ...header });
    const signed = `${head}.${encode(claims)}`;
    return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), this.#key.privateKey).toString('base64url')}`;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider;
    if (!provider) throw new Error('The provider is not started');
    const { pathname } = new URL(request.url ?? '/', this.issuer);
    this.requests.push(pathname);
    if (this.intercept?.(request, response)) return;
    if (pathname.startsWith('/interaction/')) return this.#interact(provider, request, response);
    if (pathname === '/token') this.#changeTokens(response);
    await provider.callback()(request, response);
  }

  async #interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
    if (this.current === null) {
      const error = { error: 'access_denied', error_description: '<script>the person rejects</script>' };
      return provider.interactionFinished(request, response, error, { mergeWithLastSubmission: false });
    }
    if (prompt.name === 'login') {
      const login = { accountId: this.current };
      return provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false });
    }
    const accountId = session?.accountId ?? this.current;
    const found = grantId === undefined ? undefined : await provider.Grant.find(grantId);
    const grant = found ?? new provider.Grant({ accountId, clientId: String(params['client_id']) });
    grant.addOIDCScope(String(params['scope']));
    const consent = { grantId: await grant.save() };
    return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
  }

  #changeTokens(response: ServerResponse): void {
    const end = response.end.bind(response);
    const changed = (body: string): string => {
      const content = JSON.parse(body) as { id_token?: string };
      if (content.id_token !== undefined) content.id_token = this.#changeToken(content.id_token);
      return JSON.stringify(content);
    };
    response.end = ((body?: unknown) => {
      if (typeof body !== 'string' && !Buffer.isBuffer(body)) return end();
      const text = changed(body.toString());
      if (!response.headersSent) response.setHeader('content-length', Buffer.byteLength(text));
      return end(text);
    }) as ServerResponse['end'];
  }

  #changeToken(token: string): string {
    if (this.replaceToken) return this.replaceToken(token);
    if (!this.tamper) return token;
    const [header, claims] = token.split('.');
    const parts = { header: decode(header), claims: decode(claims) };
    this.tamper(parts);
    return this.signToken(parts.claims, parts.header);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** A browser at the provider: it follows the redirects there, with the cookies of the provider. */
export class ProviderBrowser {
  readonly #cookies = new Map<string, string>();

  /** Opens an address of the provider, and returns the first address elsewhere. */
  async open(address: string): Promise<URL> {
    const { origin } = new URL(address);
    let target = new URL(address);
    while (target.origin === origin) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(target, { redirect: 'manual', headers: { cookie } });
      for (const set of response.headers.getSetCookie()) this.#keep(set);
      const location = response.headers.get('location');
      if (location === null)
        throw new Error(`${target.pathname}: ${response.status} ${await response.text()}`);
      target = new URL(location, target);
    }
    return target;
  }

  /** Ends the session at the provider, which then calls the gateway. */
  async signOut(address: string): Promise<void> {
    const cookie = () => [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const page = await fetch(address, { headers: { cookie: cookie() } });
    for (const set of page.headers.getSetCookie()) this.#keep(set);
    const html = await page.text();
    const [, action = ''] = /action="([^"]+)"/.exec(html) ?? [];
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(html) ?? [];
    await fetch(new URL(action, address), {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: cookie(), 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ xsrf, logout: 'yes' }),
    });
  }

  #keep(cookie: string): void {
    const [pair = ''] = cookie.split(';');
    const mark = pair.indexOf('=');
    this.#cookies.set(pair.slice(0, mark), pair.slice(mark + 1));
  }
}
