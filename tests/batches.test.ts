import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, unique, type Api, type Session } from './src/api.js';
import { addOrgUser, addTenantUser, type Person } from './src/people.js';
import { createDefinition, securityPath } from './src/policyRecords.js';
import { createResource, DASHBOARDS } from './src/resourceKinds.js';
import { createConnection } from './src/semanticRecords.js';
import { startTestStandalone, type TestServer } from './src/servers.js';

interface Result {
  op: string;
  status: number;
  user?: { id: string };
  dashboard?: { id: string; secret?: string };
  error?: { code: string; message: string; fieldErrors?: { field: string }[] };
}
type Operation = Record<string, unknown>;
interface Answered {
  status: number;
  body: { results?: Result[]; code?: string; fieldErrors?: { field: string }[] };
}

const USERS = '/tenant-users:batch';
let server: TestServer;
let api: Api;
let admin: Session;
let author: Person;
let otherAuthor: Person;

beforeAll(async () => {
  server = await startTestStandalone();
  api = await createApi(server.credentials);
  ({ admin } = api);
  author = await addOrgUser(api, 'AUTHOR');
  otherAuthor = await addOrgUser(api, 'AUTHOR');
});
afterAll(() => server[Symbol.asyncDispose]());

const send = (session: Session, path: string, body: unknown, headers = {}) =>
  session.post(path, body, headers) as Promise<Answered>;
const statusesOf = ({ body }: Answered) => (body.results ?? []).map(({ status }) => status);
const namedBy = ({ body }: Answered) => (body.fieldErrors ?? []).map(({ field }) => field);

/** The users of a tenant, without what differs between two tenants. */
async function readUsers(tenantId: string, prefix: string): Promise<unknown[]> {
  const { users } = succeeded(
    await admin.get<{ users: Record<string, unknown>[] }>(`/tenant-users?tenantId=${tenantId}&limit=100`),
  );
  return users
    .map(({ id, email, department, role }) => [String(id).replace(prefix, ''), email, department, role])
    .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

interface Change {
  op: 'create' | 'update' | 'delete';
  slot: number;
  address: number;
  department: string;
}

const change: fc.Arbitrary<Change> = fc.record({
  op: fc.constantFrom('create', 'update', 'delete'),
  slot: fc.integer({ min: 0, max: 3 }),
  address: fc.integer({ min: 0, max: 3 }),
  department: fc.constantFrom('', 'Sales'),
});

/** The fields of a change of a tenant's user, as a single request has them beside its path. */
function bodyOf(
  { op, slot, address, department }: Change,
  { tenantId, prefix }: { tenantId: string; prefix: string },
) {
  const id = `${prefix}u${slot}`;
  const email = `user${address}@batch.test`;
  if (op === 'create') return { id, tenantId, email, department };
  return op === 'update' ? { id, email, department } : { id };
}

async function sendSingle(one: Change, place: { tenantId: string; prefix: string }): Promise<number> {
  const { id, ...rest } = bodyOf(one, place);
  if (one.op === 'create') return (await admin.post('/tenant-users', { id, ...rest })).status;
  if (one.op === 'update') return (await admin.patch(`/tenant-users/${id}`, rest)).status;
  return (await admin.delete(`/tenant-users/${id}`)).status;
}

const newPlace = async () => ({ tenantId: (await api.createTenant()).id, prefix: `${unique('b')}-` });
const deletionsLast = (changes: readonly Change[]) => [
  ...changes.filter(({ op }) => op !== 'delete'),
  ...changes.filter(({ op }) => op === 'delete'),
];

describe('a batch of tenant users', () => {
  const some = fc.array(change, { minLength: 1, maxLength: 8 });

  it('in mode each has the results and the records of single requests', async () => {
    await fc.assert(
      fc.asyncProperty(some, async (changes) => {
        const [one, other] = [await newPlace(), await newPlace()];
        const expected: number[] = [];
        for (const each of changes) expected.push(await sendSingle(each, one));
        const operations = changes.map((each) => ({ op: each.op, ...bodyOf(each, other) }));
        const answer = await send(admin, USERS, { mode: 'each', operations });
        expect([answer.status, statusesOf(answer)]).toEqual([200, expected]);
        expect(await readUsers(other.tenantId, other.prefix)).toEqual(
          await readUsers(one.tenantId, one.prefix),
        );
      }),
      { numRuns: randomRuns(25) },
    );
  });

  it('in mode atomic makes the changes of single requests, deletions last, or none', async () => {
    await fc.assert(
      fc.asyncProperty(some, some, async (first, changes) => {
        const [one, other] = [await newPlace(), await newPlace()];
        for (const place of [one, other]) for (const each of first) await sendSingle(each, place);
        const before = await readUsers(other.tenantId, other.prefix);
        const expected: number[] = [];
        for (const each of deletionsLast(changes)) expected.push(await sendSingle(each, one));
        const isPossible = expected.every((status) => status < 300);
        const operations = changes.map((each) => ({ op: each.op, ...bodyOf(each, other) }));
        const answer = await send(admin, USERS, { operations });
        expect(answer.status < 300).toBe(isPossible);
        expect(await readUsers(other.tenantId, other.prefix)).toEqual(
          isPossible ? await readUsers(one.tenantId, one.prefix) : before,
        );
      }),
      { numRuns: randomRuns(25) },
    );
  });

  it('publishes the events and audit entries of single requests', async () => {
    const { tenantId, prefix } = await newPlace();
    const id = `${prefix}u`;
    succeeded(
      await admin.post(USERS, {
        operations: [
          { op: 'create', id, tenantId, email: 'a@batch.test' },
          { op: 'update', id, department: 'Sales' },
          { op: 'delete', id },
        ],
      }),
    );
    const types = ['created', 'updated', 'deleted'].map((verb) => `management.tenant_user.${verb}.v1`);
    await expect
      .poll(async () => {
        const path = `/audit-events?resourceId=${id}&order=asc`;
        const { auditEvents } = succeeded(await admin.get<{ auditEvents: { type: string }[] }>(path));
        return auditEvents.map(({ type }) => type).toSorted();
      })
      .toEqual(types.toSorted());
  });

  it('with an idempotency key is run once, and a repetition returns the same records', async () => {
    const { tenantId, prefix } = await newPlace();
    const operations = [0, 1, 2].map((index) => ({
      op: 'create',
      tenantId,
      email: `${prefix}${index}@batch.test`,
    }));
    const headers = { 'idempotency-key': unique('batch') };
    const first = await send(admin, USERS, { operations }, headers);
    const second = await send(admin, USERS, { operations }, headers);
    expect(second.body).toEqual(first.body);
    expect(await readUsers(tenantId, prefix)).toHaveLength(3);
  });

  it('with validateOnly checks the operations together, and changes nothing', async () => {
    const { tenantId, prefix } = await newPlace();
    const user = { op: 'create', id: `${prefix}u`, tenantId, email: 'a@batch.test' };
    const path = `${USERS}?validateOnly=true`;
    expect((await send(admin, path, { operations: [user] })).status).toBe(200);
    expect((await send(admin, path, { operations: [user, user] })).status).toBe(409);
    const each = await send(admin, path, { mode: 'each', operations: [user, user] });
    expect(statusesOf(each)).toEqual([201, 409]);
    expect(await readUsers(tenantId, prefix)).toEqual([]);
  });

  it('has the errors of each operation, with the fields of the operation', async () => {
    const { tenantId, prefix } = await newPlace();
    const user = (id: string, email: string) => ({ op: 'create', id: prefix + id, tenantId, email });
    const operations = [user('a', 'a@batch.test'), user('b', 'A@batch.test'), { op: 'delete', id: 'none' }];
    const atomic = await send(admin, USERS, { operations });
    expect([atomic.status, namedBy(atomic)]).toEqual([409, ['operations[1].email', 'operations[2]']]);
    expect(await readUsers(tenantId, prefix)).toEqual([]);
    const each = await send(admin, USERS, { mode: 'each', operations });
    expect(statusesOf(each)).toEqual([201, 409, 404]);
    expect(each.body.results?.map(({ error }) => error?.fieldErrors?.map(({ field }) => field))).toEqual([
      undefined,
      ['email'],
      undefined,
    ]);
  });

  it('takes 500 operations', async () => {
    const { tenantId, prefix } = await newPlace();
    const users = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        op: 'create',
        tenantId,
        email: `${prefix}${index}@batch.test`,
      }));
    expect(namedBy(await send(admin, USERS, { operations: users(501) }))).toEqual(['operations']);
    const answer = await send(admin, USERS, { mode: 'each', operations: users(500) });
    expect(answer.status).toBe(200);
    // On a slow machine the last ones are not begun.
    expect(statusesOf(answer).filter((status) => status !== 201 && status !== 503)).toEqual([]);
    expect(statusesOf(answer)).toHaveLength(500);
  });

  it.each<[string, unknown]>([
    ['no operations', { operations: [] }],
    ['no list', { operations: {} }],
    ['an unknown mode', { mode: 'some', operations: [{ op: 'delete', id: 'x' }] }],
    ['an operation without its kind', { operations: [{ id: 'x' }] }],
    ['a field of another kind', { operations: [{ op: 'delete', id: 'x', email: 'a@b.test' }] }],
    ['an update without a field', { operations: [{ op: 'update', id: 'x' }] }],
    ['a batch in a batch', { operations: [{ op: 'create', operations: [] }] }],
    ['another field', { operations: [{ op: 'delete', id: 'x' }], validateOnly: true }],
  ])('rejects %s', async (_, body) => {
    expect((await send(admin, USERS, body)).status).toBe(400);
  });

  it('gives no caller more rights than single requests', async () => {
    const { tenantId, prefix } = await newPlace();
    const operations = [{ op: 'create', id: `${prefix}u`, tenantId, email: 'a@batch.test' }];
    const viewer = await addTenantUser(api, tenantId, 'POWER_USER');
    for (const { session } of [author, viewer]) {
      expect((await send(session, USERS, { operations })).status).toBe(403);
      expect(statusesOf(await send(session, USERS, { mode: 'each', operations }))).toEqual([403]);
    }
    expect(await readUsers(tenantId, prefix)).toHaveLength(1);
  });
});

describe('a batch of dashboards', () => {
  const BATCH = '/dashboards:batch';
  const titleOf = async (id: string) =>
    (await author.session.get<{ dashboard?: { title: string } }>(`/dashboards/${id}`)).body.dashboard?.title;

  it('creates, changes and deletes, and shows the secrets of new ones', async () => {
    const [kept, gone] = [
      await createResource(DASHBOARDS, author.session),
      await createResource(DASHBOARDS, author.session),
    ];
    const answer = await send(author.session, BATCH, {
      operations: [
        { op: 'delete', id: gone.id },
        { op: 'create', title: 'New', template: { sheets: [] } },
        { op: 'update', id: kept.id, title: 'Changed' },
      ],
    });
    expect([answer.status, statusesOf(answer)]).toEqual([200, [200, 201, 200]]);
    const created = answer.body.results?.[1]?.dashboard;
    expect(created?.secret).toEqual(expect.any(String));
    expect(await titleOf(created?.id ?? '')).toBe('New');
    expect(await titleOf(kept.id)).toBe('Changed');
    expect(await titleOf(gone.id)).toBeUndefined();
  });

  it('does not reach a dashboard of another user or project', async () => {
    const own = await createResource(DASHBOARDS, author.session);
    const hidden = await createResource(DASHBOARDS, otherAuthor.session);
    const operations: Operation[] = [
      { op: 'update', id: own.id, title: 'Changed' },
      { op: 'delete', id: hidden.id },
      { op: 'update', id: hidden.id, title: 'Taken' },
    ];
    const before = await titleOf(own.id);
    const atomic = await send(author.session, BATCH, { operations });
    expect([atomic.status, namedBy(atomic)]).toEqual([404, ['operations[1]', 'operations[2]']]);
    expect(await titleOf(own.id)).toBe(before);
    const each = await send(author.session, BATCH, { mode: 'each', operations });
    expect(statusesOf(each)).toEqual([200, 404, 404]);
    succeeded(await otherAuthor.session.get(`/dashboards/${hidden.id}`));
    const elsewhere = await api.createProject();
    const stranger = await api.openSession({ orgUserId: server.credentials.adminOrgUserId }, elsewhere);
    const foreign = await send(stranger, BATCH, { operations: [{ op: 'delete', id: own.id }] });
    expect(foreign.status).toBe(404);
  });

  it('rejects a body that is nested too deeply or has a key twice', async () => {
    const nested = `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`;
    const bodies = [
      `{"operations":[{"op":"create","title":"Deep","template":${nested}}]}`,
      '{"operations":[],"operations":[{"op":"delete","id":"x"}]}',
      '{"operations":[{"op":"delete","id":"x","__proto__":{}}]}',
    ];
    for (const body of bodies) {
      const response = await fetch(`${server.baseUrl}/api/management/v1${BATCH}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${author.session.token}` },
        body,
      });
      expect(response.status).toBe(400);
    }
  });
});

describe('a batch of shares', () => {
  it('grants, changes and revokes shares of a dashboard', async () => {
    const { id } = await createResource(DASHBOARDS, author.session);
    const path = `/dashboards/${id}/shares:batch`;
    const target = { scope: 'specific_org_user', orgUserId: otherAuthor.id };
    const everybody = { scope: 'all_org_users' };
    const answer = await send(author.session, path, {
      operations: [
        { op: 'create', ...target, role: 'VIEWER' },
        { op: 'update', ...target, role: 'EDITOR' },
        { op: 'create', ...everybody, role: 'VIEWER' },
        { op: 'delete', ...everybody },
      ],
    });
    expect([answer.status, statusesOf(answer)]).toEqual([200, [200, 200, 200, 200]]);
    const shares = succeeded(await author.session.get<Record<string, unknown>>(`/dashboards/${id}/shares`));
    const found = Object.values(shares).flatMap((part) => (Array.isArray(part) ? (part as Operation[]) : []));
    expect(found).toMatchObject([{ scope: 'specific_org_user', role: 'EDITOR' }]);
    expect(
      (await send(otherAuthor.session, path, { operations: [{ op: 'delete', ...target }] })).status,
    ).toBe(403);
  });
});

describe('a batch of policy assignments', () => {
  it('assigns, changes and withdraws definitions', async () => {
    const connection = await createConnection(admin);
    const definition = await createDefinition(api, connection.id);
    const { tenantId } = await newPlace();
    const other = await newPlace();
    const path = `${securityPath(api)}/assignments:batch`;
    const assign = (tenant: string) => ({
      op: 'create',
      definitionId: definition.id,
      scopeType: 'TENANT',
      tenantId: tenant,
    });
    const made = await admin.post<{ data: { results: { status: number; assignment: { id: string } }[] } }>(
      path,
      {
        operations: [assign(tenantId), assign(other.tenantId)],
      },
    );
    const [first, second] = succeeded(made).data.results;
    expect([first?.status, second?.status]).toEqual([201, 201]);
    expect((await admin.post(path, { operations: [assign(tenantId)] })).status).toBe(409);
    const ended = await admin.post<{ data: { results: { status: number }[] } }>(path, {
      operations: [
        { op: 'update', assignmentId: first?.assignment.id, params: { region: 'north' } },
        { op: 'delete', assignmentId: second?.assignment.id },
      ],
    });
    expect(succeeded(ended).data.results.map(({ status }) => status)).toEqual([200, 200]);
    const list = `${securityPath(api)}/assignments?definitionId=${definition.id}`;
    const { data } = succeeded(await admin.get<{ data: { assignment?: unknown }[] }>(list));
    expect(data).toHaveLength(1);
  });
});
