/** The time limit of one request, including its response. */
const TIMEOUT_MS = 5000;
/** Discovery documents and key sets have a few kilobytes. */
const RESPONSE_BYTES_MAX = 512 * 1024;

/** A provider that cannot be reached, or whose response takes too long or is too large. */
export class ProviderUnavailableError extends Error {
  override readonly name = 'ProviderUnavailableError';
}

/** Like the global `fetch`. */
export type BoundedFetch = (url: string, options: RequestInit) => Promise<Response>;

/**
 * Creates a `fetch` for these hosts alone, with limits on time and size. It follows no redirect: a provider
 * whose documents name another host cannot make the gateway send requests there.
 */
export function createBoundedFetch(hosts: readonly string[]): BoundedFetch {
  return async (url, options) => {
    const { host } = new URL(url);
    if (!hosts.includes(host))
      throw new ProviderUnavailableError(`${host} is neither the host of OIDC_ISSUER nor in OIDC_HOSTS`);
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
    try {
      const response = await fetch(url, { ...options, signal, redirect: 'manual' });
      const { status, headers } = response;
      const body = await readBody(response);
      return new Response(status === 204 || status === 304 ? null : body, { status, headers });
    } catch (cause) {
      throw cause instanceof ProviderUnavailableError
        ? cause
        : new ProviderUnavailableError(`no response from ${host}`, { cause });
    }
  };
}

async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > RESPONSE_BYTES_MAX) throw new ProviderUnavailableError('the response is too large');
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
