import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ParserThread } from '../polyglot/parserThread.js';
import { PolyglotEngine } from '../polyglot/polyglotEngine.js';
import {
  fieldsOf,
  ORDERS,
  startPlatform,
  TENANT_RULE,
  type Project,
  type TestPlatform,
} from '../testing/platform.js';
import { restrict } from './compile.js';

let mongo: TestMongo;
let platform: TestPlatform;
let project: Project;
let definitionId: string;
let northId: string;

const NORTH = { kind: 'TENANT', tenantId: 't_north' } as const;
const NORA = { kind: 'TENANT_USER', tenantUserId: 'nora' } as const;
const ADA = { kind: 'ORG_USER', orgUserId: 'ou_ada' } as const;
const EVERYBODY = { kind: 'ALL_TENANTS' } as const;
const TO_SOUTH = { scopeType: 'TENANT', tenantId: 't_south' } as const;

beforeAll(async () => {
  mongo = await startTestMongo();
  platform = await startPlatform(mongo.databases);
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
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

const reasonsOf = ({ compiled }: { compiled: { reasons: { code: string }[] } }) =>
  compiled.reasons.map(({ code }) => code);

describe('a preview', () => {
  it('says for whom, on what, by which assignments, with which rules, and what comes of a statement', async () => {
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

  it('of tables alone gives their conditions and no SQL', async () => {
    const referencedEntities = [{ table: 'orders', alias: 'o' }, { table: 'countries' }];
    const { compiled } = await project.preview({ actor: NORA, referencedEntities });
    expect(compiled).toMatchObject({ sql: null, inlineSql: null });
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
    const { data } = await platform.policy.previews.preview(origin, input);
    expect(data.compiled.status).toBe('compiled');
  });

  it('without a catalog is denied when a rule might cover the table', async () => {
    const { projectId, origin } = project;
    const connectionId = platform.connections.add(projectId, `${project.connectionId}n`, { catalog: null });
    const { definition } = await project.define({ connectionId });
    await project.assign(definition.id, { ...TO_SOUTH, params: { tenant: 'south' } });
    const actor = { kind: 'TENANT', tenantId: 't_south' } as const;
    const { data } = await platform.policy.previews.preview(origin, {
      projectId,
      connectionId,
      actor,
      sql: ORDERS,
    });
    expect(data.compiled).toMatchObject({ status: 'denied', sql: null });
  });

  it('names the connection or the actor that does not exist', async () => {
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
    const refusal = await platform.refusalOf(() => platform.policy.previews.preview(origin, input));
    expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', ['connectionId']]);
  });

  it('in a dialect that is not rewritten gives conditions only', async () => {
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
    const { data } = await platform.policy.previews.preview(origin, {
      projectId,
      connectionId,
      actor: NORTH,
      sql: ORDERS,
    });
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

  it('does not count what the token of the caller brings', async () => {
    const own = {
      ...project.admin,
      securityParams: { tenant: 'of the caller' },
      policies: { rls: { rules: [{ ...TENANT_RULE, expression: "tenant_id = 'caller'", enabled: true }] } },
    };
    const { projectId, connectionId } = project;
    const input = { projectId, connectionId, actor: NORA, sql: ORDERS };
    const { data } = await platform.policy.previews.preview(await platform.as(own), input);
    expect(data).toEqual(await project.preview({ actor: NORA, sql: ORDERS }));
    expect(JSON.stringify(data)).not.toContain('caller');
  });
});

describe('values', () => {
  it('come from the later place: definition, assignment, runtime', async () => {
    const rule = { ...TENANT_RULE, params: { tenant: 'of the rule' } };
    const made = await project.define({ rlsConfig: { rules: [rule] } });
    const resolved = async (runtimeParams = {}) => {
      const { rls } = await project.preview({ actor: EVERYBODY, runtimeParams });
      return rls.rules.map(({ params }) => params['tenant']);
    };
    const { id } = (await project.assign(made.definition.id, { scopeType: 'ALL_TENANTS' })).assignment;
    expect(await resolved()).toEqual(['of the rule']);
    const { projectId, origin } = project;
    await platform.policy.assignments.update(origin, {
      projectId,
      assignmentId: id,
      params: { tenant: 'of the assignment' },
    });
    expect(await resolved()).toEqual(['of the assignment']);
    expect(await resolved({ tenant: 'of the moment' })).toEqual(['of the moment']);
  });

  it('that are missing deny the tables of their rule, and no others', async () => {
    await project.assign(definitionId, { scopeType: 'ALL_TENANTS' });
    const denied = await project.preview({ actor: EVERYBODY, sql: ORDERS });
    expect(denied.compiled).toMatchObject({ status: 'denied', sql: null });
    expect(denied.rls.rules[0]?.resolvedExpression).toBeNull();
    const free = await project.preview({ actor: EVERYBODY, sql: 'select code from countries' });
    expect(free.compiled.status).toBe('compiled');
  });

  it('are those of the actor alone, however the others are named', async () => {
    await project.assign(definitionId, { ...TO_SOUTH, params: { tenant: 'of the south' } });
    const preview = await project.preview({ actor: NORA, sql: ORDERS });
    expect(JSON.stringify(preview)).not.toContain('south');
  });
});

describe('a preview with something else than what is stored', () => {
  it('counts one assignment alone', async () => {
    const other = await project.define({
      rlsConfig: { rules: [{ ...TENANT_RULE, expression: 'amount > 0' }] },
    });
    const { id } = (await project.assign(other.definition.id, { scopeType: 'ALL_TENANTS' })).assignment;
    const idsOf = (preview: { assignments: { id: string | null }[] }) =>
      preview.assignments.map((each) => each.id);
    expect(idsOf(await project.preview({ actor: NORA }))).toEqual([id, northId]);
    expect(idsOf(await project.preview({ actor: NORA, assignmentId: northId }))).toEqual([northId]);
    const denied = await project.preview({ actor: ADA, assignmentId: northId, sql: ORDERS });
    expect([idsOf(denied), denied.compiled.status]).toEqual([[], 'denied']);
  });

  it('refuses an assignment that there is not, or of another connection', async () => {
    const none = await platform.refusalOf(() => project.preview({ actor: NORA, assignmentId: 'usa_none' }));
    expect([none.code, fieldsOf(none)]).toEqual(['NOT_FOUND', ['assignmentId']]);
    const second = platform.connections.add(project.projectId, `${project.connectionId}2`);
    const { definition } = await project.define({ connectionId: second });
    const { id } = (await project.assign(definition.id, { scopeType: 'ALL_TENANTS' })).assignment;
    const foreign = await platform.refusalOf(() => project.preview({ actor: NORA, assignmentId: id }));
    expect([foreign.code, fieldsOf(foreign)]).toEqual(['INVALID_REQUEST', ['assignmentId']]);
    const draft = { definitionId: definition.id, scopeType: 'ALL_TENANTS' } as const;
    const drafted = await platform.refusalOf(() => project.preview({ actor: NORA, draftAssignment: draft }));
    expect([drafted.code, fieldsOf(drafted)]).toEqual(['INVALID_REQUEST', ['draftAssignment.definitionId']]);
  });

  it('adds a draft to them, and saves nothing', async () => {
    const { id } = (
      await project.define({ rlsConfig: { rules: [{ ...TENANT_RULE, expression: 'amount > {{ least }}' }] } })
    ).definition;
    const draftAssignment = {
      definitionId: id,
      scopeType: 'TENANT_USER',
      tenantUserId: 'nora',
      params: { least: 5 },
    } as const;
    const [before, events] = [await platform.snapshot(), platform.events.length];
    const preview = await project.preview({ actor: NORA, draftAssignment, sql: ORDERS });
    expect(preview.assignments.map((each) => [each.id, each.source])).toEqual([
      [northId, 'persisted'],
      [null, 'draft'],
    ]);
    expect(preview.compiled.inlineSql).toContain('amount > 5');
    expect(await platform.snapshot()).toEqual(before);
    expect(platform.events).toHaveLength(events);
  });

  it.each([
    ['actor', { scopeType: 'TENANT', tenantId: 't_none' }, 'INVALID_REQUEST', 'draftAssignment.tenantId'],
    ['scope', { scopeType: 'TENANT' }, 'INVALID_REQUEST', 'draftAssignment.tenantId'],
    [
      'definition',
      { definitionId: 'usd_none', scopeType: 'ALL_TENANTS' },
      'NOT_FOUND',
      'draftAssignment.definitionId',
    ],
    [
      'value',
      { scopeType: 'ALL_TENANTS', params: { 'actor.id': 'x' } },
      'INVALID_REQUEST',
      'draftAssignment.params.actor.id',
    ],
    [
      'place, which is taken',
      { scopeType: 'TENANT', tenantId: 't_north' },
      'CONFLICT',
      'draftAssignment.definitionId',
    ],
  ])('checks a draft as a new assignment: its %s', async (_, draft, code, field) => {
    const draftAssignment = { definitionId, ...draft } as never;
    const refusal = await platform.refusalOf(() => project.preview({ actor: NORA, draftAssignment }));
    expect([refusal.code, fieldsOf(refusal)]).toEqual([code, [field]]);
  });

  it('takes a draft or a stored assignment, not both', async () => {
    const draftAssignment = { definitionId, scopeType: 'ALL_TENANTS' } as const;
    const both = { actor: NORA, assignmentId: northId, draftAssignment };
    const refusal = await platform.refusalOf(() => project.preview(both));
    expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', ['draftAssignment']]);
  });

  it('merges the policies of a token in, and counts them alone when it is told to', async () => {
    const rules = [
      { ...TENANT_RULE, name: 'of the token', expression: 'amount < {{ most }}', params: { most: 9 } },
    ];
    const tokenPolicyInput = { rls: { rules } };
    const namesOf = (preview: { rls: { rules: { name: string; source: string }[] } }) =>
      preview.rls.rules.map(({ name, source }) => [name, source]);
    const merged = await project.preview({ actor: NORA, tokenPolicyInput, sql: ORDERS });
    expect(namesOf(merged)).toEqual([
      ['own tenant', 'persisted'],
      ['of the token', 'token'],
    ]);
    const draftAssignment = { definitionId, scopeType: 'ALL_TENANTS' } as const;
    const alone = {
      actor: NORA,
      tokenPolicyInput,
      draftAssignment,
      ignorePersistedAssignments: true,
      sql: ORDERS,
    };
    const preview = await project.preview(alone);
    expect(namesOf(preview)).toEqual([['of the token', 'token']]);
    expect(preview.compiled.parameters).toEqual([9]);
  });

  it('names the faults of the policies of a token', async () => {
    const rules = [{ ...TENANT_RULE, expression: 'drop table orders' }];
    const tokenPolicyInput = { rls: { rules }, cls: { connectionTemplate: '{{ open' } };
    const refusal = await platform.refusalOf(() => project.preview({ actor: NORA, tokenPolicyInput }));
    expect(fieldsOf(refusal).toSorted()).toEqual([
      'tokenPolicyInput.cls.connectionTemplate',
      'tokenPolicyInput.rls.rules[0].expression',
    ]);
  });
});

describe('two assignments of the same rank that differ', () => {
  it('are a conflict, and nothing may be read', async () => {
    for (const schema of ['public', 'other']) {
      const { definition } = await project.define({ name: `In ${schema}`, slsConfig: { schema } });
      await project.assign(definition.id, { scopeType: 'ALL_TENANTS' });
    }
    const { compiled } = await project.preview({ actor: EVERYBODY, sql: ORDERS });
    expect(compiled).toMatchObject({ status: 'denied', sql: null });
    expect(compiled.reasons[0]?.message).toMatch(/In other.*In public|In public.*In other/);
    const asked = await project.preview({ actor: EVERYBODY });
    expect([asked.compiled.status, reasonsOf(asked)]).toEqual(['not_requested', reasonsOf({ compiled })]);
  });
});

describe('a comparison of previews', () => {
  const compare = async (input: Record<string, unknown>) => {
    const { projectId, connectionId, origin } = project;
    const ground = { projectId, connectionId, actor: NORA, sql: ORDERS };
    return (await platform.policy.previews.diff(origin, { ...ground, ...input } as never)).data;
  };

  it('of the same says so', async () => {
    expect(await compare({ after: {} })).toMatchObject({ isSame: true, tables: [], sql: { isSame: true } });
  });

  it('of a changed definition shows the condition that changes, and saves nothing', async () => {
    const before = await platform.snapshot();
    const rlsConfig = { rules: [{ ...TENANT_RULE, expression: 'tenant_id = {{ tenant }} and amount > 0' }] };
    const difference = await compare({ after: { draftDefinition: { definitionId, rlsConfig } } });
    expect(difference).toMatchObject({ isSame: false, tables: [{ table: 'orders', change: 'changed' }] });
    expect(difference.before).toEqual(await project.preview({ actor: NORA, sql: ORDERS }));
    expect(difference.after.compiled.inlineSql).toContain('amount > 0');
    expect(await platform.snapshot()).toEqual(before);
  });

  it('of two actors shows what they read differently', async () => {
    await project.assign(definitionId, { ...TO_SOUTH, params: { tenant: 'south' } });
    const south = { kind: 'TENANT', tenantId: 't_south' } as const;
    const { isSame, tables } = await compare({ after: { actor: south } });
    expect([isSame, tables.map(({ before, after }) => [before, after])]).toEqual([
      false,
      [["tenant_id = 'north'", "tenant_id = 'south'"]],
    ]);
  });

  it.each([
    [{ after: { actor: { kind: 'TENANT', tenantId: 't_none' } } }, 'INVALID_REQUEST', 'after.actor.tenantId'],
    [{ actor: { kind: 'TENANT', tenantId: 't_none' }, after: {} }, 'INVALID_REQUEST', 'actor.tenantId'],
    [{ after: { assignmentId: 'usa_none' } }, 'NOT_FOUND', 'after.assignmentId'],
    [
      { after: { draftDefinition: { definitionId: 'usd_none' } } },
      'NOT_FOUND',
      'after.draftDefinition.definitionId',
    ],
  ])('names what is wrong on its side: %o', async (input, code, field) => {
    const refusal = await platform.refusalOf(() => compare(input));
    expect([refusal.code, fieldsOf(refusal)]).toEqual([code, [field]]);
  });

  it('checks a draft of a definition as an update', async () => {
    const draftDefinition = { definitionId, rlsConfig: { rules: [{ ...TENANT_RULE, expression: 'a =' }] } };
    const faulty = await platform.refusalOf(() => compare({ after: { draftDefinition } }));
    expect(fieldsOf(faulty)).toEqual(['after.draftDefinition.rlsConfig.rules[0].expression']);
    const empty = { definitionId, rlsConfig: null };
    const bare = await platform.refusalOf(() => compare({ after: { draftDefinition: empty } }));
    expect(fieldsOf(bare)).toEqual(['after.draftDefinition.rlsConfig']);
  });
});

describe('an engine that is gone', () => {
  it('makes a preview UNAVAILABLE, never one without rules', async () => {
    const thread = new ParserThread({ timeoutMs: 1000 });
    await thread.close();
    const engine = new PolyglotEngine(thread);
    const connection = { dialect: 'mysql', rowBarrier: false } as never;
    const resolved = { assignments: [], cls: null, sls: null, rules: [], refusals: [], trace: [] };
    const described = { connection, catalog: null };
    await expect(
      restrict({ engineOf: () => engine }, { described, resolved }, { sql: ORDERS }),
    ).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      retryAfterSeconds: 1,
    });
  });
});

describe('the candidates of a preview', () => {
  it('are found by one index, whatever others have', async () => {
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
