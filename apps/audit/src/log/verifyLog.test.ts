import { hashOf, type ChainFault } from '@gatehouse/contract';
import { createSealer, newId } from '@gatehouse/service';
import { startTestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { toDocument, toEntry, type EntryDocument } from './store/documents.js';
import { eventOf, fillLog, newKeys, startTestLog } from '../testing/log.js';
import { verifyLogs } from './verifyLog.js';
import { sha256 } from './appendEvents.js';

const mongo = await startTestMongo();
const log = await startTestLog(mongo.databases.of('audit'));
const { entries, heads } = log;
// An attacker with the database can drop indexes.
await entries.dropIndex('sequence');
await entries.createIndex({ organizationId: 1, sequence: 1 }, { name: 'sequence' });
afterAll(() => mongo[Symbol.asyncDispose]());

const COUNT = 9;
let organizationId: string;
beforeEach(async () => {
  organizationId = await fillLog(log, COUNT);
});

const at = (sequence: number) => ({ organizationId, sequence });

async function get(sequence: number): Promise<EntryDocument> {
  const found = await entries.findOne(at(sequence));
  if (!found) throw new Error(`No entry ${sequence}`);
  return found;
}

const set = (sequence: number, fields: Partial<EntryDocument>) =>
  entries.updateOne(at(sequence), { $set: fields });

/** Rewrites entries from one on with matching hashes, which anyone can compute. */
async function rechain(from: number, change: (document: EntryDocument) => EntryDocument): Promise<void> {
  let { hash: previousHash } = await get(from - 1);
  for (let sequence = from; sequence <= COUNT; sequence += 1) {
    const document = await get(sequence);
    const entry = { ...toEntry(change(document)), previousHash };
    const hash = hashOf(entry, sha256);
    previousHash = hash;
    await entries.replaceOne(
      { _id: document._id },
      toDocument({ entry: { ...entry, hash }, seal: document.seal }),
    );
  }
}

async function copyOf(sequence: number, fields: Partial<EntryDocument>): Promise<EntryDocument> {
  return { ...(await get(sequence)), ...fields };
}

const fault = (sequence: number, kind: ChainFault['kind']) => ({ sequence, kind });
const from4On = [4, 5, 6, 7, 8, 9].map((sequence) => fault(sequence, 'sealWrong'));

/** Tampering by an attacker who can write the database and has no key, with the expected faults. */
const tampering: Record<string, { tamper: () => Promise<unknown>; faults: ChainFault[] }> = {
  'changed data': {
    tamper: () => set(4, { data: JSON.stringify({ title: 'Nothing of interest' }) }),
    faults: [fault(4, 'hashWrong')],
  },
  'a changed actor': { tamper: () => set(4, { actorId: 'ou_2' }), faults: [fault(4, 'hashWrong')] },
  'a removed actor': { tamper: () => set(4, { actorId: null }), faults: [fault(4, 'hashWrong')] },
  'a changed type': {
    tamper: () => set(4, { type: 'management.request.refused.v1' }),
    faults: [fault(4, 'hashWrong')],
  },
  'a changed time': { tamper: () => set(4, { time: new Date(0) }), faults: [fault(4, 'hashWrong')] },
  'a changed recording time': {
    tamper: () => set(4, { recordedAt: new Date(0) }),
    faults: [fault(4, 'hashWrong')],
  },
  'a missing field': {
    tamper: () => entries.updateOne(at(4), { $unset: { tokenId: 1 } }),
    faults: [fault(4, 'entryUnreadable')],
  },
  'a changed entry with a new hash': {
    tamper: async () => {
      const entry = { ...toEntry(await get(4)), actorId: 'ou_2' };
      await set(4, { actorId: 'ou_2', hash: hashOf(entry, sha256) });
    },
    faults: [fault(4, 'sealWrong'), fault(5, 'linkBroken')],
  },
  'an entry removed in the middle': {
    tamper: () => entries.deleteOne(at(4)),
    faults: [fault(4, 'entriesMissing')],
  },
  'the first entry removed': { tamper: () => entries.deleteOne(at(1)), faults: [fault(1, 'entriesMissing')] },
  'the last entry removed': {
    tamper: () => entries.deleteOne(at(COUNT)),
    faults: [fault(COUNT, 'tailMissing')],
  },
  'all entries removed': {
    tamper: () => entries.deleteMany({ organizationId }),
    faults: [fault(1, 'tailMissing')],
  },
  'the last entry removed and the head rewritten without the key': {
    tamper: async () => {
      await entries.deleteOne(at(COUNT));
      const { sequence, hash } = await get(COUNT - 1);
      await heads.updateOne({ _id: organizationId }, { $set: { sequence, hash } });
    },
    faults: [fault(COUNT - 1, 'headSealWrong')],
  },
  'the last entry removed, and the seal of another organization on the head': {
    tamper: async () => {
      await entries.deleteOne(at(COUNT));
      const { sequence, hash } = await get(COUNT - 1);
      const other = await heads.findOne({ _id: await fillLog(log, COUNT - 1) });
      await heads.updateOne({ _id: organizationId }, { $set: { sequence, hash, seal: other?.seal ?? '' } });
    },
    faults: [fault(COUNT - 1, 'headSealWrong')],
  },
  'a head that names another entry of the log': {
    tamper: async () => {
      const { hash } = await get(2);
      await heads.updateOne({ _id: organizationId }, { $set: { hash } });
    },
    faults: [fault(COUNT, 'headHashWrong'), fault(COUNT, 'headSealWrong')],
  },
  'the head removed': {
    tamper: () => heads.deleteOne({ _id: organizationId }),
    faults: [fault(COUNT, 'headMissing')],
  },
  'two swapped entries': {
    tamper: async () => {
      await set(4, { sequence: 99 });
      await set(5, { sequence: 4 });
      await set(99, { sequence: 5 });
    },
    faults: [
      fault(4, 'linkBroken'),
      fault(4, 'hashWrong'),
      fault(5, 'linkBroken'),
      fault(5, 'hashWrong'),
      fault(6, 'linkBroken'),
    ],
  },
  'an inserted entry that shifts all entries after it': {
    tamper: async () => {
      for (let sequence = COUNT; sequence >= 4; sequence -= 1)
        await set(sequence, { sequence: sequence + 1 });
      const forged = await copyOf(3, { sequence: 4, eventId: 'forged', _id: `${organizationId}:forged` });
      await entries.insertOne(forged);
    },
    faults: [
      fault(4, 'linkBroken'),
      fault(4, 'hashWrong'),
      ...[5, 6, 7, 8, 9, 10].flatMap((sequence) => [
        fault(sequence, 'hashWrong'),
        ...(sequence === COUNT ? [fault(COUNT, 'headHashWrong')] : []),
      ]),
    ],
  },
  'an entry added behind the head': {
    tamper: async () => {
      const last = await get(COUNT);
      const forged = toEntry(await copyOf(COUNT, { sequence: COUNT + 1, eventId: 'forged' }));
      const entry = { ...forged, previousHash: last.hash };
      const hashed = { ...entry, hash: hashOf(entry, sha256) };
      await entries.insertOne(toDocument({ entry: hashed, seal: last.seal }));
    },
    faults: [fault(COUNT + 1, 'sealWrong')],
  },
  'all entries from one on rewritten with matching hashes': {
    tamper: () =>
      rechain(4, (document) => ({
        ...document,
        actorId: document.sequence === 4 ? 'ou_2' : document.actorId,
      })),
    faults: [...from4On, fault(COUNT, 'headHashWrong')],
  },
  'all entries from one on rewritten with matching hashes and head': {
    tamper: async () => {
      await rechain(4, (document) => ({ ...document, actorId: 'ou_2' }));
      const { hash } = await get(COUNT);
      await heads.updateOne({ _id: organizationId }, { $set: { hash } });
    },
    faults: [...from4On, fault(COUNT, 'headSealWrong')],
  },
  'an entry moved to another organization': {
    tamper: async () => set(4, { organizationId: await fillLog(log, 3) }),
    faults: [fault(4, 'entriesMissing')],
  },
  'an entry moved in from another organization': {
    tamper: async () => {
      const other = await fillLog(log, COUNT + 1);
      await entries.updateOne({ organizationId: other, sequence: COUNT + 1 }, { $set: { organizationId } });
    },
    faults: [fault(COUNT + 1, 'keyWrong'), fault(COUNT + 1, 'linkBroken'), fault(COUNT + 1, 'hashWrong')],
  },
  'a duplicate entry': {
    tamper: async () => entries.insertOne(await copyOf(4, { _id: `${organizationId}:again` })),
    faults: [fault(4, 'sequenceRepeated'), fault(4, 'keyWrong')],
  },
  'an invalid head': {
    tamper: () =>
      heads.updateOne({ _id: organizationId }, { $set: { sequence: 'x' as unknown as number, seal: '' } }),
    faults: [fault(COUNT, 'headMissing')],
  },
  'an invalid seal': {
    tamper: () => entries.updateOne(at(4), { $unset: { seal: 1 } }),
    faults: [fault(4, 'sealWrong')],
  },
  'an entry without a sequence': {
    tamper: () => entries.updateOne(at(4), { $set: { sequence: 'four' as unknown as number } }),
    faults: [fault(4, 'entriesMissing'), fault(COUNT, 'entryUnreadable')],
  },
};

/** A value parsed from the wire. */
const toJson = (value: object) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;

describe('verification', () => {
  it.each(Object.entries(tampering))('detects and names %s', async (_, { tamper, faults }) => {
    await tamper();
    const [report] = await log.verify(organizationId);
    expect(report).toMatchObject({ outcome: 'damaged', faultCount: faults.length });
    expect(report?.faults.toSorted((a, b) => a.sequence - b.sequence)).toEqual(faults);
  });

  it('finds no fault in an untouched log', async () => {
    const last = await get(COUNT);
    expect(await log.verify(organizationId)).toEqual([
      {
        organizationId,
        outcome: 'intact',
        entryCount: COUNT,
        last: { sequence: COUNT, hash: last.hash },
        headSequence: COUNT,
        faultCount: 0,
        faults: [],
      },
    ]);
  });

  it('covers every organization, also one without its head or entries', async () => {
    const [headless, empty] = [await fillLog(log, 1), await fillLog(log, 1)];
    await heads.deleteOne({ _id: headless });
    await entries.deleteMany({ organizationId: empty });
    const damaged = (await log.verify()).filter(({ outcome }) => outcome === 'damaged');
    const found = damaged.map((report) => report.organizationId);
    expect(found).toEqual(expect.arrayContaining([headless, empty]));
    expect(found).not.toContain(organizationId);
  });

  it('detects a log restored to an earlier state only from its own earlier result', async () => {
    const [head, last] = [await heads.findOne({ _id: organizationId }), await get(COUNT)];
    await log.newAppender().append(eventOf(organizationId));
    const [{ last: seen } = { last: null }] = await log.verify(organizationId);
    await entries.deleteOne(at(COUNT + 1));
    await heads.replaceOne({ _id: organizationId }, head ?? { sequence: 0, hash: last.hash, seal: '' });
    expect(await log.verify(organizationId)).toMatchObject([{ outcome: 'intact' }]);
    if (!seen) throw new Error('Nothing was seen');
    const earlier = new Map([[organizationId, seen]]);
    const since = verifyLogs(log.stores, organizationId, { sealer: log.sealer, earlier });
    expect((await since.next()).value).toMatchObject({
      outcome: 'damaged',
      faults: [fault(COUNT + 1, 'earlierStateMissing')],
    });
  });

  it('reports unknown seals when the key is no longer configured', async () => {
    const [report] = await log.verify(organizationId, createSealer(newKeys()));
    expect(report).toMatchObject({ outcome: 'unverifiable', faultCount: COUNT + 1 });
  });

  it('accepts seals of former and current keys after a rotation', async () => {
    const [former, present] = [newKeys(), newKeys()];
    const database = mongo.databases.of('rotated');
    const before = await startTestLog(database, former);
    const id = await fillLog(before, 3);
    const after = await startTestLog(database, `${present},${former}`);
    expect(await after.verify(id)).toMatchObject([{ outcome: 'intact' }]);
    await after.newAppender().append(eventOf(id));
    expect(await after.verify(id)).toMatchObject([{ outcome: 'intact', entryCount: 4 }]);
    expect(await after.verify(id, createSealer(present))).toMatchObject([
      { outcome: 'unverifiable', faultCount: 3 },
    ]);
  });

  it('accepts an entry whose data has a field named __proto__', async () => {
    const id = newId('organization');
    const data = JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":2}}') as Record<string, unknown>;
    await log.newAppender().append(eventOf(id, { data }));
    expect(await log.verify(id)).toMatchObject([{ outcome: 'intact', entryCount: 1, faults: [] }]);
  });

  it('finds no fault in logs of random events by concurrent processes', async () => {
    const anyEvent = fc.record({
      organization: fc.constantFrom('a', 'b'),
      data: fc.dictionary(fc.string(), fc.jsonValue()),
      subject: fc.string({ minLength: 1 }),
      writer: fc.nat({ max: 2 }),
    });
    const untouched = await startTestLog(mongo.databases.of('untouched'));
    const property = fc.asyncProperty(fc.array(anyEvent, { maxLength: 40 }), async (events) => {
      const organizations = { a: newId('organization'), b: newId('organization') };
      const appenders = [1, 2, 3].map(() => untouched.newAppender());
      const appended = events.map(async ({ organization, data, subject, writer }) => {
        const event = eventOf(organizations[organization], { subject, data: toJson(data) });
        await appenders[writer]?.append(event);
      });
      await Promise.all(appended);
      for (const [name, id] of Object.entries(organizations)) {
        const entryCount = events.filter(({ organization }) => organization === name).length;
        expect(await untouched.verify(id)).toMatchObject([{ outcome: 'intact', entryCount, faults: [] }]);
      }
    });
    await fc.assert(property, { numRuns: 25 });
  });
});
