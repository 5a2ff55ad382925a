import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createApi, sendRequest } from './src/api.js';
import { forms, spawnServer, type Form } from './src/servers.js';

describe.each(forms.map(({ form }) => form))('%s', (form: Form) => {
  it('completes the request in flight on SIGTERM, rejects new ones, and exits with 0', async () => {
    await using server = await spawnServer(form);
    const { admin } = await createApi(server.credentials);
    const body = JSON.stringify({ title: 'Half way' });
    const upload = request(`${server.baseUrl}/api/management/v1/dashboards`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${admin.token}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    });
    upload.write(body.slice(0, 5));
    await sleep(200);
    const startedAtMs = performance.now();
    const ended = server.end('SIGTERM');
    await sleep(300);
    await expect(sendRequest(server.baseUrl, ['GET', '/healthz'])).rejects.toThrow('No answer');
    upload.end(body.slice(5));
    const [response] = (await once(upload, 'response')) as [{ statusCode: number; resume(): void }];
    expect(response.statusCode).toBe(201);
    response.resume();
    expect(await ended).toBe(0);
    expect(performance.now() - startedAtMs).toBeLessThan(10_000);
  });

  it('ends within ten seconds also when a request never ends', async () => {
    await using server = await spawnServer(form);
    const { admin } = await createApi(server.credentials);
    const upload = request(`${server.baseUrl}/api/management/v1/dashboards`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${admin.token}`,
        'content-type': 'application/json',
        'content-length': 10,
      },
    });
    upload.on('error', () => {}).write('{');
    await sleep(200);
    const startedAtMs = performance.now();
    expect(await server.end('SIGTERM')).toBe(0);
    expect(performance.now() - startedAtMs).toBeLessThan(10_000);
  });
});
