import { usePlatform } from '@gatehouse/testing/platform';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEngines } from '../sql/compiler/engines.js';
import { fieldsOf, ORDERS, startPlatform, TENANT_RULE, type Project } from '../testing/platform.js';
import { restrict } from './makePreview.js';

const { platform } = await usePlatform(startPlatform);
let project: Project;
let definitionId: string;
let northId: string;

const NORTH = { kind: 'TENANT', tenantId: 't_north' } as const;
const NORA = { kind: 'TENANT_USER', tenantUserId: 'nora' } as const;
const ADA = { kind: 'ORG_USER', orgUserId: 'ou_ada' } as const;
const EVERYBODY = { kind: 'ALL_TENANTS' } as const;
const TO_SOUTH = { scopeType: 'TENANT', tenantId: 't_south' } as const;
beforeAll(() => {
  for (const id of ['t_north', 't_south']) platform.people.tenant(id);
  platform.people.tenantUser('nora', 't_north');
  platform.people.orgUser('ou_ada', 'AUTHOR');
});
beforeEach(async () => {
  project = await platform.openProject();
  definitionId = (await project.define({ name: 'Own tenant' })).definition.id;
  const assigned = await project.assign(definitionId, {
    scopeType: 'TENANT',
    tenantId: 't_north',
    params: { tenant: 'north' },
  });
  northId = assigned.assignment.id;
});

describe('a preview', () => {
  it('returns the actor, the connection, assignments, rules and the restricted statement', async () => {
    const preview = await project.preview({ actor: NORA, sql: ORDERS });
    expect(preview).toMatchObject({
      actor: {
        kind: 'TENANT_USER',
        id: 'nora',
        name: 'Name of nora',
        email: 'nora@example.test',
        tenantId: 't_north',
        role: 'VIEWER',
      },
      connection: { id: project.connectionId, type: 'static', dialect: 'postgres' },
      assignments: [
        {
          id: northId,
          definitionId,
          definitionName: 'Own tenant',
          scopeType: 'TENANT',
          source: 'persisted',
        },
      ],
      cls: null,
      sls: null,
      rls: {
        rules: [
          {
            name: 'own tenant',
            definitionId,
            assignmentId: northId,
            source: 'persisted',
            matcher: TENANT_RULE.matcher,
            expression: TENANT_RULE.expression,
            resolvedExpression: "tenant_id = 'north'",
            params: { tenant: 'north' },
          },
        ],
      },
      compiled: {
        status: 'compiled',
        dialect: 'postgres',
        parameters: ['north'],
        conditions: [{ table: 'orders', schema: 'public', rules: ['own tenant'] }],
        reasons: [],
      },
    });
    expect(preview.compiled.sql).toContain('$1');
    expect(preview.compiled.inlineSql).toContain("'north'");
    expect(preview.trace.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(['assignment', 'rule', 'value']),
    );
  });

  it('without a statement compiles nothing', async () => {
    const { compiled, rls } = await project.preview({ actor: NORA });
    expect(compiled).toMatchObject({ status: 'not_requested', sql: null, inlineSql: null, conditions: [] });
    expect(rls.rules).toHaveLength(1);
  });

  it('of tables returns their conditions and no SQL', async () => {
    const referencedEntities = [{ table: 'orders', alias: 'o' }, { table: 'countries' }];
    const { compiled } = await project.preview({ actor: NORA, referencedEntities });
    // The status used to be not_requested, as if no tables had been given.
    expect(compiled).toMatchObject({ status: 'conditions_only', sql: null, inlineSql: null });
    expect(compiled.conditions.map(({ table, alias }) => [table, alias])).toEqual([['orders', 'o']]);
  });

  it.each([
    ['no SQL', 'selec 1', 'invalid_sql'],
    ['a write', 'delete from orders', 'denied'],
    ['two statements', 'select 1; select 2', 'denied'],
    ['an unknown table that a rule might cover', 'select * from elsewhere', 'denied'],
  ])('of %s is answered with a status and no SQL', async (_, sql, status) => {
    const { compiled } = await project.preview({ actor: NORA, sql });
    expect(compiled).toMatchObject({ status, sql: null, inlineSql: null });
    expect(compiled.reasons).not.toEqual([]);
  });

  it('of an actor without an assignment is denied, unless the connection allows it', async () => {
    const south = { kind: 'TENANT', tenantId: 't_south' } as const;
    for (const actor of [south, EVERYBODY, ADA]) {
      const { compiled } = await project.preview({ actor, sql: ORDERS });
      expect(compiled).toMatchObject({ status: 'denied', sql: null, conditions: [] });
    }
    const open = platform.connections.add(project.projectId, `${project.connectionId}o`, {
      unassignedActors: 'allow',
    });
    await project.define({ connectionId: open });
    const { projectId, origin } = project;
    const input = { projectId, connectionId: open, actor: south, sql: ORDERS };
    const { data } = await platform.policy.previews.preview.mutate(input, { context: origin });
    expect(data.compiled.status).toBe('compiled');
  });

  it('without a catalog is denied if a rule might cover the table', async () => {
    const { projectId, origin } = project;
    const connectionId = platform.connections.add(projectId, `${project.connectionId}n`, { catalog: null });
    const { definition } = await project.define({ connectionId });
    await project.assign(definition.id, { ...TO_SOUTH, params: { tenant: 'south' } });
    const actor = { kind: 'TENANT', tenantId: 't_south' } as const;
    const { data } = await platform.policy.previews.preview.mutate(
      {
        projectId,
        connectionId,
        actor,
        sql: ORDERS,
      },
      { context: origin },
    );
    expect(data.compiled).toMatchObject({ status: 'denied', sql: null });
  });

  it('names the missing connection or actor', async () => {
    const none = [
      [{ kind: 'ORG_USER', orgUserId: 'ou_none' }, 'actor.orgUserId'],
      [{ kind: 'ORG_USER', orgUserId: 'nora' }, 'actor.orgUserId'],
      [{ kind: 'TENANT', tenantId: 't_none' }, 'actor.tenantId'],
      [{ kind: 'TENANT_USER', tenantUserId: 'ou_ada' }, 'actor.tenantUserId'],
    ] as const;
    for (const [actor, field] of none) {
      const refusal = await platform.refusalOf(() => project.preview({ actor }));
      expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', [field]]);
    }
    const { projectId, origin } = project;
    const input = { projectId, connectionId: 'c_none', actor: EVERYBODY };
    const refusal = await platform.refusalOf(() =>
      platform.policy.previews.preview.mutate(input, { context: origin }),
    );
    expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', ['connectionId']]);
  });

  it('in a dialect without rewriting returns only conditions', async () => {
    const { projectId, origin } = project;
    const connectionId = platform.connections.add(projectId, `${project.connectionId}s`, {
      dialect: 'snowflake',
    });
    const { definition } = await project.define({ connectionId });
    await project.assign(definition.id, {
      scopeType: 'TENANT',
      tenantId: 't_north',
      params: { tenant: 'north' },
    });
    const { data } = await platform.policy.previews.preview.mutate(
      {
        projectId,
        connectionId,
        actor: NORTH,
        sql: ORDERS,
      },
      { context: origin },
    );
    expect(data.compiled).toMatchObject({ status: 'conditions_only', dialect: 'snowflake', sql: null });
    expect(data.compiled.conditions).toHaveLength(1);
  });

  it('reads a catalog once for each version', async () => {
    await project.preview({ actor: NORA, sql: ORDERS });
    const before = platform.connections.catalogsSent;
    for (let count = 0; count < 5; count += 1) await project.preview({ actor: NORA, sql: ORDERS });
    expect(platform.connections.catalogsSent).toBe(before);
    const known = platform.connections.connections.get(project.connectionId);
    if (known) {
      known.connection = { ...known.connection, catalogVersion: 2 };
      known.catalog = { defaultSchema: 'public', schemas: [] };
    }
    expect((await project.preview({ actor: NORA, sql: ORDERS })).compiled.status).toBe('denied');
    expect(platform.connections.catalogsSent).toBe(before + 1);
  });

  it("ignores the policies of the caller's token", async () => {
    const own = {
      ...project.admin,
      securityParams: { tenant: 'of the caller' },
      policies: { rls: { rules: [{ ...TENANT_RULE, expression: "tenant_id = 'caller'", enabled: true }] } },
    };
    const { projectId, connectionId } = project;
    const input = { projectId, connectionId, actor: NORA, sql: ORDERS };
    const { data } = await platform.policy.previews.preview.mutate(input, {
      context: await platform.as(own),
    });
    expect(data).toEqual(await project.preview({ actor: NORA, sql: ORDERS }));
    expect(JSON.stringify(data)).not.toContain('caller');
  });
});

describe('values', () => {
  it('come from the layer of the highest precedence: definition, assignment, runtime', async () => {
    const rule = { ...TENANT_RULE, params: { tenant: 'of the rule' } };
    const made = await project.define({ rlsConfig: { rules: [rule] } });
    const resolved = async (runtimeParams = {}) => {
      const { rls } = await project.preview({ actor: EVERYBODY, runtimeParams });
      return rls.rules.map(({ params }) => params['tenant']);
    };
    const { id } = (await project.assign(made.definition.id, { scopeType: 'ALL_TENANTS' })).assignment;
    expect(await resolved()).toEqual(['of the rule']);
    const { projectId, origin } = project;
    await platform.policy.assignments.update.mutate(
      {
        projectId,
        assignmentId: id,
        params: { tenant: 'of the assignment' },
      },
      { context: origin },
    );
    expect(await resolved()).toEqual(['of the assignment']);
    expect(await resolved({ tenant: 'of the moment' })).toEqual(['of the moment']);
  });

  it('that are missing deny only the tables of their rule', async () => {
    await project.assign(definitionId, { scopeType: 'ALL_TENANTS' });
    const denied = await project.preview({ actor: EVERYBODY, sql: ORDERS });
    expect(denied.compiled).toMatchObject({ status: 'denied', sql: null });
    expect(denied.rls.rules[0]?.resolvedExpression).toBeNull();
    const free = await project.preview({ actor: EVERYBODY, sql: 'select code from countries' });
    expect(free.compiled.status).toBe('compiled');
  });

  it('belong to the actor, whatever the names of other values are', async () => {
    await project.assign(definitionId, { ...TO_SOUTH, params: { tenant: 'of the south' } });
    const preview = await project.preview({ actor: NORA, sql: ORDERS });
    expect(JSON.stringify(preview)).not.toContain('south');
  });
});

describe('a stopped engine', () => {
  it('makes a preview UNAVAILABLE instead of dropping its rules', async () => {
    const engines = createEngines(1000);
    await engines.stop();
    const connection = { dialect: 'mysql', rowBarrier: false } as never;
    const resolved = {
      assignments: [],
      cls: null,
      sls: null,
      isGoverned: true,
      rules: [],
      refusals: [],
      trace: [],
    };
    const described = { organizationId: 'o_acme', connection, catalog: null };
    await expect(restrict(engines, { described, resolved }, { sql: ORDERS })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      retryAfterSeconds: 1,
    });
  });
});

describe('the candidates of a preview', () => {
  it('are found by one index, independent of other actors', async () => {
    const { projectId, connectionId, organizationId } = project;
    const others = Array.from({ length: 2000 }, (_, number) => ({
      _id: `usa_${projectId}${number}`,
      organizationId,
      projectId,
      connectionId,
      definitionId,
      scopeType: 'TENANT',
      actorId: `t_other${number}`,
      actorKey: `t:other${number}`,
      params: null,
      version: 1,
      revision: 1,
      outbox: [],
    }));
    const collection = platform.database.collection<{ _id: string }>('assignments');
    await collection.insertMany(others);
    const keys = ['all', 't:north', 'u:nora'];
    const plan = await collection
      .find({ version: { $gte: 1 }, projectId, connectionId, actorKey: { $in: keys } })
      .sort({ createdAt: 1, _id: 1 })
      .explain('executionStats');
    const { executionStats } = plan as { executionStats: { totalDocsExamined: number } };
    expect(JSON.stringify(plan)).toContain('"indexName":"candidates"');
    expect(executionStats.totalDocsExamined).toBeLessThan(5);
    expect((await project.preview({ actor: NORA, sql: ORDERS })).compiled.status).toBe('compiled');
  });
});
