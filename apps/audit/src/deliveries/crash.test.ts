import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { audit, type CloudEvent } from '@gatehouse/contract';
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
import { verify } from '../testing/calls.js';
import { adminOf, newSealingKey } from '../testing/platform.js';
import { respond, startReceiver } from '../testing/receiver.js';

const PROGRAM = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url));

/** Runs the built audit service as a separate process, as in the mesh. */
describe('a killed delivery process', () => {
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
    link = networkLink(audit, { url: `ws://127.0.0.1:${port}`, timeoutMs: 5000 });
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
    await expect.poll(() => errors.includes('listening') || child.exitCode !== null).toBe(true);
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
    const newOrigin = async () => ({ token: await signer.sign(adminOf('o_1')), requestId: 'test' });
    const { webhooks } = services.audit;
    // A link whose connection was refused stays closed until its next attempt, even if the service listens by
    // then.
    await expect
      .poll(async () => (await webhooks.list.query({}, { context: await newOrigin() })).webhooks)
      .toBeDefined();
    const input = { url, eventTypes: ['management.tenant.created.v1'] };
    const { webhook } = await webhooks.create.mutate(input, { context: await newOrigin() });
    const listDeliveries = async () =>
      (await webhooks.listDeliveries.query({ id: webhook.id, limit: 500 }, { context: await newOrigin() }))
        .deliveries;
    return { ...webhook, listDeliveries };
  }

  const newEvents = (count: number): CloudEvent[] =>
    Array.from({ length: count }, () => {
      const origin = { service: 'test', organizationId: 'o_1', projectId: 'p_1', now: new Date() };
      const data = { id: 't_1', key: 'k', name: 'Acme', defaultOwnerId: null };
      return createEvent('management.tenant.created.v1', newKey(), { origin, data });
    });

  it('sends the same event after a restart when it died during an attempt', async () => {
    await using receiver = await startReceiver(() => {});
    const first = await startProcess();
    const webhook = await createWebhook(receiver.url);
    const [event] = newEvents(1);
    await bus.publish(event ? [event] : []);
    await receiver.requests(1);
    await first.kill();
    receiver.behaveAs(respond(204));
    const second = await startProcess();
    try {
      await receiver.requests(2);
      expect(receiver.received.map((request) => verify(webhook.secret, request))).toEqual([event, event]);
      const settled = async () => (await webhook.listDeliveries()).map(({ status }) => status);
      await expect.poll(settled).toEqual(['delivered']);
      const [delivery] = await webhook.listDeliveries();
      expect(delivery?.attempts.map(({ failure }) => failure)).toEqual(['interrupted', null]);
      expect(second.errors()).not.toContain(webhook.secret.slice('whsec_'.length));
    } finally {
      await second.kill();
    }
  });

  it('loses no event when it dies repeatedly', async () => {
    const slow = () => (response: Parameters<ReturnType<typeof respond>>[0]) =>
      void setTimeout(() => respond(204)(response, 1), 30);
    await using receiver = await startReceiver(slow());
    let running = await startProcess();
    const webhook = await createWebhook(receiver.url);
    const events = newEvents(120);
    const arrived = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    for (let part = 0; part < 3; part += 1) {
      await bus.publish(events.slice(part * 40, (part + 1) * 40));
      await expect.poll(() => arrived().size).toBeGreaterThanOrEqual(part * 40 + 5);
      await running.kill();
      running = await startProcess();
    }
    try {
      await expect.poll(() => arrived().size).toBe(120);
      expect(arrived()).toEqual(new Set(events.map(({ id }) => id)));
      const settled = async () => {
        const deliveries = await webhook.listDeliveries();
        return deliveries.filter(({ status }) => status === 'delivered').length;
      };
      await expect.poll(settled).toBe(120);
    } finally {
      await running.kill();
    }
  });
});
