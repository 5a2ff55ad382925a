import type { Api, Identity, Project } from '../api.js';
import { sendRequest, succeeded } from '../api.js';

/** A response to a browser. `body` is the parsed JSON, or null if there is none. */
export interface BrowserAnswer {
  status: number;
  headers: Headers;
  body: Record<string, unknown> | null;
}

export interface BrowserRequest {
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. */
  text?: string;
  headers?: Record<string, string>;
}

/** A browser that shows the console: it keeps cookies, and states the origin of its requests. */
export class ConsoleBrowser {
  readonly cookies = new Map<string, string>();
  /** Every `Set-Cookie` header that arrived. */
  readonly received: string[] = [];
  csrfToken = '';

  constructor(readonly baseUrl: string) {}

  /** Follows no redirect. */
  async send(
    method: string,
    target: string,
    { json, text, headers }: BrowserRequest = {},
  ): Promise<BrowserAnswer> {
    const body = json === undefined ? text : JSON.stringify(json);
    const response = await fetch(new URL(target, this.baseUrl), {
      method,
      redirect: 'manual',
      headers: {
        'user-agent': 'Test browser/1.0',
        origin: this.baseUrl,
        'sec-fetch-site': 'same-origin',
        ...(this.cookies.size === 0 ? {} : { cookie: this.cookieHeader() }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    const received = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true && received !== '';
    const parsed = isJson ? (JSON.parse(received) as Record<string, unknown>) : null;
    return { status: response.status, headers: response.headers, body: parsed };
  }

  cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #keep(cookie: string): void {
    this.received.push(cookie);
    const [pair = ''] = cookie.split(';');
    const [name = '', value = ''] = pair.split('=');
    if (/max-age=0/i.test(cookie)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }

  /** Reads the session, and keeps its CSRF token for `call`. */
  async session(): Promise<Record<string, unknown>> {
    const { status, body } = await this.send('GET', '/console/session');
    if (status !== 200 || body === null) throw new Error(`The session could not be read: ${status}`);
    this.csrfToken = typeof body['csrfToken'] === 'string' ? body['csrfToken'] : '';
    return body;
  }

  /** Sends a request to the API as the page does. */
  call(method: string, path: string, { headers, ...request }: BrowserRequest = {}): Promise<BrowserAnswer> {
    const proof: Record<string, string> = method === 'GET' ? {} : { 'x-csrf-token': this.csrfToken };
    return this.send(method, path, { ...request, headers: { ...proof, ...headers } });
  }

  /** Signs in with a code, as the page does when it is opened with a link. */
  async signInWith(code: string): Promise<BrowserAnswer> {
    const answer = await this.send('POST', '/console/session/code', { json: { code } });
    if (answer.status === 204) await this.session();
    return answer;
  }
}

/** Creates a sign-in code, as `npm start` does. */
export async function createCode(
  api: Api,
  identity: Identity,
  project: Project = api.project,
): Promise<string> {
  const body = { ...project, ...identity };
  const answer = await sendRequest<{ signInCode: string }>(api.baseUrl, ['POST', '/api/v1/sign-in-codes'], {
    body,
  });
  return succeeded(answer).signInCode;
}

/** Opens a browser in which a person is signed in. */
export async function signIn(api: Api, identity: Identity, baseUrl = api.baseUrl): Promise<ConsoleBrowser> {
  const browser = new ConsoleBrowser(baseUrl);
  const { status } = await browser.signInWith(await createCode(api, identity));
  if (status !== 204) throw new Error(`The sign-in failed: ${status}`);
  return browser;
}
