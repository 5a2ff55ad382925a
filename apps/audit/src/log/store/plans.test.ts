import { newId } from '@gatehouse/service';
import { startTestMongo } from '@gatehouse/testing';
import { MongoClient, type Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventOf, startTestLog } from '../../testing/log.js';
import { EntryStore, type EntryFilter, type TimePosition } from './entries.js';

const mongo = await startTestMongo();
const client = await new MongoClient(mongo.url, { monitorCommands: true }).connect();
const database = client.db(`${mongo.prefix}_audit`);
afterAll(async () => {
  await client.close();
  await mongo[Symbol.asyncDispose]();
});

const entries = new EntryStore(database);
const organizationId = newId('organization');
const COUNT = 2000;
const LIMIT = 20;
const BEGIN = Date.parse('2026-01-01T00:00:00Z');
const at = (n: number) => new Date(BEGIN + n * 60_000);

beforeAll(async () => {
  const log = await startTestLog(mongo.databases.of('audit'));
  const appender = log.newAppender();
  const verbs = ['created', 'updated', 'deleted', 'taken_over'];
  const events = Array.from({ length: COUNT }, (_, n) =>
    eventOf(organizationId, {
      time: at(n).toISOString(),
      type: `management.${n % 3 === 0 ? 'visual' : 'dashboard'}.${verbs[n % 4]}.v1`,
      projectid: `p_${n % 2}`,
      actorid: `ou_${n % 5}`,
      subject: `d_${n % 7}`,
      requestid: `r-${n % 11}`,
      tokenid: `t-${n % 13}`,
    }),
  );
  await Promise.all(events.map((event) => appender.append(event)));
});

/** The engine's query plan for a call of the store. */
async function explain(call: () => Promise<unknown>): Promise<{ stages: string; examined: number }> {
  const commands: Document[] = [];
  const note = ({ commandName, command }: { commandName: string; command: Document }) => {
    if (commandName === 'find') commands.push(command);
  };
  client.on('commandStarted', note);
  await call();
  client.off('commandStarted', note);
  const { lsid: _session, $db: _database, $clusterTime: _time, ...command } = commands[0] ?? {};
  const { executionStats } = await database.command({ explain: command, verbosity: 'executionStats' });
  const stats = executionStats as Document;
  return { stages: JSON.stringify(stats['executionStages']), examined: Number(stats['totalDocsExamined']) };
}

const filters: Record<string, EntryFilter> = {
  nothing: {},
  'a project': { projectId: 'p_1' },
  'an actor': { actorId: 'ou_1' },
  'a type': { types: ['management.visual.deleted.v1'] },
  'several types': { types: ['management.visual.deleted.v1', 'management.dashboard.created.v1'] },
  'a resource': { resourceId: 'd_1' },
  'a request': { requestId: 'r-1' },
  'a token': { tokenId: 't-1' },
  'a time': { from: at(500), to: at(1000) },
  'an actor and a time': { actorId: 'ou_1', from: at(500), to: at(1000) },
};
const position: TimePosition = { time: at(900), sequence: 901 };

describe.each(['asc', 'desc'] as const)('a list by %s time', (order) => {
  it.each(Object.entries(filters))(
    'of %s reads no more than it gives, and sorts nothing',
    async (_, filter) => {
      for (const after of [undefined, position]) {
        const { stages, examined } = await explain(() =>
          entries.list(organizationId, filter, { order, limit: LIMIT, position: after }),
        );
        expect(stages).not.toContain('"stage":"SORT"');
        expect(stages).not.toContain('COLLSCAN');
        // One more to detect a next page, and the last entry of the previous page.
        expect(examined).toBeLessThanOrEqual(LIMIT + 2);
      }
    },
  );
});

describe('a list of more entries than the engine tries indexes for', () => {
  const many = newId('organization');
  const SIZE = 22_000;
  beforeAll(async () => {
    const documents = Array.from({ length: SIZE }, (_, n) => {
      const half = n % 2;
      const fields = {
        projectId: 'p_1',
        actorId: `ou_${half}`,
        tokenId: `t-${half}`,
        resourceId: `d_${n % 400}`,
      };
      const type = `management.${half === 0 ? 'visual' : 'dashboard'}.created.v1`;
      const placed = { organizationId: many, sequence: n + 1, time: at(n), recordedAt: at(n) };
      return { _id: `many:${n}` as never, eventId: `e${n}`, type, ...fields, ...placed, data: '{}' };
    });
    await database.collection('auditEvents').insertMany(documents);
  });

  const both = { actorId: 'ou_1', types: ['management.visual.created.v1'] };
  it.each([
    ['two frequent values that never meet', both, 0, SIZE / 2],
    ['three of them', { ...both, tokenId: 't-0' }, 0, SIZE / 2],
    ['frequent values and a rare one', { ...both, projectId: 'p_1', resourceId: 'd_8' }, 0, SIZE / 400],
    ['frequent values and an absent one', { ...both, requestId: 'absent' }, 0, 0],
    ['frequent values that always meet', { actorId: 'ou_1', tokenId: 't-1' }, SIZE / 2, 21],
  ])('reads and counts %s', async (_, filter: EntryFilter, count, most) => {
    for (const order of ['asc', 'desc'] as const) {
      const list = () => entries.list(many, filter, { order, limit: LIMIT });
      expect((await list()).entries).toHaveLength(Math.min(LIMIT, count));
      const { stages, examined } = await explain(list);
      expect(stages).not.toContain('"stage":"SORT"');
      expect(examined).toBeLessThanOrEqual(most);
    }
    expect(await entries.count(many, filter, SIZE)).toBe(count);
  });
});

it('an export reads at most its window with any filter', async () => {
  for (const filter of Object.values(filters)) {
    const { stages, examined } = await explain(() =>
      entries.listInOrder(organizationId, filter, { after: 1000, upTo: 1100, limit: 500 }),
    );
    expect(stages).not.toContain('"stage":"SORT"');
    expect(examined).toBeLessThanOrEqual(100);
  }
});
