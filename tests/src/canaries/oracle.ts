import { sendRequest } from '../api.js';
import type { Canaries } from './registry.js';

/** The sender of requests; without a token, an anonymous one. */
export interface Caller {
  name: string;
  token: string | null;
}

/** A response, or other data that reached a caller, with a canary that the caller may not read. */
export interface Leak {
  caller: string;
  request: string;
  field: string;
}

const headersOf = ({ token }: Caller): Record<string, string> =>
  token === null ? {} : { authorization: `Bearer ${token}` };

/**
 * Decides whether a caller may have a canary: only if the record's own GET returns the same text for the same
 * token.
 */
export class Oracle {
  readonly #baseUrl: string;
  readonly #canaries: Canaries;
  readonly #before = new Map<string, string>();

  constructor(baseUrl: string, canaries: Canaries) {
    this.#baseUrl = baseUrl;
    this.#canaries = canaries;
  }

  async #read(caller: Caller, path: string): Promise<string> {
    const { status, body } = await sendRequest<unknown>(this.#baseUrl, ['GET', path], {
      headers: headersOf(caller),
    });
    return status === 200 ? JSON.stringify(body) : '';
  }

  /** Reads the records that a request names, as its caller: after a deletion they are no longer readable. */
  async readBefore(caller: Caller, requestPath: string): Promise<void> {
    const ids = requestPath.split('/').filter((part) => /^[a-z]+_/.test(part));
    const named = [...this.#canaries.byText.values()].filter(({ readPaths }) =>
      readPaths.some((path) => ids.some((id) => path.includes(id))),
    );
    for (const path of new Set(named.flatMap(({ readPaths }) => readPaths)))
      this.#before.set(`${caller.name} ${path}`, await this.#read(caller, path));
  }

  async #mayRead(caller: Caller, text: string, path: string): Promise<boolean> {
    if (this.#before.get(`${caller.name} ${path}`)?.includes(text)) return true;
    return (await this.#read(caller, path)).includes(text);
  }

  /**
   * The canaries in data that the caller may not read. `sent` is the caller's own input: an echo reveals
   * nothing.
   */
  async findLeaks(
    caller: Caller,
    { request, sent, received }: { request: string; sent: string; received: string },
  ): Promise<Leak[]> {
    const leaks: Leak[] = [];
    for (const { text, canary } of this.#canaries.findIn(received)) {
      if (sent.includes(text)) continue;
      let isReadable = false;
      for (const path of canary.readPaths) isReadable ||= await this.#mayRead(caller, text, path);
      if (!isReadable) leaks.push({ caller: caller.name, request, field: canary.field });
    }
    return leaks;
  }
}
