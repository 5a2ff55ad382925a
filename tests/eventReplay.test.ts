import type { AccessExplanation, CloudEvent } from '@gatehouse/contract';
import { connectNatsBus, createLog, type EventBus } from '@gatehouse/service';
import { randomRuns, startNats, type NatsServer } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, type Api } from './src/api.js';
import { act, beginDay, deed, readLevels, settle, type Day } from './src/eventReplay/day.js';
import { replayLevels, shuffled } from './src/eventReplay/replay.js';
import { startTestStandalone, type TestServer } from './src/servers.js';

const DAYS = randomRuns(2);

let nats: NatsServer;
let server: TestServer;
let api: Api;
let bus: EventBus;
const events: CloudEvent[] = [];

beforeAll(async () => {
  nats = await startNats();
  server = await startTestStandalone({ NATS_URL: nats.url, SWEEP_INTERVAL_MS: '300' });
  api = await createApi(server.credentials);
  const log = createLog('test', { LOG_LEVEL: 'silent' });
  bus = await connectNatsBus({ url: nats.url, name: 'replay-test', log });
  const handle = async (event: CloudEvent) => void events.push(event);
  await bus.consume({ name: 'replay-test', types: ['management.*.*.v1'], handle });
});
afterAll(async () => {
  await bus.close();
  await server[Symbol.asyncDispose]();
  await nats[Symbol.asyncDispose]();
});

/** The access of all users at a moment without changes. */
async function readCalmly(day: Day) {
  for (;;) {
    await settle();
    const before = events.length;
    const at = new Date();
    const levels = await readLevels(day);
    await settle();
    if (events.length === before) return { at, levels };
  }
}

function askedAbout(day: Day, at: Date) {
  return { userIds: day.people.map(({ id }) => id), resourceIds: day.things.map(({ id }) => id), at };
}

/** The access of all users at a moment, as the owners see it, for resources with an owner. */
async function explainAll({ people, things }: Day, at: Date) {
  const told: Record<string, string | null> = {};
  for (const { type, id } of things) {
    for (const { session } of people) {
      const asks = people.map(async (person) => {
        const query = new URLSearchParams({ userId: person.id, at: at.toISOString() });
        const path = `/${type}s/${id}/access?${query.toString()}`;
        const { status, body } = await session.get<{ access: AccessExplanation }>(path);
        if (status === 200) told[`${person.id} ${id}`] = body.access.accessLevel;
      });
      await Promise.all(asks);
    }
  }
  return told;
}

describe('a day of random changes, replayed from its events alone', () => {
  it('gives all users the access of the platform, then and earlier, in any order of events', async () => {
    let toldCount = 0;
    // All kinds of actions are equally likely: small numbers give no simpler days.
    const morning = fc.noBias(fc.array(deed, { minLength: 20, maxLength: 30 }));
    const property = fc.asyncProperty(morning, morning, fc.nat(), async (first, second, seed) => {
      const day = await beginDay(api);
      for (const each of first) await act(day, each);
      const noon = await readCalmly(day);
      const askedAtNoon = askedAbout(day, noon.at);
      for (const each of second) await act(day, each);
      const evening = await readCalmly(day);
      const askedAtEvening = askedAbout(day, evening.at);

      expect(await replayLevels(events, askedAtEvening)).toEqual(evening.levels);
      expect(await replayLevels(events, askedAtNoon)).toEqual(noon.levels);
      const mixed = shuffled(events, seed);
      expect(mixed.length).toBeGreaterThan(events.length);
      expect(await replayLevels(mixed, askedAtEvening)).toEqual(evening.levels);
      expect(await replayLevels(mixed.toReversed(), askedAtNoon)).toEqual(noon.levels);
      // The platform's own responses about that moment are exactly these.
      const told = await explainAll(day, evening.at);
      toldCount += Object.keys(told).length;
      expect(evening.levels).toMatchObject(told);
    });
    await fc.assert(property, { numRuns: DAYS, endOnFailure: true });
    expect(toldCount).toBeGreaterThan(0);
  });

  it('contains every event of every record once, in order', () => {
    const sequences = new Map<string, number[]>();
    // A rejected request does not change a record.
    const changes = events.filter(({ type }) => type !== 'management.request.refused.v1');
    for (const { source, subject, sequence, data } of changes) {
      const record = `${source} ${subject} ${typeof data['key'] === 'string' ? data['key'] : ''}`;
      sequences.set(record, [...(sequences.get(record) ?? []), Number(sequence)]);
    }
    for (const found of sequences.values()) {
      expect(found).toEqual(Array.from({ length: found.length }, (_, index) => index + 1));
    }
    expect(sequences.size).toBeGreaterThan(0);
  });
});
