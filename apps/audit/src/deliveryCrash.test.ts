import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CloudEvent } from '@gatehouse/contract';
import {
  childEnvironment,
  connectNatsBus,
  connectServices,
  createEvent,
  createInternalTokenSigner,
  createLog,
  findFreePort,
  generateInternalKeys,
  networkLink,
  newKey,
  type EventBus,
  type InternalKeys,
  type ServiceClients,
  type ServiceLink,
} from '@gatehouse/service';
import { startNats, startTestMongo, type NatsServer, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verify } from './testing/webhookCalls.js';
import { adminOf, newSealingKey } from './testing/webhookPlatform.js';
import { answer, startReceiver } from './testing/webhookReceiver.js';

const PROGRAM = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url));
const SOON = { timeout: 60_000, interval: 50 };

/** The audit service as a process of its own, as the mesh runs it, from the build. */
describe('the process that sends, killed', () => {
  const sealingKeys = newSealingKey();
  let mongo: TestMongo;
  let nats: NatsServer;
  let keys: InternalKeys;
  let bus: EventBus;
  let port: number;
  let link: ServiceLink;
  let services: ServiceClients;
  beforeAll(async () => {
    [mongo, nats, keys, port] = await Promise.all([
      startTestMongo(),
      startNats(),
      generateInternalKeys(),
      findFreePort(),
    ]);
    const log = createLog('test', { LOG_LEVEL: 'silent' });
    bus = await connectNatsBus({ url: nats.url, name: 'test', log });
    link = networkLink({ url: `ws://127.0.0.1:${port}`, timeoutMs: 5000 });
    services = connectServices({ audit: link });
  });
  afterAll(async () => {
    await link.close();
    await bus.close();
    await nats[Symbol.asyncDispose]();
    await mongo[Symbol.asyncDispose]();
  });

  async function startProcess() {
    const child = spawn(process.execPath, [PROGRAM], {
      env: childEnvironment({
        HOST: '127.0.0.1',
        PORT: String(port),
        LOG_LEVEL: 'info',
        MONGODB_URL: mongo.url,
        MONGODB_PREFIX: mongo.prefix,
        NATS_URL: nats.url,
        INTERNAL_VERIFY_KEY: keys.verifyKey,
        SEALING_KEYS: sealingKeys,
        WEBHOOK_HOSTS: '127.0.0.1',
        WEBHOOK_TIMEOUT_MS: '2000',
        WEBHOOK_POLL_MS: '50',
        WEBHOOK_RETRY_SECONDS: '0,0,0,0,0',
      }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const exited = once(child, 'exit');
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    await expect.poll(() => errors.includes('listening') || child.exitCode !== null, SOON).toBe(true);
    if (child.exitCode !== null) throw new Error(`The service did not start: ${errors}`);
    return {
      errors: () => errors,
      async kill() {
        child.kill('SIGKILL');
        await exited;
      },
    };
  }

  async function createWebhook(url: string) {
    const signer = await createInternalTokenSigner(keys.signingKey);
    const origin = { token: await signer.sign(adminOf('o_1')), requestId: 'test' };
    const { webhooks } = services.audit;
    const input = { url, eventTypes: ['management.tenant.created.v1'] };
    const { webhook } = await webhooks.create(origin, input);
    const listDeliveries = async () =>
      (await webhooks.listDeliveries(origin, { id: webhook.id, limit: 500 })).deliveries;
    return { ...webhook, listDeliveries };
  }

  const newEvents = (count: number): CloudEvent[] =>
    Array.from({ length: count }, () => {
      const origin = { service: 'test', organizationId: 'o_1', projectId: 'p_1', now: new Date() };
      const data = { id: 't_1', key: 'k', name: 'Acme', defaultOwnerId: null };
      return createEvent('management.tenant.created.v1', newKey(), { origin, data });
    });

  it('in the middle of an attempt, sends the same event when it is back', { timeout: 240_000 }, async () => {
    await using receiver = await startReceiver(() => {});
    const first = await startProcess();
    const webhook = await createWebhook(receiver.url);
    const [event] = newEvents(1);
    await bus.publish(event ? [event] : []);
    await receiver.requests(1);
    await first.kill();
    receiver.behaveAs(answer(204));
    const second = await startProcess();
    try {
      await receiver.requests(2);
      expect(receiver.received.map((request) => verify(webhook.secret, request))).toEqual([event, event]);
      const settled = async () => (await webhook.listDeliveries()).map(({ status }) => status);
      await expect.poll(settled, SOON).toEqual(['delivered']);
      const [delivery] = await webhook.listDeliveries();
      expect(delivery?.attempts.map(({ failure }) => failure)).toEqual(['interrupted', null]);
      expect(second.errors()).not.toContain(webhook.secret.slice('whsec_'.length));
    } finally {
      await second.kill();
    }
  });

  it('again and again, loses no event', { timeout: 240_000 }, async () => {
    const slow = () => (response: Parameters<ReturnType<typeof answer>>[0]) =>
      void setTimeout(() => answer(204)(response, 1), 30);
    await using receiver = await startReceiver(slow());
    let running = await startProcess();
    const webhook = await createWebhook(receiver.url);
    const events = newEvents(120);
    const arrived = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    for (let part = 0; part < 3; part += 1) {
      await bus.publish(events.slice(part * 40, (part + 1) * 40));
      await expect.poll(() => arrived().size, SOON).toBeGreaterThanOrEqual(part * 40 + 5);
      await running.kill();
      running = await startProcess();
    }
    try {
      await expect.poll(() => arrived().size, SOON).toBe(120);
      expect(arrived()).toEqual(new Set(events.map(({ id }) => id)));
      const settled = async () => {
        const deliveries = await webhook.listDeliveries();
        return deliveries.filter(({ status }) => status === 'delivered').length;
      };
      await expect.poll(settled, SOON).toBe(120);
    } finally {
      await running.kill();
    }
  });
});
