import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that issues tokens, has every dashboard, and records what it receives. */
export interface RecordingServer extends AsyncDisposable {
  baseUrl: string;
  /** Method and path of the requests, without those for tokens. */
  requests: string[];
  /** All headers and bodies that arrived, to search for secrets. */
  received: string;
  /** The subjects that tokens were requested for. */
  subjects: Record<string, unknown>[];
}

const dashboardOf = (id: string) => ({ id, title: `Title of ${id}`, tags: [], permissions: {} });

function answerTo(path: string): unknown {
  if (path === '/api/v1/token') {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    return { accessToken: 'a.b.c', expiresAt };
  }
  const dashboard = dashboardOf(path.split('/').at(-1) ?? '');
  const user = { userId: 'user', type: 'ORG_USER', role: 'ADMIN', permissions: {} };
  return { dashboard, deletedDashboard: dashboard, users: [], ...user };
}

export async function startRecordingServer(): Promise<RecordingServer> {
  const record = { requests: [] as string[], received: '', subjects: [] as Record<string, unknown>[] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const path = new URL(request.url ?? '', 'http://localhost').pathname;
      record.received += JSON.stringify(request.headers) + body;
      if (path === '/api/v1/token') record.subjects.push(JSON.parse(body) as Record<string, unknown>);
      else record.requests.push(`${request.method} ${path}`);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answerTo(path)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(record, {
    baseUrl: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
