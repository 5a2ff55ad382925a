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

it('an export reads at most its window with any filter', async () => {
  for (const filter of Object.values(filters)) {
    const { stages, examined } = await explain(() =>
      entries.listInOrder(organizationId, filter, { after: 1000, upTo: 1100, limit: 500 }),
    );
    expect(stages).not.toContain('"stage":"SORT"');
    expect(examined).toBeLessThanOrEqual(100);
  }
});
