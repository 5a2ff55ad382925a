import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { succeeded, unique, type Answer, type Api, type Session } from './src/api.js';
import { startObserved, type ObservedServer } from './src/observedServer.js';
import { addOrgUser, type Person } from './src/people.js';
import { sendRaw } from './src/rawRequest.js';
import { createResource, DASHBOARDS, pathOf, shareResource, VISUALS } from './src/resourceKinds.js';
import { forms } from './src/servers.js';
import { rowsOf } from './src/turns.js';

/** A record with a version: its path, its envelope, and two changes of it. */
interface RecordCase {
  path: string;
  noun: string;
  session: Session;
  field: 'title' | 'name';
}

interface RecordKind {
  noun: string;
  /** The changed field. */
  field: 'title' | 'name';
  /** The methods that change it; DELETE removes it. */
  methods: readonly ('PATCH' | 'PUT' | 'DELETE')[];
  create(api: Api, author: Session): Promise<{ path: string; by?: Session }>;
}

const KINDS: readonly RecordKind[] = [
  {
    noun: 'dashboard',
    field: 'title',
    methods: ['PATCH', 'DELETE'],
    create: async (_, author) => ({
      path: pathOf(DASHBOARDS, (await createResource(DASHBOARDS, author)).id),
      by: author,
    }),
  },
  {
    noun: 'visual',
    field: 'title',
    methods: ['PATCH', 'DELETE'],
    create: async (_, author) => ({
      path: pathOf(VISUALS, (await createResource(VISUALS, author)).id),
      by: author,
    }),
  },
  {
    noun: 'group',
    field: 'name',
    methods: ['PATCH', 'PUT', 'DELETE'],
    create: async (api) => ({ path: `/groups/${(await api.createGroup()).id}` }),
  },
  {
    noun: 'tenant',
    field: 'name',
    methods: ['PATCH', 'PUT', 'DELETE'],
    create: async (api) => ({ path: `/tenants/${(await api.createTenant()).id}` }),
  },
  {
    noun: 'user',
    field: 'name',
    methods: ['PATCH', 'PUT', 'DELETE'],
    create: async (api) => ({ path: `/org-users/${(await api.createOrgUser('VIEWER')).id}` }),
  },
  {
    noun: 'user',
    field: 'name',
    methods: ['PATCH', 'PUT', 'DELETE'],
    create: async (api) => ({
      path: `/tenant-users/${(await api.createTenantUser((await api.createTenant()).id)).id}`,
    }),
  },
  {
    noun: 'project',
    field: 'name',
    methods: ['PATCH', 'PUT'],
    create: async (api) => ({ path: `/projects/${(await api.createProject()).projectId}` }),
  },
];

const tagOf = ({ headers }: Answer<unknown>) => headers.get('etag') ?? '';
const STRONG = /^"[\x21\x23-\x7e]+"$/;
const FORMER = '"999-00000000"';

describe.each(forms)('preconditions ($form)', ({ form, start }) => {
  let observed: ObservedServer;
  let author: Person;

  beforeAll(async () => {
    observed = await startObserved(start);
    author = await addOrgUser(observed.api, 'AUTHOR');
  });
  afterAll(() => observed[Symbol.asyncDispose]());

  async function make({ noun, field, create }: RecordKind): Promise<RecordCase> {
    const { path, by = observed.api.admin } = await create(observed.api, author.session);
    return { path, noun, session: by, field };
  }
  const read = ({ session, path }: RecordCase, headers = {}) =>
    session.get<Record<string, { version: number; title?: string; name?: string }>>(path, headers);
  const change = ({ session, path, field }: RecordCase, ifMatch: string, method = 'PATCH') =>
    session.send<Record<string, unknown>>(method, path, {
      headers: { 'if-match': ifMatch },
      ...(method === 'DELETE' ? {} : { body: { [field]: unique('Changed') } }),
    });

  describe.each(
    rowsOf(form, KINDS).map((kind) => ({
      ...kind,
      title: `${kind.noun}, changed by ${kind.methods.join(', ')}`,
    })),
  )('of a $title', (kind) => {
    it('the entity tag is strong, and the same until the record changes', async () => {
      const record = await make(kind);
      const tags = [tagOf(await read(record)), tagOf(await read(record))];
      expect(tags[0]).toMatch(STRONG);
      expect(tags[1]).toBe(tags[0]);
      const changed = await change(record, tags[0] ?? '');
      expect(changed.status).toBe(200);
      expect(tagOf(changed)).not.toBe(tags[0]);
      expect(tagOf(await read(record))).toBe(tagOf(changed));
    });

    it('a change without an effect keeps it', async () => {
      const record = await make(kind);
      const { body, headers } = await read(record);
      const same = { [record.field]: body[record.noun]?.[record.field] };
      const answer = await record.session.patch(record.path, same);
      expect([answer.status, tagOf(answer)]).toEqual([200, headers.get('etag')]);
    });

    it('returns 304 without a body to a caller that already has it', async () => {
      const record = await make(kind);
      const tag = tagOf(await read(record));
      for (const condition of [tag, `W/${tag}`, `${FORMER}, ${tag}`, '*']) {
        const answer = await read(record, { 'if-none-match': condition });
        expect([condition, answer.status, answer.body, tagOf(answer)]).toEqual([condition, 304, '', tag]);
      }
      for (const condition of [FORMER, tag.replaceAll('"', ''), 'nonsense']) {
        expect((await read(record, { 'if-none-match': condition })).status).toBe(200);
      }
      await change(record, '*');
      expect((await read(record, { 'if-none-match': tag })).status).toBe(200);
    });

    it.each(kind.methods)('%s succeeds only for the version that was read', async (method) => {
      const record = await make(kind);
      const former = tagOf(await read(record));
      const current = tagOf(await change(record, former));
      const before = await observed.readSettled();
      for (const condition of [former, FORMER, `W/${current}`, current.replaceAll('"', ''), '']) {
        const answer = await change(record, condition, method);
        expect(answer).toMatchObject({ status: 412, body: { code: 'PRECONDITION_FAILED' } });
      }
      expect(await observed.findChanges(before)).toEqual([]);
      expect((await change(record, `${former}, ${current}`, method)).status).toBe(200);
    });

    it.each(kind.methods)('%s with * succeeds for any version of an existing record', async (method) => {
      const record = await make(kind);
      expect((await change(record, '*', method)).status).toBe(200);
      const missing = { ...record, path: record.path.replace(/[^/]+$/, 'none') };
      expect((await change(missing, '*', method)).status).toBe(404);
    });

    it('of ten concurrent changes of one version, one succeeds', async () => {
      const record = await make(kind);
      const tag = tagOf(await read(record));
      const answers = await Promise.all(Array.from({ length: 10 }, () => change(record, tag)));
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      expect(statuses).toEqual([200, ...Array<number>(9).fill(412)]);
      const winner = answers.find(({ status }) => status === 200);
      expect(tagOf(await read(record))).toBe(winner ? tagOf(winner) : '');
    });
  });

  it.each([
    ['/dashboards', 'dashboard', 'title'],
    ['/visuals', 'visual', 'title'],
    ['/tenants', 'tenant', 'name'],
    ['/projects', 'project', 'name'],
  ])(
    'the tag of a record that was just made, at %s, is good for its first change',
    async (path, noun, field) => {
      const { admin } = observed.api;
      const made = await admin.post<Record<string, { id: string }>>(path, { [field]: unique('Made') });
      const record = {
        path: `${path}/${made.body[noun]?.id}`,
        noun,
        session: admin,
        field: field as 'title',
      };
      expect((await change(record, tagOf(made))).status).toBe(200);
      expect((await change(record, tagOf(made))).status).toBe(412);
    },
  );

  it('HEAD returns the tag without the record', async () => {
    const { id } = await createResource(DASHBOARDS, author.session);
    const path = `/api/management/v1${pathOf(DASHBOARDS, id)}`;
    const headers = { authorization: `Bearer ${author.session.token}` };
    const answer = await sendRaw(observed.baseUrl, ['HEAD', path], { headers });
    const got = await author.session.get(path);
    expect([answer.status, answer.headers.etag, answer.body]).toEqual([200, tagOf(got), '']);
  });

  it('a tag is valid only for the caller that received it', async () => {
    const viewer = await addOrgUser(observed.api, 'VIEWER');
    const { id } = await createResource(DASHBOARDS, author.session, { isPrivate: false });
    const path = pathOf(DASHBOARDS, id);
    const tag = tagOf(await author.session.get(path));
    const seen = await viewer.session.get(path, { 'if-none-match': tag });
    expect(seen.status).toBe(200);
    expect(tagOf(seen)).not.toBe(tag);
  });

  it('a share does not change the record; members change their group', async () => {
    const { api } = observed;
    const { id } = await createResource(DASHBOARDS, author.session);
    const dashboard = pathOf(DASHBOARDS, id);
    const before = tagOf(await author.session.get(dashboard));
    await shareResource(DASHBOARDS, id, {
      by: author.session,
      shares: [{ scope: 'all_org_users', role: 'VIEWER' }],
    });
    expect(tagOf(await author.session.get(dashboard))).toBe(before);

    const group = `/groups/${(await api.createGroup()).id}`;
    const empty = tagOf(await api.admin.get(group));
    succeeded(await api.admin.post(`${group}/members`, { userIds: [author.id] }));
    expect(tagOf(await api.admin.get(group))).not.toBe(empty);
  });

  it('what a record shows of another one is part of its tag', async () => {
    const { api } = observed;
    const tenant = await api.createTenant();
    const { id } = await api.createTenantUser(tenant.id);
    const before = tagOf(await api.admin.get(`/tenant-users/${id}`));
    succeeded(await api.admin.patch(`/tenants/${tenant.id}`, { name: unique('Renamed') }));
    const after = await api.admin.get(`/tenant-users/${id}`, { 'if-none-match': before });
    expect(after.status).toBe(200);
  });

  it('a list has no tag, and ignores conditions', async () => {
    const answer = await author.session.get('/dashboards', { 'if-none-match': '*', 'if-match': FORMER });
    expect([answer.status, tagOf(answer)]).toEqual([200, '']);
  });
});
