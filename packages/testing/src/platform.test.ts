import { AppError } from '@gatehouse/contract';
import { createEvent, defineService } from '@gatehouse/service';
import { beforeEach, describe, expect, it } from 'vitest';
import { startServicePlatform, usePlatform } from './platform.js';

const SETTINGS = { collections: ['kept'], hiddenFields: ['outbox', 'revision'] };
const nothing = defineService({ name: 'audit', procedures: {} }, {}, async () => ({
  handlers: {},
  outboxes: [],
  consumers: [],
  sweeps: [],
}));
const { platform } = await usePlatform((databases) =>
  startServicePlatform(nothing, { databases, ...SETTINGS }),
);
const kept = platform.database.collection<{ _id: string }>('kept');

beforeEach(async () => {
  await kept.deleteMany({});
});

describe('the rejection of a call', () => {
  const rejectedAfter = (work: () => Promise<unknown>) =>
    platform.rejectionOf(async () => {
      await work();
      throw new AppError('CONFLICT');
    });

  it('is returned if the call stored nothing that a snapshot contains', async () => {
    await kept.insertOne({ _id: 'a' });
    const rejection = await rejectedAfter(async () => {
      await kept.updateOne({ _id: 'a' }, { $set: { revision: 2, outbox: [] } });
      await platform.database.collection('others').insertOne({});
    });
    expect(rejection.code).toBe('CONFLICT');
  });

  it('fails the test if the call stored something', async () => {
    await expect(rejectedAfter(() => kept.insertOne({ _id: 'b' }))).rejects.toThrow('deep-equal');
  });

  it('fails the test if the call succeeded or ended with another error', async () => {
    await expect(platform.rejectionOf(async () => 1)).rejects.toThrow('The call was not rejected');
    const broken = () => Promise.reject(new TypeError('broken'));
    await expect(platform.rejectionOf(broken)).rejects.toThrow('broken');
  });
});

it('finds published events by type and subject, as many as the test waits for', async () => {
  const publish = (id: string) => {
    const origin = { service: 'test', organizationId: 'o_1', now: new Date() };
    return platform.bus.publish([
      createEvent('management.domain.deleted.v1', id, {
        origin,
        data: { id, name: 'Sales', projectId: 'p_1' },
      }),
    ]);
  };
  const both = platform.eventsOf('management.domain.deleted.v1', undefined, 2);
  await publish('g_1');
  await publish('g_2');
  expect((await both).map(({ subject }) => subject)).toEqual(['g_1', 'g_2']);
  expect(await platform.eventsOf('management.domain.deleted.v1', 'g_2')).toHaveLength(1);
});
