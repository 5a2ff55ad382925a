import { setTimeout as sleep } from 'node:timers/promises';
import { headText, type CloudEvent } from '@gatehouse/contract';
import { newId } from '@gatehouse/service';
import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createLogStores, type LogStores } from './store/openStores.js';
import { eventOf, newKeys, startTestLog } from '../testing/log.js';
import { EntryAppender, HEAD_CONTEXT } from './appendEvents.js';

const mongo = await startTestMongo();
const keys = newKeys();
const log = await startTestLog(mongo.databases.of('audit'), keys);
const { entries, heads } = log;
afterAll(() => mongo[Symbol.asyncDispose]());

let organizationId: string;
beforeEach(() => {
  organizationId = newId('organization');
});

const events = (count: number): CloudEvent[] => Array.from({ length: count }, () => eventOf(organizationId));
const recorded = async () =>
  (await entries.find({ organizationId }, { sort: { sequence: 1 } }).toArray()).map(({ eventId }) => eventId);

async function expectIntact(count: number): Promise<void> {
  expect(await log.verify(organizationId)).toMatchObject([
    { outcome: 'intact', entryCount: count, headSequence: count },
  ]);
}

/**
 * The appender of a process that dies at a write: neither that write nor later ones happen, and no promise
 * settles.
 */
function dyingAt(write: 'entries' | 'head' | 'begin'): EntryAppender {
  const stores = createLogStores(mongo.databases.of('audit'));
  const dead = async (): Promise<never> => {
    throw new Error('The process died');
  };
  if (write === 'entries') stores.entries.insert = dead;
  if (write === 'head') stores.heads.advance = dead;
  if (write === 'begin') stores.heads.insert = dead;
  return new EntryAppender({ ...log, stores, log: { error: () => {} } });
}

describe('EntryAppender', () => {
  it('records the data of an event, with actor, place and time', async () => {
    const event = eventOf(organizationId, { time: '2026-03-01T12:00:00+02:00' });
    await log.newAppender().append(event);
    const { entries: found } = await log.stores.entries.list(organizationId, {}, { order: 'desc', limit: 5 });
    expect(found).toEqual([
      {
        id: event.id,
        sequence: 1,
        organizationId,
        projectId: 'p_1',
        type: 'management.dashboard.updated.v1',
        outcome: 'done',
        resourceType: 'dashboard',
        resourceId: event.subject,
        actorId: 'ou_1',
        actorKind: 'orgUser',
        tokenId: 'jti-1',
        requestId: event.requestid,
        source: '/gatehouse/access',
        time: '2026-03-01T10:00:00.000Z',
        recordedAt: expect.any(String) as string,
        data: event.data,
        previousHash: '0'.repeat(64),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
    ]);
  });

  it.each([
    ['a time that is none', { time: 'soon' }],
    ['a field that no document may have', { requestid: { 'a\0b': 1 } as unknown as string }],
  ])('records the events beside one that cannot be stored, for %s', async (_name, fields) => {
    const others = events(20);
    const broken = eventOf(organizationId, fields);
    const appender = log.newAppender();
    const outcomes = await Promise.allSettled(
      [...others.slice(0, 7), broken, ...others.slice(7)].map((event) => appender.append(event)),
    );
    expect(outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([7]);
    expect(await recorded()).toEqual(others.map(({ id }) => id));
    await expectIntact(20);
  });

  it('records an event once under redelivery to any process and in any batch', async () => {
    const [first, second, third] = events(3) as [CloudEvent, CloudEvent, CloudEvent];
    const [one, other] = [log.newAppender(), log.newAppender()];
    await Promise.all([one.append(first), one.append(first), other.append(first)]);
    await one.append(first);
    await Promise.all([second, first, third, second].map((event) => other.append(event)));
    await one.append(third);
    expect((await recorded()).toSorted()).toEqual([first.id, second.id, third.id].toSorted());
    await expectIntact(3);
  });

  it('writes concurrent events in one batch, in their order', async () => {
    const stores = createLogStores(mongo.databases.of('audit'));
    const sizes: number[] = [];
    const { insert } = stores.entries;
    stores.entries.insert = (id, sealed) => {
      sizes.push(sealed.length);
      return insert.call(stores.entries, id, sealed);
    };
    const appender = new EntryAppender({ ...log, stores, log: { error: () => {} } });
    const many = events(300);
    await Promise.all(many.map((event) => appender.append(event)));
    expect(sizes).toEqual([250, 50]);
    expect(await recorded()).toEqual(many.map(({ id }) => id));
    await expectIntact(300);
  });

  it('reads the end of a log again only after another process has appended to it', async () => {
    const stores = createLogStores(mongo.databases.of('audit'));
    let reads = 0;
    const { findTip } = stores.entries;
    stores.entries.findTip = (id) => {
      reads += 1;
      return findTip.call(stores.entries, id);
    };
    const appender = new EntryAppender({ ...log, stores, log: { error: () => {} } });
    await Promise.all(events(600).map((event) => appender.append(event)));
    for (const event of events(3)) await appender.append(event);
    expect(reads).toBe(1);
    await log.newAppender().append(eventOf(organizationId));
    for (const event of events(3)) await appender.append(event);
    expect(reads).toBe(4);
    await expectIntact(607);
  });

  it('continues after the entries of another process between two batches', async () => {
    const stores = createLogStores(mongo.databases.of('audit'));
    const { insert } = stores.entries;
    let batches = 0;
    stores.entries.insert = async (id, sealed) => {
      batches += 1;
      if (batches === 2) await log.newAppender().append(eventOf(organizationId));
      return insert.call(stores.entries, id, sealed);
    };
    const appender = new EntryAppender({ ...log, stores, log: { error: () => {} } });
    await Promise.all(events(600).map((event) => appender.append(event)));
    expect(batches).toBe(4);
    await expectIntact(601);
  });

  it('loses nothing when several processes append at once', async () => {
    const appenders = Array.from({ length: 4 }, () => log.newAppender());
    const many = events(200);
    await Promise.all(
      many.map(async (event, index) => {
        await sleep(index % 7);
        await appenders[index % appenders.length]?.append(event);
      }),
    );
    expect((await recorded()).toSorted()).toEqual(many.map(({ id }) => id).toSorted());
    await expectIntact(200);
  });

  it('keeps the logs of organizations apart', async () => {
    const appender = log.newAppender();
    const other = newId('organization');
    await Promise.all(
      [...events(2), eventOf(other), eventOf('platform')].map((event) => appender.append(event)),
    );
    await expectIntact(2);
    expect(await log.verify(other)).toMatchObject([{ outcome: 'intact', entryCount: 1 }]);
  });
});

describe('a process that dies', () => {
  it('leaves nothing before the first write, and the redelivered event is recorded', async () => {
    const [event] = events(1) as [CloudEvent];
    await expect(dyingAt('begin').append(event)).rejects.toThrow('died');
    expect(await heads.countDocuments({ _id: organizationId })).toBe(0);
    await log.newAppender().append(event);
    await expectIntact(1);
  });

  it('leaves an empty and valid log before the entries', async () => {
    const [event] = events(1) as [CloudEvent];
    await expect(dyingAt('entries').append(event)).rejects.toThrow('died');
    await expectIntact(0);
    await log.newAppender().append(event);
    await expectIntact(1);
  });

  it('leaves valid entries before the head advances, and the next append completes them', async () => {
    const [first, second, third] = events(3) as [CloudEvent, CloudEvent, CloudEvent];
    await log.newAppender().append(first);
    await expect(dyingAt('head').append(second)).rejects.toThrow('died');
    expect(await log.verify(organizationId)).toMatchObject([
      { outcome: 'intact', entryCount: 2, headSequence: 1 },
    ]);
    await log.newAppender().append(third);
    await expectIntact(3);
  });

  it('is completed by the redelivery of the unacknowledged event', async () => {
    const [event] = events(1) as [CloudEvent];
    await expect(dyingAt('head').append(event)).rejects.toThrow('died');
    await log.newAppender().append(event);
    await expectIntact(1);
  });

  it('leaves a part in the middle of a batch, and the rest is recorded on redelivery', async () => {
    const many = events(10);
    const stores: LogStores = createLogStores(mongo.databases.of('audit'));
    const { insert } = stores.entries;
    stores.entries.insert = async (id, sealed) => {
      await insert.call(stores.entries, id, sealed.slice(0, 4));
      throw new Error('The process died');
    };
    const dying = new EntryAppender({ ...log, stores, log: { error: () => {} } });
    const outcomes = await Promise.allSettled(many.map((event) => dying.append(event)));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    const next = log.newAppender();
    await Promise.all(many.map((event) => next.append(event)));
    expect((await recorded()).toSorted()).toEqual(many.map(({ id }) => id).toSorted());
    await expectIntact(10);
  });
});

describe.each(['that reads the end', 'that remembers the end'])(
  'an append %s does not hide tampering:',
  (kind) => {
    let remembering: EntryAppender;
    const more = async () => {
      const appender = kind === 'that remembers the end' ? remembering : log.newAppender();
      for (const event of events(2)) await appender.append(event);
    };
    beforeEach(async () => {
      remembering = log.newAppender();
      for (const event of events(3)) await remembering.append(event);
    });

    it('a removed head stays missing, and events are recorded', async () => {
      await heads.deleteOne({ _id: organizationId });
      await more();
      expect(await log.verify(organizationId)).toMatchObject([
        { outcome: 'damaged', entryCount: 5, faults: [{ kind: 'headMissing' }] },
      ]);
      expect(log.errors.length).toBeGreaterThan(0);
    });

    it('a forged head stays forged', async () => {
      await entries.deleteOne({ organizationId, sequence: 3 });
      const end = await entries.findOne({ organizationId, sequence: 2 });
      await heads.updateOne({ _id: organizationId }, { $set: { sequence: 2, hash: end?.hash ?? '' } });
      await more();
      const [report] = await log.verify(organizationId);
      expect(report).toMatchObject({ outcome: 'damaged', entryCount: 4 });
      expect(report?.faults).toContainEqual({ sequence: 2, kind: 'headSealWrong' });
    });

    it('entries removed from the end leave a gap', async () => {
      await entries.deleteMany({ organizationId, sequence: { $gte: 2 } });
      await more();
      expect(await log.verify(organizationId)).toMatchObject([
        {
          outcome: 'damaged',
          entryCount: 3,
          headSequence: 5,
          faults: [{ sequence: 2, kind: 'entriesMissing' }],
        },
      ]);
    });

    it('a forged entry after the head is detected by its seal', async () => {
      const last = await entries.findOne({ organizationId, sequence: 3 });
      if (!last) throw new Error('No entry');
      await entries.insertOne({ ...last, _id: `${organizationId}:x`, eventId: 'x', sequence: 4 });
      await more();
      const [report] = await log.verify(organizationId);
      expect(report).toMatchObject({ outcome: 'damaged', entryCount: 6, headSequence: 6 });
      expect(report?.faults).toContainEqual({ sequence: 4, kind: 'hashWrong' });
    });

    it.each([1, 2, 3])('entries of another process that were removed, with batches of %i', async (size) => {
      const other = log.newAppender();
      const appender = kind === 'that remembers the end' ? remembering : log.newAppender();
      await Promise.all(events(2).map((event) => other.append(event)));
      await entries.deleteMany({ organizationId, sequence: { $gt: 3 } });
      for (let batch = 0; batch < 3; batch += 1) {
        await Promise.all(events(size).map((event) => appender.append(event)));
        expect(await log.verify(organizationId)).toMatchObject([{ outcome: 'damaged' }]);
      }
      await Promise.all(events(size).map((event) => other.append(event)));
      expect(await log.verify(organizationId)).toMatchObject([{ outcome: 'damaged' }]);
      await more();
      expect(await log.verify(organizationId)).toMatchObject([{ outcome: 'damaged' }]);
    });

    it('the head advances with the current key after a rotation', async () => {
      const present = newKeys();
      const rotated = await startTestLog(mongo.databases.of('audit'), `${present},${keys}`);
      await rotated.newAppender().append(eventOf(organizationId));
      const head = await heads.findOne({ _id: organizationId });
      if (!head) throw new Error('No head');
      expect(rotated.sealer.judgeSignature(head.seal, headText(organizationId, head), HEAD_CONTEXT)).toBe(
        'right',
      );
      expect(log.sealer.judgeSignature(head.seal, headText(organizationId, head), HEAD_CONTEXT)).toBe(
        'unknownKey',
      );
    });
  },
);
