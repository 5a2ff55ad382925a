import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GitServer } from '@gatehouse/testing';

/** Stands before a git server, as a host does whose users make access tokens and take them away. */
export interface TokenHost extends AsyncDisposable {
  /** The repository's address there. */
  url: string;
  /** The accepted tokens. */
  tokens: Set<string>;
  /** The token of each request, in their order; none where it had no credentials. */
  received: (string | undefined)[];
}

function tokenOf({ headers }: IncomingMessage): string | undefined {
  const [, basic] = /^Basic (.*)$/.exec(headers.authorization ?? '') ?? [];
  return basic && Buffer.from(basic, 'base64').toString().split(':')[1];
}

/** Starts a host on loopback. It ends the requests in flight when it is disposed of. */
export async function startTokenHost(repository: GitServer): Promise<TokenHost> {
  const tokens = new Set<string>();
  const received: (string | undefined)[] = [];
  const server = createServer((incoming, response) => {
    const token = tokenOf(incoming);
    received.push(token);
    if (token === undefined || !tokens.has(token))
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    const { method, url: path, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port: repository.port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: repository.url.replace(`:${repository.port}/`, `:${port}/`),
    tokens,
    received,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
