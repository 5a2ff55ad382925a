import { createEvent } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { fieldsOf, startPlatform, TENANT_RULE, type Project } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
let project: Project;
beforeEach(async () => {
  platform.connections.onDescribe = () => {};
  project = await platform.openProject();
});

const RULES = { rules: [TENANT_RULE] };
const SLS = { allowedSchemas: ['public'] };
const definitions = () => platform.policy.definitions;
const update = (definitionId: string, change: Record<string, unknown>, origin = project.origin) =>
  definitions().update.mutate({ projectId: project.projectId, definitionId, ...change }, { context: origin });
const get = async (definitionId: string) =>
  (await definitions().get.query({ projectId: project.projectId, definitionId }, { context: project.origin }))
    .data;

describe('a definition', () => {
  it('is returned as stored, with its connection and its number of assignments', async () => {
    const { connectionId, projectId, admin } = project;
    const made = await project.define({ name: 'Own tenant', rlsConfig: RULES, slsConfig: SLS });
    expect(made).toMatchObject({
      definition: {
        projectId,
        connectionId,
        name: 'Own tenant',
        clsConfig: null,
        slsConfig: SLS,
        rlsConfig: { rules: [{ ...TENANT_RULE, enabled: true }] },
        createdBy: admin.userId,
        version: 1,
      },
      connection: { id: connectionId, type: 'static', dialect: 'postgres' },
      assignmentCount: 0,
    });
    const { id } = made.definition;
    expect(id).toMatch(/^usd_/);
    platform.people.tenant('t_north');
    await project.assign(id, { scopeType: 'TENANT', tenantId: 't_north' });
    await project.assign(id, { scopeType: 'ALL_TENANTS' });
    const { warnings: _, ...item } = made;
    expect(await get(id)).toEqual({ ...item, assignmentCount: 2 });
  });

  it('is found by a part of its name in any case, with other filters, and never by a pattern', async () => {
    const second = platform.connections.add(project.projectId, `${project.connectionId}2`);
    for (const name of ['ÄRGER & Co. (a|b) [x]', 'North', 'South']) await project.define({ name });
    await project.define({ name: 'Northwest', connectionId: second });
    await (await platform.openProject()).define({ name: 'North' });
    const { projectId, connectionId } = project;
    const list = (input: { search: string; connectionId?: string; limit?: number; cursor?: string }) =>
      definitions().list.query({ projectId, ...input }, { context: project.origin });
    const find = async (input: Parameters<typeof list>[0]) =>
      (await list(input)).data.map(({ definition }) => definition.name);
    expect(await find({ search: 'oRtH' })).toEqual(['North', 'Northwest']);
    expect(await find({ search: 'north', connectionId })).toEqual(['North']);
    expect(await find({ search: 'a\u0308rger' })).toEqual(['ÄRGER & Co. (a|b) [x]']);
    expect(await find({ search: '(a|b) [' })).toEqual(['ÄRGER & Co. (a|b) [x]']);
    for (const search of ['.*', '^N', '$', 'n.rth', String.raw`\w`])
      expect(await find({ search })).toEqual([]);
    const { data, nextCursor } = await list({ search: 'north', limit: 1 });
    expect(data).toHaveLength(1);
    expect(await find({ search: 'north', limit: 1, cursor: nextCursor ?? '' })).toEqual(['Northwest']);
    for (const search of ['', 'x'.repeat(201)])
      await expect(list({ search })).rejects.toMatchObject({
        cause: { code: 'INVALID_REQUEST', fieldErrors: [{ field: 'search' }] },
      });
  });

  it("is listed by name, with those of the project's other connections and of no other project", async () => {
    const second = platform.connections.add(project.projectId, `${project.connectionId}2`);
    for (const name of ['beta', 'Alpha', 'gamma']) await project.define({ name });
    await project.define({ name: 'Delta', connectionId: second });
    const other = await platform.openProject();
    await other.define({ name: 'Aaa' });
    const { data } = await definitions().list.query(
      { projectId: project.projectId },
      { context: project.origin },
    );
    expect(data.map(({ definition }) => definition.name)).toEqual(['Alpha', 'beta', 'Delta', 'gamma']);
    expect(data.map(({ connection }) => connection?.id)).toEqual([
      project.connectionId,
      project.connectionId,
      second,
      project.connectionId,
    ]);
  });

  it('is listed with many others in the same number of calls as alone', async () => {
    await project.define({});
    const countCalls = async () => {
      const before = platform.connections.calls + platform.people.calls;
      await definitions().list.query({ projectId: project.projectId }, { context: project.origin });
      return platform.connections.calls + platform.people.calls - before;
    };
    const alone = await countCalls();
    for (let count = 0; count < 20; count += 1) await project.define({});
    expect(await countCalls()).toBe(alone);
  });

  it('has a name that is unique in its connection until it is deleted', async () => {
    const { definition } = await project.define({ name: 'Taken' });
    const refusal = await platform.refusalOf(() => project.define({ name: 'Taken' }));
    expect([refusal.code, fieldsOf(refusal)]).toEqual(['CONFLICT', ['name']]);
    const second = platform.connections.add(project.projectId, `${project.connectionId}2`);
    await project.define({ name: 'Taken', connectionId: second });
    const { id: otherId } = (await project.define({ name: 'Other' })).definition;
    const renamed = await platform.refusalOf(() => update(otherId, { name: 'Taken' }));
    expect([renamed.code, fieldsOf(renamed)]).toEqual(['CONFLICT', ['name']]);
    await definitions().delete.mutate(
      { projectId: project.projectId, definitionId: definition.id },
      { context: project.origin },
    );
    await project.define({ name: 'Taken' });
  });

  it('requires a connection of the project', async () => {
    const other = await platform.openProject();
    for (const connectionId of ['c_none', other.connectionId]) {
      const refusal = await platform.refusalOf(() => project.define({ connectionId }));
      expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', ['connectionId']]);
    }
  });

  it('is refused with every fault at its path', async () => {
    const rlsConfig = {
      rules: [
        { ...TENANT_RULE, expression: 'tenant_id = {{ tenant' },
        { ...TENANT_RULE, expression: 'true; drop table orders' },
        { ...TENANT_RULE, expression: "tenant_id = 'x' -- always" },
        TENANT_RULE,
        { ...TENANT_RULE, expression: 'select 1' },
      ],
    };
    const clsConfig = { connectionTemplate: 'postgres://{{ host' };
    const refusal = await platform.refusalOf(() => project.define({ rlsConfig, clsConfig }));
    expect(refusal.code).toBe('INVALID_REQUEST');
    expect(fieldsOf(refusal).toSorted()).toEqual([
      'clsConfig.connectionTemplate',
      'rlsConfig.rules[0].expression',
      'rlsConfig.rules[1].expression',
      'rlsConfig.rules[2].expression',
      'rlsConfig.rules[4].expression',
    ]);
  });

  it('whose slsConfig has nothing but nulls is refused, at creation and in an update', async () => {
    const slsConfig = { schema: null, schemaTemplate: null };
    const made = await platform.refusalOf(() => project.define({ slsConfig }));
    const { definition } = await project.define({ slsConfig: { schema: 'public', schemaTemplate: null } });
    const changed = await platform.refusalOf(() => update(definition.id, { slsConfig }));
    for (const { code, fieldErrors } of [made, changed]) {
      expect(code).toBe('INVALID_REQUEST');
      const message = 'at least one field that is not null is required';
      expect(fieldErrors).toEqual([{ field: 'slsConfig', message, code: 'required' }]);
    }
  });

  it('has at least one config', async () => {
    const { projectId, connectionId, origin } = project;
    const bare = { projectId, connectionId, name: 'Bare' };
    expect(
      (await platform.refusalOf(() => definitions().create.mutate(bare, { context: origin }))).code,
    ).toBe('INVALID_REQUEST');
  });
});

describe('an update of a definition', () => {
  it('keeps absent fields, removes a config by null, and increments the version', async () => {
    const { definition } = await project.define({ rlsConfig: RULES, slsConfig: SLS });
    const { data } = await update(definition.id, { name: 'Renamed', slsConfig: null });
    expect(data.definition).toMatchObject({ name: 'Renamed', slsConfig: null, version: 2 });
    expect(data.definition.rlsConfig).toEqual(definition.rlsConfig);
    const [event] = await platform.eventsOf('management.policy_definition.updated.v1', definition.id);
    expect(event?.data['changes']).toEqual({
      name: { from: definition.name, to: 'Renamed' },
      slsConfig: { from: null, to: null },
    });
  });

  it('cannot remove the last config, one at a time or all at once', async () => {
    const { definition } = await project.define({ rlsConfig: RULES, slsConfig: SLS });
    const all = await platform.refusalOf(() => update(definition.id, { rlsConfig: null, slsConfig: null }));
    expect([all.code, fieldsOf(all)]).toEqual(['INVALID_REQUEST', ['slsConfig', 'rlsConfig']]);
    await update(definition.id, { slsConfig: null });
    const last = await platform.refusalOf(() => update(definition.id, { rlsConfig: null }));
    expect([last.code, fieldsOf(last)]).toEqual(['INVALID_REQUEST', ['rlsConfig']]);
  });

  it('requires at least one field', async () => {
    const { definition } = await project.define();
    for (const change of [{}, { runTests: true }])
      expect((await platform.refusalOf(() => update(definition.id, change))).code).toBe('INVALID_REQUEST');
  });

  it('without a change keeps the version and publishes no event', async () => {
    const { definition } = await project.define({ rlsConfig: RULES });
    const { data } = await update(definition.id, { name: definition.name, rlsConfig: RULES });
    expect(data.definition).toEqual(definition);
  });

  it('is checked like a new definition', async () => {
    const { definition } = await project.define();
    const rlsConfig = { rules: [{ ...TENANT_RULE, expression: 'tenant_id =' }] };
    const refusal = await platform.refusalOf(() => update(definition.id, { rlsConfig }));
    expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', ['rlsConfig.rules[0].expression']]);
  });

  it('is refused for an outdated version', async () => {
    const { definition } = await project.define();
    await update(definition.id, { name: 'Second' }, await project.with([1]));
    const stale = await project.with([1]);
    const { projectId } = project;
    const calls = [
      () => update(definition.id, { name: 'Third' }, stale),
      () => definitions().delete.mutate({ projectId, definitionId: definition.id }, { context: stale }),
    ];
    for (const call of calls) expect((await platform.refusalOf(call)).code).toBe('PRECONDITION_FAILED');
  });

  it('does not lose a concurrent update', async () => {
    const { definition } = await project.define({ rlsConfig: RULES });
    await Promise.all([update(definition.id, { name: 'Both' }), update(definition.id, { slsConfig: SLS })]);
    expect((await get(definition.id)).definition).toMatchObject({ name: 'Both', slsConfig: SLS, version: 3 });
  });
});

describe('the deletion of a definition', () => {
  const remove = (definitionId: string) =>
    definitions().delete.mutate({ projectId: project.projectId, definitionId }, { context: project.origin });

  it('returns its id, and removes the definition and its tests', async () => {
    const { definition } = await project.define();
    const { projectId, origin } = project;
    const { data } = await platform.policy.tests.create.mutate(
      {
        projectId,
        definitionId: definition.id,
        name: 'Everybody',
        actor: { kind: 'ALL_TENANTS' },
        sql: 'select 1',
        expect: { status: 'compiled' },
      },
      { context: origin },
    );
    expect((await remove(definition.id)).data).toEqual({ id: definition.id });
    await platform.eventsOf('management.policy_definition.deleted.v1', definition.id);
    await platform.eventsOf('management.policy_test.deleted.v1', data.test.id);
    expect((await platform.refusalOf(() => get(definition.id))).code).toBe('NOT_FOUND');
    expect(await platform.stores.tests.find(projectId, data.test.id)).toBeNull();
  });

  it('is refused while it has assignments, and names ten of them', async () => {
    const { definition } = await project.define();
    for (let count = 0; count < 12; count += 1) {
      platform.people.tenant(`t_${count}`);
      await project.assign(definition.id, { scopeType: 'TENANT', tenantId: `t_${count}` });
    }
    const refusal = await platform.refusalOf(() => remove(definition.id));
    expect([refusal.code, refusal.blockedBy?.length]).toEqual(['CONFLICT', 10]);
    expect(refusal.blockedBy?.[0]?.title).toBe('TENANT t_0');
  });

  it('never leaves a concurrently created assignment', async () => {
    const { projectId } = project;
    for (let round = 0; round < 15; round += 1) {
      const { definition } = await project.define();
      const [removed, assigned] = await Promise.allSettled([
        remove(definition.id),
        project.assign(definition.id, { scopeType: 'ALL_TENANTS' }),
      ]);
      const left = await platform.stores.assignments.listOfDefinition(projectId, definition.id, 10);
      const isLeft = (await platform.stores.definitions.find(projectId, definition.id)) !== null;
      expect({ isLeft, assignments: left.length }).toEqual({
        isLeft: removed.status === 'rejected',
        assignments: assigned.status === 'fulfilled' ? 1 : 0,
      });
      expect([removed.status, assigned.status].filter((status) => status === 'fulfilled')).toHaveLength(1);
    }
  });
});

describe('a definition and a concurrent deletion of its connection', () => {
  it('is deleted if the connection is deleted after the insert', async () => {
    const { connectionId } = project;
    let descriptions = 0;
    platform.connections.onDescribe = () => {
      descriptions += 1;
      if (descriptions === 2) platform.connections.connections.delete(connectionId);
    };
    const refusal = await platform.refusalOf(() => project.define({ name: 'Late' }));
    expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', ['connectionId']]);
    expect(descriptions).toBe(2);
  });

  it('left by a crashed process grants nothing and is removed on the event', async () => {
    const { projectId, connectionId, organizationId } = project;
    const { definition } = await project.define();
    const { assignment } = await project.assign(definition.id, { scopeType: 'ALL_TENANTS' });
    platform.connections.connections.delete(connectionId);
    const refusal = await platform.refusalOf(() => project.preview({ actor: { kind: 'ALL_TENANTS' } }));
    expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', ['connectionId']]);
    await publishDeletion({ projectId, connectionId, organizationId });
    await publishDeletion({ projectId, connectionId, organizationId });
    await platform.eventsOf('management.policy_definition.deleted.v1', definition.id);
    await platform.eventsOf('management.policy_assignment.deleted.v1', assignment.id);
    expect(await platform.stores.definitions.find(projectId, definition.id)).toBeNull();
    expect(await platform.stores.assignments.find(projectId, assignment.id)).toBeNull();
    const deletions = platform.events.filter(
      ({ subject, type }) => subject === definition.id && type.includes('deleted'),
    );
    expect(deletions).toHaveLength(1);
  });

  async function publishDeletion({ projectId, connectionId, organizationId }: Record<string, string>) {
    const origin = { service: 'semantics', organizationId: organizationId ?? '', now: new Date() };
    const data = { id: connectionId ?? '', name: 'Gone', projectId: projectId ?? '', type: 'postgres' };
    await platform.bus.publish([createEvent('management.connection.deleted.v1', data.id, { origin, data })]);
  }
});

describe('the usage of a connection', () => {
  it('lists up to ten definitions, or none', async () => {
    const { origin, connectionId } = project;
    const ask = async () =>
      (await platform.policy.usage.ofConnection.query({ connectionId }, { context: origin })).definitions;
    expect(await ask()).toEqual([]);
    for (let count = 10; count < 22; count += 1) await project.define({ name: `Number ${count}` });
    expect((await ask()).map(({ name }) => name)).toEqual(
      Array.from({ length: 10 }, (_, index) => `Number ${index + 10}`),
    );
  });
});
