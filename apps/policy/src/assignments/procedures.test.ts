import { createEvent } from '@gatehouse/service';
import type { EventData, EventType } from '@gatehouse/contract';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fieldsOf, startPlatform, type Project } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
let project: Project;
let definitionId: string;
beforeAll(() => {
  for (const id of ['t_north', 't_south']) platform.people.tenant(id);
  platform.people.tenantUser('nora', 't_north');
  platform.people.orgUser('ou_ada', 'AUTHOR');
});
beforeEach(async () => {
  project = await platform.openProject();
  definitionId = (await project.define()).definition.id;
});

const assignments = () => platform.policy.assignments;
const create = (fields: Record<string, unknown>) =>
  assignments().create.mutate({ projectId: project.projectId, definitionId, ...fields } as never, {
    context: project.origin,
  });
const createDry = (fields: Record<string, unknown>) =>
  assignments().create.mutate({ projectId: project.projectId, definitionId, ...fields } as never, {
    context: { ...project.origin, validateOnly: true },
  });
const update = (assignmentId: string, change: Record<string, unknown>, origin = project.origin) =>
  assignments().update.mutate({ projectId: project.projectId, assignmentId, ...change }, { context: origin });
const list = async () =>
  (
    await assignments().list.query(
      { projectId: project.projectId, include: 'definition' },
      { context: project.origin },
    )
  ).data;

const TO_NORTH = { scopeType: 'TENANT', tenantId: 't_north' } as const;
const ACTORS = {
  ALL_TENANTS: { scopeType: 'ALL_TENANTS' },
  TENANT: TO_NORTH,
  TENANT_USER: { scopeType: 'TENANT_USER', tenantUserId: 'nora' },
  ORG_USER: { scopeType: 'ORG_USER', orgUserId: 'ou_ada' },
} as const;
const FIELDS = { orgUserId: 'ou_ada', tenantId: 't_north', tenantUserId: 'nora' } as const;
const REQUIRED = {
  ALL_TENANTS: null,
  TENANT: 'tenantId',
  TENANT_USER: 'tenantUserId',
  ORG_USER: 'orgUserId',
};
const scopes = Object.keys(REQUIRED) as (keyof typeof REQUIRED)[];

describe('an assignment', () => {
  it.each(scopes)('to %s is returned with its definition, connection and actor', async (scopeType) => {
    const params = { tenant: 'north', regions: ['a', 'b'], limit: 5, isOpen: true };
    const { data } = await create({ ...ACTORS[scopeType], params });
    const person = (id: string) => ({ id, name: `Name of ${id}`, email: `${id}@example.test` });
    expect(data).toMatchObject({
      assignment: {
        projectId: project.projectId,
        definitionId,
        orgUserId: null,
        tenantId: null,
        tenantUserId: null,
        ...ACTORS[scopeType],
        params,
        createdBy: project.admin.userId,
        version: 1,
      },
      definition: { id: definitionId },
      connection: { id: project.connectionId },
      orgUser: scopeType === 'ORG_USER' ? person('ou_ada') : null,
      tenant: scopeType === 'TENANT' ? { id: 't_north', name: 'Tenant t_north' } : null,
      tenantUser: scopeType === 'TENANT_USER' ? person('nora') : null,
    });
    const { id } = data.assignment;
    expect(id).toMatch(/^usa_/);
    const { warnings: _, ...item } = data;
    const read = await assignments().get.query(
      { projectId: project.projectId, assignmentId: id },
      { context: project.origin },
    );
    expect(read.data).toEqual(item);
    expect(await list()).toEqual([item]);
  });

  it('has the same warnings in a dry run, which stores nothing', async () => {
    const { warnings } = (await createDry(TO_NORTH)).data;
    expect(await list()).toEqual([]);
    const { data } = await create(TO_NORTH);
    expect(warnings.map(({ code, message }) => ({ code, message }))).toEqual(
      data.warnings.map(({ code, message }) => ({ code, message })),
    );
  });

  const combinations = scopes.flatMap((scopeType) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map((mask) => {
      const given = Object.entries(FIELDS).filter((_, index) => (mask >> index) & 1);
      return { scopeType, given: given.map(([field]) => field), fields: Object.fromEntries(given) };
    }),
  );

  it.each(combinations)(
    'of scope $scopeType with $given is accepted or refused by the rules of its scope',
    async (row) => {
      const wanted = REQUIRED[row.scopeType];
      const faults = Object.keys(FIELDS).filter((field) => row.given.includes(field) !== (field === wanted));
      const attempt = () => create({ scopeType: row.scopeType, ...row.fields });
      if (faults.length === 0) return void (await attempt());
      const refusal = await platform.refusalOf(attempt);
      expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', faults]);
    },
  );

  it.each([
    [{ scopeType: 'TENANT', tenantId: 'nora' }, 'tenantId'],
    [{ scopeType: 'TENANT_USER', tenantUserId: 'ou_ada' }, 'tenantUserId'],
    [{ scopeType: 'ORG_USER', orgUserId: 'nora' }, 'orgUserId'],
  ])('to a missing actor is rejected: %o', async (fields, field) => {
    const refusal = await platform.refusalOf(() => create(fields));
    expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', [field]]);
  });

  it('of a definition of another project is refused like one of a missing definition', async () => {
    const other = await platform.openProject();
    const foreign = (await other.define()).definition.id;
    for (const id of ['usd_none', foreign]) {
      const refusal = await platform.refusalOf(() => create({ ...TO_NORTH, definitionId: id }));
      expect([refusal.code, fieldsOf(refusal)]).toEqual(['NOT_FOUND', ['definitionId']]);
    }
  });

  it('of a definition to an actor exists once, even after two concurrent requests', async () => {
    const outcomes = await Promise.allSettled([create(TO_NORTH), create(TO_NORTH), create(TO_NORTH)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusal = await platform.refusalOf(() => create(TO_NORTH));
    expect(refusal.code).toBe('CONFLICT');
    await create(ACTORS.ALL_TENANTS);
    expect((await platform.refusalOf(() => create(ACTORS.ALL_TENANTS))).code).toBe('CONFLICT');
  });

  it('cannot set a built-in value', async () => {
    const refusal = await platform.refusalOf(() => create({ ...TO_NORTH, params: { 'actor.id': 'x' } }));
    expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', ['params.actor.id']]);
  });

  it('is listed in parts of bounded size, however large its definition is', async () => {
    const large = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`p${n}`, 'x'.repeat(10_000)]));
    const clsConfig = { connectionTemplate: 'postgres://host/db', params: large };
    for (let count = 0; count < 4; count += 1) {
      const { definition } = await project.define({ clsConfig });
      await project.assign(definition.id, { scopeType: 'ALL_TENANTS' });
    }
    const { projectId, origin: context } = project;
    const inParts = async (
      read: (cursor?: string) => Promise<{ data: unknown[]; nextCursor: string | null }>,
    ) => {
      const sizes: number[] = [];
      let items = 0;
      let cursor: string | undefined;
      do {
        const { data, nextCursor } = await read(cursor);
        sizes.push(JSON.stringify(data).length);
        items += data.length;
        cursor = nextCursor ?? undefined;
      } while (cursor !== undefined);
      return { items, largest: Math.max(...sizes), parts: sizes.length };
    };
    const { assignments: client, definitions } = platform.policy;
    const named = await inParts((cursor) => client.list.query({ projectId, cursor }, { context }));
    expect(named).toMatchObject({ items: 4, parts: 1 });
    expect(named.largest).toBeLessThan(10_000);
    const embedded = await inParts((cursor) =>
      client.list.query({ projectId, cursor, include: 'definition' }, { context }),
    );
    const whole = await inParts((cursor) => definitions.list.query({ projectId, cursor }, { context }));
    for (const { items, largest, parts } of [embedded, whole]) {
      expect(items).toBeGreaterThanOrEqual(4);
      expect(parts).toBeGreaterThan(1);
      expect(largest).toBeLessThan(9 * 1024 * 1024);
    }
  });

  it('is listed with very many others in the same number of calls as alone', async () => {
    await create(ACTORS.ALL_TENANTS);
    const countCalls = async () => {
      const before = platform.connections.calls + platform.people.calls;
      await list();
      return platform.connections.calls + platform.people.calls - before;
    };
    const alone = await countCalls();
    for (let count = 0; count < 30; count += 1) {
      platform.people.tenant(`t_many${count}`);
      await create({ scopeType: 'TENANT', tenantId: `t_many${count}` });
    }
    expect(await list()).toHaveLength(31);
    expect(await countCalls()).toBe(alone);
  });
});

describe('an update of an assignment', () => {
  it('to another scope clears the former actor', async () => {
    const { data } = await create({ ...TO_NORTH, params: { tenant: 'north' } });
    const { id } = data.assignment;
    const changed = (await update(id, { scopeType: 'TENANT_USER', tenantUserId: 'nora' })).data;
    expect(changed.assignment).toMatchObject({
      scopeType: 'TENANT_USER',
      tenantUserId: 'nora',
      tenantId: null,
      params: { tenant: 'north' },
      version: 2,
    });
    expect([changed.tenant, changed.tenantUser?.id]).toEqual([null, 'nora']);
    const all = (await update(id, { scopeType: 'ALL_TENANTS' })).data.assignment;
    expect([all.tenantUserId, all.tenantId, all.orgUserId]).toEqual([null, null, null]);
    const [first] = await platform.eventsOf('management.policy_assignment.updated.v1', id, 2);
    expect(first?.data['changes']).toEqual({
      scopeType: { from: 'TENANT', to: 'TENANT_USER' },
      tenantId: { from: 't_north', to: null },
      tenantUserId: { from: null, to: 'nora' },
    });
  });

  it('selects another actor within the scope', async () => {
    const { id } = (await create(TO_NORTH)).data.assignment;
    expect((await update(id, { tenantId: 't_south' })).data.tenant).toEqual({
      id: 't_south',
      name: 'Tenant t_south',
    });
    const explicit = await update(id, { scopeType: 'TENANT', tenantId: 't_north', orgUserId: null });
    expect(explicit.data.assignment.tenantId).toBe('t_north');
    const keeping = await update(id, { scopeType: null, tenantId: 't_south' });
    expect(keeping.data.assignment).toMatchObject({ scopeType: 'TENANT', tenantId: 't_south' });
    expect((await update(id, { scopeType: null })).data.assignment.tenantId).toBe('t_south');
  });

  it.each([
    ['no actor for the new scope', { scopeType: 'TENANT_USER' }, ['tenantUserId']],
    ['the actor of another scope', { orgUserId: 'ou_ada' }, ['orgUserId']],
    ['nobody', { tenantId: null }, ['tenantId']],
    ['an actor for all tenants', { scopeType: 'ALL_TENANTS', tenantId: 't_north' }, ['tenantId']],
    ['two actors', { scopeType: 'ORG_USER', orgUserId: 'ou_ada', tenantUserId: 'nora' }, ['tenantUserId']],
    ['a missing actor', { tenantId: 't_none' }, ['tenantId']],
    ['nothing', {}, ['']],
  ])('that leaves it with %s is refused', async (_, change, fields) => {
    const { id } = (await create(TO_NORTH)).data.assignment;
    const refusal = await platform.refusalOf(() => update(id, change));
    expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', fields]);
  });

  it('removes values by null and keeps absent ones', async () => {
    const { id } = (await create({ ...TO_NORTH, params: { tenant: 'north' } })).data.assignment;
    expect((await update(id, { tenantId: 't_south' })).data.assignment.params).toEqual({ tenant: 'north' });
    expect((await update(id, { params: null })).data.assignment.params).toBeNull();
  });

  it('to an actor with the same definition is refused', async () => {
    await create(TO_NORTH);
    const { id } = (await create(ACTORS.ALL_TENANTS)).data.assignment;
    expect((await platform.refusalOf(() => update(id, TO_NORTH))).code).toBe('CONFLICT');
  });

  it('is refused for an outdated version, as is its deletion', async () => {
    const { id } = (await create(TO_NORTH)).data.assignment;
    await update(id, { tenantId: 't_south' });
    const stale = await project.with([1]);
    const { projectId } = project;
    const calls = [
      () => update(id, { tenantId: 't_north' }, stale),
      () => assignments().delete.mutate({ projectId, assignmentId: id }, { context: stale }),
    ];
    for (const call of calls) expect((await platform.refusalOf(call)).code).toBe('PRECONDITION_FAILED');
  });

  it('without a change keeps the version and publishes no event', async () => {
    const { assignment } = (await create({ ...TO_NORTH, params: { tenant: 'north' } })).data;
    const { data } = await update(assignment.id, { ...TO_NORTH, params: { tenant: 'north' } });
    expect(data.assignment).toEqual(assignment);
  });
});

describe('the deletion of an assignment', () => {
  it('returns its id and publishes an event', async () => {
    const { id } = (await create(TO_NORTH)).data.assignment;
    const { projectId, origin } = project;
    expect(await assignments().delete.mutate({ projectId, assignmentId: id }, { context: origin })).toEqual({
      ok: true,
      data: { id },
    });
    const [event] = await platform.eventsOf('management.policy_assignment.deleted.v1', id);
    expect(event?.data).toMatchObject({ scopeType: 'TENANT', actorId: 't_north' });
    expect(await list()).toEqual([]);
  });
});

async function publish<T extends EventType>(type: T, data: EventData<T>) {
  const origin = { service: 'directory', organizationId: project.organizationId, now: new Date() };
  await platform.bus.publish([createEvent(type, 'gone', { origin, data })]);
}

describe('a deleted actor', () => {
  const person = { email: '', name: '', role: 'VIEWER', isActive: true } as const;

  it.each(['TENANT', 'TENANT_USER', 'ORG_USER'] as const)(
    '(%s) loses its assignments; other actors keep theirs',
    async (scopeType) => {
      const others = scopes.filter((scope) => scope !== scopeType);
      for (const scope of others) await create(ACTORS[scope]);
      const { id } = (await create(ACTORS[scopeType])).data.assignment;
      const user = platform.people.users.get(scopeType === 'ORG_USER' ? 'ou_ada' : 'nora');
      const key =
        (scopeType === 'TENANT' ? platform.people.tenants.get('t_north')?.key : user?.userKey) ?? '';
      for (let time = 0; time < 2; time += 1) {
        if (scopeType === 'TENANT')
          await publish('management.tenant.deleted.v1', {
            id: 't_north',
            key,
            name: '',
            defaultOwnerId: null,
          });
        else if (scopeType === 'ORG_USER')
          await publish('management.org_user.deleted.v1', {
            ...person,
            id: 'ou_ada',
            key,
            tenantId: null,
            tenantKey: null,
          });
        else
          await publish('management.tenant_user.deleted.v1', {
            ...person,
            id: 'nora',
            key,
            tenantId: 't_north',
            tenantKey: 't:north',
            heir: null,
          });
      }
      expect(await platform.eventsOf('management.policy_assignment.deleted.v1', id)).toHaveLength(1);
      expect((await list()).map(({ assignment }) => assignment.scopeType).toSorted()).toEqual(
        others.toSorted(),
      );
    },
  );

  it('is shown as null, and its assignment does not apply to a later actor with the same id', async () => {
    platform.people.tenant('t_again');
    await create({ scopeType: 'TENANT', tenantId: 't_again', params: { tenant: 'the former' } });
    platform.people.tenant('t_again');
    expect((await list()).map(({ tenant }) => tenant)).toEqual([null]);
    const preview = await project.preview({ actor: { kind: 'TENANT', tenantId: 't_again' } });
    expect(JSON.stringify(preview)).not.toContain('the former');
    expect(preview.assignments).toEqual([]);
    const [{ assignment } = { assignment: { id: '' } }] = await list();
    await update(assignment.id, { tenantId: 't_again' });
    expect((await list()).map(({ tenant }) => tenant?.id)).toEqual(['t_again']);
  });
});
