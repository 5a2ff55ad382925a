import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { succeeded, unique, type Answer, type Session } from './src/api.js';
import { startObserved, type ObservedServer } from './src/observedServer.js';
import { addOrgUser, type Person } from './src/people.js';
import { createResource, DASHBOARDS, listedIds, pathOf, type Resource } from './src/resourceKinds.js';
import { forms } from './src/servers.js';

const keyed = (key: string) => ({ 'idempotency-key': key });
/**
 * The common part of a response and its replay. The request's id is that of the first: it is in the body of
 * an error.
 */
const contentOf = ({ status, headers, body }: Answer<unknown>) => ({
  status,
  body: JSON.stringify(body),
  etag: headers.get('etag'),
  type: headers.get('content-type'),
});
const isReplay = ({ headers }: Answer<unknown>) => headers.get('idempotency-replayed') === 'true';

interface Checked {
  results: { isAllowed: boolean }[];
}

describe.each(forms)('a POST with an Idempotency-Key ($form)', ({ start }) => {
  let observed: ObservedServer;
  let author: Person;
  let other: Person;

  beforeAll(async () => {
    observed = await startObserved(start);
    author = await addOrgUser(observed.api, 'AUTHOR');
    other = await addOrgUser(observed.api, 'AUTHOR');
  });
  afterAll(() => observed[Symbol.asyncDispose]());

  const create = (key: string, title: string, by: Session = author.session) =>
    by.post<Record<string, unknown>>('/dashboards', { title }, keyed(key));
  const countTitled = async (title: string, by: Session = author.session) =>
    (await listedIds(DASHBOARDS, by, `&search=${title}`)).length;
  const claims = () => observed.databases.of('directory').collection('idempotency');

  it('runs once, and repeats its response with the same status, bytes and entity tag', async () => {
    const [key, title] = [unique('key'), unique('Once')];
    const first = await create(key, title);
    const answers = [await create(key, title), await create(key, title)];
    expect(first.status).toBe(201);
    expect(answers.map(contentOf)).toEqual([contentOf(first), contentOf(first)]);
    expect([first, ...answers].map(isReplay)).toEqual([false, true, true]);
    expect(await countTitled(title)).toBe(1);
  });

  it('is the same request for any order of its fields, and for any token of the caller', async () => {
    const [key, title] = [unique('key'), unique('Ordered')];
    const first = await author.session.post('/dashboards', { title, tags: ['a'] }, keyed(key));
    const session = await observed.api.openSession({ orgUserId: author.id });
    const again = await session.post('/dashboards', { tags: ['a'], title }, keyed(key));
    expect(contentOf(again)).toEqual(contentOf(first));
    expect(await countTitled(title)).toBe(1);
  });

  it('is the same request with validateOnly=false, and with another encoding of its path', async () => {
    const [key, title] = [unique('key'), unique('Written')];
    const first = await create(key, title);
    const again = await author.session.post('/dashboards?validateOnly=false', { title }, keyed(key));
    expect(contentOf(again)).toEqual(contentOf(first));
    expect(await countTitled(title)).toBe(1);
    const { id } = succeeded(first)['dashboard'] as { id: string };
    const copyKey = unique('key');
    const copies = [id, id.replace('d', '%64')].map((written) => `/dashboards/${written}/duplicate`);
    const answers = [];
    for (const path of copies) answers.push(await author.session.post(path, {}, keyed(copyKey)));
    expect(answers.map(isReplay)).toEqual([false, true]);
    expect(await countTitled(title)).toBe(2);
  });

  it('answers a question from current facts: a replay would decide on former ones', async () => {
    const key = unique('key');
    const { id: resourceId } = await observed.api.createDashboard(author.session);
    const share = { scope: 'specific_org_user', orgUserId: other.id, role: 'VIEWER' };
    succeeded(await author.session.post(`/dashboards/${resourceId}/share`, { shares: [share] }));
    const check = async () => {
      const checks = [{ resourceType: 'dashboard', resourceId, userId: other.id, level: 'VIEWER' }];
      const answer = await author.session.post<Checked>('/access:check', { checks }, keyed(key));
      return [succeeded(answer).results[0]?.isAllowed, isReplay(answer)];
    };
    expect(await check()).toEqual([true, false]);
    succeeded(await author.session.delete(`/dashboards/${resourceId}/share`, { shares: [share] }));
    expect(await check()).toEqual([false, false]);
    const changed = {
      checks: [{ resourceType: 'dashboard', resourceId, userId: author.id, level: 'OWNER' }],
    };
    const answer = await author.session.post('/access:check', changed, keyed(key));
    expect(answer).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  it('with another body returns 422, and changes nothing', async () => {
    const key = unique('key');
    await create(key, unique('First'));
    const before = await observed.readSettled();
    const answer = await create(key, unique('Second'));
    expect(answer).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    expect(await observed.findChanges(before)).toEqual([]);
  });

  it.each([2, 10])('sent %i times concurrently runs once, with the same response for each', async (count) => {
    const [key, title] = [unique('key'), unique('Raced')];
    const answers = await Promise.all(Array.from({ length: count }, () => create(key, title)));
    expect(new Set(answers.map((answer) => JSON.stringify(contentOf(answer)))).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect(answers.filter(isReplay)).toHaveLength(count - 1);
    expect(await countTitled(title)).toBe(1);
  });

  it('sent concurrently with two bodies runs one of them, and returns 422 for the other', async () => {
    const key = unique('key');
    const titles = [unique('This'), unique('That')];
    const answers = await Promise.all(titles.map((title) => create(key, title)));
    const counts = await Promise.all(titles.map((title) => countTitled(title)));
    const outcomes = answers.map(({ status }, index) => `${status}, made ${counts[index]}`);
    expect(outcomes.toSorted()).toEqual(['201, made 1', '422, made 0']);
  });

  it('is independent of another caller, project or path', async () => {
    const [key, title] = [unique('key'), unique('Own')];
    const inProject = { orgUserId: author.id };
    const elsewhere = await observed.api.openSession(inProject, await observed.api.createProject());
    const answers = [
      await create(key, title),
      await create(key, title, other.session),
      await create(key, title, elsewhere),
      await author.session.post<Record<string, unknown>>('/visuals', { title }, keyed(key)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(answers.some(isReplay)).toBe(false);
    expect(await countTitled(title, other.session)).toBe(1);
  });

  it.each(['', ' ', 'two words', 'x'.repeat(256), 'first, second'])(
    'with the key %j returns 400',
    async (key) => {
      const before = await observed.readSettled();
      const answer = await create(key, unique('Malformed'));
      expect(answer).toMatchObject({ status: 400, body: { fieldErrors: [{ field: 'Idempotency-Key' }] } });
      expect(await observed.findChanges(before)).toEqual([]);
    },
  );

  it.each(['a', '!~', 'x'.repeat(255)])('with the key %j succeeds', async (key) => {
    expect((await create(key, unique('Wellformed'))).status).toBe(201);
  });

  it('that was rejected is rejected again, although its reason no longer exists', async () => {
    const { admin } = observed.api;
    const key = unique('key');
    const tenant = await observed.api.createTenant();
    const attempt = () => admin.post<Record<string, unknown>>('/tenants', { name: tenant.name }, keyed(key));
    const first = await attempt();
    expect(first.status).toBe(409);
    succeeded(await admin.delete(`/tenants/${tenant.id}`));
    const again = await attempt();
    expect(contentOf(again)).toEqual(contentOf(first));
    expect((await admin.post('/tenants', { name: tenant.name }, keyed(unique('key')))).status).toBe(201);
  });

  it.each([
    [400, { title: '' }],
    [403, { title: 'By a VIEWER' }],
  ])('that was refused with %i is refused again in the same words', async (status, body) => {
    const viewer = await addOrgUser(observed.api, 'VIEWER');
    const session = status === 403 ? viewer.session : author.session;
    const key = unique('key');
    const first = await session.post('/dashboards', body, keyed(key));
    const again = await session.post('/dashboards', body, keyed(key));
    expect([first.status, contentOf(again)]).toEqual([status, contentOf(first)]);
  });

  it('is not replayed to a caller whose token has expired', async () => {
    const [key, title] = [unique('key'), unique('Ended')];
    const session = await observed.api.openSession({ orgUserId: author.id });
    expect((await create(key, title, session)).status).toBe(201);
    succeeded(await session.post('/api/v1/invalidate-token'));
    expect(await create(key, title, session)).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHENTICATED' },
    });
  });

  it('is ignored for other methods', async () => {
    const key = keyed(unique('key'));
    const { id } = await createResource(DASHBOARDS, author.session);
    const path = pathOf(DASHBOARDS, id);
    const read = async () =>
      succeeded(await author.session.get<{ dashboard: Resource }>(path, key)).dashboard;
    const before = await read();
    const titles = [unique('Renamed'), unique('Renamed')];
    for (const title of titles) {
      const renamed = await author.session.patch(path, { title }, key);
      expect([renamed.status, isReplay(renamed)]).toEqual([200, false]);
      expect((await read()).title).toBe(title);
    }
    expect((await read()).version).toBe(before.version + titles.length);
  });

  it('returns the same token again, and another one for another secret', async () => {
    const { api } = observed;
    const body = { ...api.project, orgUserId: author.id };
    const ask = (request: object, key: string) =>
      author.session.post<{ accessToken: string }>('/api/v1/token', request, keyed(key));
    const key = unique('key');
    const first = await ask(body, key);
    expect(contentOf(await ask(body, key))).toEqual(contentOf(first));
    expect((await ask({ ...body, tokenExpiry: 60 }, key)).status).toBe(422);
    const wrong = await ask({ ...body, projectSecret: 'wrong' }, key);
    expect(wrong.status).toBe(401);
    const project = await api.createProject();
    const elsewhere = await ask({ ...project, orgUserId: author.id }, key);
    expect(elsewhere.status).toBe(200);
    expect(elsewhere.body.accessToken).not.toBe(first.body.accessToken);
  });

  it('stores its response with the secret sealed', async () => {
    const [key, title] = [unique('key'), unique('Secretive')];
    const { body } = await create(key, title);
    const { secret } = body['dashboard'] as Resource;
    const kept = JSON.stringify(await claims().find().toArray());
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(kept).not.toContain(secret);
    expect(kept).not.toContain(title);
    expect(kept).not.toContain(key);
  });

  it('runs again after a day, and finds the records of an attempt that died', async () => {
    const [key, title] = [unique('key'), unique('Again')];
    const past = new Date(Date.now() - 1000);
    const known = await claims().find().toArray();
    await create(key, title);
    const mine = { _id: { $nin: known.map(({ _id }) => _id) } };
    const kept = await claims().findOne(mine);
    const day = 86_400_000;
    const keptMs = Number(kept?.['expiresAt']) - Date.now();
    expect(keptMs).toBeGreaterThan(day - 60_000);
    expect(keptMs).toBeLessThanOrEqual(day);
    await claims().updateOne(mine, { $set: { expiresAt: past } });
    const second = await create(key, title);
    expect(isReplay(second)).toBe(false);
    await claims().updateOne(mine, { $set: { leaseUntil: past }, $unset: { answer: '' } });
    const met = await create(key, title);
    expect([isReplay(met), contentOf(met)]).toEqual([false, contentOf(second)]);
    expect(isReplay(await create(key, title))).toBe(true);
    expect(await countTitled(title)).toBe(2);
  });
});
