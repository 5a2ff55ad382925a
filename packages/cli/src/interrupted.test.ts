import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRecorded } from './testing/commandRun.js';

/** The beginning of a stream that has no end. */
const LINES: Readonly<Record<string, unknown>> = {
  '/api/v1/dashboard/validate-all': {
    result: { dashboardId: 'd_1', error: 'no connection' },
    type: 'result',
  },
  '/api/management/v1/audit-events/export': { auditEvent: { id: 'evt_1' }, type: 'auditEvent' },
};

let server: Server;
let baseUrl: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://localhost').pathname;
    const [, line] = Object.entries(LINES).find(([start]) => path.startsWith(start)) ?? [];
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(`${JSON.stringify(line)}\n{"type":"progress","done":1,"total":2}\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('Ctrl-C', () => {
  it.each([
    [['validate', '--all'], { results: [{ dashboardId: 'd_1', error: 'no connection' }], isWhole: false }],
    [['audit-events', 'export'], { auditEvents: [{ id: 'evt_1' }], isWhole: false }],
  ])('ends %j with the results so far, after its progress was shown', async (words, expected) => {
    const controller = new AbortController();
    let shown = '';
    const { exitCode, output } = await runRecorded([...words, '-o', 'json'], {
      environment: { url: baseUrl, token: 'x.x.x' },
      terminal: {
        isErrorWatched: true,
        interrupted: controller.signal,
        writeError: (text) => {
          shown += text;
          if (text.includes('1 of 2')) controller.abort();
        },
      },
    });
    expect(shown).toContain('1 of 2');
    expect([exitCode, JSON.parse(output)]).toEqual([4, expected]);
  });
});
