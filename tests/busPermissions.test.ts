import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EVENT_CATALOGUE, processEntry } from '@gatehouse/contract';
import { connectNatsBus, createEvent, createLog, openNatsLetters } from '@gatehouse/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APPS } from './src/fleet.js';
import { startAccountNats, type AccountNats, type AccountUser } from './src/natsAccounts.js';
import { findDenied } from './src/natsDenials.js';
import { RawNats } from './src/rawNats.js';

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

  const userOf = (app: string) => {
    const user = nats.made.find((each) => each.user === app);
    if (user === undefined) throw new Error(`${app} has no user`);
    return user;
  };
  const urlOf = (app: string) => nats.urlOf(userOf(app));
  const openRaw = (user: AccountUser) => RawNats.open(nats.urlOf(user));
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

  it.each(APPS)('let %s remove no event by an acknowledgement that is sent to JetStream', async (app) => {
    const log = createLog('test', { LOG_LEVEL: 'silent' });
    const directory = await connectNatsBus({ url: urlOf('directory'), name: 'directory', log });
    await expect.poll(() => directory.isUp()).toBe(true);
    const [operator, client] = [await openRaw(nats.operator), await openRaw(userOf(app))];
    operator.subscribe('info');
    const countEvents = async () => {
      const received = operator.messages.length;
      operator.publish('$JS.API.STREAM.INFO.MANAGEMENT', '', 'info');
      await expect.poll(() => operator.messages.length).toBeGreaterThan(received);
      const { state } = JSON.parse(operator.messages.at(-1)?.text ?? '') as { state: { messages: number } };
      return state.messages;
    };
    const before = await countEvents();
    const requests = ['PURGE', 'MSG.DELETE'].map((verb) => `$JS.API.STREAM.${verb}.MANAGEMENT`);
    for (const request of requests) client.publish(REFUSED, '{}', request);
    await client.flush();
    await setTimeout(200);
    expect(await countEvents()).toBe(before + requests.length);
    operator.close();
    client.close();
    await directory.close();
  });

  it.each(APPS)('let %s respond to no message on a subject that it may not publish to', async (app) => {
    const [operator, client] = [await openRaw(nats.operator), await openRaw(userOf(app))];
    operator.subscribe('anything');
    client.subscribe('_INBOX.>');
    await Promise.all([operator.flush(), client.flush()]);
    operator.publish('_INBOX.x', 'to another process', 'anything');
    await expect.poll(() => client.messages).toMatchObject([{ reply: 'anything' }]);
    client.publish('anything', 'forged');
    await client.flush();
    await operator.flush();
    expect(operator.messages).toEqual([]);
    for (const part of [operator, client]) part.close();
  });

  it('let no process replay an event to the consumer of another by a fetch', async () => {
    const log = createLog('test', { LOG_LEVEL: 'silent' });
    const hearer = await connectNatsBus({ url: urlOf('audit'), name: 'audit', log });
    await expect.poll(() => hearer.isUp()).toBe(true);
    const handled: string[] = [];
    const handle = async ({ id }: { id: string }) => void handled.push(id);
    await hearer.consume({ name: 'audit-log', types: ['management.tenant.deleted.v1'], handle });
    const [operator, client] = [await openRaw(nats.operator), await openRaw(userOf('policy'))];
    const subject = 'management.statement.compiled.v1';
    const config = { durable_name: 'policy-tidy', ack_policy: 'explicit', filter_subject: subject };
    client.publish(
      '$JS.API.CONSUMER.DURABLE.CREATE.MANAGEMENT.policy-tidy',
      JSON.stringify({ stream_name: 'MANAGEMENT', config }),
    );
    const forged = { id: 'forged', type: 'management.tenant.deleted.v1', subject: 't_1' };
    client.publish(subject, JSON.stringify(forged));
    operator.subscribe('replay.audit-log');
    await operator.flush();
    client.publish('$JS.API.CONSUMER.MSG.NEXT.MANAGEMENT.policy-tidy', '', 'replay.audit-log');
    await expect.poll(() => operator.messages).toMatchObject([{ text: JSON.stringify(forged) }]);
    const letters = await openNatsLetters(nats.urlOf(nats.operator));
    const real = { id: 'real', type: 'management.tenant.deleted.v1', subject: 't_1' };
    const letter = { event: real, consumer: 'audit-log', reason: 'handler_failed', deliveries: 5, time: '' };
    operator.publish('deadletter.audit-log', JSON.stringify(letter));
    await expect.poll(() => letters.list()).toHaveLength(1);
    // The consumer receives the replay behind the forged one.
    for (const each of await letters.list()) expect(await letters.replay(each)).toBe('handled');
    expect(handled).toEqual(['real']);
    for (const part of [letters, hearer, operator, client]) await part.close();
  });

  it('let no process write a dead letter of the consumer of another, or one that hides others', async () => {
    const client = await openRaw(userOf('policy'));
    const event = { id: 'forged', type: 'management.tenant.deleted.v1', subject: 't_1' };
    const letter = { event, consumer: 'audit-log', reason: 'handler_failed', deliveries: 5, time: '' };
    const own = { ...letter, consumer: 'policy-tidy', event: { ...event, id: 'own' } };
    for (const text of [JSON.stringify(letter), 'no JSON', 'null', '{}', JSON.stringify(own)])
      client.publish('deadletter.policy-tidy', text);
    await client.flush();
    const letters = await openNatsLetters(nats.urlOf(nats.operator));
    const list = async () => (await letters.list()).map(({ id }) => id);
    await expect.poll(list).toEqual(['policy-tidy:own']);
    for (const part of [letters, client]) await part.close();
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
