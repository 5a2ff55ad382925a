import { usePlatform } from '@gatehouse/testing/platform';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fieldsOf, ORDERS, startPlatform, TENANT_RULE, type Project } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
let project: Project;
let definitionId: string;
let northId: string;

const NORA = { kind: 'TENANT_USER', tenantUserId: 'nora' } as const;
const ADA = { kind: 'ORG_USER', orgUserId: 'ou_ada' } as const;
const EVERYBODY = { kind: 'ALL_TENANTS' } as const;
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

const reasonsOf = ({ compiled }: { compiled: { reasons: { code: string }[] } }) =>
  compiled.reasons.map(({ code }) => code);

describe('a preview of drafts', () => {
  it('applies a single assignment', async () => {
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

  it('refuses a missing assignment, or one of another connection', async () => {
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

  it('adds a draft assignment without saving it', async () => {
    const { id } = (
      await project.define({ rlsConfig: { rules: [{ ...TENANT_RULE, expression: 'amount > {{ least }}' }] } })
    ).definition;
    const draftAssignment = {
      definitionId: id,
      scopeType: 'TENANT_USER',
      tenantUserId: 'nora',
      params: { least: 5 },
    } as const;
    await platform.eventsOf('management.policy_definition.created.v1', id);
    await platform.eventsOf('management.policy_assignment.created.v1', northId);
    const ownEvents = () => platform.events.filter(({ projectid }) => projectid === project.projectId);
    const [before, events] = [await platform.snapshot(), ownEvents()];
    const preview = await project.preview({ actor: NORA, draftAssignment, sql: ORDERS });
    expect(preview.assignments.map((each) => [each.id, each.source])).toEqual([
      [northId, 'persisted'],
      [null, 'draft'],
    ]);
    expect(preview.compiled.inlineSql).toContain('amount > 5');
    expect(await platform.snapshot()).toEqual(before);
    expect(ownEvents()).toEqual(events);
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

  it('accepts a draft or a stored assignment, but not both', async () => {
    const draftAssignment = { definitionId, scopeType: 'ALL_TENANTS' } as const;
    const both = { actor: NORA, assignmentId: northId, draftAssignment };
    const refusal = await platform.refusalOf(() => project.preview(both));
    expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', ['draftAssignment']]);
  });

  it('merges token policies, or applies only them on request', async () => {
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

  it('names the faults of token policies', async () => {
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
  it('conflict, so that nothing may be read', async () => {
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
