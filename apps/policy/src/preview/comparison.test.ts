import { usePlatform } from '@gatehouse/testing/platform';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fieldsOf, ORDERS, startPlatform, TENANT_RULE, type Project } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
let project: Project;
let definitionId: string;

const NORA = { kind: 'TENANT_USER', tenantUserId: 'nora' } as const;
const TO_SOUTH = { scopeType: 'TENANT', tenantId: 't_south' } as const;
beforeAll(() => {
  for (const id of ['t_north', 't_south']) platform.people.tenant(id);
  platform.people.tenantUser('nora', 't_north');
  platform.people.orgUser('ou_ada', 'AUTHOR');
});
beforeEach(async () => {
  project = await platform.openProject();
  definitionId = (await project.define({ name: 'Own tenant' })).definition.id;
  await project.assign(definitionId, {
    scopeType: 'TENANT',
    tenantId: 't_north',
    params: { tenant: 'north' },
  });
});

describe('a comparison of previews', () => {
  const compare = async (input: Record<string, unknown>) => {
    const { projectId, connectionId, origin } = project;
    const ground = { projectId, connectionId, actor: NORA, sql: ORDERS };
    return (await platform.policy.previews.diff.mutate({ ...ground, ...input } as never, { context: origin }))
      .data;
  };

  it('of equal previews reports no difference', async () => {
    expect(await compare({ after: {} })).toMatchObject({ isSame: true, tables: [], sql: { isSame: true } });
  });

  it('of a draft definition shows the changed condition without saving it', async () => {
    const before = await platform.snapshot();
    const rlsConfig = { rules: [{ ...TENANT_RULE, expression: 'tenant_id = {{ tenant }} and amount > 0' }] };
    const difference = await compare({ after: { draftDefinition: { definitionId, rlsConfig } } });
    expect(difference).toMatchObject({ isSame: false, tables: [{ table: 'orders', change: 'changed' }] });
    expect(difference.before).toEqual(await project.preview({ actor: NORA, sql: ORDERS }));
    expect(difference.after.compiled.inlineSql).toContain('amount > 0');
    expect(await platform.snapshot()).toEqual(before);
  });

  it('of two actors shows their differences', async () => {
    await project.assign(definitionId, { ...TO_SOUTH, params: { tenant: 'south' } });
    const south = { kind: 'TENANT', tenantId: 't_south' } as const;
    const { isSame, tables } = await compare({ after: { actor: south } });
    expect([isSame, tables.map(({ before, after }) => [before, after])]).toEqual([
      false,
      [["orders.tenant_id = 'north'", "orders.tenant_id = 'south'"]],
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
