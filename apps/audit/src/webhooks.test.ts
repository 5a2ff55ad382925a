import { AppError } from '@gatehouse/contract';
import { createSealer } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin, createWebhook, faultOf, signatureOf, verify } from './testing/webhookCalls.js';
import {
  adminOf,
  newSealingKey,
  startWebhookPlatform,
  type WebhookPlatform,
} from './testing/webhookPlatform.js';
import { startReceiver, type Receiver } from './testing/webhookReceiver.js';

const DEAF = 'http://127.0.0.1:9/hook';
const sealingKeys = newSealingKey();
let mongo: TestMongo;
let platform: WebhookPlatform;
let receiver: Receiver;
beforeAll(async () => {
  mongo = await startTestMongo();
  platform = await startWebhookPlatform(mongo.databases, { sealingKeys });
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

const refusalOf = (call: Promise<unknown>): Promise<AppError> =>
  call.then(
    () => Promise.reject(new Error('The call was not refused')),
    (error: unknown) => (error instanceof AppError ? error : Promise.reject(error as Error)),
  );

describe('a webhook', () => {
  it('is what was asked for, changes, and is gone when it is deleted', async () => {
    const admin = await asAdmin(platform);
    const { secret, ...created } = await createWebhook(platform, {
      url: DEAF,
      description: 'Ours',
      eventTypes: ['management.dashboard.*.v1', '*'],
      projectId: 'p_2',
    });
    expect(created).toMatchObject({
      id: expect.stringMatching(/^wh_/) as string,
      url: DEAF,
      description: 'Ours',
      eventTypes: ['management.dashboard.*.v1', '*'],
      projectId: 'p_2',
      isEnabled: true,
      disabledReason: null,
      version: 1,
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { id } = created;
    expect((await platform.calls.get(admin, { id })).webhook).toEqual(created);
    const { webhook } = await platform.calls.update(admin, { id, isEnabled: false, description: '' });
    expect(webhook).toMatchObject({
      isEnabled: false,
      disabledReason: 'manual',
      description: '',
      version: 2,
    });
    const { webhook: again } = await platform.calls.update(admin, { id, isEnabled: true });
    expect(again).toMatchObject({ isEnabled: true, disabledReason: null, version: 3 });
    expect((await platform.calls.list(admin, {})).webhooks).toContainEqual(again);
    expect((await platform.calls.delete(admin, { id })).deletedWebhook).toEqual({ id, url: DEAF });
    expect((await refusalOf(platform.calls.get(admin, { id }))).code).toBe('NOT_FOUND');
    expect((await platform.calls.list(admin, {})).webhooks.map((known) => known.id)).not.toContain(id);
  });

  it('tells of each of its changes', async () => {
    const admin = await asAdmin(platform);
    const { id } = await createWebhook(platform, { url: DEAF });
    await platform.calls.update(admin, { id, isEnabled: false });
    await platform.calls.rotateSecret(admin, { id });
    await platform.calls.delete(admin, { id });
    await platform.eventsOf('management.webhook.deleted.v1', 2);
    const own = platform.events.filter(({ subject }) => subject === id);
    expect(own.map(({ type }) => type)).toEqual([
      'management.webhook.created.v1',
      'management.webhook.updated.v1',
      'management.webhook.disabled.v1',
      'management.webhook_secret.rotated.v1',
      'management.webhook.deleted.v1',
    ]);
    expect(own[1]?.data['changes']).toEqual({ isEnabled: { from: true, to: false } });
    expect(own[2]?.data['reason']).toBe('manual');
    expect(own.every(({ actorid }) => actorid === 'ou_1')).toBe(true);
  });

  it('is refused to everyone but an ADMIN with a project token', async () => {
    const { id } = await createWebhook(platform, { url: DEAF });
    const { userId: _u, userKey: _k, email: _e, role: _r, groupIds: _g, ...base } = adminOf('o_1');
    const person = { ...adminOf('o_1'), tenantId: 't_1', tenantKey: 'k' };
    const strangers = [
      { ...adminOf('o_1'), role: 'AUTHOR' as const },
      { ...adminOf('o_1'), role: 'VIEWER' as const },
      { ...adminOf('o_1'), tokenType: 'dashboard' as const, dashboardId: 'd_1' },
      { ...person, kind: 'tenantUser' as const },
      { ...base, kind: 'service' as const },
      { ...base, kind: 'anonymous' as const },
    ];
    for (const stranger of strangers) {
      const origin = await platform.as(stranger);
      const { calls } = platform;
      const refused = [
        calls.list(origin, {}),
        calls.create(origin, { url: DEAF, eventTypes: ['*'] }),
        calls.get(origin, { id }),
        calls.update(origin, { id, description: 'x' }),
        calls.delete(origin, { id }),
        calls.rotateSecret(origin, { id }),
        calls.test(origin, { id }),
        calls.listDeliveries(origin, { id }),
        calls.getDelivery(origin, { id, deliveryId: 'whd_1' }),
        calls.replayDelivery(origin, { id, deliveryId: 'whd_1' }),
        calls.replayFailed(origin, { id, since: '2026-01-01T00:00:00Z' }),
      ];
      const codes = (await Promise.all(refused.map(refusalOf))).map(({ code }) => code);
      expect(codes).toEqual(refused.map(() => 'FORBIDDEN'));
    }
  });

  it('does not exist for an ADMIN of another organization', async () => {
    const { id } = await createWebhook(platform, { url: receiver.url });
    await platform.publishAny();
    const [delivery] = await platform.settled(id, 1);
    const stranger = await asAdmin(platform, 'o_2');
    const { calls } = platform;
    const deliveryId = delivery?.id ?? '';
    const own = (await createWebhook(platform, { url: DEAF }, 'o_2')).id;
    const refused = [
      calls.get(stranger, { id }),
      calls.update(stranger, { id, description: 'x' }),
      calls.delete(stranger, { id }),
      calls.rotateSecret(stranger, { id }),
      calls.test(stranger, { id }),
      calls.listDeliveries(stranger, { id }),
      calls.getDelivery(stranger, { id, deliveryId }),
      calls.getDelivery(stranger, { id: own, deliveryId }),
      calls.replayDelivery(stranger, { id, deliveryId }),
      calls.replayDelivery(stranger, { id: own, deliveryId }),
      calls.replayFailed(stranger, { id, since: '2026-01-01T00:00:00Z' }),
    ];
    const codes = (await Promise.all(refused.map(refusalOf))).map(({ code }) => code);
    expect(codes).toEqual(refused.map(() => 'NOT_FOUND'));
    expect((await calls.list(stranger, {})).webhooks.map((known) => known.id)).toEqual([own]);
  });

  it('is changed on the version that was read, and on no other', async () => {
    const { id } = await createWebhook(platform, { url: DEAF });
    const stale = await platform.as(adminOf('o_1'), [7]);
    const { calls } = platform;
    const refused = [calls.update(stale, { id, description: 'x' }), calls.delete(stale, { id })];
    const codes = (await Promise.all(refused.map(refusalOf))).map(({ code }) => code);
    expect(codes).toEqual(['PRECONDITION_FAILED', 'PRECONDITION_FAILED']);
    const fresh = await platform.as(adminOf('o_1'), [1]);
    expect((await calls.update(fresh, { id, description: 'x' })).webhook.version).toBe(2);
  });

  it('is made once by an operation that runs twice, with the same secret, which rotates once as well', async () => {
    const operation = { ...(await asAdmin(platform)), operationKey: newSealingKey() };
    const create = () =>
      platform.calls.create(operation, { url: DEAF, eventTypes: ['management.group.created.v1'] });
    const [first, second] = [await create(), await create()];
    expect(second).toEqual(first);
    const rotate = () => platform.calls.rotateSecret(operation, { id: first.webhook.id });
    const [rotated, again] = [await rotate(), await rotate()];
    expect(again).toEqual(rotated);
    const other = await platform.calls.rotateSecret(await asAdmin(platform), { id: first.webhook.id });
    expect(other.webhook.secret).not.toBe(rotated.webhook.secret);
  });

  it('cannot be one of more than a hundred', async () => {
    const made = await Promise.all(
      Array.from({ length: 100 }, () => createWebhook(platform, { url: DEAF }, 'o_many')),
    );
    expect(made).toHaveLength(100);
    const { code } = await refusalOf(createWebhook(platform, { url: DEAF }, 'o_many'));
    expect(code).toBe('CONFLICT');
  });
});

describe('a secret', () => {
  it('is sealed at rest, bound to its webhook, and in no record, event or answer but the one that made it', async () => {
    const admin = await asAdmin(platform);
    const { id, secret } = await createWebhook(platform, { url: DEAF });
    const { webhook: rotated } = await platform.calls.rotateSecret(admin, { id });
    expect(rotated.secret).not.toBe(secret);
    const stored = await platform.database.collection('webhooks').findOne({ _id: id as never });
    const { calls } = platform;
    const seen = JSON.stringify([
      stored,
      await calls.get(admin, { id }),
      await calls.list(admin, {}),
      await calls.update(admin, { id, description: 'x' }),
      platform.events,
    ]);
    for (const text of [secret, rotated.secret]) expect(seen).not.toContain(text.slice('whsec_'.length));
    const sealer = createSealer(sealingKeys);
    const sealed = stored?.['sealedSecret'] as string;
    expect(sealer.open(sealed, `webhook secret o_1 ${id}`)).toBe(rotated.secret);
    for (const place of [`webhook secret o_2 ${id}`, 'webhook secret o_1 wh_other'])
      expect(() => sealer.open(sealed, place)).toThrow('unable to authenticate data');
  });

  it('signs along for 24 hours after it was replaced, and not longer', async () => {
    const clock = { aheadMs: 0 };
    const now = () => new Date(Date.now() + clock.aheadMs);
    await using later = await startWebhookPlatform(mongo.databases, { surroundings: { now }, name: 'later' });
    await using own = await startReceiver();
    const { id, secret: first } = await createWebhook(later, { url: own.url });
    const event = await later.publishAny();
    const [before] = await own.requests(1);
    const { secret: second } = (await later.calls.rotateSecret(await asAdmin(later), { id })).webhook;
    await later.publishAny();
    const [, during] = await own.requests(2);
    expect(verify(first, before)).toEqual(event);
    expect(faultOf(second, before)).toBe('No matching signature found');
    expect(during?.headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
    for (const secret of [first, second]) expect(faultOf(secret, during)).toBe('none');
    clock.aheadMs = 24 * 3_600_000;
    await later.publishAny();
    const [, , after] = await own.requests(3);
    expect(after?.headers['webhook-signature']).toBe(signatureOf(second, after));
  });
});
