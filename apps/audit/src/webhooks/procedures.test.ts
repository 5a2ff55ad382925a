import type { AppError } from '@gatehouse/contract';
import { createSealer, findAppError } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin, createWebhook, faultOf, signatureOf, verify } from '../testing/calls.js';
import { adminOf, newSealingKey, startWebhookPlatform } from '../testing/platform.js';
import { startReceiver, type Receiver } from '../testing/receiver.js';

const DEAF = 'http://127.0.0.1:9/hook';
const sealingKeys = newSealingKey();
const { platform, mongo } = await usePlatform((databases) =>
  startWebhookPlatform(databases, { sealingKeys }),
);
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver[Symbol.asyncDispose]());

const refusalOf = (call: Promise<unknown>): Promise<AppError> =>
  call.then(
    () => Promise.reject(new Error('The call was not refused')),
    (error: unknown) => findAppError(error) ?? Promise.reject(error as Error),
  );

describe('a webhook', () => {
  it('is created, updated and deleted', async () => {
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
    expect((await platform.calls.get.query({ id }, { context: admin })).webhook).toEqual(created);
    const { webhook } = await platform.calls.update.mutate(
      { id, isEnabled: false, description: '' },
      { context: admin },
    );
    expect(webhook).toMatchObject({
      isEnabled: false,
      disabledReason: 'manual',
      description: '',
      version: 2,
    });
    const { webhook: again } = await platform.calls.update.mutate(
      { id, isEnabled: true },
      { context: admin },
    );
    expect(again).toMatchObject({ isEnabled: true, disabledReason: null, version: 3 });
    expect((await platform.calls.list.query({}, { context: admin })).webhooks).toContainEqual(again);
    expect((await platform.calls.delete.mutate({ id }, { context: admin })).deletedWebhook).toEqual({
      id,
      url: DEAF,
    });
    expect((await refusalOf(platform.calls.get.query({ id }, { context: admin }))).code).toBe('NOT_FOUND');
    expect(
      (await platform.calls.list.query({}, { context: admin })).webhooks.map((known) => known.id),
    ).not.toContain(id);
  });

  it('publishes each of its changes', async () => {
    const admin = await asAdmin(platform);
    const { id } = await createWebhook(platform, { url: DEAF });
    await platform.calls.update.mutate({ id, isEnabled: false }, { context: admin });
    await platform.calls.rotateSecret.mutate({ id }, { context: admin });
    await platform.calls.delete.mutate({ id }, { context: admin });
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

  it('is denied to all callers but an ADMIN with a project token', async () => {
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
        calls.list.query({}, { context: origin }),
        calls.create.mutate({ url: DEAF, eventTypes: ['*'] }, { context: origin }),
        calls.get.query({ id }, { context: origin }),
        calls.update.mutate({ id, description: 'x' }, { context: origin }),
        calls.delete.mutate({ id }, { context: origin }),
        calls.rotateSecret.mutate({ id }, { context: origin }),
        calls.test.mutate({ id }, { context: origin }),
        calls.listDeliveries.query({ id }, { context: origin }),
        calls.getDelivery.query({ id, deliveryId: 'whd_1' }, { context: origin }),
        calls.replayDelivery.mutate({ id, deliveryId: 'whd_1' }, { context: origin }),
        calls.replayFailed.mutate({ id, since: '2026-01-01T00:00:00Z' }, { context: origin }),
      ];
      const codes = (await Promise.all(refused.map(refusalOf))).map(({ code }) => code);
      expect(codes).toEqual(refused.map(() => 'FORBIDDEN'));
    }
  });

  it('returns NOT_FOUND for an ADMIN of another organization', async () => {
    const { id } = await createWebhook(platform, { url: receiver.url });
    await platform.publishAny();
    const [delivery] = await platform.settled(id, 1);
    const stranger = await asAdmin(platform, 'o_2');
    const { calls } = platform;
    const deliveryId = delivery?.id ?? '';
    const own = (await createWebhook(platform, { url: DEAF }, 'o_2')).id;
    const refused = [
      calls.get.query({ id }, { context: stranger }),
      calls.update.mutate({ id, description: 'x' }, { context: stranger }),
      calls.delete.mutate({ id }, { context: stranger }),
      calls.rotateSecret.mutate({ id }, { context: stranger }),
      calls.test.mutate({ id }, { context: stranger }),
      calls.listDeliveries.query({ id }, { context: stranger }),
      calls.getDelivery.query({ id, deliveryId }, { context: stranger }),
      calls.getDelivery.query({ id: own, deliveryId }, { context: stranger }),
      calls.replayDelivery.mutate({ id, deliveryId }, { context: stranger }),
      calls.replayDelivery.mutate({ id: own, deliveryId }, { context: stranger }),
      calls.replayFailed.mutate({ id, since: '2026-01-01T00:00:00Z' }, { context: stranger }),
    ];
    const codes = (await Promise.all(refused.map(refusalOf))).map(({ code }) => code);
    expect(codes).toEqual(refused.map(() => 'NOT_FOUND'));
    expect((await calls.list.query({}, { context: stranger })).webhooks.map((known) => known.id)).toEqual([
      own,
    ]);
  });

  it('rejects an update with another expected version', async () => {
    const { id } = await createWebhook(platform, { url: DEAF });
    const stale = await platform.as(adminOf('o_1'), [7]);
    const { calls } = platform;
    const refused = [
      calls.update.mutate({ id, description: 'x' }, { context: stale }),
      calls.delete.mutate({ id }, { context: stale }),
    ];
    const codes = (await Promise.all(refused.map(refusalOf))).map(({ code }) => code);
    expect(codes).toEqual(['PRECONDITION_FAILED', 'PRECONDITION_FAILED']);
    const fresh = await platform.as(adminOf('o_1'), [1]);
    expect((await calls.update.mutate({ id, description: 'x' }, { context: fresh })).webhook.version).toBe(2);
  });

  it('is created once by a retried operation, with one secret, and rotated once', async () => {
    const operation = { ...(await asAdmin(platform)), operationKey: newSealingKey() };
    const create = () =>
      platform.calls.create.mutate(
        { url: DEAF, eventTypes: ['management.group.created.v1'] },
        { context: operation },
      );
    const [first, second] = [await create(), await create()];
    expect(second).toEqual(first);
    const rotate = () => platform.calls.rotateSecret.mutate({ id: first.webhook.id }, { context: operation });
    const [rotated, again] = [await rotate(), await rotate()];
    expect(again).toEqual(rotated);
    const other = await platform.calls.rotateSecret.mutate(
      { id: first.webhook.id },
      { context: await asAdmin(platform) },
    );
    expect(other.webhook.secret).not.toBe(rotated.webhook.secret);
    // A late repetition does not bring back a secret that was replaced since.
    expect((await rotate()).webhook).toEqual({ ...other.webhook, secret: rotated.webhook.secret });
  });

  it('is limited to a hundred for each organization', async () => {
    const made = await Promise.all(
      Array.from({ length: 100 }, () => createWebhook(platform, { url: DEAF }, 'o_many')),
    );
    expect(made).toHaveLength(100);
    const { code } = await refusalOf(createWebhook(platform, { url: DEAF }, 'o_many'));
    expect(code).toBe('QUOTA_EXCEEDED');
  });
});

describe('a secret', () => {
  it('is sealed, bound to its webhook, and only in the response of its creation', async () => {
    const admin = await asAdmin(platform);
    const { id, secret } = await createWebhook(platform, { url: DEAF });
    const { webhook: rotated } = await platform.calls.rotateSecret.mutate({ id }, { context: admin });
    expect(rotated.secret).not.toBe(secret);
    const stored = await platform.database.collection('webhooks').findOne({ _id: id as never });
    const { calls } = platform;
    const seen = JSON.stringify([
      stored,
      await calls.get.query({ id }, { context: admin }),
      await calls.list.query({}, { context: admin }),
      await calls.update.mutate({ id, description: 'x' }, { context: admin }),
      platform.events,
    ]);
    for (const text of [secret, rotated.secret]) expect(seen).not.toContain(text.slice('whsec_'.length));
    const sealer = createSealer(sealingKeys);
    const sealed = stored?.['sealedSecret'] as string;
    expect(sealer.open(sealed, `webhook secret o_1 ${id}`)).toBe(rotated.secret);
    for (const place of [`webhook secret o_2 ${id}`, 'webhook secret o_1 wh_other'])
      expect(() => sealer.open(sealed, place)).toThrow('unable to authenticate data');
  });

  it('still signs for 24 hours after its replacement, and not longer', async () => {
    const clock = { aheadMs: 0 };
    const now = () => new Date(Date.now() + clock.aheadMs);
    await using later = await startWebhookPlatform(mongo.databases, { environment: { now }, name: 'later' });
    await using own = await startReceiver();
    const { id, secret: first } = await createWebhook(later, { url: own.url });
    const event = await later.publishAny();
    const [before] = await own.requests(1);
    const { secret: second } = (
      await later.calls.rotateSecret.mutate({ id }, { context: await asAdmin(later) })
    ).webhook;
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
