import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Receives webhooks, and keeps their content. */
export async function startReceiver(): Promise<AsyncDisposable & { url: string; received: string[] }> {
  const received: string[] = [];
  const server: Server = createServer((request, response) => {
    let text = JSON.stringify(request.headers);
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      received.push(text);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
