import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EVENT_CATALOGUE, processEntry } from '@gatehouse/contract';
import { connectNatsBus, createEvent, createLog, openNatsLetters } from '@gatehouse/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APPS } from './src/fleet.js';
import { startAccountNats, type AccountNats } from './src/natsAccounts.js';
import { findDenied } from './src/natsDenials.js';

const SOURCES = fileURLToPath(new URL('../apps', import.meta.url));
const STREAMS = ['MANAGEMENT', 'DEADLETTERS'];
/** These JetStream requests need no right to change the stream. */
const HARMLESS = ['INFO', 'CREATE'];
const STREAM_VERBS = [
  ...HARMLESS,
  'UPDATE',
  'DELETE',
  'PURGE',
  'MSG.DELETE',
  'MSG.GET',
  'SNAPSHOT',
  'RESTORE',
];
const CONSUMER_VERBS = ['INFO', 'CREATE', 'DURABLE.CREATE', 'MSG.NEXT', 'DELETE'];

const SOON = { timeout: 120_000, interval: 50 };

const types = Object.keys(EVENT_CATALOGUE);
const REFUSED = 'management.request.refused.v1';

/** The durable consumers in a process's sources. */
async function findConsumers(app: string): Promise<string[]> {
  const folder = join(SOURCES, app, 'src');
  const files = (await readdir(folder, { recursive: true })).filter((file) => /(?<!\.test)\.ts$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.flatMap((text) =>
    [...text.matchAll(/defineConsumer\('([a-z-]+)'/g)].map(([, name = '']) => name),
  );
}

const subjectsOf = (consumer: string) => [
  ...CONSUMER_VERBS.map((verb) => `$JS.API.CONSUMER.${verb}.MANAGEMENT.${consumer}`),
  `$JS.API.CONSUMER.CREATE.MANAGEMENT.${consumer}.management.tenant.deleted.v1`,
  `$JS.ACK.MANAGEMENT.${consumer}.1.1.1.1.1`,
  `deadletter.${consumer}`,
];

describe('the NATS users that `npm run secrets` creates, on nats-server itself', () => {
  let nats: AccountNats;
  const consumers = new Map<string, string[]>();
  beforeAll(async () => {
    nats = await startAccountNats();
    for (const app of APPS) consumers.set(app, await findConsumers(app));
  });
  afterAll(() => nats[Symbol.asyncDispose]());

  const urlOf = (app: string) => {
    const user = nats.made.find((each) => each.user === app);
    if (user === undefined) throw new Error(`${app} has no user`);
    return nats.urlOf(user);
  };
  const of = (app: string) => consumers.get(app) ?? [];
  const ofOthers = (app: string) => APPS.filter((other) => other !== app).flatMap(of);

  it.each(APPS)('belong to a manifest that lists the consumers in the sources of %s', (app) => {
    expect(Object.keys(processEntry(app).consumers).toSorted()).toEqual(of(app).toSorted());
  });

  it('are one for each process', () => {
    expect(nats.made.map(({ user }) => user).toSorted()).toEqual(APPS.toSorted());
  });

  it('permit one process to publish each event, and all processes to publish rejected requests', async () => {
    const speakers = new Map(types.map((type) => [type, [] as string[]]));
    for (const app of APPS) {
      const denied = await findDenied(urlOf(app), { publish: types });
      for (const type of types) if (!denied.includes(type)) speakers.get(type)?.push(app);
    }
    expect(speakers.get(REFUSED)).toEqual(APPS);
    expect(types.filter((type) => speakers.get(type)?.length !== 1)).toEqual([REFUSED]);
  });

  it.each(APPS)('let %s publish only events', async (app) => {
    const made = [
      'management',
      'management.token',
      'management.token.revoked.v1.more',
      'anything',
      '_INBOX.x',
    ];
    expect(await findDenied(urlOf(app), { publish: made })).toEqual(made);
  });

  it.each(APPS)('let %s act only as its own consumers', async (app) => {
    const own = of(app);
    expect(await findDenied(urlOf(app), { publish: own.flatMap(subjectsOf) })).toEqual([]);
    expect(await findDenied(urlOf(app), { subscribe: own.map((name) => `replay.${name}`) })).toEqual([]);
    const others = ofOthers(app);
    expect(others.length).toBeGreaterThan(3);
    expect(await findDenied(urlOf(app), { publish: others.flatMap(subjectsOf) })).toEqual(
      others.flatMap(subjectsOf),
    );
    const replays = others.map((name) => `replay.${name}`);
    expect(await findDenied(urlOf(app), { publish: replays, subscribe: replays })).toEqual([
      ...replays,
      ...replays,
    ]);
  });

  it.each(APPS)('let %s create the streams, and neither change nor empty them', async (app) => {
    const ask = (verb: string) => STREAMS.map((stream) => `$JS.API.STREAM.${verb}.${stream}`);
    const denied = STREAM_VERBS.filter((verb) => !HARMLESS.includes(verb)).flatMap(ask);
    expect(await findDenied(urlOf(app), { publish: STREAM_VERBS.flatMap(ask) })).toEqual(denied);
    // A stream of its own could republish anything anywhere.
    const other = STREAM_VERBS.map((verb) => `$JS.API.STREAM.${verb}.OTHER`);
    expect(await findDenied(urlOf(app), { publish: other })).toEqual(other);
  });

  it("let a service consume an event of another, give it up, and receive the operator's replay", async () => {
    const log = createLog('test', { LOG_LEVEL: 'silent' });
    const open = (app: string) => connectNatsBus({ url: urlOf(app), name: app, log, redeliveryDelaysMs: [] });
    const [speaker, hearer] = [await open('directory'), await open('access')];
    await expect.poll(() => speaker.isUp() && hearer.isUp()).toBe(true);
    let isBroken = true;
    const handled: string[] = [];
    await hearer.consume({
      name: 'access-tidy',
      types: ['management.group.created.v1'],
      handle: async ({ id }) => {
        if (isBroken) throw new Error('broken');
        handled.push(id);
      },
    });
    const origin = { service: 'directory', organizationId: 'o_1', now: new Date() };
    const data = { id: 'g_1', name: 'Buyers', type: 'TENANT', tenantId: 't_1' };
    const event = createEvent('management.group.created.v1', 'g_1', { origin, data });
    await speaker.publish([event]);
    const letters = await openNatsLetters(nats.urlOf(nats.operator));
    await expect.poll(() => letters.list(), SOON).toMatchObject([{ event: { id: event.id } }]);
    isBroken = false;
    const [letter] = await letters.list();
    expect(letter && (await letters.replay(letter))).toBe('handled');
    expect([handled, await letters.list()]).toEqual([[event.id], []]);
    await expect(hearer.publish([event])).rejects.toThrow('NATS did not store every event');
    for (const part of [letters, speaker, hearer]) await part.close();
  });

  it('permit subscribing to all events only to processes that need them immediately', async () => {
    const listening: string[] = [];
    for (const app of APPS) {
      const denied = await findDenied(urlOf(app), { subscribe: ['management.>'] });
      if (denied.length === 0) listening.push(app);
    }
    expect(listening.toSorted()).toEqual(['access', 'gateway']);
  });
});
