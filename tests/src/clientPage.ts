import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IssuedToken } from '@gatehouse/client';
import type { Page } from '@gatehouse/testing';
import { bundleClientPrograms } from './browserBundle.js';
import type { RunProgram } from './clientPrograms.js';

// The icon is set so that browsers do not request one.
const HTML =
  '<!doctype html><meta charset="utf-8"><title>A page</title><link rel="icon" href="data:,"><script src="/programs.js"></script>';

/** A web server of a Gatehouse user: it serves one page with the client, and tokens to that page only. */
export interface ClientSite extends AsyncDisposable {
  /** Two names of the server: two origins to a browser, and neither of them Gatehouse's. */
  origin: string;
  otherOrigin: string;
  /** How many tokens it has given. */
  tokensGiven(): number;
}

/** @param issueToken gives a token as the server's owner would, by the project's secret */
export async function startClientSite(issueToken: () => Promise<IssuedToken>): Promise<ClientSite> {
  const { code } = await bundleClientPrograms();
  let tokensGiven = 0;
  const answer = async (target: string): Promise<[type: string, body: string]> => {
    if (target === 'GET /') return ['text/html', HTML];
    if (target === 'GET /programs.js') return ['text/javascript; charset=utf-8', code];
    if (target !== 'POST /token') throw new Error(`There is no ${target}`);
    const token = await issueToken();
    tokensGiven += 1;
    return ['application/json', JSON.stringify(token)];
  };
  const server = createServer((request, response) => {
    void answer(`${request.method} ${request.url}`).then(
      ([type, body]) => response.writeHead(200, { 'content-type': type }).end(body),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://localhost:${port}`,
    otherOrigin: `http://127.0.0.1:${port}`,
    tokensGiven: () => tokensGiven,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Runs programs in a page of such a site. */
export function runIn(page: Page): RunProgram {
  return async (name, ...input) =>
    page.evaluate(`gatehouse.runProgram("${name}", ...${JSON.stringify(input)})`);
}
