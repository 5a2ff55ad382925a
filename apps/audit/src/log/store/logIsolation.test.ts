import { newId } from '@gatehouse/service';
import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEvent } from '@gatehouse/contract';
import { eventOf, startTestLog } from '../../testing/log.js';
import { entryKey, type SealedEntry } from './documents.js';
import { EntryStore } from './entries.js';
import { HeadStore } from './heads.js';

const mongo = await startTestMongo();
const log = await startTestLog(mongo.databases.of('audit'));
const { entries, heads } = log.stores;
afterAll(() => mongo[Symbol.asyncDispose]());

const [acme, stranger] = [newId('organization'), newId('organization')];
const shared = {
  projectid: 'p_same',
  subject: 'd_same',
  actorid: 'ou_same',
  requestid: 'same',
  tokenid: 'same',
};
const acmeEvent = eventOf(acme, { ...shared, type: 'management.dashboard.deleted.v1' });

beforeAll(async () => {
  const appender = log.newAppender();
  for (let n = 0; n < 3; n += 1) await appender.append(eventOf(stranger, shared));
  await appender.append(acmeEvent);
});

const page = { order: 'desc', limit: 100 } as const;
const everything = { after: 0, upTo: 1000, limit: 100 };
const idsIn = ({ entries: found }: { entries: AuditEvent[] }) =>
  found.map(({ organizationId }) => organizationId);

/**
 * Each store function, called for an organization: returns the ids of the organizations whose data it found.
 */
type Case = (organizationId: string) => Promise<string[]>;
const PLATFORM_WIDE = 'platform-wide';

const entryCases: Record<string, Case | typeof PLATFORM_WIDE> = {
  findTip: async (id) => ((await entries.findTip(id))?.sequence === 1 ? [acme] : [stranger]),
  findHash: async (id) => {
    const hash = await entries.findHash(id, 1);
    const own = await log.entries.findOne({ organizationId: acme });
    return [hash === own?.hash ? acme : stranger];
  },
  findRecorded: async (id) =>
    (await entries.findRecorded(id, [acmeEvent.id])).size === 1 ? [acme] : [stranger],
  listTypes: async (id) => ((await entries.listTypes(id)).includes(acmeEvent.type) ? [acme] : [stranger]),
  list: async (id) => idsIn(await entries.list(id, {}, page)),
  listInOrder: async (id) => idsIn(await entries.listInOrder(id, {}, everything)),
  count: async (id) => ((await entries.count(id, {}, 1000)) === 1 ? [acme] : [stranger]),
  scan: async (id) => {
    const found: string[] = [];
    for await (const { entry } of entries.scan(id)) found.push(entry?.organizationId ?? '');
    return found;
  },
  insert: async (id) => {
    const entry = {
      ...(await entries.list(acme, {}, page)).entries[0],
      id: 'new',
      sequence: 9,
    } as AuditEvent;
    const added: SealedEntry[] = [{ entry, seal: '' }];
    return entries.insert(id, added).then(
      async () => {
        await log.entries.deleteOne({ _id: entryKey(acme, 'new') });
        return [acme];
      },
      () => [stranger],
    );
  },
  findOrganizationAfter: PLATFORM_WIDE,
};
const headCases: Record<string, Case | typeof PLATFORM_WIDE> = {
  find: async (id) => ((await heads.find(id))?.sequence === 1 ? [acme] : [stranger]),
  insert: async (id) => {
    const before = await heads.find(acme);
    await heads.insert(id, { sequence: 9, hash: '', seal: '' });
    expect(await heads.find(acme)).toEqual(before);
    return [id];
  },
  advance: async (id) => {
    const [before, own] = [await heads.find(stranger), await heads.find(id)];
    const head = before ?? { sequence: 0, hash: '', seal: '' };
    await heads.advance(acme, head, { ...head, sequence: 9 });
    expect([await heads.find(stranger), await heads.find(id)]).toEqual([before, own]);
    return [id];
  },
  findOrganizationAfter: PLATFORM_WIDE,
};

const functionsOf = (store: object) =>
  Object.getOwnPropertyNames(store).filter((name) => name !== 'constructor');
const rows = [...Object.entries(entryCases), ...Object.entries(headCases)].flatMap(([name, run]) =>
  run === PLATFORM_WIDE ? [] : [[name, run] as const],
);

describe('the stores of the audit log', () => {
  it('have a case here for each function', () => {
    expect(functionsOf(EntryStore.prototype).toSorted()).toEqual(Object.keys(entryCases).toSorted());
    expect(functionsOf(HeadStore.prototype).toSorted()).toEqual(Object.keys(headCases).toSorted());
  });

  it.each(rows)('%s returns only data of its organization', async (_, run) => {
    expect(new Set(await run(acme))).toEqual(new Set([acme]));
    expect(new Set(await run(stranger))).toEqual(new Set([stranger]));
  });

  it.each(['projectId', 'resourceId', 'actorId', 'requestId', 'tokenId'] as const)(
    'separate organizations that have the same %s',
    async (field) => {
      const value = { projectId: 'p_same', resourceId: 'd_same', actorId: 'ou_same' };
      const filter = { [field]: field in value ? value[field as keyof typeof value] : 'same' };
      expect(idsIn(await entries.list(acme, filter, page))).toEqual([acme]);
      expect(idsIn(await entries.listInOrder(acme, filter, everything))).toEqual([acme]);
      expect(await entries.count(acme, filter, 1000)).toBe(1);
      expect(await entries.count(stranger, filter, 1000)).toBe(3);
    },
  );
});
