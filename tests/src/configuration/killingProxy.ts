import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Forwards requests, and calls back at one of the changes among them. */
export interface KillingProxy extends AsyncDisposable {
  url: string;
  /** How many changes it has seen. */
  changes(): number;
}

/**
 * When the callback comes: before the change reaches the server, which it then never does; after its response
 * has arrived, which the caller never gets; or before a change that is passed on afterwards.
 */
export type Moment = 'before' | 'after' | 'meanwhile';

const isChange = ({ method, url }: IncomingMessage) => method !== 'GET' && !url?.endsWith('/token');

/**
 * Starts a proxy in front of a server.
 *
 * @param at number of the change, from 1; 0 for none
 */
export async function startKillingProxy(
  target: string,
  { at, moment, kill }: { at: number; moment: Moment; kill: () => void | Promise<void> },
): Promise<KillingProxy> {
  let changes = 0;
  const server = createServer((incoming, outgoing) => {
    if (isChange(incoming)) changes += 1;
    const isHit = isChange(incoming) && changes === at;
    if (isHit && moment === 'before') {
      void kill();
      incoming.destroy();
      return;
    }
    if (isHit && moment === 'meanwhile') void Promise.resolve(kill()).then(forward);
    else forward();

    function forward(): void {
      const { method = 'GET', headers, url = '/' } = incoming;
      const forwarded = request(new URL(url, target), { method, headers }, (response) => {
        if (isHit && moment === 'after') {
          response.resume().once('end', () => {
            void kill();
            outgoing.destroy();
          });
          return;
        }
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      });
      forwarded.once('error', () => outgoing.destroy());
      incoming.pipe(forwarded);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    changes: () => changes,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
