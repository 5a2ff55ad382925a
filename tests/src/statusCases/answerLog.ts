import type { Route } from '@gatehouse/contract';
import { sendRequest, type Answer } from '../api.js';
import { openRawRequest, sendRaw, type RawAnswer } from '../rawRequest.js';
import type { RouteRequest } from './statusCase.js';

function targetOf({ method, path }: Route, request: RouteRequest): [method: string, path: string] {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => request.path?.[name] ?? '');
  const query = new URLSearchParams(request.query).toString();
  return [method, query === '' ? filled : `${filled}?${query}`];
}

function headersOf({ session, headers }: RouteRequest): Record<string, string> {
  return { ...(session && { authorization: `Bearer ${session.token}` }), ...headers };
}

const toAnswer = ({ status, headers, body }: RawAnswer): Answer => ({
  status,
  headers: new Headers(headers as Record<string, string>),
  body: JSON.parse(body) as Record<string, unknown>,
});

/** Sends requests to routes, and remembers every status that each route has answered. */
export class AnswerLog {
  readonly #findBaseUrl: () => string;
  readonly #answered = new Set<string>();

  constructor(findBaseUrl: () => string) {
    this.#findBaseUrl = findBaseUrl;
  }

  /** Every `operationId status` so far, in order. */
  answered(): string[] {
    return [...this.#answered].toSorted();
  }

  async send(route: Route, request: RouteRequest): Promise<Answer> {
    const { body } = request;
    const options = { headers: headersOf(request), ...(body && { body }) };
    return this.#remember(route, await sendRequest(this.#findBaseUrl(), targetOf(route, request), options));
  }

  /** Sends the head of a request that announces a body of this size, and none of it. */
  async announceBody(route: Route, request: RouteRequest, bytes: number): Promise<Answer> {
    const headers = {
      ...headersOf(request),
      'content-type': 'application/json',
      'content-length': String(bytes),
    };
    const raw = openRawRequest(this.#findBaseUrl(), targetOf(route, request), headers);
    try {
      return this.#remember(route, toAnswer(await raw.answer));
    } finally {
      raw.abandon();
    }
  }

  /** Sends a body that is not JSON; `fetch` would send none with a GET. */
  async sendText(route: Route, request: RouteRequest): Promise<Answer> {
    const headers = { ...headersOf(request), 'content-type': 'text/plain' };
    const target = targetOf(route, request);
    return this.#remember(
      route,
      toAnswer(await sendRaw(this.#findBaseUrl(), target, { headers, body: 'text' })),
    );
  }

  #remember({ operationId }: Route, answer: Answer): Answer {
    this.#answered.add(`${operationId} ${answer.status}`);
    return answer;
  }
}
