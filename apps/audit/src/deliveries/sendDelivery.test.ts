import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { usePlatform } from '@gatehouse/testing/platform';
import { afterAll, describe, expect, it } from 'vitest';
import { asAdmin, createWebhook, faultOf, verify } from '../testing/calls.js';
import { startWebhookPlatform, type WebhookPlatform } from '../testing/platform.js';
import { respond, startReceiver, type Behaviour } from '../testing/receiver.js';

const { platform, mongo } = await usePlatform(startWebhookPlatform);
/** A short timeout for responses. */
const hasty = await startWebhookPlatform(mongo.databases, {
  settings: { WEBHOOK_TIMEOUT_MS: '1000' },
  name: 'hasty',
});
afterAll(() => hasty[Symbol.asyncDispose]());

const hang: Behaviour = () => {};
const drop: Behaviour = (response) => void response.socket?.destroy();
const failuresOf = ({ attempts }: { attempts: { failure: string | null }[] }) =>
  attempts.map(({ failure }) => failure);

/** Each test has a project, so that its events reach only its own webhooks. */
let projects = 0;
async function start(behaviour?: Behaviour, on: WebhookPlatform = platform) {
  projects += 1;
  const projectId = `p_${(projects % 2) + 1}`;
  const receiver = await startReceiver(behaviour);
  const webhook = await createWebhook(on, { url: receiver.url, projectId });
  return {
    receiver,
    ...webhook,
    publish: () => on.publishAny({ projectId }),
    async [Symbol.asyncDispose]() {
      await receiver[Symbol.asyncDispose]();
      await on.calls.delete.mutate({ id: webhook.id }, { context: await asAdmin(on) });
    },
  };
}

describe('an event', () => {
  it('is sent once to the enabled webhooks of its organization that match its type and project', async () => {
    await using receiver = await startReceiver();
    const { url } = receiver;
    const made = [
      await createWebhook(platform, { url: `${url}/all`, eventTypes: ['*'] }),
      await createWebhook(platform, {
        url: `${url}/pattern`,
        eventTypes: ['management.*.deleted.v1', 'management.group.*.*'],
      }),
      await createWebhook(platform, { url: `${url}/project`, eventTypes: ['*'], projectId: 'p_1' }),
      await createWebhook(platform, { url: `${url}/otherProject`, eventTypes: ['*'], projectId: 'p_2' }),
      await createWebhook(platform, { url: `${url}/otherType`, eventTypes: ['management.tenant.*.v1'] }),
      await createWebhook(platform, { url: `${url}/disabled`, eventTypes: ['*'], isEnabled: false }),
      await createWebhook(platform, { url: `${url}/stranger`, eventTypes: ['*'] }, 'o_2'),
    ];
    const data = { id: 'grp_1', name: 'Group', type: 'ORG_GROUP', tenantId: null };
    const event = await platform.publish('management.group.created.v1', data);
    await platform.bus.publish([event]);
    const deliveries = platform.database.collection('webhookDeliveries');
    const found = await deliveries.find({ eventId: event.id }).toArray();
    const names = found.map(({ webhookId }) => made.findIndex(({ id }) => id === webhookId));
    expect(names.toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
    for (const { id } of made.slice(0, 6))
      await platform.calls.delete.mutate({ id }, { context: await asAdmin(platform) });
  });

  it('about a rejected request is sent like any other', async () => {
    await using receiver = await startReceiver();
    const wanted = ['management.request.refused.v1'];
    const { id, secret } = await createWebhook(platform, { url: receiver.url, eventTypes: wanted });
    const event = await platform.publish('management.request.refused.v1', {
      operation: 'deleteDashboard',
      status: 403,
      code: 'FORBIDDEN',
      resourceId: 'd_1',
      count: 1,
    });
    const [request] = await receiver.requests(1);
    expect(verify(secret, request)).toEqual(event);
    await platform.calls.delete.mutate({ id }, { context: await asAdmin(platform) });
  });

  it('has the headers of Standard Webhooks and its own connection', async () => {
    await using hook = await start();
    const event = await hook.publish();
    const [request] = await hook.receiver.requests(1);
    expect(request?.headers).toMatchObject({
      'webhook-id': event.id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/) as string,
      'webhook-signature': expect.stringMatching(/^v1,\S{44}$/) as string,
      'content-type': 'application/cloudevents+json; charset=utf-8',
      host: `127.0.0.1:${hook.receiver.port}`,
      connection: 'close',
    });
    expect(verify(hook.secret, request)).toEqual(event);
    expect(faultOf(`whsec_${Buffer.alloc(32).toString('base64')}`, request)).toMatch(/No matching/);
  });

  it('has a signature of its id, time and body together', async () => {
    await using hook = await start();
    await hook.publish();
    const [request] = await hook.receiver.requests(1);
    if (request === undefined) throw new Error('nothing was received');
    const later = String(Number(request.headers['webhook-timestamp']) + 1);
    const altered = [
      { ...request, body: `${request.body} ` },
      { ...request, headers: { ...request.headers, 'webhook-id': 'evt_other' } },
      { ...request, headers: { ...request.headers, 'webhook-timestamp': later } },
    ];
    expect(faultOf(hook.secret, request)).toBe('none');
    for (const each of altered) expect(faultOf(hook.secret, each)).toMatch(/No matching/);
  });

  it('is never caused by a delivery', async () => {
    await using hook = await start(respond(500));
    const event = await hook.publish();
    await platform.settled(hook.id, 1);
    await hook.publish();
    await platform.settled(hook.id, 2);
    const since = platform.events.slice(platform.events.findIndex(({ id }) => id === event.id));
    const own = ['management.webhook.created.v1', 'management.webhook.deleted.v1'];
    const others = since.filter(({ type }) => !own.includes(type));
    expect(others.map(({ type }) => type)).toEqual(Array(2).fill('management.tenant.created.v1'));
  });
});

describe('a receiver that', () => {
  it('returns 500, then 200, gets the same event again with a new signature', async () => {
    await using hook = await start((response, count) => respond(count === 1 ? 500 : 200)(response, count));
    const event = await hook.publish();
    const [delivery] = await platform.settled(hook.id, 1);
    expect(delivery).toMatchObject({ status: 'delivered', nextAttemptAt: null });
    expect(delivery?.attempts.map(({ statusCode, failure }) => [statusCode, failure])).toEqual([
      [500, 'refused'],
      [200, null],
    ]);
    expect(hook.receiver.received.map((request) => verify(hook.secret, request))).toEqual([event, event]);
    expect(hook.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([event.id, event.id]);
  });

  it('never responds times out', async () => {
    await using hook = await start(hang, hasty);
    await hook.publish();
    const [delivery] = await hasty.settled(hook.id, 1);
    expect(delivery && failuresOf(delivery)).toEqual(Array<string>(4).fill('timed_out'));
  });

  it('drops the connection is retried', async () => {
    await using hook = await start((response, count) => (count === 1 ? drop : respond(200))(response, count));
    await hook.publish();
    const [delivery] = await platform.settled(hook.id, 1);
    expect(delivery && failuresOf(delivery)).toEqual(['unreachable', null]);
  });

  it('sends its headers byte by byte times out', async () => {
    const server = createServer((socket: Socket) => {
      socket.on('error', () => {});
      const timer = setInterval(() => socket.write('H'), 50);
      socket.once('close', () => clearInterval(timer));
      socket.write('HTTP/1.1 200 OK\r\n');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const { id } = await createWebhook(hasty, { url: `http://127.0.0.1:${port}/`, projectId: 'p_1' });
    const { test } = await hasty.calls.test.mutate({ id }, { context: await asAdmin(hasty) });
    expect(test).toMatchObject({ isDelivered: false, failure: 'timed_out', statusCode: null });
    await hasty.calls.delete.mutate({ id }, { context: await asAdmin(hasty) });
    server.close();
  });

  it('responds with something other than HTTP has failed', async () => {
    const server = createServer((socket: Socket) => {
      socket.on('error', () => {});
      socket.end('220 mail.example.com ESMTP\r\n');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const { id } = await createWebhook(platform, { url: `http://127.0.0.1:${port}/` });
    const { test } = await platform.calls.test.mutate({ id }, { context: await asAdmin(platform) });
    expect(test).toMatchObject({ isDelivered: false, failure: 'malformed' });
    await platform.calls.delete.mutate({ id }, { context: await asAdmin(platform) });
    server.close();
  });

  it('sends an endless body is cut off, and its status counts', async () => {
    const written = { bytes: 0 };
    await using hook = await start((response) => {
      response.writeHead(200);
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) written.bytes += 65_536;
      };
      response.on('drain', pour);
      pour();
    });
    await hook.publish();
    const [delivery] = await platform.settled(hook.id, 1);
    expect(delivery && failuresOf(delivery)).toEqual([null]);
    await sleep(100);
    const bytes = written.bytes;
    await sleep(200);
    expect(written.bytes).toBe(bytes);
  });

  it('sends its body slowly is cut off, and its status counts', async () => {
    await using hook = await start((response) => {
      response.writeHead(202);
      const timer = setInterval(() => response.write('.'), 50);
      response.once('close', () => clearInterval(timer));
    });
    await hook.publish();
    const [delivery] = await platform.settled(hook.id, 1);
    expect(delivery && failuresOf(delivery)).toEqual([null]);
  });

  it('redirects has failed, and the redirect is not followed', async () => {
    await using inside = await startReceiver();
    await using hook = await start(respond(307, { location: inside.url }));
    await hook.publish();
    const [delivery] = await platform.settled(hook.id, 1);
    expect(delivery && failuresOf(delivery)).toEqual(Array<string>(4).fill('redirected'));
    expect(inside.connections()).toBe(0);
  });

  it('is disabled immediately by status 410', async () => {
    await using hook = await start(respond(410));
    await hook.publish();
    const [delivery] = await platform.settled(hook.id, 1);
    expect(delivery).toMatchObject({ status: 'failed', attempts: [{ statusCode: 410, failure: 'refused' }] });
    const [event] = await platform.eventsOf('management.webhook.disabled.v1');
    expect(event).toMatchObject({ subject: hook.id, data: { reason: 'gone', isEnabled: false } });
    expect(event).not.toHaveProperty('actorid');
    const { webhook } = await platform.calls.get.query({ id: hook.id }, { context: await asAdmin(platform) });
    expect(webhook).toMatchObject({ isEnabled: false, disabledReason: 'gone' });
    await hook.publish();
    await sleep(200);
    expect(hook.receiver.received).toHaveLength(1);
  });

  it('requests a delay gets it, up to the longest delay', async () => {
    const settings = { WEBHOOK_RETRY_SECONDS: '5,600' };
    await using slow = await startWebhookPlatform(mongo.databases, { settings, name: 'slow' });
    const waits: number[] = [];
    for (const retryAfter of ['120', '86400', undefined]) {
      await using hook = await start(respond(503, retryAfter ? { 'retry-after': retryAfter } : {}), slow);
      await hook.publish();
      const [delivery] = await slow.settled(hook.id, 1, ({ attempts }) => attempts.length > 0);
      waits.push(Date.parse(delivery?.nextAttemptAt ?? '') - Date.parse(delivery?.updatedAt ?? ''));
    }
    expect(waits).toEqual([120_000, 600_000, 5000]);
  });
});
